"""Vector and Hybrid on many vectors: recall and time beside bare statements, on one server in one run.

    python bench/run_vector.py --uri bolt://localhost:7687 --rows 100000 [--default-index]     # wipes the database

Clusters of 200 vectors of 384 numbers; exact cosine by numpy is the truth. The question is embedded beforehand, so the
times are those of the search. ``bare`` is the server's own search with the same number of candidates; contenders take turns
query by query; Hybrid is beside its own branches alone. ``--default-index`` makes the vector index with the server's own options (quantized).
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import numpy as np
from neo4j import AsyncGraphDatabase, Driver, GraphDatabase
from wiping import wipe

from lfx_neo4j_graphrag.database.capabilities import Capabilities, capabilities
from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.operations.hybrid import HybridRequest, hybrid
from lfx_neo4j_graphrag.operations.vector import VectorRequest, vector

SIZE = 384
WORDS = "caldera bomba filtro molino vapor presion valvula sensor agua cafe leche limpieza error pantalla junta".split()
Job = Callable[[int], Awaitable[list[int]]]
FILTERS = {"1 %": ("pct = 0", 1), "10 %": ("pct < 10", 10), "50 %": ("pct < 50", 50)}


class Prepared:
    """An embedder whose question vector is set before each search; documents get their stored vectors."""

    def __init__(self, stored: dict[str, np.ndarray]) -> None:
        self.stored, self.vector = stored, [0.0]

    async def aembed_query(self, text: str) -> list[float]:
        return self.vector

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.stored[text].tolist() for text in texts]


def clusters(rows: int) -> np.ndarray:
    rng = np.random.default_rng(11)
    centres = rng.standard_normal((max(1, rows // 200), SIZE))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    vectors = centres[rng.integers(0, len(centres), rows)] + 0.6 * rng.standard_normal((rows, SIZE)) / np.sqrt(SIZE)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def questions(vectors: np.ndarray, count: int) -> np.ndarray:
    rng = np.random.default_rng(13)
    found = vectors[rng.integers(0, len(vectors), count)] + 0.4 * rng.standard_normal((count, SIZE)) / np.sqrt(SIZE)
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def load(driver: Driver, can: Capabilities, vectors: np.ndarray, texts: list[str], pct: np.ndarray, quantized: bool) -> None:
    wipe(driver)
    with driver.session() as session:
        session.run("CREATE CONSTRAINT FOR (n:Chunk) REQUIRE n.id IS UNIQUE").consume()
        for start in range(0, len(texts), 1000):
            batch = [
                {"id": i, "text": texts[i], "pct": int(pct[i]), "embedding": vectors[i].tolist()}
                for i in range(start, min(start + 1000, len(texts)))
            ]
            session.run("UNWIND $rows AS row CREATE (n:Chunk) SET n = row", rows=batch).consume()
        listed = "WITH [n.pct] " if can.filter_in_index else ""
        plain = "" if quantized else ", `vector.quantization.enabled`: false"
        session.run(
            f"{'CYPHER 25 ' if listed else ''}CREATE VECTOR INDEX chunk_vector FOR (n:Chunk) ON (n.embedding) {listed}"
            f"OPTIONS {{indexConfig: {{`vector.dimensions`: {SIZE}, `vector.similarity_function`: 'cosine'{plain}}}}}"
        ).consume()
        session.run("CREATE FULLTEXT INDEX chunk_text FOR (n:Chunk) ON EACH [n.text]").consume()
        session.run("CREATE INDEX FOR (n:Chunk) ON (n.pct)").consume()
        session.run("CALL db.awaitIndexes(1800)").consume()


async def by_turns(jobs: dict[str, Job], count: int) -> dict[str, tuple[list[float], list[list[int]]]]:
    """Each job on each question, one after the other, three times; the last counts: until then the server's compiler takes a core."""
    found: dict[str, tuple[list[float], list[list[int]]]] = {name: ([], []) for name in jobs}
    for number in [*range(count)] * 3:
        for name, job in jobs.items():
            started = time.perf_counter()
            ids = await job(number)
            found[name][0].append((time.perf_counter() - started) * 1000)
            found[name][1].append(ids)
    return {name: (times[-count:], ids[-count:]) for name, (times, ids) in found.items()}


def report(name: str, times: list[float], ids: list[list[int]], truth: list[set[int]] | None, beside: float | None) -> None:
    recall = "-"
    if truth is not None:
        recall = f"{np.mean([len(set(got) & want) / 10 for got, want in zip(ids, truth, strict=True)]):.3f}"
    ratio = "-" if beside is None else f"{statistics.median(times) / beside:.2f}"
    print(f"| {name} | {statistics.median(times):.1f} | {sorted(times)[int(0.95 * len(times))]:.1f} | {ratio} | {recall} |", flush=True)


