"""langchain-neo4j: Neo4jGraph and Neo4jVector."""

from __future__ import annotations

from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_neo4j import Neo4jGraph, Neo4jVector
from langchain_neo4j.graphs.graph_document import GraphDocument, Node, Relationship

BATCH = 1000  # rows a document


class Unused(Embeddings):
    """It wants a model even where vectors are given."""

    def embed_query(self, text: str) -> list[float]:
        return [0.1] * 384

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[0.1] * 384 for _ in texts]


class Contender:
    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        login = {"url": job["uri"], "username": "neo4j", "password": "x"}  # of a server that asks nobody; it refuses empty ones
        if job["workload"] in ("search", "hybrid"):
            words = {"search_type": "hybrid", "keyword_index_name": job["words"]} if job["workload"] == "hybrid" else {}
            self.store = Neo4jVector.from_existing_index(Unused(), index_name=job["vectors"], **login, **words)
        else:
            self.login = login

    def load(self, rows: list[dict], label: str, key: str, rules: list) -> None:
        graph = Neo4jGraph(**self.login, refresh_schema=False)
        linked = {column for rule in rules for column in (rule[0], *rule[4])}
        documents = []
        for start in range(0, len(rows), BATCH):
            nodes, relationships = {}, []
            for row in rows[start : start + BATCH]:
                own = {name: value for name, value in row.items() if name not in linked}
                node = nodes[label, row[key]] = Node(id=row[key], type=label, properties=own)
                for column, kind, other, prop, extra in rules:
                    properties = {prop: row[column]} | {name: row[name] for name in extra}
                    target = nodes.setdefault((other, row[column]), Node(id=row[column], type=other, properties=properties))
                    relationships.append(Relationship(source=node, target=target, type=kind))
            documents.append(GraphDocument(nodes=list(nodes.values()), relationships=relationships, source=Document(page_content="")))
        graph.add_graph_documents(documents, baseEntityLabel=True)

    def search(self, vector: list[float], count: int, below: int | None) -> list[Any]:
        filters = None if below is None else {"pct": {"$lt": below}}
        found = self.store.similarity_search_with_score_by_vector(vector, k=count, filter=filters)
        return [document.metadata["id"] for document, _ in found]

    def hybrid(self, text: str, vector: list[float], count: int) -> list[Any]:
        return [document.metadata["id"] for document, _ in self.store.similarity_search_with_score_by_vector(vector, k=count, query=text)]

    def describe(self) -> str:
        return Neo4jGraph(**self.login).get_schema
