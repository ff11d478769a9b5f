"""MCP servers as processes and their clients: the operations and checks that the cases word."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import sys
import time
import urllib.error
import urllib.request
from types import SimpleNamespace
from typing import Any

from adapter import Outcome
from notation import evaluate, fill
from worded import HERE, READ, SCHEMA, WRITE, World, op, worded, wrong

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "cases", "version": "1"}},
}

@op(r"mcp tools/list")
async def _list(world: World, call: dict, names: dict) -> Any:
    world.notes["tools"] = await (await world.client(TOKEN_LIMIT="0")).tools()
    return world.notes["tools"]


@op(r"mcp_call\(read tool\)")
async def _read(world: World, call: dict, names: dict) -> Outcome:
    variables = {"QUERY_TIMEOUT": str(call["server_timeout"])} if "server_timeout" in call else {}
    arguments = fill(call.get("args", {}), names)
    # Vectors and rows of a case are counted, so rows are not capped; the token limit is that of a user.
    return await world.tool(await world.client(MAX_ROWS="5000", **variables), READ, arguments)


@op(r"mcp_call\(schema tool\)")
async def _schema(world: World, call: dict, names: dict) -> Outcome:
    return await world.tool(await world.client(MAX_ROWS="5000"), SCHEMA, {})  # the server process of the read tool


@op(r"mcp_call\(write tool\)")
async def _allowed_write(world: World, call: dict, names: dict) -> Outcome:
    return await world.tool(await world.client("--allow-writes"), WRITE, fill(call["args"], names))


@op(r"mcp_call\((search|search \w+|search tool|(first )?vector tool)\)")
async def _search(world: World, call: dict, names: dict) -> Outcome:
    client = await world.client(TOKEN_LIMIT="0")
    world.notes["tools"] = tools = await client.tools()
    searches = sorted(name for name in tools if "search" in name)
    wanted = re.search(r"search (?!tool)(\w+)", call["op"])
    name = next((n for n in searches if wanted and wanted.group(1) in n), searches[0])
    arguments = evaluate(call["args_py"], names | world.expression_names()) if "args_py" in call else fill(call["args"], names)
    return await world.tool(client, name, arguments)


@op(r"mcp_start \+ tools/list \+ one read call")
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


@op(r"mcp_http on 0\.0\.0\.0, then requests without a token, with a wrong one and with the right one")
async def _http(world: World, call: dict, names: dict) -> Any:
    """``exit`` is None while the server listens; ``status`` the answers to an MCP handshake."""
    from mcp_support import client as support

    token = names["start"].get("MCP_TOKEN", "")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    one = world.case.connection
    variables = {"NEO4J_URI": one.uri, "NEO4J_USERNAME": one.username, "NEO4J_PASSWORD": one.password} | names["start"]
    process = await asyncio.create_subprocess_exec(
        *support.command(sys.executable, "--transport", "http", "--host", "0.0.0.0", "--port", str(port)),
        env=support.environment(**variables), stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    status: dict[str, int] = {}
    url, until = f"http://127.0.0.1:{port}", time.perf_counter() + 60
    try:
        while process.returncode is None and await _status(f"{url}/healthz", None) != 200 and time.perf_counter() < until:
            await asyncio.sleep(0.1)
        left = process.returncode
        for kind, sent in {"none": None, "wrong": "otra", "right": token}.items():
            status[kind] = 0 if left is not None else await _status(f"{url}/mcp", HELLO, sent)
    finally:
        if process.returncode is None:
            process.terminate()
        errors = (await process.communicate())[1].decode()
    return SimpleNamespace(exit=left, status=status, stderr=errors)


async def _status(url: str, body: dict | None, token: str | None = None) -> int:
    """The status of an answer, 0 when nobody listens."""
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"

    def send() -> int:
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=20) as response:
                return response.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    return await asyncio.to_thread(send)


@op(r"mcp_call by name\(write tool\)")
async def _write(world: World, call: dict, names: dict) -> Outcome:
    client = names["r"][call["in"]].client if "in" in call else await world.client()
    return await world.tool(client, WRITE, fill(call["args"], names))


@worded(r"for every tool: inputSchema.type == 'object'")
async def _input_schemas(world: World, names: dict) -> str:
    wrong = []
    for name, tool in names["tools"].items():
        schema = tool["schema"]
        properties = schema.get("properties", {})
        plain = all(isinstance(p, dict) and {"type", "anyOf", "$ref"} & set(p) for p in properties.values())
        params = properties.get("params", {})
        free = "params" not in schema.get("required", []) and params.get("additionalProperties") is not False
        if schema.get("type") != "object" or not plain or not free:
            wrong.append(f"{name}: {schema}")
    return "; ".join(wrong)


@worded(r"for every tool with outputSchema")
async def _output_schemas(world: World, names: dict) -> str:
    return "; ".join(f"{name} has an outputSchema" for name, tool in names["tools"].items() if tool["output"])


@worded(r"the description lists a distinct argument for '(.+)' and '(.+)', and nota")
async def _distinct(world: World, names: dict) -> str:
    first, second = world._argument_for("precio total"), world._argument_for("precio-total")
    return wrong((first != second, f"both are {first}"), (bool(world._argument_for("nota")), "no nota"))


@worded(r"server started without error although fecha has two types")
async def _started(world: World, names: dict) -> str:
    return "" if names["tools"] and not names["r1"].is_error else str(names["r1"].error)


@worded(r"r\['no_index'\].tools >= \{read tool, schema tool\}")
async def _no_index(world: World, names: dict) -> str:
    r = names["r"]["no_index"]
    return wrong((r.tools >= {READ, SCHEMA}, f"tools are {r.tools}"), (r.read_ok, str(r.answer.error)))


@worded(r"no tool whose name contains 'write' in r\['read_only'\]")
async def _read_only(world: World, names: dict) -> str:
    tools = names["r"]["read_only"].tools
    return wrong((not any("write" in t for t in tools), f"tools are {tools}"), (names["w"].is_error, "the write tool answered"))


@worded(r"every line of stdout of every start parses as a JSON-RPC message")
async def _stdout(world: World, names: dict) -> str:
    """The official client raises on a line that is no message; here the bytes themselves are read once more."""
    one = world.case.connection
    query = {"query": "MATCH (n:Nada) RETURN n.nada AS x"}
    lines = [
        HELLO,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": READ, "arguments": query}},
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


@worded(r"r\['down'\]: either tools/list works and the call is an error")
async def _down(world: World, names: dict) -> str:
    r = names["r"]["down"]
    said = world.notes["stderr"]["down"] + str(r.answer.error) + str([s.error for s in r.searches])
    return wrong(
        (bool(r.tools) and r.answer.is_error, "the call was no error"),
        ("clave-mala-123" not in said, "the password is shown"),
    )


@worded(r"r\['no_embedder'\].read_ok and its vector tool is absent or answers")
async def _no_embedder(world: World, names: dict) -> str:
    r = names["r"]["no_embedder"]
    named = all("EMBEDDING_MODEL" in s.text for s in r.searches)
    return wrong((r.read_ok, str(r.answer.error)), (named, str([s.text for s in r.searches])))
