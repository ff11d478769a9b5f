"""What the cases ask in words rather than in the notation: MCP clients, the Langflow node, checks that are sentences."""

from __future__ import annotations

import asyncio
import json
import os
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
from notation import CaseError, evaluate, fill
from stubs import Model

from lfx_neo4j_graphrag.reply.tokens import count_tokens

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
READ, SCHEMA, WRITE = "read_cypher", "get_schema", "write_cypher"

Operation = Callable[["World", dict[str, Any], dict[str, Any]], Awaitable[Any]]
Check = Callable[["World", dict[str, Any]], Awaitable[str]]
_OPERATIONS: list[tuple[re.Pattern[str], Operation]] = []
_CHECKS: list[tuple[re.Pattern[str], Check]] = []


def _op(pattern: str) -> Callable[[Operation], Operation]:
    return lambda function: _OPERATIONS.append((re.compile(pattern + r"\Z"), function)) or function


def _worded(pattern: str) -> Callable[[Check], Check]:
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
            facts = {"labels_in_database": {r[0] for r in labels}, "types_in_database": {r[0] for r in types}, "node_count": count[0][0]}
        if "graph_is_subset_of" in text:
            self.notes["subset"] = await self._is_subset(self.case.names["CANON"])
        if key := re.search(r"r\['(\w+)'\].*second_prompt", text, re.S):
            prompts = self.case.names["r"][key.group(1)].model.prompts
            facts["second_prompt"] = prompts[1] if len(prompts) > 1 else ""
        return facts

    async def _is_subset(self, canon: dict[str, Any]) -> bool:
        known = {(n["label"], json.dumps(n["properties"], sort_keys=True)) for n in canon["nodes"]}
        labels = {n["id"]: n["label"] for n in canon["nodes"]}
        links = {(labels[r["start"]], r["type"], labels[r["end"]]) for r in canon["relationships"]}
        nodes = await self.case.cypher("MATCH (n) RETURN labels(n)[0], properties(n)")
        stored = await self.case.cypher("MATCH (a)-[r]->(b) RETURN labels(a)[0], type(r), labels(b)[0]")
        wanted = {(label, key, value) for label, text in known for key, value in json.loads(text).items()}
        # The text by which a node is found is the product's own property.
        strange = [(label, k, v) for label, props in nodes for k, v in props.items() if k != "text" and (label, k, v) not in wanted]
        return not strange and all(tuple(r) in links for r in stored)

    def _argument_for(self, name: str) -> str:
        for tool in self.notes["tools"].values():
            for line in tool["description"].splitlines():
                found = re.match(r"- (\S+): ", line)
                if found and (found.group(1) == name or f"(property {json.dumps(name, ensure_ascii=False)})" in line):
                    return found.group(1)
        raise CaseError(f"no tool has a filter for {name!r}")

    # ---- MCP ------------------------------------------------------------------------------------------------------
    async def client(self, *flags: str, table: dict | None = None, connection: tuple | None = None, model: bool = True, **variables: str) -> Any:
        """A client of a server process with these settings; one for each set of them. Embeddings come from the case's table."""
        from mcp import StdioServerParameters
        from mcp.client.stdio import stdio_client
        from mcp_support import client as support

        uri, user, password = connection or (self.case.connection.uri, self.case.connection.username, self.case.connection.password)
        key = (flags, uri, model, tuple(sorted(variables.items())))
        if key in self.clients:
            return self.clients[key]
        table = table if table is not None else self.case.names.get("embed", {})
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


@_op(r"mcp tools/list")
async def _list(world: World, call: dict, names: dict) -> Any:
    world.notes["tools"] = await (await world.client(TOKEN_LIMIT="0")).tools()
    return world.notes["tools"]


@_op(r"mcp_call\(read tool\)")
async def _read(world: World, call: dict, names: dict) -> Outcome:
    variables = {"QUERY_TIMEOUT": str(call["server_timeout"])} if "server_timeout" in call else {}
    arguments = fill(call.get("args", {}), names)
    # Vectors and rows of a case are counted, so rows are not capped; the token limit is that of a user.
    return await world.tool(await world.client(MAX_ROWS="5000", **variables), READ, arguments)


