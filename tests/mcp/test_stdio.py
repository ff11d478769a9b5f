"""The server as a process of its own, as clients start it: handshake, standard output, faults around it, notifications."""

from __future__ import annotations

import asyncio
import json
import subprocess
import tempfile
import time

import pytest
import yaml
from mcp_support import graphs
from mcp_support.client import command, environment, over_stdio

NOWHERE = {"NEO4J_URI": "bolt://127.0.0.1:1", "NEO4J_USERNAME": "neo4j", "NEO4J_PASSWORD": "clave-mala-123"}
HANDSHAKE = [
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


def raw(python, messages, *flags, wait=20, **variables):
    """Standard output and error of a server that is sent ``messages`` and, once it has answered them all, the end of input."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command(python, *flags), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environment(**variables)
        )
        lines, expected = [], sum("id" in message for message in messages)
        for message in messages:
            process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        while sum("result" in line or "error" in line for line in lines) < expected:
            line = process.stdout.readline()
            assert line, "the server has gone"
            lines.append(json.loads(line))
        process.stdin.close()
        lines += [json.loads(line) for line in process.stdout]
        assert process.wait(wait) == 0
        errors.seek(0)
        return lines, errors.read().decode()


async def test_a_session_from_handshake_to_end(connection, database, mcp_python):
    await graphs.load_news(connection)
    async with over_stdio(python=mcp_python, EMBEDDING_MODEL="local", **database) as client:
        assert "search_news" in await client.tools()
        answer = await client.call("search_news", query="wind and solar energy", top_k=2, filters={"language": "en"})
        assert not answer.failed and len(yaml.safe_load(answer.text)["rows"]) == 2
        assert answer.structured is None  # the same answer twice would double what a model reads
        assert yaml.safe_load((await client.call("read_cypher", query="MATCH (a:Article) RETURN count(a) AS n")).text)["rows"] == [{"n": 8}]
        assert "Article" in (await client.call("get_schema")).text


async def test_a_new_index_is_announced(connection, database, mcp_python):
    async with over_stdio(python=mcp_python, **database) as client:
        assert set(await client.tools()) == {"get_schema", "read_cypher"}
        await graphs.run(connection, "CREATE (:Doc {code: 'a', embedding: [1.0, 0.0, 0.0, 0.0]})")
        await graphs.vector_index(connection, "docs", "Doc", ["code"], 4)
        assert await client.changed(25)
        assert "search_docs" in await client.tools()


async def test_standard_output_carries_the_protocol_only(connection, database, mcp_python):
    call = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "read_cypher"}}
    noisy = call | {"params": {"name": "read_cypher", "arguments": {"query": "MATCH (n:Nothing {x: 1}) RETURN n.y, id(n)"}}}
    for variables in (database, NOWHERE):
        lines, errors = await asyncio.to_thread(
            raw, mcp_python, [*HANDSHAKE, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, noisy], LOG_LEVEL="debug", **variables
        )
        assert all(line["jsonrpc"] == "2.0" for line in lines)
        listed = next(line for line in lines if line.get("id") == 2)["result"]["tools"]
        assert {tool["name"] for tool in listed} == {"get_schema", "read_cypher"}
        assert "clave-mala-123" not in json.dumps(lines) + errors
        assert variables["NEO4J_PASSWORD"] == "" or variables["NEO4J_PASSWORD"] not in errors
        answer = next(line for line in lines if line.get("id") == 3)["result"]
        assert bool(answer.get("isError")) is (variables is NOWHERE)
        if variables is NOWHERE:
            assert "127.0.0.1:1" in answer["content"][0]["text"]


async def test_a_database_that_comes_later_brings_its_tools(connection, database, mcp_python):
    proxy = Proxy(connection.uri)
    async with proxy:
        uri = proxy.uri
    await graphs.load_news(connection)
    async with over_stdio(python=mcp_python, **database | {"NEO4J_URI": uri}) as client:
        tools = await client.tools()
        assert set(tools) == {"get_schema", "read_cypher"} and "No Neo4j answers" in tools["get_schema"]["description"]
        answer = await client.call("search_news", query="wind")
        assert answer.failed and "No Neo4j answers" in answer.text
        async with Proxy(connection.uri, int(uri.rsplit(":", 1)[1])):
            assert await client.changed(25)
            assert "search_news" in await client.tools()
            assert not (await client.call("read_cypher", query="RETURN 1")).failed


async def test_a_wrong_password_is_told_from_a_wrong_host(server, connection, mcp_python):
    if not server.password:
        pytest.exit("These tests need a server with a password.", 2)
    wrong = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": "neo4j", "NEO4J_PASSWORD": "clave-mala-123"}
    async with over_stdio(python=mcp_python, **wrong) as client:
        answer = await client.call("read_cypher", query="RETURN 1")
        assert answer.failed and "password" in answer.text and "clave-mala-123" not in answer.text


@pytest.mark.parametrize(
    ("flags", "variables", "said"),
    [
        ([], {"QUERY_TIMEOUT": "soon"}, "QUERY_TIMEOUT is 'soon'"),
        (["--token-limit", "many"], {}, "--token-limit is 'many'"),
        ([], {"NEO4J_URI": "http://127.0.0.1:7687"}, "not a Neo4j address"),
        (["--transport", "http", "--host", "0.0.0.0"], {}, "MCP_TOKEN"),
    ],
)
def test_a_wrong_setting_ends_it_with_one_sentence(mcp_python, flags, variables, said):
    done = subprocess.run(command(mcp_python, *flags), env=environment(**NOWHERE | variables), capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 1 and done.stdout == ""
    assert said in done.stderr and "Traceback" not in done.stderr and len(done.stderr.strip().splitlines()) == 1


def test_help_shows_settings_variables_and_defaults(mcp_python):
    done = subprocess.run(command(mcp_python, "--help"), env=environment(COLUMNS="200"), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert all(text in done.stdout for text in ("--query-timeout", "QUERY_TIMEOUT", "2048", "--allow-writes", "--transport", "EMBEDDING_MODEL"))


async def test_flags_choose_the_tools(database, mcp_python):
    async with over_stdio("--allow-writes", "--namespace", "ventas", python=mcp_python, **database) as client:
        assert set(await client.tools()) == {"ventas_get_schema", "ventas_read_cypher", "ventas_write_cypher"}
        assert not (await client.call("ventas_read_cypher", query="RETURN 1")).failed
    for text in ("false", "0", "off", ""):
        async with over_stdio(python=mcp_python, ALLOW_WRITES=text, **database) as client:
            assert set(await client.tools()) == {"get_schema", "read_cypher"}


async def test_a_call_that_the_client_cancels_stops_on_the_server(connection, database, mcp_python):
    endless = "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN count(*) AS n"
    running = "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery STARTS WITH 'UNWIND range(1, 1000000)' RETURN count(*) AS n"
    process = await asyncio.create_subprocess_exec(
        *command(mcp_python), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(QUERY_TIMEOUT="60", **database)
    )
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "read_cypher", "arguments": {"query": endless}}}
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7, "reason": "enough"}}
    try:
        for message in [*HANDSHAKE, call]:
            process.stdin.write(json.dumps(message).encode() + b"\n")
        until = time.monotonic() + 30
        while not (await graphs.run(connection, running))[0]["n"] and time.monotonic() < until:
            await asyncio.sleep(0.1)
        assert (await graphs.run(connection, running))[0]["n"] == 1
        process.stdin.write(json.dumps(cancel).encode() + b"\n")
        until = time.monotonic() + 10
        while (await graphs.run(connection, running))[0]["n"] and time.monotonic() < until:
            await asyncio.sleep(0.1)
        assert (await graphs.run(connection, running))[0]["n"] == 0
    finally:
        process.kill()
        await process.wait()


async def test_connections_that_were_dropped_heal(connection, database, mcp_python):
    """Whatever lies between drops the connections: the next calls work."""
    proxy = Proxy(connection.uri)
    async with proxy:
        async with over_stdio(python=mcp_python, **database | {"NEO4J_URI": proxy.uri}) as client:
            results = await asyncio.gather(*(client.call("read_cypher", query="RETURN 1 AS x") for _ in range(4)))
            assert not any(answer.failed for answer in results)
            for _ in range(3):
                proxy.drop()
                for _ in range(3):
                    answer = await client.call("read_cypher", query="RETURN 1 AS x")
                    assert not answer.failed, answer.text


class Proxy:
    """A relay in front of the server, whose connections can be cut."""

    def __init__(self, uri: str, port: int = 0) -> None:
        self._target, self._port = int(uri.rsplit(":", 1)[1]), port
        self._writers: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Proxy:
        self._server = await asyncio.start_server(self._relay, "127.0.0.1", self._port)
        self.uri = f"bolt://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._server.close()
        self.drop()

    def drop(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self._target)
        self._writers |= {writer, other_writer}
        await asyncio.gather(self._pump(reader, other_writer), self._pump(other_reader, writer))

    @staticmethod
    async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
            writer.close()
        except OSError:
            pass


def test_the_protocol_package_is_loaded_in_part_and_whole_for_whoever_needs_it(mcp_python):
    """A server over stdio does not wait for the client in the package."""
    said = """
import sys
from lfx_neo4j_graphrag.mcp_server import protocol
assert "mcp.client" not in sys.modules
import mcp
from mcp.server import Server
assert mcp.types is protocol.types and mcp.server.lowlevel.Server is protocol.Server is Server and "mcp.client" not in sys.modules
from mcp import ClientSession
assert "mcp.client" in sys.modules
try:
    mcp.nothing
except AttributeError:
    print("whole")
"""
    assert subprocess.run([mcp_python, "-c", said], capture_output=True, text=True).stdout == "whole\n"
