"""Streamable HTTP: who may call, many at once, the same tools."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import asynccontextmanager

import yaml
from mcp_support import graphs
from mcp_support.client import VERSION_1, command, environment, over_http

TOKEN = "a-long-random-token"


@asynccontextmanager
async def listening(python, database, *flags, **variables):
    """A server process on a free port of this machine; gives its base URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = command(python, "--transport", "http", "--port", str(port), *flags)
    process = subprocess.Popen(line, env=environment(**database | variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        until = time.monotonic() + 60
        while (await request(f"http://127.0.0.1:{port}/healthz"))[0] != 200:
            assert process.poll() is None and time.monotonic() < until, "the server did not start"
            await asyncio.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        out, errors = await asyncio.to_thread(process.communicate, timeout=20)
        assert out == b"" and b"Traceback" not in errors and TOKEN.encode() not in errors


async def request(url, body=None, **headers):
    """Status and body of a plain request; 0 when nobody listens."""

    def send():
        data = None if body is None else json.dumps(body).encode()
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data, given), timeout=20) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    return await asyncio.to_thread(send)


async def test_the_same_tools_over_http(connection, database, mcp_python):
    await graphs.load_news(connection)
    async with listening(mcp_python, database, EMBEDDING_MODEL="local") as base:
        async with over_http(f"{base}/mcp") as client:
            assert set(await client.tools()) == {"get_schema", "read_cypher", "search_news"}
            assert not (await client.call("search_news", query="wind", filters={"sentiment": {"min": 0.5}})).failed
            await graphs.run(connection, "DROP INDEX news")
            assert await client.changed(25)
        assert await request(f"{base}/healthz") == (200, '{"status":"ok"}')
        opening = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        json_type = {"content_type": "application/json", "accept": "application/json, text/event-stream"}
        assert (await request(f"{base}/mcp", opening, host="evil.example.com", **json_type))[0] == 421
        assert (await request(f"{base}/mcp", opening, origin="https://evil.example.com", **json_type))[0] == 403


async def test_without_the_token_nothing_is_told(connection, database, mcp_python):
    async with listening(mcp_python, database, "--host", "0.0.0.0", MCP_TOKEN=TOKEN) as base:
        opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
        headers = {"content_type": "application/json", "accept": "application/json, text/event-stream"}
        for authorization in ({}, {"authorization": "Bearer wrong"}, {"authorization": f"Basic {TOKEN}"}):
            status, body = await request(f"{base}/mcp", opening, **headers, **authorization)
            assert status == 401 and "read_cypher" not in body and "bearer token" in body
        assert (await request(f"{base}/healthz"))[0] == 200
        async with over_http(f"{base}/mcp", {"Authorization": f"Bearer {TOKEN}"}) as client:
            assert not (await client.call("read_cypher", query="RETURN 1")).failed


async def test_twenty_clients_at_once(connection, database, mcp_python):
    """For some seconds here; for a minute, with the memory watched, in the bench."""
    await graphs.run(connection, "UNWIND range(1, 200) AS i CREATE (:N {i: i})")
    async with listening(mcp_python, database) as base:
        together, calls = asyncio.Barrier(20), 0

        async def work(number):
            nonlocal calls
            async with over_http(f"{base}/mcp") as client:
                assert "read_cypher" in await client.tools()
                await together.wait()
                until = time.monotonic() + 5
                while time.monotonic() < until:
                    answer = await client.call("read_cypher", query="MATCH (n:N {i: $i}) RETURN n.i AS i", params={"i": number})
                    assert not answer.failed and yaml.safe_load(answer.text)["rows"] == [{"i": number}], answer.text
                    calls += 1

        await asyncio.gather(*(work(number) for number in range(1, 21)))
        assert calls >= 40


async def test_a_cancelled_call_over_http_stops_on_the_server(connection, database, mcp_python):
    endless = "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN count(*) AS n"
    running = "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery STARTS WITH 'UNWIND range(1, 1000000)' RETURN count(*) AS n"
    async with listening(mcp_python, database, QUERY_TIMEOUT="60") as base:
        async with over_http(f"{base}/mcp") as client:
            call = asyncio.create_task(client.call("read_cypher", query=endless))
            while not (await graphs.run(connection, running))[0]["n"]:
                assert not call.done()
                await asyncio.sleep(0.1)
            other = await client.call("read_cypher", query="RETURN 1 AS x")
            assert not other.failed  # one client's slow call does not hold up its others
            if VERSION_1:
                await stop_button(client)
            call.cancel()  # version 2 tells the server itself
            until = time.monotonic() + 10
            while (await graphs.run(connection, running))[0]["n"] and time.monotonic() < until:
                await asyncio.sleep(0.1)
            assert (await graphs.run(connection, running))[0]["n"] == 0


async def stop_button(client):
    """What a client sends when a user stops a call. Version 1 counts its requests from 0, the handshake; the call was the second."""
    from mcp import types

    params = types.CancelledNotificationParams(requestId=1, reason="stop")
    await client.session.send_notification(types.ClientNotification(types.CancelledNotification(method="notifications/cancelled", params=params)))