@_op(r"mcp_call\(schema tool\)")
async def _schema(world: World, call: dict, names: dict) -> Outcome:
    return await world.tool(await world.client(), SCHEMA, {})


@_op(r"mcp_call\((search|search \w+|first vector tool)\)")
async def _search(world: World, call: dict, names: dict) -> Outcome:
    client = await world.client(TOKEN_LIMIT="0")
    world.notes["tools"] = tools = await client.tools()
    searches = sorted(name for name in tools if "search" in name)
    wanted = re.search(r"search (\w+)", call["op"])
    name = next((n for n in searches if wanted and wanted.group(1) in n), searches[0])
    arguments = evaluate(call["args_py"], names | world.expression_names()) if "args_py" in call else fill(call["args"], names)
    return await world.tool(client, name, arguments)


@_op(r"mcp_start \+ tools/list \+ one read call")
async def _start(world: World, call: dict, names: dict) -> Any:
    key, words = names["key"], names["start"]
    case = world.case
    if "a vector index" in words:
        await case.cypher(
            "CREATE VECTOR INDEX doc_vector IF NOT EXISTS FOR (n:Doc) ON n.embedding OPTIONS {indexConfig:"
            "{`vector.dimensions`:4,`vector.similarity_function`:'cosine'}}"
        )
    down = re.search(r"(bolt://\S+) with password (\S+)", words)
    connection = (down.group(1), "neo4j", down.group(2)) if down else None
    client = await world.client(connection=connection, model="no embedding model" not in words, CASE=key)
    tools = await client.tools()
    query = "MATCH (n:Nada) WHERE n.nada = 1 RETURN n.nada AS x" if "unknown labels" in words else "RETURN 1 AS x"
    answer = await world.tool(client, READ, {"query": query})
    searches = [await world.tool(client, name, {"query": "x"}) for name in tools if "search" in name]
    client.errors.flush()
    client.errors.seek(0)
    world.notes.setdefault("stderr", {})[key] = client.errors.read()
    return SimpleNamespace(tools=set(tools), read_ok=not answer.is_error, answer=answer, searches=searches, client=client)


@_op(r"mcp_call by name\(write tool\)")
async def _write(world: World, call: dict, names: dict) -> Outcome:
    client = names["r"][call["in"]].client if "in" in call else await world.client()
    return await world.tool(client, WRITE, fill(call["args"], names))


@_op(r"graph_schema x3 with the wrong password.*")
async def _wrong_then_right(world: World, call: dict, names: dict) -> Outcome:
    for _ in range(3):
        await world.case.adapter.call("graph_schema", {"connection": ["bolt://127.0.0.1:7687", "neo4j", "clave-mala-123"]})
    return await world.case.adapter.call("graph_schema", {})


@_op(r"wipe database, then graph_schema")
async def _wiped(world: World, call: dict, names: dict) -> Outcome:
    await world.case.wipe()
    return await world.case.adapter.call("graph_schema", {})


@_op(r"every operation once")
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
    for op, arguments in calls.items():
        found[op] = await world.case.adapter.call(op, arguments | database, recording=True)
        if found[op].error or not found[op].databases:
            raise CaseError(f"{op} did not reach the server: {found[op].error}")
    return found


# ---- the Langflow node --------------------------------------------------------------------------------------------
def _node_class() -> type:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from lfx.custom.eval import eval_custom_component_code

    return eval_custom_component_code((ROOT / "components" / "neo4j_graphrag" / "neo4j_graphrag.py").read_text(encoding="utf-8"))


def _fields(names: dict) -> dict[str, Any]:
    renamed = {"timeout": "query_timeout"}
    return {renamed.get(k, k): v for k, v in names["blank"].items()}


def _connected(world: World, values: dict[str, Any]) -> Any:
    one = world.case.connection
    return _node_class()(**{"uri": one.uri, "username": one.username, "password": one.password, "embedding": world.case.names["EMB4"]} | values)


async def _component(node: Any) -> Outcome:
    try:
        results, _ = await node.build_results()
        return Outcome(text=results["result"].text, rows=results["table"].to_dict(orient="records"))
    except Exception as error:
        return Outcome(error=str(error), text=str(error))


