"""neo4j-graphrag: Neo4jWriter, VectorRetriever, HybridRetriever, get_schema."""

from __future__ import annotations

import asyncio
from typing import Any

from neo4j import GraphDatabase
from neo4j_graphrag.components.kg_writer import Neo4jWriter
from neo4j_graphrag.components.types import Neo4jGraph, Neo4jNode, Neo4jRelationship
from neo4j_graphrag.retrievers import HybridRetriever, VectorRetriever
from neo4j_graphrag.schema import get_schema


class Contender:
    def __init__(self, job: dict[str, Any]) -> None:
        self.driver, self.job = GraphDatabase.driver(job["uri"]), job
        shown = {"return_properties": ["id", "text"]}
        if job["workload"] == "search":
            self.retriever = VectorRetriever(self.driver, job["vectors"], **shown)
        elif job["workload"] == "hybrid":
            self.retriever = HybridRetriever(self.driver, job["vectors"], job["words"], **shown)

    def load(self, rows: list[dict], label: str, key: str, rules: list) -> None:
        linked = {column for rule in rules for column in (rule[0], *rule[4])}
        nodes, relationships, seen = [], [], set()
        for row in rows:
            own = {name: value for name, value in row.items() if name not in linked}
            nodes.append(Neo4jNode(id=f"{label}|{row[key]}", label=label, properties=own))
            for column, kind, other, prop, extra in rules:
                target = f"{other}|{row[column]}"
                if target not in seen:
                    seen.add(target)
                    nodes.append(Neo4jNode(id=target, label=other, properties={prop: row[column]} | {name: row[name] for name in extra}))
                relationships.append(Neo4jRelationship(start_node_id=f"{label}|{row[key]}", end_node_id=target, type=kind))
        graph = Neo4jGraph(nodes=nodes, relationships=relationships)
        result = asyncio.run(Neo4jWriter(self.driver, batch_size=1000).run(graph))
        if result.status != "SUCCESS":
            raise RuntimeError(str(result.metadata))

    def _ids(self, **asked: Any) -> list[Any]:
        return [record["node"]["id"] for record in self.retriever.get_search_results(**asked).records]

    def search(self, vector: list[float], count: int, below: int | None) -> list[Any]:
        filters = None if below is None else {"pct": {"$lt": below}}
        return self._ids(query_vector=vector, top_k=count, filters=filters)

    def hybrid(self, text: str, vector: list[float], count: int) -> list[Any]:
        return self._ids(query_text=text, query_vector=vector, top_k=count)

    def describe(self) -> str:
        return get_schema(self.driver)
