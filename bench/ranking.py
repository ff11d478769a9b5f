"""The ranking questions, and how a ranking is judged."""

from __future__ import annotations

import asyncio
import json
import math
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from neo4j import Driver
from wiping import wipe

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.local.embeddings import LocalEmbeddings
from lfx_neo4j_graphrag.operations.embedding import embed_parts
from lfx_neo4j_graphrag.operations.hybrid import HybridRequest, hybrid
from lfx_neo4j_graphrag.operations.vector import VectorRequest, vector

BENCH = Path(__file__).parent
sys.path.insert(0, str(BENCH.parent / "assets"))
KINDS = {"keyword": "codigo", "meaning": "significado", "both": "ambos"}


@dataclass(frozen=True)
class Question:
    """``relevant`` are ids of documents; ``split`` is tune or report."""

    id: str
    kind: str
    text: str
    relevant: tuple[str, ...]
    split: str


@dataclass(frozen=True)
class Judged:
    """nDCG@10, and whether the first and one of the first five results are relevant."""

    ndcg: float
    first: bool
    five: bool


def documents() -> tuple[list[dict], list[Question], list[dict]]:
    """The 120 Spanish documents (``id``, ``text``), 56 questions on them, and the odd queries (``id``, ``text``, ``relevant``).

    Of the 20 older questions every other one is for tuning.
    """
    data = json.loads((BENCH / "quality_es.json").read_text(encoding="utf-8"))
    asked = [
        Question(q["id"], KINDS[q["kind"]], q["text"], tuple(q["relevant"]), "report" if number % 2 else "tune")
        for number, q in enumerate(data["questions"])
    ]
    newer = yaml.safe_load((BENCH / "preguntas_documentos.yaml").read_text(encoding="utf-8"))
    newer = [q for q in newer if q["corpus"] == "quality_es"]
    asked += [Question(q["id"], q["kind"], q["text"], tuple(q["relevant"]), q["split"]) for q in newer]
    return data["docs"], asked, data["odd"]


def knowledge() -> tuple[list[dict], list[Question]]:
    """The 80 passages (``id``, ``document``, ``position``, ``text``) of the knowledge base and 54 questions on them.

    Of the 30 consultation questions every other one is for tuning.
    """
    from knowledge import passages

    found = passages()
    rows = [{"id": f"{p.document}#{p.position:02d}", "document": p.document, "position": p.position, "text": p.text} for p in found]

    def relevant(strings: Iterable[str]) -> tuple[str, ...]:
        return tuple(row["id"] for row, passage in zip(rows, found, strict=True) if any(passage.says(s) for s in strings))

    consult = yaml.safe_load((BENCH / "preguntas_base_conocimiento.yaml").read_text(encoding="utf-8"))
    asked = [
        Question(q["id"], "consulta", q["pregunta"], relevant(q["contains"]), "tune" if number % 2 else "report")
        for number, q in enumerate(consult)
    ]
    newer = yaml.safe_load((BENCH / "preguntas_documentos.yaml").read_text(encoding="utf-8"))
    newer = [q for q in newer if q["corpus"] == "base_conocimiento"]
    asked += [Question(q["id"], q["kind"], q["text"], relevant(q["contains"]), q["split"]) for q in newer]
    return rows, asked


def judge(ids: Sequence[str], relevant: Sequence[str]) -> Judged:
    """Gains of 1 for each relevant document, discounted by log2 of the rank + 1 (Järvelin and Kekäläinen, 2002)."""
    gained = sum(1 / math.log2(rank + 2) for rank, id in enumerate(ids[:10]) if id in relevant)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(relevant))))
    return Judged(gained / ideal, bool(ids) and ids[0] in relevant, any(id in relevant for id in ids[:5]))


def interval(values: Sequence[float], draws: int = 2000) -> tuple[float, float]:
    """95 % interval of the mean by resampling the questions (percentile bootstrap)."""
    rng = random.Random(0)
    means = sorted(sum(rng.choices(values, k=len(values))) / len(values) for _ in range(draws))
    return means[int(draws * 0.025)], means[int(draws * 0.975)]


def mean(values: Iterable[float]) -> float:
    values = list(values)
    return sum(values) / len(values) if values else float("nan")


