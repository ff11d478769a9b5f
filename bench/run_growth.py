"""How cost grows: loading rows, searching vectors, describing nodes, prompts of more and more labels.

    python bench/run_growth.py [--only loading searching describing prompts] [--loading 1000 10000 …] [--json FILE]

It starts an embedded server of its own. Each size is beside hand-written Cypher or the bare driver in the same run. The JSON has,
beside the times, what server and disk took, from which the point is reckoned where this machine is too small. ``plot.py`` draws it.
The largest default sizes (1 M rows, 300 k vectors, 3 M nodes) take about twenty minutes in all on two cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import statistics
import time
from pathlib import Path
from typing import Any

from neo4j import Driver, GraphDatabase
from own_server import Own, circumstances, own_server
from run_asking import Model
from run_load import RULES, Memory, Ours, Raw, check, customers, orders
from run_schema import load as load_labels
from run_schema import raw as raw_schema
from run_vector import by_turns, data, searches
from run_vector import load as load_vectors
from wiping import wipe

from lfx_neo4j_graphrag.database.capabilities import capabilities
from lfx_neo4j_graphrag.local.server import DEFAULT_VERSION, MAIN_CLASSES
from lfx_neo4j_graphrag.operations import value_linking
from lfx_neo4j_graphrag.operations.graph_schema import GraphSchemaRequest, graph_schema
from lfx_neo4j_graphrag.operations.text2cypher import Text2CypherRequest, text2cypher
from lfx_neo4j_graphrag.reply.tokens import count_tokens

HERE = Path(__file__).parent
RESULT = HERE / "results" / "growth.json"
SIZES = {
    "loading": (1_000, 10_000, 100_000, 300_000, 1_000_000),
    "searching": (1_000, 10_000, 30_000, 100_000, 300_000),
    "describing": (10_000, 100_000, 1_000_000, 3_000_000),
    "prompts": (1, 5, 10, 20, 50, 100, 200),
}
QUESTIONS = 50
DESCRIPTIONS = 5
SUBJECTS = "Pedido Cliente Producto Tienda Factura Proveedor Almacen Empleado Contrato Envio".split()


def loading(own: Own, driver: Driver, rows: int) -> dict[str, Any]:
    """The first load, without search indexes; small ones several times."""
    made, times, bare, growth = orders(rows), [], [], 0.0
    for _ in range(max(1, min(5, 50_000 // rows))):
        for ours in (False, True):
            wipe(driver)
            contender = Ours(own.connection, False) if ours else Raw(driver, 2, True)
            contender.load(customers(), "Cliente", "nombre", [])
            with Memory() as used:
                started = time.perf_counter()
                contender.load(made, "Pedido", "id", RULES)
                (times if ours else bare).append(time.perf_counter() - started)
            growth = max(growth, used.growth) if ours else growth
    seconds, beside = statistics.median(times), statistics.median(bare)
    return {
        "seconds": seconds,
        "rows_per_second": rows / seconds,
        "bare_seconds": beside,
        "to_bare": seconds / beside,
        "worst_seconds": max(times),
        "state": check(driver, made),
        "memory_growth_mb": growth,
    }


def searching(own: Own, driver: Driver, vectors: int) -> dict[str, Any]:
    """Medians and 95th percentiles of bare search, Vector and Hybrid, and recall of the true ten."""

    async def measure() -> dict[str, Any]:
        can, made = await capabilities(own.connection), data(vectors, QUESTIONS)
        started = time.perf_counter()
        await asyncio.to_thread(load_vectors, driver, can, made.vectors, made.texts, made.pct, False)
        found: dict[str, Any] = {"seconds_to_load_and_index": time.perf_counter() - started}
        async with searches(own.connection.uri, can, made, 50) as jobs:
            truth = made.nearest()
            for name, (times, ids) in (await by_turns({name: jobs[name] for name in ("bare", "Vector", "Hybrid")}, QUESTIONS)).items():
                found[f"{name}_ms"] = statistics.median(times)
                found[f"{name}_p95_ms"] = sorted(times)[int(0.95 * len(times))]
                if name != "Hybrid":
                    found[f"{name}_recall"] = sum(len(set(got) & want) / 10 for got, want in zip(ids, truth, strict=True)) / QUESTIONS
        return found

    return asyncio.run(measure())


def describing(own: Own, driver: Driver, nodes: int) -> dict[str, Any]:
    """Graph Schema of 20 labels and 25 patterns, beside the statements of the plain driver."""

    async def measure() -> tuple[list[float], str]:
        times, text = [], ""
        for _ in range(DESCRIPTIONS):
            started = time.perf_counter()
            text = (await graph_schema(own.connection, GraphSchemaRequest(token_limit=0, timeout=30))).text
            times.append(time.perf_counter() - started)
        return times, text

    load_labels(driver, nodes)
    bare = []
    for _ in range(DESCRIPTIONS):
        started = time.perf_counter()
        raw_schema(driver)
        bare.append(time.perf_counter() - started)
    times, text = asyncio.run(measure())
    seconds, beside = statistics.median(times), statistics.median(bare)
    found = {"seconds": seconds, "first_seconds": times[0], "worst_seconds": max(times), "bare_seconds": beside}
    return found | {"to_bare": seconds / beside, "tokens": count_tokens(text)}


def prompts(own: Own, driver: Driver, labels: int) -> dict[str, Any]:
    """Tokens that the model reads for one question, of the whole schema, and milliseconds before the model is asked."""
    wipe(driver)
    names = [f"{SUBJECTS[i % 10]}{i // 10 or ''}" for i in range(labels)]
    with driver.session() as session:
        for i, name in enumerate(names):
            session.run(
                f"UNWIND range(0, 19) AS k CREATE (:{name} {{id: '{name} ' + k, nombre: 'Nombre ' + k, estado: ['abierto', 'cerrado'][k % 2], "
                "importe: k * 1.5, fecha: date('2026-01-01') + duration({days: k}), activo: k % 2 = 0})"
            ).consume()
            session.run(
                f"MATCH (a:{name}), (b:{names[(i + 1) % labels]}) WITH a, b LIMIT 20 CREATE (a)-[:TIENE_{i}]->(b)"
            ).consume()
    model = Model(f"MATCH (n:{names[0]}) RETURN count(n) AS total")

    async def measure() -> dict[str, Any]:
        whole = (await graph_schema(own.connection, GraphSchemaRequest(token_limit=0))).text
        value_linking._known.clear()
        request = Text2CypherRequest(f"¿Cuántos {names[0]} abiertos hay?", Seen(model))
        result = await text2cypher(own.connection, request)
        return {
            "prompt_tokens": request.model.tokens,
            "schema_tokens": count_tokens(whole),
            "preparation_ms": result.details["preparation_ms"],
        }

    return asyncio.run(measure())


class Seen:
    """A model that counts the tokens it reads."""

    def __init__(self, model: Model) -> None:
        self.model, self.tokens = model, 0

    async def ainvoke(self, messages: list[Any]) -> Any:
        self.tokens = sum(count_tokens(str(message.content)) for message in messages)
        return await self.model.ainvoke(messages)


MEASURES = {"loading": loading, "searching": searching, "describing": describing, "prompts": prompts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=sorted(MEASURES), default=list(MEASURES))
    for name, sizes in SIZES.items():
        parser.add_argument(f"--{name}", nargs="*", type=int, default=sizes, metavar="SIZE", help=f"default {' '.join(map(str, sizes))}")
    parser.add_argument("--neo4j", choices=sorted(MAIN_CLASSES), default=DEFAULT_VERSION)
    parser.add_argument("--heap", default="2g")
    parser.add_argument("--json", type=Path, default=RESULT, help="is written after every size; other measures in it stay")
    given = parser.parse_args()
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    result = json.loads(given.json.read_text(encoding="utf-8")) if given.json.exists() else {}
    given.json.parent.mkdir(parents=True, exist_ok=True)
    for what in given.only:
        with own_server(given.neo4j, given.heap) as own, GraphDatabase.driver(own.connection.uri) as driver:  # a fresh disk for each
            result[what] = {"circumstances": circumstances(given.neo4j, given.heap), "sizes": []}
            MEASURES[what](own, driver, min(getattr(given, what)))  # the server's compiler gets warm before it counts
            for size in sorted(getattr(given, what)):
                measured = MEASURES[what](own, driver, size)
                measured |= {"size": size, "server_memory_mb": own.memory_mb(), "disk_mb": own.disk_mb()}
                result[what]["sizes"].append(measured)
                print(what, ", ".join(f"{k} {v:,.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in measured.items()), flush=True)
                given.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