@_op(r"component\(Add Records\)")
async def _component_save(world: World, call: dict, names: dict) -> Outcome:
    values = {"operation": "Add Records", "node_label": "Parte", "key_property": "codigo", "data": [names["shape"]]}
    outcome = await _component(_connected(world, _fields(names) | values))
    stored = await world.case.cypher("MATCH (p) RETURN p.codigo")
    world.notes.setdefault("stored", []).append((stored, outcome))
    return outcome


@_op(r"component\(Vector\)")
async def _component_vector(world: World, call: dict, names: dict) -> Outcome:
    await _connected(world, {"operation": "Add Records", "node_label": "Parte", "key_property": "codigo", "data": [names["row"]]}).build_results()
    return await _component(_connected(world, _fields(names) | {"operation": "Vector", "query": "faro"}))


@_op(r"tool_call\(Vector\)")
async def _tool(world: World, call: dict, names: dict) -> Outcome:
    tool = (await _connected(world, _fields(names) | {"operation": "Vector"})._get_tools())[0]
    known = set(tool.args_schema.model_fields)
    # What the tool has no argument for stays with the node; an agent's None for one it has means the default.
    text = await tool.ainvoke({k: v for k, v in call["args"].items() if k in known})
    return Outcome(text=text, error=None if "P-1" in text else text)


@_op(r"load components from path, server unreachable")
async def _load(world: World, call: dict, names: dict) -> Any:
    import socket

    from lfx.custom.custom_component.component import Component
    from lfx.custom.utils import build_custom_component_template

    connected: list[Any] = []
    kept = socket.socket.connect
    socket.socket.connect = lambda self, address: connected.append(address) or kept(self, address)
    try:
        code = (ROOT / "components" / "neo4j_graphrag" / "neo4j_graphrag.py").read_text(encoding="utf-8")
        started = time.perf_counter()
        described, _ = build_custom_component_template(Component(_code=code), module_name="neo4j")
        seconds = time.perf_counter() - started
    finally:
        socket.socket.connect = kept
    world.notes["node"] = json.loads(json.dumps(described, default=str))
    return SimpleNamespace(seconds=seconds, connected=connected, template=world.notes["node"]["template"])


def _refreshed(template: dict, field: str, value: Any) -> dict:
    node = _node_class()()
    node.set_attributes({k: f.get("value") for k, f in template.items() if isinstance(f, dict) and f.get("type") != "other"})
    template = node.update_build_config(json.loads(json.dumps(template)), value, field)
    if field in template:
        template[field]["value"] = value
    return json.loads(json.dumps(template, default=str))


@_op(r"update_build_config along the sequence")
async def _sequence(world: World, call: dict, names: dict) -> list[dict]:
    template = json.loads(json.dumps(world.notes["node"]["template"]))
    template["database"]["value"] = names["typed"]["database"]
    steps = []
    for operation_name in names["sequence"]:
        template = _refreshed(template, "operation", operation_name)
        if operation_name == "Cypher Query" and not template["cypher"]["value"]:
            template = _refreshed(template, "cypher", names["typed"]["query"])
        steps.append(json.loads(json.dumps(template)))
    return steps


@_op(r"tool mode on, save, reload")
async def _tool_mode(world: World, call: dict, names: dict) -> Any:
    node = _node_class()(operation="Cypher Query", cypher=names["typed"]["query"])
    described = {"template": json.loads(json.dumps(names["cfg"][-1])), "outputs": [], "tool_mode": True}
    described["template"] = _refreshed(described["template"], "tool_mode", True)
    reloaded = json.loads(json.dumps(described))
    tools = await node.to_toolkit()
    return SimpleNamespace(tool_mode=reloaded["tool_mode"], operation=reloaded["template"]["operation"]["value"], tools=tools)


@_op(r"export flow, import into a clean instance, build")
async def _export(world: World, call: dict, names: dict) -> Any:
    flow = json.loads((ROOT / "flows" / "guardar_registros.json").read_text(encoding="utf-8"))
    nodes = [n["data"]["node"] for n in flow["data"]["nodes"] if n["data"].get("type") == "Neo4jGraphRAG"]
    built = [build_again(n["template"]["code"]["value"]) for n in nodes]
    return SimpleNamespace(text=json.dumps(flow), nodes=nodes, built=built)


