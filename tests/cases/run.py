"""Run the cases of a file: ``python tests/cases/run.py FILE [--only ID …] [--uri … --password …] [--neo4j VERSION]``.

Prints a line per case and ``N passed, N failed``; the exit status says whether all passed. Without ``--uri`` an embedded
server of its own is started. The database is wiped before each case and after the last: one that holds nodes is refused
at first unless NEO4J_TEST_WIPE=1.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import http.server
import json
import os
import re
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import worded  # noqa: E402
import worded_langflow  # noqa: E402, F401 - registers its operations and checks
import worded_mcp  # noqa: E402, F401
from adapter import OPERATIONS, Adapter, Missing, Outcome, forget_drivers, list_holes  # noqa: E402
from conftest import TEST_SERVER, wipe  # noqa: E402
from notation import CaseError, evaluate, fill, is_ordered, load, python_names, same_rows, singular  # noqa: E402
from stubs import DocumentModel, Embedder, Model, faults_of  # noqa: E402

from lfx_neo4j_graphrag.database.connection import Connection, driver_for  # noqa: E402

MODULES = {"json", "re", "math"}  # an entry of input of that name does not hide the module


class Listener:
    """An HTTP server that counts who asks it for anything."""

    def __init__(self) -> None:
        listener = self
        self.hits = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                listener.hits += 1
                self.send_response(200)
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Case:
    """One case on one database."""

    def __init__(self, case: dict[str, Any], connection: Connection) -> None:
        self.case, self.connection, self.adapter = case, connection, Adapter(connection)
        self.failures: list[str] = []
        self.evaluated: set[int] = set()
        self.names: dict[str, Any] = {}
        self.world = worded.World(self)

    async def run(self) -> list[str]:
        """What failed, as lines; empty when the case passed."""
        for _ in range(int(self.case["input"].get("repeat", 1))):
            await self.wipe()
            self._prepare()
            try:
                for statement in self.names.get("setup_cypher", []):
                    await self.cypher(statement)
                for call in self.case["calls"]:
                    await self._call(call)
                for check in self.case["checks"]:
                    if "for" not in check and "after" not in check:
                        await self._check(check)
                if not self.case["checks"]:
                    raise CaseError("there is no check")
                if skipped := [check for check in self.case["checks"] if id(check) not in self.evaluated]:
                    raise CaseError(f"never evaluated: {skipped}")
            except CaseError as error:
                self.failures.append(str(error))
            finally:
                await self.world.close()
            if self.failures:
                break
        await forget_drivers()
        return self.failures

    # ---- values ---------------------------------------------------------------------------------------------------
    def _prepare(self) -> None:
        listener = Listener()
        self.names = python_names() | {
            "EMB4": Embedder(4),
            "EMB8": Embedder(8),
            "EMB_HASH16": Embedder(16, hashed=True),
            "MODEL": Model,
            "listener": listener,
            "INTERNAL_LABELS": set(),
            "INTERNAL_TYPES": set(),
        }
        given = self.case["input"]
        texts = {"Q": str(given.get("Q", "")), "PORT": str(listener.port)}
        if "json" in given:
            whole = json.dumps(given["json"], ensure_ascii=False)
            texts |= {
                "JSON": whole,
                "JSON with ',' before the last closing bracket": whole[:-1] + "," + whole[-1],
                "first 60 % of JSON": whole[: len(whole) * 6 // 10],
            }
            self.names["CANON"] = given["json"]
        for name, value in given.items():
            plain = name.removesuffix("_py")
            if plain in MODULES:
                continue
            value = _with_texts(value, texts)
            self.names[plain] = evaluate(value, self.names | self.world.expression_names()) if name.endswith("_py") else value
        faults = given.get("faults")
        if faults:
            self.names |= {"MODEL_FAULTY": DocumentModel(faults_of(faults)), "MODEL_FINE": DocumentModel({})}
            self.names["calls_for"] = self.names["MODEL_FAULTY"].calls_for

    # ---- calls ----------------------------------------------------------------------------------------------------
    async def _call(self, call: dict[str, Any]) -> None:
        target = call.get("as", "_")
        base = re.match(r"\w+", target).group()
        if "for_each" not in call:
            await self._index_names(call)
            self.names[base] = await self._one(call, self.names)
            await self._checks_of("after", base)
            return
        items = self.names[call["for_each"]]
        keyed = items.items() if isinstance(items, dict) else enumerate(items)
        found: Any = {} if isinstance(items, dict) else []
        self.names[base] = found
        for key, item in keyed:
            local = self.names | self._loop_names(call["for_each"], key, item)
            outcome = await self._one(call, local)
            if isinstance(found, dict):
                found[key] = outcome
            else:
                found.append(outcome)
            await self._checks_of("for", key, {base: outcome, "r": outcome, **self._loop_names(call["for_each"], key, item)})
            if call.get("reset_database_between"):
                await self.wipe()
                for statement in self.names.get("setup_cypher", []):
                    await self.cypher(statement)

    @staticmethod
    def _loop_names(collection: str, key: Any, item: Any) -> dict[str, Any]:
        names = {singular(collection): item, "key": key, "i": key}
        if isinstance(key, int) and isinstance(item, list) and len(item) == 2 and isinstance(item[0], str):
            names |= {singular(collection): item[0], "expected": item[1], "code": item[1]}
        return names

    async def _one(self, call: dict[str, Any], names: dict[str, Any]) -> Any:
        op = call["op"]
        if special := worded.operation(op):
            return await special(self.world, call, names)
        if call.get("driver") not in (None, "RECORDING"):
            raise CaseError(f"there is no driver {call['driver']}")
        if parallel := re.fullmatch(r"parallel\((\d+), (\w+)\)", op):
            arguments = fill(call.get("args", {}), names)
            return await asyncio.gather(*(self._operation(parallel[2], arguments) for _ in range(int(parallel[1]))))
        return await self._operation(op, fill(call.get("args", {}), names), recording=call.get("driver") == "RECORDING")

    async def _operation(self, op: str, arguments: dict[str, Any], recording: bool = False) -> Any:
        if op == "list_holes":
            return list_holes(arguments["query"])
        if op not in OPERATIONS:
            raise CaseError(f"there is no operation {op!r}")
        return await self.adapter.call(op, arguments, recording=recording)

    async def _index_names(self, call: dict[str, Any]) -> None:
        if "index_of" not in json.dumps(call.get("args", {}), default=str):
            return
        rows = await self.cypher("SHOW INDEXES YIELD name, type, labelsOrTypes RETURN name, type, labelsOrTypes")
        names = {(row[1], label): row[0] for row in rows for label in row[2] or []}
        self.names["index_of"] = lambda kind, label: names[(kind, label)]

    # ---- checks ---------------------------------------------------------------------------------------------------
    async def _checks_of(self, field: str, value: Any, names: dict[str, Any] | None = None) -> None:
        for check in self.case["checks"]:
            wanted = check.get(field)
            if wanted == value or wanted == "all" or (isinstance(wanted, list) and value in wanted):
                await self._check(check, names)

    async def _check(self, check: dict[str, Any], more: dict[str, Any] | None = None) -> None:
        names = self.names if more is None else self.names | more
        self.evaluated.add(id(check))
        try:
            failed = await self._failure(check, names)
        except Missing as error:
            failed = str(error)
        if failed:
            self.failures.append(f"{check.get('cypher') or check.get('python')}: {failed}"[:1500])

    async def _failure(self, check: dict[str, Any], names: dict[str, Any]) -> str:
        if outcome := check.get("expect_if_no_error"):
            if names[outcome].error:
                return ""
        if "with" in check:
            names.update(await self._defined(check["with"]))
        if "cypher" in check:
            got = await self.cypher(check["cypher"], names)
            if "expect_set" in check:
                flat = [x for row in got for x in (row[0] if isinstance(row[0], list) else row)]
                return "" if sorted(map(str, flat)) == sorted(map(str, check["expect_set"])) else f"got {got}"
            if "expect" not in check:
                raise CaseError("a cypher check without expect")
            same = same_rows(got, check["expect"], is_ordered(check["cypher"]))
            return "" if same else f"got {got}, expected {check['expect']}"
        text = check["python"]
        if special := worded.check(text):
            return await special(self.world, names)
        return await self._python(text, names)

    async def _python(self, text: str, names: dict[str, Any]) -> str:
        facts = await self.world.facts(text)
        each = re.match(r"for each(?: \(\w+, \w+\))?: (.*)", text, re.S)
        if not each:
            return await asyncio.to_thread(_run, text, names, facts | self.world.expression_names())
        loop = next(c for c in self.case["calls"] if "for_each" in c)
        bases = [re.match(r"\w+", c["as"]).group() for c in self.case["calls"] if c.get("for_each") == loop["for_each"]]
        items = names[loop["for_each"]]
        if not items:
            raise CaseError(f"{loop['for_each']} is empty")
        for key, item in items.items() if isinstance(items, dict) else enumerate(items):
            local = {base: names[base][key] for base in bases} | self._loop_names(loop["for_each"], key, item)
            local["model"] = local[bases[0]].model
            if failed := await asyncio.to_thread(_run, each[1], names | local, facts | self.world.expression_names()):
                shown = {b: (local[b].error or str(local[b].rows)[:300]) for b in bases}
                return f"at {key!r}: {failed}; {shown}"
        return ""

    async def _defined(self, text: str) -> dict[str, Any]:
        name, _, value = (part.strip() for part in text.partition("="))
        if every := re.fullmatch(r"\{(\w+): properties\} of all :(\w+)", value):
            rows = await self.cypher(f"MATCH (n:`{every[2]}`) RETURN n.`{every[1]}`, properties(n)")
            return {name: {row[0]: row[1] for row in rows}}
        if re.match(r"(MATCH|RETURN|SHOW)\b", value):
            return {name: (await self.cypher(value))[0][0]}
        raise CaseError(f"cannot define {text!r}")

    # ---- database -------------------------------------------------------------------------------------------------
    async def cypher(self, text: str, names: dict[str, Any] | None = None) -> list[list[Any]]:
        parameters = {p: names[p] for p in list_holes(text) if names and p in names}
        async with driver_for(self.connection) as driver:
            result = await driver.execute_query(text, parameters)
        return [list(record.values()) for record in result.records]

    async def wipe(self) -> None:
        await wipe(self.connection)


def _with_texts(value: Any, texts: dict[str, str]) -> Any:
    if isinstance(value, str):
        return re.sub(r"\{(" + "|".join(map(re.escape, texts)) + r")\}", lambda m: texts[m.group(1)], value)
    if isinstance(value, list):
        return [_with_texts(item, texts) for item in value]
    if isinstance(value, dict):
        return {key: _with_texts(item, texts) for key, item in value.items()}
    return value


def _run(text: str, names: dict[str, Any], more: dict[str, Any]) -> str:
    """'' when every expression of the Python ``text`` is true; names that it assigns stay in ``names``."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        raise CaseError(f"no check in words is known as {text[:100]!r}") from None
    return _statements(body, names, more)


