"""Mixed reading and writing while the server is killed, the network cut and the disk full; then everything is compared.

    python bench/run_soak.py --minutes 60 [--rows 5000] [--kills 5] [--cuts 10] [--full-disk auto|tmpfs|limit|none] [--json FILE]

It starts an embedded server of its own. Two loaders save the same kind of rows at once, over and over, through a proxy: each
its own keys with new values, and 200 keys that both move. Readers ask by Cypher Query, Graph Schema, Vector and Hybrid. After
an error a loader waits until the server answers and loads the same rows again, as a person would. Checked all the time: a
row that was reported saved is never older again, and what a broken load said was saved is there. At the end: every row exactly as
it was saved last, one node a key, one link a rule, every vector that of its text, indexes online, memory of this process.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import hashlib
import json
import logging
import random
import statistics
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from faults import Proxy, Server, choose_full_disk, unmount

from lfx_neo4j_graphrag.database.connection import Connection, driver_for
from lfx_neo4j_graphrag.database.reading import fetch
from lfx_neo4j_graphrag.errors import GraphRAGError
from lfx_neo4j_graphrag.local.server import DEFAULT_VERSION, MAIN_CLASSES
from lfx_neo4j_graphrag.operations.add_records import AddRecordsRequest, add_records
from lfx_neo4j_graphrag.operations.cypher_query import CypherQueryRequest, cypher_query
from lfx_neo4j_graphrag.operations.graph_schema import GraphSchemaRequest, graph_schema
from lfx_neo4j_graphrag.operations.hybrid import HybridRequest, hybrid
from lfx_neo4j_graphrag.operations.vector import VectorRequest, vector

LINES = "cliente -> DE_CLIENTE -> Cliente.nombre\ntienda -> EN_TIENDA -> Tienda.codigo"
LOADERS = ("A", "B")
SHARED = 200
CLIENTS = 300


class Vectors:
    """Embeddings that cost nothing: 16 numbers of the hash of a text."""

    def embed_query(self, text: str) -> list[float]:
        return [byte / 255 - 0.5 for byte in hashlib.blake2b(text.encode(), digest_size=16).digest()]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


@dataclass
class Soak:
    """What happened. ``broken`` are the promises that were broken: it must stay empty."""

    rows: int
    saved: dict[str, int] = field(default_factory=dict)  # loader -> the last round that was reported saved
    done: Counter = field(default_factory=Counter)  # operation -> calls that were answered
    failed: Counter = field(default_factory=Counter)  # (operation, kind of error) -> calls that got a sentence
    sentences: dict[str, str] = field(default_factory=dict)  # kind of error -> one of its sentences
    slowest: dict[str, float] = field(default_factory=dict)  # operation -> seconds of the longest call
    faults: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)  # MB of this process, a sample a second
    stopping: bool = False

    async def call(self, name: str, work) -> object | None:
        """The result, or None after one of our errors; any other error is a broken promise."""
        started = time.monotonic()
        try:
            result = await work
            self.done[name] += 1
            return result
        except GraphRAGError as error:
            kind = error.kind or type(error).__name__
            self.failed[f"{name}: {kind}"] += 1
            self.sentences.setdefault(kind, str(error))
            await asyncio.sleep(0.3)  # nobody asks again at once
        except Exception as error:  # what is looked for: nothing but our sentences may come out
            self.broken.append(f"{name} raised {type(error).__name__}: {str(error)[:200]}")
        finally:
            self.slowest[name] = max(self.slowest.get(name, 0.0), time.monotonic() - started)
        return None

    def growth(self) -> tuple[float, float]:
        """MB in the second fifth of the time and in the last."""
        fifth = max(1, len(self.memory) // 5)
        return statistics.median(self.memory[fifth : 2 * fifth] or self.memory), statistics.median(self.memory[-fifth:])


def rows_of(loader: str, turn: int, count: int) -> list[dict]:
    """The rows of a round: all get its number, a tenth another text, and about half another client."""
    rng = random.Random(f"{loader}{turn}")
    return [
        {
            "id": f"{loader}{i:06d}",
            "ronda": turn,
            "texto": f"Aviso {loader}{i} de la ronda {turn if i % 10 == turn % 10 else 0}",
            "cliente": f"Cliente {rng.randrange(CLIENTS):04d}" if rng.random() < 0.5 else f"Cliente {i % CLIENTS:04d}",
            "tienda": f"T{i % 20:02d}",
        }
        for i in range(count)
    ]


def shared_rows(loader: str, turn: int) -> list[dict]:
    rng = random.Random(f"S{loader}{turn}")
    made = [{"id": f"S{i:06d}", "cliente": f"Cliente {rng.randrange(CLIENTS):04d}", "tienda": f"T{i % 20:02d}"} for i in range(SHARED)]
    rng.shuffle(made)
    return made


def own_rows(loader: str, turn: int, count: int) -> AddRecordsRequest:
    """Rows that this loader alone saves."""
    return AddRecordsRequest(rows_of(loader, turn, count), "Pedido", "id", LINES, embedder=Vectors(), text_column="texto")


def both_rows(loader: str, turn: int) -> AddRecordsRequest:
    """Rows that both loaders move."""
    return AddRecordsRequest(shared_rows(loader, turn), "Pedido", "id", LINES, fulltext_index="-")


async def answers(connection: Connection) -> None:
    """Wait until a statement is answered."""
    while True:
        try:
            await fetch(connection, "RETURN 1")
            return
        except GraphRAGError:
            await asyncio.sleep(0.5)


async def loader(soak: Soak, connection: Connection, name: str) -> None:
    turn = 0
    while not soak.stopping:
        turn += 1
        await until_saved(soak, connection, name, turn, own_rows(name, turn, soak.rows))
        soak.saved[name] = turn
        await until_saved(soak, connection, name, 0, both_rows(name, turn))


async def until_saved(soak: Soak, connection: Connection, name: str, turn: int, request: AddRecordsRequest) -> None:
    """Load until it is reported saved. After each failure, what the load had reported until then must be there."""
    while True:
        told = 0

        def progress(done: int, total: int, what: str) -> None:
            nonlocal told
            told = done if what == "rows" else told

        result = await soak.call("Add Records", add_records(connection, request, progress))
        if result is not None:
            if rejected := result.details["report"]["rejected"]:
                soak.broken.append(f"{len(rejected)} good rows rejected, the first: {rejected[0]['reason']}")
            return
        await answers(connection)
        if turn:
            count = "MATCH (p:Pedido) WHERE p.id STARTS WITH $loader AND p.ronda = $turn RETURN count(p) AS n"
            found = await soak.call("count", fetch(connection, count, {"loader": name, "turn": turn}))
            if found is not None and found[0]["n"] < told:
                soak.broken.append(f"{told} rows of loader {name} were reported saved before the error, {found[0]['n']} are there")


async def by_key(soak: Soak, connection: Connection) -> None:
    rng = random.Random(1)
    text = "MATCH (p:Pedido {id: $id}) RETURN p.ronda AS ronda"
    while not soak.stopping:
        name = rng.choice(LOADERS)
        least, id = soak.saved.get(name, 0), f"{name}{rng.randrange(soak.rows):06d}"
        result = await soak.call("Cypher Query", cypher_query(connection, CypherQueryRequest(cypher=text, parameters={"id": id})))
        if result is not None and least and [row["ronda"] >= least for row in result.rows] != [True]:
            soak.broken.append(f"{id} was reported saved in round {least}, a reader found {result.rows}")
        await asyncio.sleep(0.05)


async def by_search(soak: Soak, connection: Connection) -> None:
    rng = random.Random(2)
    while not soak.stopping:
        text = f"Aviso {rng.choice(LOADERS)}{rng.randrange(soak.rows)} de la ronda 0"
        if soak.saved:  # before the first load there is no index to search
            await soak.call("Vector", vector(connection, VectorRequest(text, Vectors())))
            await soak.call("Hybrid", hybrid(connection, HybridRequest(text, None)))
        await soak.call("Graph Schema", graph_schema(connection, GraphSchemaRequest()))
        await asyncio.sleep(0.2)


async def watch(soak: Soak) -> None:
    process = psutil.Process()
    while not soak.stopping:
        gc.collect()
        soak.memory.append(process.memory_info().rss / 1e6)
        await asyncio.sleep(1)


async def trouble(soak: Soak, server: Server, proxy: Proxy, seconds: float, kills: int, cuts: int, outage: float) -> None:
    """The faults, evenly over the time after the first loads."""
    while len(soak.saved) < len(LOADERS):  # the first loads make indexes and import what they need
        await asyncio.sleep(0.1)
    soak.memory.clear()
    plan = [(number / max(1, kills), "kill") for number in range(kills)]
    plan += [((number + 0.5) / max(1, cuts), "cut" if number % 2 == 0 else "silence") for number in range(cuts)]
    plan += [(0.6, "full disk")] if server.full_disk != "none" else []
    gap = seconds / (len(plan) + 1)
    for _, fault in sorted(plan):
        await asyncio.sleep(gap)
        started = time.monotonic()
        if fault == "kill":
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
        elif fault == "full disk":
            with server.without_space():
                before = soak.failed.copy()
                while soak.failed == before and time.monotonic() < started + 60:
                    await asyncio.sleep(0.5)
                await asyncio.sleep(outage)
            await asyncio.to_thread(server.kill)  # a database that could not write stops for good: its owner starts it again
            await asyncio.to_thread(server.start)
        else:
            await (proxy.cut if fault == "cut" else proxy.silence)(outage)
        soak.faults.append(f"{fault}, {time.monotonic() - started:.0f} s")
        print(f"  {soak.faults[-1]}; loads {soak.done['Add Records']}, errors {sum(soak.failed.values())}", flush=True)
    await asyncio.sleep(gap)


async def check(soak: Soak, connection: Connection) -> None:
    """Compare everything with what was saved last."""
    text = (
        "MATCH (p:Pedido) RETURN p.id AS id, p.ronda AS ronda, p.texto AS texto, p.embedding AS vector, size(keys(p)) AS size, "
        "[(p)-[:DE_CLIENTE]->(c:Cliente) | c.nombre] AS cliente, [(p)-[:EN_TIENDA]->(t:Tienda) | t.codigo] AS tienda"
    )
    async with driver_for(connection) as driver:
        found = [record.data() for record in (await driver.execute_query(text)).records]
        twice = "MATCH (n) WITH labels(n) AS l, coalesce(n.id, n.nombre, n.codigo) AS key, count(*) AS n WHERE n > 1 RETURN l, key"
        soak.broken += [f"twice in the graph: {record.data()}" for record in (await driver.execute_query(twice)).records]
        offline = "SHOW INDEXES YIELD name, state WHERE state <> 'ONLINE' RETURN name, state"
        soak.broken += [f"not online: {record.data()}" for record in (await driver.execute_query(offline)).records]
        words = "CALL db.index.fulltext.queryNodes('pedido_text', 'aviso') YIELD node RETURN count(DISTINCT node) AS n"
        indexed = (await driver.execute_query(words)).records[0]["n"]
    wanted = {row["id"]: row for name in LOADERS for row in rows_of(name, soak.saved[name], soak.rows)}
    if indexed != len(wanted):
        soak.broken.append(f"the full-text index finds {indexed} of {len(wanted)} texts")
    embed, present, wrong = Vectors().embed_query, Counter(node["id"] for node in found), 0
    for node in found:
        row = wanted.get(node["id"])
        if row is None:  # a key that both loaders move: of one of them, whole
            wrong += len(node["cliente"]) != 1 or len(node["tienda"]) != 1 or not node["id"].startswith("S")
            continue
        near = node["vector"] is not None and all(abs(a - b) < 1e-6 for a, b in zip(node["vector"], embed(row["texto"]), strict=True))
        right = [node["ronda"], node["texto"], node["cliente"], node["tienda"], node["size"]]
        wrong += not near or right != [row["ronda"], row["texto"], [row["cliente"]], [row["tienda"]], 4]
        if wrong == 1 and len(soak.broken) < 5:
            soak.broken.append(f"wanted {row}, found {node}")
    lost = [key for key in (*wanted, *(row["id"] for row in shared_rows("A", 1))) if key not in present]
    if wrong or lost:
        soak.broken.append(f"{wrong} rows are not as they were saved last, {len(lost)} are not there")


async def run(server: Server, minutes: float, rows: int, kills: int, cuts: int, outage: float = 12.0) -> Soak:
    """Start the server, soak it, compare, stop it."""
    soak = Soak(rows)
    await asyncio.to_thread(server.start)
    proxy = Proxy(server.port)
    await proxy.start()
    own = server.connection
    connection = Connection(f"bolt://127.0.0.1:{proxy.port}", own.username, own.password)
    try:
        async with asyncio.TaskGroup() as group:
            for name in LOADERS:
                group.create_task(loader(soak, connection, name))
            for work in (by_key(soak, connection), by_search(soak, connection), watch(soak)):
                group.create_task(work)
            await trouble(soak, server, proxy, minutes * 60, kills, cuts, outage)
            soak.stopping = True  # the loaders end the round they are in
        await check(soak, server.connection)
    finally:
        await proxy.close()
        await asyncio.to_thread(server.stop)
    return soak


def report(soak: Soak) -> None:
    print("faults: " + ", ".join(f"{n} {what}" for what, n in Counter(fault.split(",")[0] for fault in soak.faults).items()))
    rounds = ", ".join(f"{name} {turn}" for name, turn in soak.saved.items())
    print(f"rounds saved by each loader, {soak.rows:,} rows each: {rounds}")
    for name, calls in sorted(soak.done.items()):
        print(f"{name}: {calls:,} answered, longest call {soak.slowest[name]:.1f} s")
    for name, calls in sorted(soak.failed.items()):
        print(f"  {name}: {calls:,}")
    for kind, sentence in soak.sentences.items():
        print(f"  {kind} says: {sentence}")
    before, after = soak.growth()
    print(f"memory of this process: {before:.0f} MB in the second fifth, {after:.0f} MB in the last")
    print("\n".join(f"BROKEN: {what}" for what in soak.broken[:20]) or "nothing lost, nothing twice")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rows", type=int, default=5000, help="of each loader")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--cuts", type=int, default=10, help="every other one is a silence")
    parser.add_argument("--outage", type=float, default=12, help="seconds of a cut, and of the full disk after its first error")
    parser.add_argument("--full-disk", choices=("auto", "tmpfs", "limit", "none"), default="auto")
    parser.add_argument("--megabytes", type=int, default=3000, help="of the tmpfs")
    parser.add_argument("--neo4j", choices=sorted(MAIN_CLASSES), default=DEFAULT_VERSION)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    logging.getLogger("neo4j").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "home"
        how = choose_full_disk(folder, given.megabytes) if given.full_disk in ("auto", "tmpfs") else given.full_disk
        try:
            print(f"full disk: {how}")
            soak = asyncio.run(run(Server(folder, given.neo4j, full_disk=how), given.minutes, given.rows, given.kills, given.cuts, given.outage))
        finally:
            if how == "tmpfs":
                unmount(folder)
    report(soak)
    if given.json:
        growth = soak.growth()
        kept = {name: value for name, value in vars(soak).items() if name != "memory"} | {"memory_mb": growth}
        given.json.write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")
    raise SystemExit(bool(soak.broken))


if __name__ == "__main__":
    main()
