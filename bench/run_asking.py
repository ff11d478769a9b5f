"""What Text2Cypher costs beside the language model, on 100,000 orders with customers, products and shops.

    python bench/run_asking.py --uri bolt://localhost:7687 [--rows 94000]     # wipes the database

Everything but the model counts: schema, value linking, prompt, screen, EXPLAIN, and the running of a statement that reads
one node by its key. ``first``: nothing is remembered, of the graph or of the statement; ``later``: the schema and the values
are less than a minute old, the question and the statement are new; ``again``: the same statement too.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import time

from neo4j import GraphDatabase
from run_load import LINES, customers, orders
from wiping import wipe

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.operations import graph_schema, value_linking
from lfx_neo4j_graphrag.operations.add_records import AddRecordsRequest, add_records
from lfx_neo4j_graphrag.operations.text2cypher import Text2CypherRequest, text2cypher

RUNS = 15


class Model:
    """Answers at once."""

    def __init__(self, answer: str) -> None:
        self.answer = answer

    async def ainvoke(self, messages):
        from langchain_core.messages import AIMessage

        return AIMessage(self.answer)


async def load(connection: Connection, rows: int) -> None:
    await add_records(connection, AddRecordsRequest(customers(), "Cliente", "nombre"))
    await add_records(connection, AddRecordsRequest(orders(rows), "Pedido", "id", "\n".join(LINES)))


async def ask(connection: Connection, number: int, text: int) -> tuple[float, float]:
    """Milliseconds in all, and those before the model is asked."""
    question = f"¿Cuántos pedidos abiertos de SKU-{number % 800:04d} tiene el Cliente {number:05d} en la tienda T{number % 60:03d}?"
    statement = f"MATCH (p:Pedido {{id: 'P{text:07d}'}})-[:DE_CLIENTE]->(c:Cliente) RETURN c.nombre AS cliente"
    started = time.perf_counter()
    result = await text2cypher(connection, Text2CypherRequest(question, Model(statement)))
    took = (time.perf_counter() - started) * 1000
    assert result.rows and result.details["model_calls"] == 1, result.text
    return took, result.details["preparation_ms"]


def forget() -> None:
    graph_schema._cache.clear()
    value_linking._known.clear()


async def measure(connection: Connection) -> None:
    await ask(connection, 1, 1)  # connects, imports, and lets the server compile its plans
    kinds: dict[str, list[tuple[float, float]]] = {"first": [], "later": [], "again": []}
    for run in range(RUNS):
        forget()
        kinds["first"].append(await ask(connection, 1000 + run, 100 + run))
        kinds["later"].append(await ask(connection, 2000 + run, 200 + run))
        kinds["again"].append(await ask(connection, 3000 + run, 200 + run))
    for kind, times in kinds.items():
        took, before = zip(*times, strict=True)
        print(f"{kind}: median {statistics.median(took):.0f} ms ({min(took):.0f} to {max(took):.0f}), "
              f"of which schema, linking and prompt {statistics.median(before):.0f} ms")  # fmt: skip


async def run(connection: Connection, rows: int) -> None:
    if rows:
        await load(connection, rows)
    await measure(connection)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--rows", type=int, default=94_000, help="orders to load; 0 uses the graph that is there")
    args = parser.parse_args()
    if args.rows:
        with GraphDatabase.driver(args.uri) as driver:
            wipe(driver)
    asyncio.run(run(Connection(args.uri, "", ""), args.rows))
    print("load of the machine:", *os.getloadavg())


if __name__ == "__main__":
    main()