def print_row(name: str, judged: dict[str, Judged], questions: Sequence[Question], kinds: Sequence[str]) -> None:
    """``name | n | nDCG@10 [interval] | first | in five | nDCG@10 by kind``."""
    chosen = [judged[q.id] for q in questions]
    low, high = interval([j.ndcg for j in chosen])
    by_kind = [mean(judged[q.id].ndcg for q in questions if q.kind == kind) for kind in kinds]
    cells = [
        name,
        str(len(chosen)),
        f"{mean(j.ndcg for j in chosen):.3f} [{low:.2f}, {high:.2f}]",
        f"{mean(j.first for j in chosen):.2f}",
        f"{mean(j.five for j in chosen):.2f}",
        *(f"{value:.3f}" for value in by_kind),
    ]
    print("| " + " | ".join(cells) + " |", flush=True)


def print_head(kinds: Sequence[str]) -> None:
    cells = ["contender", "questions", "nDCG@10 [95 %]", "first", "in five", *kinds]
    print("| " + " | ".join(cells) + " |\n|" + "---|" * len(cells))


def split_of(questions: Sequence[Question], split: str) -> list[Question]:
    return [q for q in questions if split in ("all", q.split)]


def prepare(
    driver: Driver, label: str, rows: Sequence[dict], texts: Sequence[str], analyzer: str = "spanish", parts: bool = True
) -> None:
    """Wipe the database; one node a row with the vectors of its ``texts`` entry, as a load saves them (without those of its
    parts: not ``parts``); ``vectors`` and ``words`` over text."""
    wipe(driver)
    model = LocalEmbeddings()
    kept = asyncio.run(embed_parts(model, texts)) if parts else [None] * len(texts)
    saved = zip(rows, model.embed_documents(list(texts)), kept, strict=True)
    filled = [row | {"embedding": vector, "embedding_parts": part} for row, vector, part in saved]
    driver.execute_query(f"UNWIND $rows AS row CREATE (n:{label}) SET n = row", rows=filled)
    driver.execute_query(f"CREATE CONSTRAINT FOR (n:{label}) REQUIRE n.id IS UNIQUE")
    driver.execute_query(
        f"CREATE VECTOR INDEX vectors FOR (n:{label}) ON (n.embedding) OPTIONS {{indexConfig: {{`vector.dimensions`: 384, "
        "`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}"
    )
    driver.execute_query(
        f"CREATE FULLTEXT INDEX words FOR (n:{label}) ON EACH [n.text] OPTIONS {{indexConfig: {{`fulltext.analyzer`: $analyzer}}}}",
        analyzer=analyzer,
    )
    driver.execute_query("CALL db.awaitIndexes(60)")


class Baselines:
    """What a careful hand would write: each branch alone, and plain reciprocal rank fusion of 50 candidates a branch (k = 60)."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.model = LocalEmbeddings()

    def meaning(self, text: str, count: int = 10) -> list[str]:
        if not text.strip():
            return []
        found = self.driver.execute_query(
            "CYPHER 5 CALL db.index.vector.queryNodes('vectors', $count, $vector) YIELD node, score RETURN node.id AS id",
            vector=self.model.embed_query(text),
            count=max(50, count),
        ).records
        return [row["id"] for row in found][:count]

    def words(self, text: str, count: int = 10) -> list[str]:
        words = (word.replace("\\", " ").replace('"', " ") for word in text.split() if any(c.isalnum() for c in word))
        quoted = " ".join(f'"{word}"' for word in words)
        if not quoted:
            return []
        found = self.driver.execute_query(
            "CALL db.index.fulltext.queryNodes('words', $text, {limit: $count}) YIELD node, score RETURN node.id AS id",
            text=quoted,
            count=count,
        ).records
        return [row["id"] for row in found]

    def rrf(self, text: str, count: int = 10) -> list[str]:
        scores: dict[str, float] = {}
        for branch in (self.meaning(text, 50), self.words(text, 50)):
            for rank, id in enumerate(branch, 1):
                scores[id] = scores.get(id, 0.0) + 1 / (60 + rank)
        return sorted(scores, key=lambda id: (-scores[id], id))[:count]


class Ours:
    """Vector and Hybrid as the node runs them, on one event loop."""

    def __init__(self, uri: str) -> None:
        self.connection, self.model = Connection(uri), LocalEmbeddings()
        self.runner = asyncio.Runner()

    def vector(self, text: str) -> list[str]:
        request = VectorRequest(query=text, embedder=self.model, number_of_results=10)
        return [row["id"] for row in self.runner.run(vector(self.connection, request)).rows]

    def hybrid(self, text: str) -> list[str]:
        request = HybridRequest(query=text, embedder=self.model, number_of_results=10)
        return [row["id"] for row in self.runner.run(hybrid(self.connection, request)).rows]


def ask(search: Callable[[str], list[str]], questions: Sequence[Question]) -> dict[str, Judged]:
    return {q.id: judge(search(q.text), q.relevant) for q in questions}
