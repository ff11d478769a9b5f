"""Add Records beside hand-written Cypher, on the same server in the same run.

    python bench/run_load.py --uri bolt://localhost:7687 --rows 100000 --repeat 3     # wipes the database

5,000 customers first, then the same orders three times: first load, the same again, 10 % of them moved to another
customer. 8 columns, 3 relationship lines. Times count everything from the Python dicts on. Contenders:

- ``raw:B``: one MERGE statement a batch, one stream: the plain upsert;
- ``raw:G``: new keys by CREATE, two streams: the best known;
- ``ours``: the operation without search indexes, which the others do not make either;
- ``ours+words``: the operation as it is by default, its full-text index made, filled and awaited.

Each load is checked: every order has exactly its own links and properties.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import statistics
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psutil
from neo4j import Driver, GraphDatabase
from wiping import wipe

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.operations.add_records import AddRecordsRequest, add_records

RULES = [
    ("cliente", "DE_CLIENTE", "Cliente", "nombre", ()),
    ("sku", "DE_PRODUCTO", "Producto", "sku", ()),
    ("tienda", "EN_TIENDA", "Tienda", "codigo", ("ciudad",)),
]
LINES = [
    f"{column} -> {kind} -> {label}.{key}" + (f" ({', '.join(extra)})" if extra else "")
    for column, kind, label, key, extra in RULES
]
OWN = ("id", "fecha", "importe", "estado")
CITIES = ["Madrid", "Sevilla", "Bilbao", "Valencia", "Lisboa", "Oporto", "Vigo", "Zaragoza"]
LOADS = ("first", "same again", "10 % moved")
BATCH = 5000


def customers(count: int = 5000) -> list[dict]:
    return [{"nombre": f"Cliente {i:05d}", "email": f"c{i}@ejemplo.es", "segmento": "ABC"[i % 3]} for i in range(count)]


def orders(count: int, *, moved: bool = False) -> list[dict]:
    """``moved``: every tenth order belongs to the next customer."""
    rng = random.Random(7)
    rows = []
    for i in range(count):
        client, product, shop = rng.randrange(5000), rng.randrange(800), rng.randrange(60)
        if moved and i % 10 == 0:
            client = (client + 1) % 5000
        rows.append(
            {
                "id": f"P{i:07d}",
                "fecha": f"2026-{i % 12 + 1:02d}-{i % 28 + 1:02d}",
                "importe": round(rng.uniform(5, 900), 2),
                "estado": rng.choice(["abierto", "enviado", "cerrado"]),
                "cliente": f"Cliente {client:05d}",
                "sku": f"SKU-{product:04d}",
                "tienda": f"T{shop:03d}",
                "ciudad": CITIES[shop % 8],
            }
        )
    return rows


class Raw:
    """Hand-written Cypher and the plain driver. ``new_by_create``: variant G, else B."""

    def __init__(self, driver: Driver, streams: int, new_by_create: bool) -> None:
        self.driver, self.streams, self.new_by_create = driver, streams, new_by_create

    def load(self, rows: list[dict], label: str, key: str, rules: list[tuple]) -> None:
        with self.driver.session() as session:
            for other, prop in {(label, key), *((rule[2], rule[3]) for rule in rules)}:
                session.run(f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:`{other}`) REQUIRE n.`{prop}` IS UNIQUE").consume()
            session.run("CALL db.awaitIndexes(60)").consume()
            for column, _, other, prop, extra in rules:
                targets = {row[column]: {name: row[name] for name in extra} for row in rows}
                some = [{"t": target, "p": props} for target, props in targets.items()]
                for i in range(0, len(some), BATCH):
                    session.run(
                        f"UNWIND $rows AS r MERGE (t:`{other}` {{`{prop}`: r.t}}) SET t += r.p", rows=some[i : i + BATCH]
                    ).consume()
        linked = {column for rule in rules for column in (rule[0], *rule[4])}
        own = [name for name in rows[0] if name not in linked and name != key]

        def save(start: int) -> None:
            batch = [
                {"k": row[key], "p": {name: row[name] for name in own}, **{f"t{j}": row[rule[0]] for j, rule in enumerate(rules)}}
                for row in rows[start : start + BATCH]
            ]
            with self.driver.session() as session:
                text = merge_text(label, key, rules)
                if self.new_by_create:
                    count = f"UNWIND $keys AS k MATCH (n:`{label}` {{`{key}`: k}}) RETURN count(n) AS known"
                    if not session.run(count, keys=[row["k"] for row in batch]).single()["known"]:
                        text = create_text(label, key, rules)
                session.execute_write(lambda tx: tx.run(text, rows=batch).consume())

        with ThreadPoolExecutor(self.streams) as pool:
            list(pool.map(save, range(0, len(rows), BATCH)))


def merge_text(label: str, key: str, rules: list[tuple]) -> str:
    text = f"UNWIND $rows AS r MERGE (n:`{label}` {{`{key}`: r.k}}) SET n += r.p" + (" WITH n, r" if rules else "")
    for j, (_, kind, other, prop, _) in enumerate(rules):
        text += (
            f" CALL (n, r) {{ MATCH (t:`{other}` {{`{prop}`: r.t{j}}}) "
            f"CALL (n, t) {{ MATCH (n)-[o:`{kind}`]->(x) WHERE x <> t DELETE o }} MERGE (n)-[:`{kind}`]->(t) }}"
        )
    return text


def create_text(label: str, key: str, rules: list[tuple]) -> str:
    text = f"UNWIND $rows AS r CREATE (n:`{label}` {{`{key}`: r.k}}) SET n += r.p"
    for j, (_, kind, other, prop, _) in enumerate(rules):
        text += f" WITH n, r MATCH (t{j}:`{other}` {{`{prop}`: r.t{j}}}) CREATE (n)-[:`{kind}`]->(t{j})"
    return text


class Ours:
    def __init__(self, connection: Connection, word_index: bool) -> None:
        self.connection, self.words = connection, "" if word_index else "-"

    def load(self, rows: list[dict], label: str, key: str, rules: list[tuple]) -> None:
        request = AddRecordsRequest(rows, label, key, LINES if rules else "", fulltext_index=self.words)
        self.report = asyncio.run(add_records(self.connection, request)).details["report"]


def check(driver: Driver, rows: list[dict]) -> str:
    """``right``, or how many orders are not exactly as their row says and what else is there too much."""
    links = ", ".join(f"[(n)-[:{kind}]->(t:{label}) | t.{key}] AS {column}" for column, kind, label, key, _ in RULES)
    own = ", ".join(f"n.{name} AS {name}" for name in OWN)
    query = f"UNWIND $keys AS k MATCH (n:Pedido {{id: k}}) RETURN {own}, size(keys(n)) AS size, {links}"
    wrong = 0
    with driver.session() as session:
        for start in range(0, len(rows), 10_000):
            some = {row["id"]: row for row in rows[start : start + 10_000]}
            found = session.run(query, keys=list(some)).data()
            wrong += len(some) - len(found)
            for node in found:
                row = some[node["id"]]
                expected = {name: row[name] for name in OWN} | {"size": len(OWN)}
                wrong += node != expected | {column: [row[column]] for column, *_ in RULES}
        totals = session.run("MATCH (n) WITH count(n) AS nodes MATCH ()-[r]->() RETURN nodes, count(r) AS links").single().data()
    extra = totals["links"] - 3 * len(rows)
    return "right" if not wrong and not extra else f"{wrong} wrong, {extra} links too many"


class Memory:
    """The growth of this process's memory while it is used as a context, in MB."""

    def __enter__(self) -> Memory:
        self.start = self.peak = psutil.Process().memory_info().rss
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()
        return self

    def _watch(self) -> None:
        while not self.stop.wait(0.02):
            self.peak = max(self.peak, psutil.Process().memory_info().rss)

    def __exit__(self, *error: object) -> None:
        self.stop.set()
        self.thread.join()
        self.growth = (self.peak - self.start) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--uri", required=True)
    parser.add_argument("--username", default="")
    parser.add_argument("--password", default="")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=["raw:B", "raw:G", "ours", "ours+words"])
    options = parser.parse_args()
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    auth = (options.username, options.password) if options.password else None
    driver = GraphDatabase.driver(options.uri, auth=auth, initial_retry_delay=0.05)
    connection = Connection(options.uri, options.username, options.password)
    contenders: dict[str, Callable[[], Raw | Ours]] = {
        "raw:B": lambda: Raw(driver, 1, False),
        "raw:G": lambda: Raw(driver, 2, True),
        "ours": lambda: Ours(connection, False),
        "ours+words": lambda: Ours(connection, True),
    }
    loads = [orders(options.rows), orders(options.rows), orders(options.rows, moved=True)]
    seconds: dict[str, list[list[float]]] = {name: [[], [], []] for name in options.only}
    states: dict[str, set[str]] = {name: set() for name in options.only}
    memory: dict[str, float] = dict.fromkeys(options.only, 0.0)
    names = list(options.only)
    wipe(driver)
    Raw(driver, 2, True).load(loads[0][:20_000], "Pedido", "id", RULES)  # the server's compiler gets warm before it counts
    for _ in range(options.repeat):
        for name in names:
            wipe(driver)
            contender = contenders[name]()
            contender.load(customers(), "Cliente", "nombre", [])
            for place, rows in enumerate(loads):
                with Memory() as used:
                    start = time.perf_counter()
                    contender.load(rows, "Pedido", "id", RULES)
                    seconds[name][place].append(time.perf_counter() - start)
                memory[name] = max(memory[name], used.growth)
                states[name].add(check(driver, rows))
                print(f"  {name} {LOADS[place]}: {options.rows / seconds[name][place][-1]:,.0f} rows/s", flush=True)
        names = names[1:] + names[:1]
    _print(options, seconds, states, memory)
    driver.close()


def _print(options: argparse.Namespace, seconds: dict, states: dict, memory: dict) -> None:
    medians = {name: [statistics.median(times) for times in loads] for name, loads in seconds.items()}
    print("| contender | load | rows/s (median) | of raw:G | of raw:B | state | memory growth MB |")
    print("|---|---|---|---|---|---|---|")
    for name, loads in medians.items():
        for place, load in enumerate(LOADS):
            ratios = [f"{medians[raw][place] / loads[place]:.2f}" if raw in medians else "" for raw in ("raw:G", "raw:B")]
            print(
                f"| {name} | {load} | {options.rows / loads[place]:,.0f} | {' | '.join(ratios)} | "
                f"{', '.join(sorted(states[name]))} | {memory[name]:.0f} |"
            )


if __name__ == "__main__":
    main()