def _statements(body: list[ast.stmt], names: dict[str, Any], more: dict[str, Any]) -> str:
    for statement in body:
        if isinstance(statement, ast.For):
            for item in evaluate(ast.unparse(statement.iter), names | more):
                names[ast.unparse(statement.target)] = item
                if failed := _statements(statement.body, names, more):
                    return failed
        elif isinstance(statement, ast.Assign):
            names[ast.unparse(statement.targets[0])] = evaluate(ast.unparse(statement.value), names | more)
        elif isinstance(statement, ast.Expr):
            if not evaluate(ast.unparse(statement.value), names | more):
                return _shown(statement.value, names | more)
        else:
            raise CaseError(f"cannot evaluate {ast.unparse(statement)[:100]!r}")
    return ""


def _shown(expression: ast.expr, names: dict[str, Any]) -> str:
    """The values of the outcomes that a false expression speaks of."""
    seen = {n.id for n in ast.walk(expression) if isinstance(n, ast.Name) and isinstance(names.get(n.id), Outcome)}
    parts = []
    for name in sorted(seen):
        o = names[name]
        report = o.report._report if o.report else None
        parts.append(f"{name}: error={o.error!r} rows={str(o.rows)[:300]} text={o.text[:300]!r} report={str(report)[:600]}")
    return "false; " + " | ".join(parts) if parts else "false"


