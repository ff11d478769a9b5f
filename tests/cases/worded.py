"""What the cases ask in words rather than in the notation: operations and checks that are sentences (more in ``worded_*``)."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import yaml
from adapter import Outcome
from notation import CaseError, evaluate
from stubs import Model

from lfx_neo4j_graphrag.reply.tokens import count_tokens

HERE = Path(__file__).parent
READ, SCHEMA, WRITE = "read_cypher", "get_schema", "write_cypher"

Operation = Callable[["World", dict[str, Any], dict[str, Any]], Awaitable[Any]]
Check = Callable[["World", dict[str, Any]], Awaitable[str]]
_OPERATIONS: list[tuple[re.Pattern[str], Operation]] = []
_CHECKS: list[tuple[re.Pattern[str], Check]] = []


def op(pattern: str) -> Callable[[Operation], Operation]:
    """Registers the function for the operations that ``pattern`` describes whole."""
    return lambda function: _OPERATIONS.append((re.compile(pattern + r"\Z"), function)) or function


def worded(pattern: str) -> Callable[[Check], Check]:
    """Registers the function for the checks that begin as ``pattern`` says. It gives what is wrong, '' for nothing."""
    return lambda function: _CHECKS.append((re.compile(pattern, re.S), function)) or function


def operation(text: str) -> Operation | None:
    """The function for an operation in words, None for one of the notation."""
    return next((function for pattern, function in _OPERATIONS if pattern.match(text)), None)


def check(text: str) -> Check | None:
    """The function for a check in words, None for an expression."""
    return next((function for pattern, function in _CHECKS if pattern.match(text)), None)


class World:
    """What a case has around it: clients of MCP servers, the node's class, facts about the database."""

    def __init__(self, case: Any) -> None:
        self.case, self.stack, self.clients = case, AsyncExitStack(), {}
        self.loop: Any = None
        self.memory = _memory()
        self.notes: dict[str, Any] = {}

    async def close(self) -> None:
        await self.stack.aclose()
        self.stack, self.clients = AsyncExitStack(), {}

    # ---- names for expressions ------------------------------------------------------------------------------------
    def expression_names(self) -> dict[str, Any]:
        names = {
            "codes": lambda r: [row["node"]["codigo"] for row in r.rows],
            "prompt_of": lambda r: "\n".join(r.model.prompts),
            "count_tokens": count_tokens,
            "client_rss_growth_mb": _memory() - self.memory,
            "cypher_query": self._sync("cypher_query"),
            "arg_for": self._argument_for,
            "RECORDING": SimpleNamespace(calls_of=_recorded),
            "graph_is_subset_of": lambda graph: self.notes["subset"],
        }
        try:
            from lfx.schema.data import Data
            from lfx.schema.message import Message

            names |= {"Data": Data, "Message": Message}
        except ImportError:
            pass
        return names

    def _sync(self, op: str) -> Callable[..., Any]:
        loop = asyncio.get_running_loop() if _running() else self.loop
        self.loop = loop
        return lambda **arguments: asyncio.run_coroutine_threadsafe(self.case.adapter.call(op, arguments), loop).result(60)

    async def facts(self, text: str) -> dict[str, Any]:
        """Facts about the database that ``text`` speaks of."""
        facts: dict[str, Any] = {}
        if re.search(r"\b(labels|types)_in_database|node_count|graph_is_subset_of", text):
            labels = await self.case.cypher("MATCH (n) UNWIND labels(n) AS l RETURN DISTINCT l")
            types = await self.case.cypher("MATCH ()-[r]->() RETURN DISTINCT type(r)")
            count = await self.case.cypher("MATCH (n) RETURN count(n)")
            facts = {"labels_in_database": {r[0] for r in labels}, "types_in_database": {r[0] for r in types}}
            facts["node_count"] = count[0][0]
        if "graph_is_subset_of" in text:
            self.notes["subset"] = await self._is_subset(self.case.names["CANON"])
        if asked := re.search(r"(\w+(?:\['\w+'\])?)\.model_calls\b.*second_prompt", text, re.S):
            prompts = evaluate(asked.group(1), self.case.names).model.prompts
            facts["second_prompt"] = prompts[1] if len(prompts) > 1 else ""
        return facts

    async def _is_subset(self, canon: dict[str, Any]) -> bool:
        labels = {n["id"]: n["label"] for n in canon["nodes"]}
        links = {(labels[r["start"]], r["type"], labels[r["end"]]) for r in canon["relationships"]}
        nodes = await self.case.cypher("MATCH (n) RETURN labels(n)[0], properties(n)")
        stored = await self.case.cypher("MATCH (a)-[r]->(b) RETURN labels(a)[0], type(r), labels(b)[0]")
        wanted = {(n["label"], key, value) for n in canon["nodes"] for key, value in n["properties"].items()}
        # The text by which a node is found is the product's own property.
        found = {(label, k, v) for label, props in nodes for k, v in props.items() if k != "text"}
        return found <= wanted and all(tuple(r) in links for r in stored)

    def _argument_for(self, name: str) -> str:
        for tool in self.notes["tools"].values():
            for line in tool["description"].splitlines():
                found = re.match(r"- (\S+): ", line)
                if found and (found.group(1) == name or f"(property {json.dumps(name, ensure_ascii=False)})" in line):
                    return found.group(1)
        raise CaseError(f"no tool has a filter for {name!r}")

    # ---- MCP ------------------------------------------------------------------------------------------------------
    async def client(self, *flags: str, connection: tuple | None = None, model: bool = True, **variables: str) -> Any:
        """A client of a server process with these settings; one for each set of them. Embeddings come from the case's table."""
        from mcp import StdioServerParameters
        from mcp.client.stdio import stdio_client
        from mcp_support import client as support

        one = self.case.connection
        uri, user, password = connection or (one.uri, one.username, one.password)
        key = (flags, uri, model, tuple(sorted(variables.items())))
        if key in self.clients:
            return self.clients[key]
        table = self.case.names.get("embed", {})
        settings = {"NEO4J_URI": uri, "NEO4J_USERNAME": user, "NEO4J_PASSWORD": password} | variables
        if model:
            settings["EMBEDDING_MODEL"] = "given:table"
        arguments = [str(HERE / "stub_mcp.py"), "4", json.dumps(table), *flags]
        errors = open(Path(tempfile.mkdtemp()) / "stderr", "w+", encoding="utf-8")  # noqa: SIM115 - closed with the process
        parameters = StdioServerParameters(command=sys.executable, args=arguments, env=support.environment(**settings))
        stack = self.stack
        read, write = await stack.enter_async_context(stdio_client(parameters, errlog=errors))
        self.clients[key] = found = await stack.enter_async_context(support._session(read, write))
        found.errors = errors
        return found

    async def tool(self, client: Any, name: str, arguments: Any) -> Outcome:
        started = time.perf_counter()
        answer = await client.call_with(name, arguments)
        outcome = Outcome(text=answer.text, elapsed=time.perf_counter() - started, is_error=answer.failed)
        outcome.error = answer.text if answer.failed else None
        if not answer.failed:
            document = _yaml(answer.text)
            outcome.rows = document.get("rows", []) if isinstance(document, dict) else []
        return outcome


