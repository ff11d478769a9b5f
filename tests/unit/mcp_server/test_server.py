import asyncio
import logging
import sys

import pytest

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.errors import ConnectionFailed, InputError, QueryRefused
from lfx_neo4j_graphrag.mcp_server import server as module
from lfx_neo4j_graphrag.mcp_server.server import Connector, McpServer, log_to_stderr
from lfx_neo4j_graphrag.mcp_server.settings import load


@pytest.fixture
def logging_restored():
    root, driver, ours = logging.getLogger(), logging.getLogger("neo4j"), logging.getLogger("lfx_neo4j_graphrag")
    before = root.handlers[:], root.level, driver.level, ours.level
    yield
    root.handlers[:], root.level, driver.level, ours.level = before


async def test_the_database_is_looked_for_until_there_is_one():
    answers = [InputError("Nothing yet.", "Start one."), Connection("bolt://localhost")]

    def find():
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    connect = Connector(find)
    with pytest.raises(InputError, match="Nothing yet"):
        await connect()
    assert await connect() == await connect() == Connection("bolt://localhost")


async def test_a_database_that_is_being_started_is_said_to_be(monkeypatch):
    monkeypatch.setattr(module, "TOOL_LIST_WAIT", 0.05)
    ready = asyncio.Event()
    loop = asyncio.get_running_loop()

    def find():
        asyncio.run_coroutine_threadsafe(ready.wait(), loop).result()
        return Connection("bolt://localhost")

    connect = Connector(find)
    with pytest.raises(ConnectionFailed, match="being started"):
        await connect()
    ready.set()
    while True:
        try:
            assert await connect() == Connection("bolt://localhost")
            break
        except ConnectionFailed:
            continue


async def test_without_a_database_the_first_tools_are_there_and_say_why():
    def find():
        raise InputError("There is no Neo4j to connect to.", "Start one.")

    server = McpServer(load({"allow_writes": "yes"}, {}), find, lambda: None)
    tools = await server.list_tools()
    assert [tool.name for tool in tools] == ["get_schema", "read_cypher", "write_cypher"]
    assert "There is no Neo4j to connect to." in tools[0].description
    reply = await server.call_tool("read_cypher", {"query": "RETURN 1"})
    assert reply.failed and reply.text == "There is no Neo4j to connect to. Start one."
    assert (await server.call_tool("search_docs", {"query": "x"})).text == reply.text


async def test_a_reading_call_is_repeated_once_when_the_connection_was_lost(monkeypatch):
    server = McpServer(load({"allow_writes": "yes"}, {}), lambda: Connection("bolt://localhost"), lambda: None)
    calls = []

    async def lost(_arguments):
        calls.append(1)
        if len(calls) % 2:
            raise ConnectionFailed("The connection was lost.", "Try again.", kind="connection")
        return "well"

    tools = server._calls._tools
    tools["read_cypher"] = lost
    assert (await server.call_tool("read_cypher", {})).text == "well"
    monkeypatch.setattr(server._calls, "_write_cypher", lost)
    tools["write_cypher"] = lost
    assert (await server.call_tool("write_cypher", {})).failed  # it may have been saved
    assert len(calls) == 3


async def test_what_goes_wrong_is_a_sentence(logging_restored, caplog):
    server = McpServer(load({}, {}), lambda: Connection("bolt://localhost"), lambda: None)

    async def refused(_arguments):
        raise QueryRefused("It would write.", "Read.")

    async def broken(_arguments):
        raise KeyError("clave-secreta")

    server._calls._tools |= {"read_cypher": refused, "get_schema": broken}
    assert (await server.call_tool("read_cypher", {})).text == "It would write. Read."
    reply = await server.call_tool("get_schema", {})
    assert reply.failed and "KeyError" in reply.text and "clave-secreta" not in reply.text
    assert (await server.call_tool("read_cypher", "MATCH (n) RETURN n")).failed
    assert "The tools are: get_schema, read_cypher." in (await server.call_tool("nope", None)).text


def test_logs_say_where_but_not_with_what(logging_restored, capsys):
    log_to_stderr("warning")
    try:
        raise ValueError("clave-secreta")
    except ValueError:
        logging.getLogger("lfx_neo4j_graphrag.mcp").error("It broke", exc_info=True)
    logging.getLogger("mcp.server").warning("Failed to validate:\n  input_value={'password': 'clave-secreta'}")
    logging.getLogger("neo4j.pool").error("RUN 'MATCH (n {p: clave-secreta})'")
    logging.getLogger("lfx_neo4j_graphrag").info("not at this level")
    said = capsys.readouterr()
    assert said.out == "" and "clave-secreta" not in said.err
    assert "It broke" in said.err and "test_server.py" in said.err and "ValueError" in said.err and "Failed to validate" in said.err


def test_the_driver_comes_without_the_libraries_that_it_only_looks_for():
    code = "from lfx_neo4j_graphrag.mcp_server.server import import_driver; import_driver(); import sys; print(sorted({'pandas', 'numpy', 'pyarrow', 'neo4j'} & set(sys.modules)))"
    import subprocess

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['neo4j']"
    later = code.replace("import sys;", "import numpy, sys;")
    assert subprocess.run([sys.executable, "-c", later], capture_output=True, text=True, check=True).stdout.strip() == "['neo4j', 'numpy']"
