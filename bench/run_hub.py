"""Neighbours of ten nodes, one of which has 50,000: time, fairness and text, beside hand-written Cypher on the same server.

    python bench/run_hub.py --uri bolt://localhost:7687      # wipes the database

``by hand`` is the best known statement: one arm a relationship type and direction, five neighbours each, all types known
beforehand. ``ours`` is the read of the "+ Graph" operations, which finds the types itself. Fair: every relationship type and
direction of every node is in the answer.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import statistics
import time

from neo4j import Driver, GraphDatabase
from wiping import wipe

from lfx_neo4j_graphrag.database.capabilities import capabilities
from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.database.reading import Origin
from lfx_neo4j_graphrag.operations.candidates import Reader
from lfx_neo4j_graphrag.operations.neighbours import neighbours_of

SEEDS = range(10)
RUNS = 30
GRAPH = (
    "MATCH (h:Entidad {id: 0}) UNWIND range(10, 50009) AS k "
    "CALL (h, k) { MATCH (b:Entidad {id: k}) CREATE (b)-[:COMPRA {n: k}]->(h) } "
    "IN TRANSACTIONS OF 10000 ROWS",
    "MATCH (h:Entidad {id: 1}) UNWIND range(10, 5009) AS k CALL (h, k) { MATCH (b:Entidad {id: k}) CREATE (h)-[:VENDE]->(b) } "
    "IN TRANSACTIONS OF 10000 ROWS",
    "UNWIND range(2, 9) AS k MATCH (h:Entidad {id: k}), (b:Entidad {id: k + 50100}) "
    "CREATE (h)-[:CONOCE]->(b), (h)-[:VISITA]->(b), (b)-[:LLAMA]->(h)",
    "MATCH (h:Entidad {id: 0}), (b:Entidad {id: 59000}) CREATE (h)-[:DIRIGE]->(b)",
)


def load(driver: Driver) -> None:
    wipe(driver)
    with driver.session() as session:
        session.run("CREATE CONSTRAINT FOR (n:Entidad) REQUIRE n.id IS UNIQUE").consume()
        session.run(
            "UNWIND range(0, 59999) AS k CALL (k) { CREATE (:Entidad {id: k, nombre: 'Entidad ' + toString(k), nota: 'x'}) } "
            "IN TRANSACTIONS OF 10000 ROWS"
        ).consume()
        for statement in GRAPH:
            session.run(statement).consume()


def by_hand(types: list[str]) -> str:
    arms = " UNION ALL ".join(
        f"MATCH (n){left}[r:`{name}`]{right}(m) RETURN '{name}' AS type, '{way}' AS way, m.nombre AS nombre LIMIT 5"
        for name in types
        for left, right, way in (("-", "->", "out"), ("<-", "-", "in"))
    )
    return f"UNWIND $ids AS id MATCH (n) WHERE elementId(n) = id CALL (n) {{ {arms} }} RETURN id, type, way, nombre"


async def measure(connection: Connection, driver: Driver, ids: list[str]) -> None:
    reader = Reader(connection, await capabilities(connection), Origin("bench"), 10.0)
    types = [row["t"] for row in driver.execute_query("CALL db.relationshipTypes() YIELD relationshipType AS t RETURN t").records]
    hand, ours, answer, rows = [], [], {}, []
    with driver.session(default_access_mode="READ") as session:
        for _ in range(RUNS):  # by turns: whatever else the machine does hits both
            started = time.perf_counter()
            rows = list(session.run(by_hand(types), ids=ids))
            hand.append((time.perf_counter() - started) * 1000)
            started = time.perf_counter()
            answer = await neighbours_of(reader, ids, hide=())
            ours.append((time.perf_counter() - started) * 1000)
    wanted = {(row["id"], row["type"], row["way"] == "out") for row in rows}
    given = {(id, group.type, group.out) for id, groups in answer.items() for group in groups}
    hub = max(group.total for group in answer[ids[0]])
    for name, times in (("by hand", hand), ("ours", ours)):
        print(f"{name}: median {statistics.median(times[5:]):.1f} ms, best {min(times):.1f}, worst {max(times[5:]):.1f}")
    served = len([groups for groups in answer.values() if groups])
    print(f"served {served} of {len(ids)}; type and direction pairs {len(wanted & given)} of {len(wanted)}; largest count {hub}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--uri", required=True)
    given = options.parse_args()
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    with GraphDatabase.driver(given.uri) as driver:
        load(driver)
        found = driver.execute_query("UNWIND $seeds AS s MATCH (n:Entidad {id: s}) RETURN elementId(n) AS id", seeds=list(SEEDS))
        ids = [row["id"] for row in found.records]
        asyncio.run(measure(Connection(given.uri), driver, ids))


if __name__ == "__main__":
    main()
