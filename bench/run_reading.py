"""The bounded reading path: what it costs beside the plain driver in the same run, and what it bounds.

    python bench/run_reading.py --uri bolt://localhost:7687          # reads only; --endless adds the statements that never end

Latencies are those of an auto-commit ``RETURN 1`` of the same driver, taken in turn with the others so that a busy
machine slows all alike; the lower quartile is the least disturbed figure.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import time
from collections.abc import Awaitable, Callable

import psutil
from neo4j import READ_ACCESS

from lfx_neo4j_graphrag.cypher.screen import screen
from lfx_neo4j_graphrag.database import reading
from lfx_neo4j_graphrag.database.connection import Connection, driver_for
from lfx_neo4j_graphrag.database.reading import ALL_LAYERS, Limits, fetch, read
from lfx_neo4j_graphrag.errors import GraphRAGError

QUESTION = (
    "MATCH (t:Tecnico {nombre: $nombre})<-[:ASIGNADA_A]-(i:Incidencia)-[:EN_MAQUINA]->(m:Maquina) "
    "WHERE i.estado = 'abierta' AND m.marca = 'Vellani' RETURN i.codigo AS codigo, i.fecha AS f ORDER BY f DESC LIMIT 10"
)
ENDLESS = {
    "reduce over 3e9": "RETURN reduce(s = 0, x IN range(1, 3000000000) | s + x) AS x",
    "1+1+… 3,000 deep": "RETURN " + "+".join(["1"] * 3000) + " AS x",
    "900 brackets": "RETURN " + "(" * 900 + "1" + ")" * 900 + " AS x",
    "cartesian product": "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(*) AS c",
    "collect of 2e8": "UNWIND range(1, 200000000) AS x RETURN collect(x) AS l",
}


async def latencies(connection: Connection, rounds: int) -> None:
    """Milliseconds of each way to run ``RETURN 1``."""

    async def auto_commit() -> None:
        async with driver_for(connection) as driver, driver.session(default_access_mode=READ_ACCESS) as session:
            await (await session.run("RETURN 1")).consume()

    async def explicit() -> None:
        async with driver_for(connection) as driver, driver.session(default_access_mode=READ_ACCESS) as session:
            transaction = await session.begin_transaction(timeout=10)
            await (await transaction.run("RETURN 1")).consume()
            await transaction.rollback()

    async def remembered() -> None:
        await read(connection, "RETURN 1")

    async def first_time() -> None:
        reading._verdicts.clear()
        await read(connection, "RETURN 1")

    async def own() -> None:
        await fetch(connection, "RETURN 1")

    ways: dict[str, Callable[[], Awaitable[None]]] = {
        "auto-commit RETURN 1": auto_commit,
        "begin, run, roll back": explicit,
        "read, EXPLAIN remembered": remembered,
        "read, the first time": first_time,
        "fetch (our own statements)": own,
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds + 100):
        for name, way in ways.items():
            started = time.perf_counter()
            await way()
            if turn >= 100:
                taken[name].append((time.perf_counter() - started) * 1000)
    base = sorted(taken["auto-commit RETURN 1"])
    print(f"{'':28}{'quartile':>9}{'median':>9}   beyond auto-commit, ms (quartile, median)   ratio")
    for name, values in taken.items():
        low, middle = sorted(values)[len(values) // 4], sorted(values)[len(values) // 2]
        beyond = f"{low - base[len(base) // 4]:+.2f}  {middle - base[len(base) // 2]:+.2f}"
        print(f"{name:28}{low:9.2f}{middle:9.2f}   {beyond:>30} {low / base[len(base) // 4]:23.2f}")


def screening() -> None:
    """Milliseconds of this thread's own time for one query of 200 characters."""
    best = float("inf")
    for _ in range(500):
        started = time.thread_time()
        screen(QUESTION)
        best = min(best, time.thread_time() - started)
    print(f"\nscreen, {len(QUESTION)} characters: {best * 1000:.3f} ms")


async def ten_million_rows(connection: Connection) -> None:
    await read(connection, "UNWIND range(1, 1000) AS x RETURN x, toString(x) AS t")
    gc.collect()
    process = psutil.Process()
    before = process.memory_info().rss
    started = time.perf_counter()
    result = await read(connection, "UNWIND range(1, 10000000) AS x RETURN x, toString(x) AS t")
    seconds = time.perf_counter() - started
    grown = (process.memory_info().rss - before) / 1e6
    print(f"10 million rows: {len(result.rows)} rows after {seconds:.3f} s, {grown:.1f} MB more in this process, more={result.more}")


async def endless(connection: Connection) -> None:
    print("\nwithout the screen, Query Timeout 1 s:")
    for name, cypher in ENDLESS.items():
        started = time.perf_counter()
        try:
            await read(connection, cypher, limits=Limits(timeout=1), layers=ALL_LAYERS - {"screen"})
            ended = "answered"
        except GraphRAGError as error:
            ended = error.kind
        seconds = time.perf_counter() - started
        started = time.perf_counter()
        await read(connection, "RETURN 1")
        print(f"  {name:20} {ended:10} after {seconds:.2f} s; the next RETURN 1 took {time.perf_counter() - started:.3f} s")


async def main(options: argparse.Namespace) -> None:
    connection = Connection(options.uri, options.username, options.password)
    await latencies(connection, options.rounds)
    screening()
    await ten_million_rows(connection)
    if options.endless:
        await endless(connection)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--uri", default="bolt://localhost:7687")
    parser.add_argument("--username", default="")
    parser.add_argument("--password", default="")
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--endless", action="store_true")
    asyncio.run(main(parser.parse_args()))
