"""Graph Schema of a large graph: time, completeness and sameness, beside the plain driver in the same run.

    python bench/run_schema.py load 1000000 --uri bolt://localhost:7687     # wipes the database
    python bench/run_schema.py run --uri bolt://localhost:7687

The graph: 20 labels of 7 properties, two of which have one more property on their last nodes only and one on a few
nodes in the middle; 25 patterns, five of them of 50 relationships among half a million.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time

from neo4j import Driver, GraphDatabase
from wiping import wipe

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.operations.graph_schema import GraphSchemaRequest, graph_schema, read_schema
from lfx_neo4j_graphrag.reply.tokens import count_tokens
from lfx_neo4j_graphrag.schema import model
from lfx_neo4j_graphrag.schema.render import to_text

LABELS = [f"Etiqueta{number:02d}" for number in range(20)]
PATTERNS = [(label, f"REL_{i:02d}", LABELS[(i + 1) % 20]) for i, label in enumerate(LABELS)] + [
    (LABELS[0], f"EXTRA_{i}", LABELS[5 + i]) for i in range(5)
]
STATES = ["abierto", "cerrado", "espera", "anulado", "revision"]
COMMON = {"id", "nombre", "estado", "importe", "fecha", "activo", "etiquetas"}
LATE = {(LABELS[3], "tardia"): 0.99, (LABELS[7], "rara_fecha"): 0.999}  # only on the nodes after this share
MIDDLE = (LABELS[11], "central")  # only on ten nodes in the middle
RUNS = 10


def load(driver: Driver, nodes: int) -> None:
    """Wipe the database and make the graph."""
    wipe(driver)
    with driver.session() as session:
        each = nodes // len(LABELS)
        for label in LABELS:
            session.run(f"CREATE CONSTRAINT FOR (n:{label}) REQUIRE n.id IS UNIQUE").consume()
            session.run(
                f"UNWIND range(0, {each - 1}) AS k CALL (k) {{ CREATE (:{label} {{id: k, nombre: 'n' + toString(k), estado: $states[k % 5], "
                "importe: k * 1.5, fecha: date('2020-01-01') + duration({days: k % 2000}), activo: k % 2 = 0, etiquetas: ['a', 'b']}) } "
                "IN TRANSACTIONS OF 10000 ROWS",
                states=STATES,
            ).consume()
        for (label, name), share in LATE.items():
            value = "'si'" if name == "tardia" else "datetime('2026-01-01T00:00:00Z')"
            session.run(f"MATCH (n:{label}) WHERE n.id >= $first SET n.{name} = {value}", first=int(each * share)).consume()
        session.run(f"MATCH (n:{MIDDLE[0]}) WHERE n.id IN range($m, $m + 9) SET n.{MIDDLE[1]} = 1", m=each // 2).consume()
        for start, kind, end in PATTERNS:
            count = each // 2 if kind.startswith("REL") else 50
            session.run(
                f"UNWIND range(0, {count - 1}) AS k CALL (k) {{ MATCH (a:{start} {{id: k}}) MATCH (b:{end} {{id: k}}) "
                f"CREATE (a)-[:{kind} {{desde: date('2024-01-01'), peso: k % 7}}]->(b) }} IN TRANSACTIONS OF 10000 ROWS"
            ).consume()


def raw(driver: Driver, sample: int = 1000) -> dict:
    """What the plain driver can do: the count store, and the first and last nodes of each label."""

    def rows(text: str, **parameters) -> list[dict]:
        return [record.data() for record in driver.execute_query(text, parameters, routing_="r").records]

    found: dict = {"labels": {}, "types": {}, "patterns": set()}
    for label in [row["label"] for row in rows("CALL db.labels() YIELD label")]:
        count = rows(f"MATCH (n:`{label}`) RETURN count(n) AS n")[0]["n"]
        half = sample // 2
        properties = rows(
            f"CALL () {{ MATCH (n:`{label}`) RETURN n LIMIT $half UNION ALL MATCH (n:`{label}`) SKIP $skip LIMIT $half RETURN n }} "
            "UNWIND keys(n) AS k WITH k, n[k] AS v, valueType(n[k]) AS t "
            "WITH k, collect(DISTINCT t)[..4] AS types, collect(DISTINCT CASE WHEN t STARTS WITH 'STRING' THEN v END)[..12] AS values, "
            "min(CASE WHEN t STARTS WITH 'INT' OR t STARTS WITH 'FLOAT' OR t STARTS WITH 'DATE' THEN v END) AS low, "
            "max(CASE WHEN t STARTS WITH 'INT' OR t STARTS WITH 'FLOAT' OR t STARTS WITH 'DATE' THEN v END) AS high "
            "RETURN k, types, values, low, high",
            half=half, skip=max(0, count - half),
        )
        found["labels"][label] = (count, {row["k"]: row for row in properties})
    for kind in [row["t"] for row in rows("CALL db.relationshipTypes() YIELD relationshipType AS t")]:
        found["types"][kind] = rows(f"MATCH ()-[r:`{kind}`]->() RETURN count(r) AS n")[0]["n"]
        rows(f"MATCH ()-[r:`{kind}`]->() WITH r LIMIT 200 UNWIND keys(r) AS k RETURN DISTINCT k")
        ends = rows(f"MATCH (a)-[r:`{kind}`]->(b) WITH a, b LIMIT $sample RETURN DISTINCT labels(a) AS a, labels(b) AS b", sample=sample)
        found["patterns"] |= {(a, kind, b) for row in ends for a in row["a"] for b in row["b"]}
    return found


def completeness(schema: model.Schema, nodes: int) -> dict[str, str]:
    """Shares of the truth that the schema holds."""
    each = nodes // len(LABELS)
    counts = {label.name: label.count for label in schema.labels}
    properties = {(label.name, item.name) for label in schema.labels for item in label.properties}
    wanted = {(label, name) for label in LABELS for name in COMMON} | set(LATE)
    values = {(label.name, item.name): item for label in schema.labels for item in label.properties}
    patterns = {(p.start, p.type, p.end): p.count for p in schema.patterns}
    right = sum(patterns.get(p) == (each // 2 if p[1].startswith("REL") else 50) for p in PATTERNS)
    enumerations = sum(set(values[label, "estado"].values) == set(STATES) for label in LABELS)
    ranges = sum(values[label, name].kind == "range" for label in LABELS for name in ("importe", "fecha"))
    middle = "found" if MIDDLE in properties else "named" if MIDDLE[1] in schema.unmet else "MISSED"
    return {
        "labels and counts": f"{sum(counts.get(label) == each for label in LABELS)}/20",
        "properties": f"{len(wanted & properties)}/{len(wanted)}",
        "patterns and counts": f"{right}/{len(PATTERNS)}",
        "other patterns": str(len(set(patterns) - set(PATTERNS))),
        "enumerations": f"{enumerations}/20",
        "ranges": f"{ranges}/40",
        "in the middle": middle,
    }


async def run(driver: Driver, uri: str) -> None:
    connection = Connection(uri)
    texts, times, raw_times = set(), [], []
    for _ in range(RUNS):
        started = time.perf_counter()
        found = raw(driver)
        raw_times.append(time.perf_counter() - started)
        started = time.perf_counter()
        result = await graph_schema(connection, GraphSchemaRequest(token_limit=0))
        times.append(time.perf_counter() - started)
        texts.add(result.text)
    schema = await read_schema(connection)
    started = time.perf_counter()
    await read_schema(connection)
    cached = time.perf_counter() - started
    text = to_text(schema)
    print(f"raw: median {statistics.median(raw_times):.3f} s, first {raw_times[0]:.3f} s; {len(found['patterns'])} patterns")
    print(f"ours: median {statistics.median(times):.3f} s, first {times[0]:.3f} s, cached {cached * 1000:.1f} ms; ratio "
          f"{statistics.median(times) / statistics.median(raw_times):.2f}; {len(texts)} different answers in {RUNS} calls")
    print(f"text: {len(text):,} characters, {count_tokens(text):,} tokens")
    for what, share in completeness(schema, schema.nodes).items():
        print(f"{what}: {share}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["load", "run"])
    parser.add_argument("nodes", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--uri", required=True)
    arguments = parser.parse_args()
    with GraphDatabase.driver(arguments.uri) as opened:
        load(opened, arguments.nodes) if arguments.what == "load" else asyncio.run(run(opened, arguments.uri))
