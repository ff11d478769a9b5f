"""The plain driver with Cypher written by hand for each workload: as fast as this server is."""

from __future__ import annotations

import json
from typing import Any

from neo4j import GraphDatabase
from run_hub import by_hand
from run_load import Raw
from run_schema import raw


class Contender:
    def __init__(self, job: dict[str, Any]) -> None:
        self.driver, self.job = GraphDatabase.driver(job["uri"]), job

    def load(self, rows: list[dict], label: str, key: str, rules: list) -> None:
        Raw(self.driver, 2, True).load(rows, label, key, rules)

    def _run(self, text: str, **values: Any) -> list[Any]:
        return [row["id"] for row in self.driver.execute_query(text, values, routing_="r").records]

    def search(self, vector: list[float], count: int, below: int | None) -> list[Any]:
        where = "" if below is None else " WHERE n.pct < $below"
        return self._run(
            f"CYPHER 25 MATCH (n:Chunk) SEARCH n IN (VECTOR INDEX {self.job['vectors']} FOR $vector{where} LIMIT 50) SCORE AS score "
            "WITH n, score LIMIT $count RETURN n.id AS id, n.text AS text, score",
            vector=vector, below=below, count=count,
        )  # fmt: skip

    def hybrid(self, text: str, vector: list[float], count: int) -> list[Any]:
        """Reciprocal rank fusion, k 60, of 50 candidates each; every word quoted."""
        words = " ".join(f'"{word}"' for word in text.replace("\\", " ").replace('"', " ").split() if any(c.isalnum() for c in word))
        by_words = (
            f"UNION ALL CALL db.index.fulltext.queryNodes('{self.job['words']}', $words, {{limit: 50}}) YIELD node "
            "WITH collect(node) AS ns UNWIND range(0, size(ns) - 1) AS i RETURN ns[i] AS n, 1 / (61.0 + i) AS s"
        )
        return self._run(
            f"CYPHER 5 CALL () {{ CALL db.index.vector.queryNodes('{self.job['vectors']}', 50, $vector) YIELD node "
            "WITH collect(node) AS ns UNWIND range(0, size(ns) - 1) AS i RETURN ns[i] AS n, 1 / (61.0 + i) AS s "
            f"{by_words if words else ''} }} WITH n, sum(s) AS score ORDER BY score DESC, n.id LIMIT $count RETURN n.id AS id, n.text AS text",
            vector=vector, words=words, count=count,
        )  # fmt: skip

    def describe(self) -> str:
        return json.dumps(raw(self.driver), default=str)

    def neighbours(self, ids: list[str]) -> int:
        types = [row["t"] for row in self.driver.execute_query("CALL db.relationshipTypes() YIELD relationshipType AS t RETURN t").records]
        rows = self.driver.execute_query(by_hand(types), ids=ids, routing_="r").records
        return len({row["id"] for row in rows})
