"""The MCP server over stdio and HTTP, beside the bare driver and beside other servers, on one Neo4j.

    python bench/run_mcp.py --uri bolt://127.0.0.1:7687 [--python OTHER/bin/python] [--peer "mcp-neo4j-cypher"] [--seconds 60]

The database is not written to. ``--python`` measures an environment with another version of ``mcp``; ``--peer`` is the
command of another server whose reading tool is called ``read_neo4j_cypher`` (``--peer-tool`` for another name).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import statistics
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from mcp_support.client import Client, command, environment, over_http, over_stdio  # noqa: E402

ROWS = "UNWIND range(1, 10000) AS i RETURN i, 'Cliente ' + toString(i) AS nombre, i * 1.5 AS importe, date('2026-01-01') AS fecha"


async def timed(client: Client, tool: str, query: str, times: int) -> tuple[list[float], str]:
    """Milliseconds of each call, and the last answer."""
    taken, text = [], ""
    for _ in range(times):
        started = time.perf_counter()
        text = (await client.call(tool, query=query)).text
        taken.append((time.perf_counter() - started) * 1000)
    return taken, text


def line(name: str, taken: list[float], more: str = "") -> None:
    p95 = sorted(taken)[int(len(taken) * 0.95)]
    print(f"| {name} | {statistics.median(taken):.2f} | {p95:.2f} | {more} |", flush=True)


async def starts(python: str, database: dict[str, str], times: int) -> list[float]:
    """Milliseconds from the start of the process to its list of tools."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        async with over_stdio(python=python, **database) as client:
            await client.tools()
            taken.append((time.perf_counter() - started) * 1000)
    return taken


async def bare_driver(database: dict[str, str], times: int) -> list[float]:
    from neo4j import AsyncGraphDatabase

    auth = (database["NEO4J_USERNAME"], database["NEO4J_PASSWORD"]) if database["NEO4J_PASSWORD"] else None
    taken = []
    async with AsyncGraphDatabase.driver(database["NEO4J_URI"], auth=auth) as driver, driver.session() as session:
        for _ in range(times):
            started = time.perf_counter()
            await (await session.run("RETURN 1 AS x")).data()
            taken.append((time.perf_counter() - started) * 1000)
    return taken


@asynccontextmanager
async def peer(words: list[str], database: dict[str, str]):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    env = environment(**database, NEO4J_URL=database["NEO4J_URI"], NEO4J_READ_ONLY="true")
    with open(os.devnull, "w") as nothing:
        async with stdio_client(StdioServerParameters(command=words[0], args=words[1:], env=env), errlog=nothing) as (read, write):
            async with ClientSession(read, write) as session:
                await session.initialize()
                yield Client(session)


async def many_clients(python: str, database: dict[str, str], seconds: float, clients: int = 20) -> None:
    """Twenty clients over HTTP: calls, errors, and the memory of the server at the beginning and at the end."""
    import psutil

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(command(python, "--transport", "http", "--port", str(port)), env=environment(**database))
    try:
        memory = psutil.Process(process.pid)
        await _until_it_listens(port)
        together, seen, taken, errors = asyncio.Barrier(clients), [], [], 0

        async def work(number: int) -> None:
            nonlocal errors
            async with over_http(f"http://127.0.0.1:{port}/mcp") as client:
                await client.tools()
                await together.wait()
                until = time.monotonic() + seconds
                while time.monotonic() < until:
                    started = time.perf_counter()
                    answer = await client.call("read_cypher", query="RETURN $i AS i", params={"i": number})
                    taken.append((time.perf_counter() - started) * 1000)
                    errors += answer.failed
                    if number == 0:
                        seen.append(memory.memory_info().rss / 2**20)

        await asyncio.gather(*(work(number) for number in range(clients)))
        tenth = max(1, len(seen) // 10)
        first, last = statistics.median(seen[tenth : 2 * tenth] or seen), statistics.median(seen[-tenth:])
        line(f"{clients} clients over HTTP, {seconds:g} s", taken, f"{len(taken)} calls, {errors} errors, {first:.0f} MB then {last:.0f} MB")
    finally:
        process.terminate()
        process.wait(20)


async def _until_it_listens(port: int) -> None:
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        except OSError:
            await asyncio.sleep(0.1)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--username", default="neo4j")
    parser.add_argument("--password", default="")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--peer", default="")
    parser.add_argument("--peer-tool", default="read_neo4j_cypher")
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    database = {"NEO4J_URI": given.uri, "NEO4J_USERNAME": given.username, "NEO4J_PASSWORD": given.password}
    print("| what | median ms | p95 ms | |\n|---|---|---|---|")
    line("RETURN 1, bare driver", await bare_driver(database, given.calls))
    line("start to the list of tools", await starts(given.python, database, 5))
    async with over_stdio(python=given.python, **database) as client:
        await timed(client, "read_cypher", "RETURN 1 AS x", 20)
        line("RETURN 1", (await timed(client, "read_cypher", "RETURN 1 AS x", given.calls))[0])
        taken, text = await timed(client, "read_cypher", ROWS, 10)
        line("10,000 rows asked", taken, f"{len(text):,} characters")
    if given.peer:
        async with peer(given.peer.split(), database) as client:
            await timed(client, given.peer_tool, "RETURN 1 AS x", 20)
            line("RETURN 1, peer", (await timed(client, given.peer_tool, "RETURN 1 AS x", given.calls))[0])
            taken, text = await timed(client, given.peer_tool, ROWS, 10)
            line("10,000 rows asked, peer", taken, f"{len(text):,} characters")
    if given.seconds:
        await many_clients(given.python, database, given.seconds)


if __name__ == "__main__":
    asyncio.run(main())