def build_again(code: str) -> Any:
    from lfx.custom.custom_component.component import Component
    from lfx.custom.utils import build_custom_component_template

    return build_custom_component_template(Component(_code=code), module_name="neo4j")[0]


@_op(r"tool with name \$tool_name")
async def _named_tool(world: World, call: dict, names: dict) -> Any:
    node = _node_class()(operation="Cypher Query", cypher="MATCH (n) RETURN count(n) AS n")
    tools = await node.to_toolkit()
    row = {"name": tools[0].name, "description": tools[0].description, "tags": tools[0].tags, "status": True}
    node.tools_metadata = [row | {"display_name": names["tool_name"]}]
    return (await node.to_toolkit())[0]


# ---- checks in words ----------------------------------------------------------------------------------------------
def _wrong(*conditions: tuple[bool, str]) -> str:
    return "; ".join(what for held, what in conditions if not held)


@_worded(r"no exception leaves the call; 'JSONDecodeError' not in str\(r\)")
async def _no_exception(world: World, names: dict) -> str:
    outcome = names["r"]
    return "" if "JSONDecodeError" not in str(outcome.error) + outcome.text else outcome.text


@_worded(r"for every tool: inputSchema.type == 'object'")
async def _input_schemas(world: World, names: dict) -> str:
    wrong = []
    for name, tool in names["tools"].items():
        schema = tool["schema"]
        properties = schema.get("properties", {})
        plain = all(isinstance(p, dict) and {"type", "anyOf", "$ref"} & set(p) for p in properties.values())
        params = properties.get("params", {})
        if schema.get("type") != "object" or not plain or "params" in schema.get("required", []) or params.get("additionalProperties") is False:
            wrong.append(f"{name}: {schema}")
    return "; ".join(wrong)


@_worded(r"for every tool with outputSchema")
async def _output_schemas(world: World, names: dict) -> str:
    return "; ".join(f"{name} has an outputSchema" for name, tool in names["tools"].items() if tool["output"])


@_worded(r"the description lists a distinct argument for '(.+)' and '(.+)', and nota")
async def _distinct(world: World, names: dict) -> str:
    first, second = world._argument_for("precio total"), world._argument_for("precio-total")
    return _wrong((first != second, f"both are {first}"), (bool(world._argument_for("nota")), "no nota"))


@_worded(r"server started without error although fecha has two types")
async def _started(world: World, names: dict) -> str:
    return "" if names["tools"] and not names["r1"].is_error else str(names["r1"].error)


@_worded(r"r\['no_index'\].tools >= \{read tool, schema tool\}")
async def _no_index(world: World, names: dict) -> str:
    r = names["r"]["no_index"]
    return _wrong((r.tools >= {READ, SCHEMA}, f"tools are {r.tools}"), (r.read_ok, str(r.answer.error)))


@_worded(r"no tool whose name contains 'write' in r\['read_only'\]")
async def _read_only(world: World, names: dict) -> str:
    tools = names["r"]["read_only"].tools
    return _wrong((not any("write" in t for t in tools), f"tools are {tools}"), (names["w"].is_error, "the write tool answered"))


@_worded(r"every line of stdout of every start parses as a JSON-RPC message")
async def _stdout(world: World, names: dict) -> str:
    """The official client raises on a line that is no message; here the bytes themselves are read once more."""
    one = world.case.connection
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "cases", "version": "1"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": READ, "arguments": {"query": "MATCH (n:Nada) RETURN n.nada AS x"}}},
    ]
    from mcp_support import client as support

    variables = {"NEO4J_URI": one.uri, "NEO4J_USERNAME": one.username, "NEO4J_PASSWORD": one.password}
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(HERE / "stub_mcp.py"), "4", "{}", env=support.environment(**variables),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    for line in lines:
        process.stdin.write((json.dumps(line) + "\n").encode())
    await process.stdin.drain()
    heard = []
    try:
        async with asyncio.timeout(60):
            while not any(m.get("id") == 2 for m in heard):
                heard.append(json.loads(await process.stdout.readline()))
    except (ValueError, TimeoutError) as error:
        return f"{type(error).__name__} after {heard}"
    finally:
        process.kill()
        await process.wait()
    return "" if all(m.get("jsonrpc") == "2.0" for m in heard) else str(heard)