def _yaml(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return None


def _memory() -> float:
    import psutil

    return psutil.Process().memory_info().rss / 1e6


def _running() -> bool:
    try:
        asyncio.get_running_loop()
        return True
    except RuntimeError:
        return False


def _recorded(outcome: Any) -> list[SimpleNamespace]:
    several = outcome.values() if isinstance(outcome, dict) else [outcome]
    return [SimpleNamespace(database=database) for one in several for database in one.databases]


def wrong(*conditions: tuple[bool, str]) -> str:
    """What is said of the conditions that do not hold."""
    return "; ".join(what for held, what in conditions if not held)


@worded(r"no exception leaves the call; 'JSONDecodeError' not in str\(r\)")
async def _no_exception(world: World, names: dict) -> str:
    outcome = names["r"]
    return "" if "JSONDecodeError" not in str(outcome.error) + outcome.text else outcome.text


@op(r"graph_schema x3 with the wrong password.*")
async def _wrong_then_right(world: World, call: dict, names: dict) -> Outcome:
    for _ in range(3):
        await world.case.adapter.call("graph_schema", {"connection": ["bolt://127.0.0.1:7687", "neo4j", "clave-mala-123"]})
    return await world.case.adapter.call("graph_schema", {})


@op(r"wipe database, then graph_schema")
async def _wiped(world: World, call: dict, names: dict) -> Outcome:
    await world.case.wipe()
    return await world.case.adapter.call("graph_schema", {})


@op(r"every operation once")
async def _every(world: World, call: dict, names: dict) -> dict[str, Outcome]:
    database = {"database": call["args"]["database"]}
    embedder = {"embedding": names["EMB4"]}
    graph = json.dumps({"nodes": [{"id": "0", "label": "Parte", "properties": {"codigo": "P-9"}}], "relationships": []})
    calls = {
        "add_records": {"rows": [{"codigo": "P-1", "text": "faro"}], "node_label": "Parte", "key_property": "codigo"} | embedder,
        "build_graph": {"documents": ["Parte P-9."], "model": Model([graph]), "node_types": "Parte(codigo)"} | embedder,
        "vector": {"query": "faro"} | embedder,
        "hybrid": {"query": "faro"} | embedder,
        "vector_graph": {"query": "faro"} | embedder,
        "hybrid_graph": {"query": "faro"} | embedder,
        "text2cypher": {"question": "¿Cuántas?", "model": Model(["MATCH (p:Parte) RETURN count(p) AS n"])},
        "cypher_query": {"query": "MATCH (p:Parte) RETURN count(p) AS n"},
        "graph_schema": {},
    }
    found = {}
    for name, arguments in calls.items():
        found[name] = await world.case.adapter.call(name, arguments | database, recording=True)
        if found[name].error or not found[name].databases:
            raise CaseError(f"{name} did not reach the server: {found[name].error}")
    return found