async def run_file(path: Path, connection: Connection, only: list[str]) -> tuple[int, int]:
    """Run the cases and print a line for each; how many passed and failed."""
    passed = failed = 0
    if TEST_SERVER["WIPE"] != "1":
        async with driver_for(connection) as driver:
            nodes = (await driver.execute_query("MATCH (n) RETURN count(n)")).records[0][0]
        if nodes:
            advice = "Set NEO4J_TEST_WIPE=1 if everything in it may be deleted."
            sys.exit(f"The database at {connection.uri} holds {nodes} nodes. {advice}")
    for case in load(path):
        if only and case["id"] not in only:
            continue
        try:
            failures = await Case(case, connection).run()
        except Exception as error:  # a fault of the product that no sentence covers is a failed case, not the end of the run
            failures = [f"{type(error).__name__}: {error}", *traceback.format_exc().splitlines()[-6:]]
        print(f"{'FAIL' if failures else 'pass'}  {case['id']}  {case['title']}", flush=True)
        for line in failures:
            print(f"      {line}", flush=True)
        passed, failed = passed + (not failures), failed + bool(failures)
    await wipe(connection)
    return passed, failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--uri", default=TEST_SERVER["URI"])
    parser.add_argument("--username", default=TEST_SERVER["USERNAME"] or "neo4j")
    parser.add_argument("--password", default=TEST_SERVER["PASSWORD"])
    parser.add_argument("--neo4j", default="")
    args = parser.parse_args()
    os.environ["NEO4J_GRAPHRAG_HOME"] = tempfile.mkdtemp()
    from lfx_neo4j_graphrag.local import server as embedded

    if args.uri:
        passed, failed = asyncio.run(run_file(args.file, Connection(args.uri, args.username, args.password), args.only))
    else:
        folder = Path(tempfile.mkdtemp())
        settings = {"dbms.security.auth_max_failed_attempts": "0"}
        version = args.neo4j or embedded.DEFAULT_VERSION
        connection = embedded.start(folder, version=version, settings=settings).connection
        try:
            passed, failed = asyncio.run(run_file(args.file, connection, args.only))
        finally:
            embedded.stop(folder)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