@_worded(r"r\['down'\]: either tools/list works and the call is an error")
async def _down(world: World, names: dict) -> str:
    r = names["r"]["down"]
    said = world.notes["stderr"]["down"] + str(r.answer.error) + str([s.error for s in r.searches])
    return _wrong((bool(r.tools) and r.answer.is_error, "the call was no error"), ("clave-mala-123" not in said, "the password is shown"))


@_worded(r"r\['no_embedder'\].read_ok and its vector tool is absent or answers")
async def _no_embedder(world: World, names: dict) -> str:
    r = names["r"]["no_embedder"]
    named = all("EMBEDDING_MODEL" in s.text for s in r.searches)
    return _wrong((r.read_ok, str(r.answer.error)), (named, str([s.text for s in r.searches])))


@_worded(r"for shapes 0\.\.7: MATCH \(p\) RETURN p\.codigo")
async def _shapes(world: World, names: dict) -> str:
    stored = world.notes["stored"]
    return "; ".join(f"shape {i}: {stored[i][0]} {stored[i][1].error}" for i in range(8) if stored[i][0] != [["P-1"]])


@_worded(r"shape 8: one node P-1, or an error")
async def _last_shapes(world: World, names: dict) -> str:
    (eighth, said), (ninth, empty) = world.notes["stored"][8], world.notes["stored"][9]
    return _wrong((eighth == [["P-1"]] or bool(said.error), f"shape 8: {eighth}"), (ninth == [] and not empty.error, f"shape 9: {ninth} {empty.error}"))


@_worded(r"the component is in cat with no error and loading took")
async def _loaded(world: World, names: dict) -> str:
    cat = names["cat"]
    return _wrong(("operation" in cat.template, "no template"), (cat.seconds < 5, f"{cat.seconds} s"), (not cat.connected, str(cat.connected)))


def _visible(template: dict) -> set[str]:
    shown = {k for k, f in template.items() if isinstance(f, dict) and f.get("show") is not False}
    return shown | {k.removeprefix("param_") for k in shown if k.startswith("param_")}


@_worded(r"visible\(cfg\[0\]\) contains node_label")
async def _visibility(world: World, names: dict) -> str:
    cfg, typed = names["cfg"], names["typed"]
    first, second, last = _visible(cfg[0]), _visible(cfg[1]), cfg[3]
    # The field for a query in Cypher is called cypher; query is the question of the searches.
    return _wrong(
        ({"node_label", "key_property", "relationships"} <= first and "cypher" not in first, f"cfg[0] shows {sorted(first)}"),
        ({"cypher", "uno", "dos"} <= second and "node_label" not in second, f"cfg[1] shows {sorted(second)}"),
        (last["cypher"]["value"] == typed["query"] and last["database"]["value"] == typed["database"], "typed values are lost"),
        ({"uno", "dos"} <= _visible(last), "the holes are lost"),
    )


@_worded(r"tm\.tool_mode is True and tm\.operation kept")
async def _kept(world: World, names: dict) -> str:
    tm = names["tm"]
    return _wrong((tm.tool_mode is True, "tool mode is off"), (tm.operation == "Cypher Query", tm.operation), (len(tm.tools) == 1, str(tm.tools)))


@_worded(r"password, api key and the text of \$PASSWORD do not occur")
async def _secrets(world: World, names: dict) -> str:
    flow = names["flow"]
    empty = all(not n["template"]["password"]["value"] for n in flow.nodes)
    return _wrong(
        (empty, "a password is in the flow"),
        (world.case.connection.password not in flow.text, "the password is in the flow"),
        (not re.search(r'"api_key": *\{[^}]*"value": *"[^"]+"', flow.text), "an API key is in the flow"),
        (len(flow.built) == len(flow.nodes) >= 1, "the flow does not build"),
    )