@dataclass
class Data:
    """Vectors with their texts and a percentage each, and questions on them with their words."""

    vectors: np.ndarray
    texts: list[str]
    pct: np.ndarray
    asked: np.ndarray
    words: list[str]

    def nearest(self, keep: np.ndarray | None = None) -> list[set[int]]:
        """The true ten of each question, of those that a filter keeps."""
        near = self.asked @ self.vectors.T
        return [set(np.argsort(-(row if keep is None else np.where(keep, row, -9)))[:10].tolist()) for row in near]


def data(rows: int, count: int) -> Data:
    vectors, rng = clusters(rows), random.Random(19)
    texts = [f"Nota {i} codigo K{i % 5000:04d}: " + " ".join(rng.choices(WORDS, k=30)) for i in range(rows)]
    words = [f"codigo K{i * 37 % 5000:04d} bomba presion" for i in range(count)]
    return Data(vectors, texts, np.random.default_rng(17).integers(0, 100, rows), questions(vectors, count), words)


@asynccontextmanager
async def searches(uri: str, can: Capabilities, made: Data, limit: int) -> AsyncIterator[dict[str, Job]]:
    """``bare``, the operations, and the operation with each filter: each takes the number of a question and gives ids."""
    connection = Connection(uri)
    embedder = Prepared(dict(zip(made.texts, made.vectors, strict=True)))
    if can.search_clause:
        bare_text = (
            "CYPHER 25 MATCH (n:Chunk) SEARCH n IN (VECTOR INDEX chunk_vector FOR $v LIMIT $limit) SCORE AS score "
            "WITH n, score LIMIT 10 RETURN n.id AS id, n.text AS text, score"
        )
    else:
        bare_text = (
            "CYPHER 5 CALL db.index.vector.queryNodes('chunk_vector', $limit, $v) YIELD node AS n, score "
            "WITH n, score LIMIT 10 RETURN n.id AS id, n.text AS text, score"
        )

    async def ours(search, request, number: int, filters: str = "", by_meaning: bool = True, words: str = "") -> list[int]:
        embedder.vector = made.asked[number].tolist()
        model = embedder if by_meaning else None
        wanted = request(query=words or made.words[number], embedder=model, number_of_results=10, filters=filters, token_limit=0)
        return [row["id"] for row in (await search(connection, wanted)).rows]

    async with AsyncGraphDatabase.driver(uri) as driver, driver.session(default_access_mode="READ") as session:

        async def bare(number: int) -> list[int]:
            result = await session.run(bare_text, v=made.asked[number].tolist(), limit=limit)
            return [record["id"] async for record in result]

        yield {
            "bare": bare,
            "Vector": lambda n: ours(vector, VectorRequest, n),
            "Hybrid, meaning alone": lambda n: ours(hybrid, HybridRequest, n, words="…"),
            "Hybrid, words alone": lambda n: ours(hybrid, HybridRequest, n, by_meaning=False),
            "Hybrid": lambda n: ours(hybrid, HybridRequest, n),
        } | {
            f"Vector, filter keeps {share}": lambda n, line=line: ours(vector, VectorRequest, n, line)
            for share, (line, _) in FILTERS.items()
        }


async def measure(uri: str, rows: int, count: int, quantized: bool, loaded: bool) -> None:
    can, made = await capabilities(Connection(uri)), data(rows, count)
    if not loaded:
        with GraphDatabase.driver(uri) as driver:
            await asyncio.to_thread(load, driver, can, made.vectors, made.texts, made.pct, quantized)
    async with searches(uri, can, made, 100 if quantized else 50) as jobs:
        print("| search | median ms | p95 ms | to bare | recall@10 |\n|---|---|---|---|---|")
        found = await by_turns({name: job for name, job in jobs.items() if "filter" not in name}, count)
        beside, truth = statistics.median(found["bare"][0]), made.nearest()
        for name, (times, ids) in found.items():
            report(name, times, ids, None if name.startswith("Hybrid") else truth, beside)
        for share, (_, bound) in FILTERS.items():
            name = f"Vector, filter keeps {share}"
            times, ids = (await by_turns({name: jobs[name]}, count))[name]
            report(name, times, ids, made.nearest(made.pct < bound), beside)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--uri", required=True)
    options.add_argument("--rows", type=int, default=100_000)
    options.add_argument("--questions", type=int, default=100)
    options.add_argument("--loaded", action="store_true", help="measure what an earlier run loaded")
    options.add_argument("--default-index", action="store_true", help="quantized, as the server makes it")
    given = options.parse_args()
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    asyncio.run(measure(given.uri, given.rows, given.questions, given.default_index, given.loaded))


if __name__ == "__main__":
    main()
