"""This project's operations, as the node calls them."""

from __future__ import annotations

import asyncio
from typing import Any

from run_load import LINES

from lfx_neo4j_graphrag.database.capabilities import capabilities
from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.database.reading import Origin, fetch
from lfx_neo4j_graphrag.operations.add_records import AddRecordsRequest, add_records
from lfx_neo4j_graphrag.operations.candidates import Reader
from lfx_neo4j_graphrag.operations.graph_schema import GraphSchemaRequest, graph_schema
from lfx_neo4j_graphrag.operations.hybrid import HybridRequest, hybrid
from lfx_neo4j_graphrag.operations.neighbours import neighbours_of
from lfx_neo4j_graphrag.operations.vector import VectorRequest, vector


class Given:
    """An embedder whose answer is known: what is measured is the search. A stored text has its stored vector."""

    def __init__(self, connection: Connection) -> None:
        self.connection, self.vector = connection, [0.0]

    async def aembed_query(self, text: str) -> list[float]:
        return self.vector

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        query = "UNWIND $texts AS text MATCH (n) WHERE n.text = text WITH text, head(collect(n.embedding)) AS vector RETURN vector"
        return [row["vector"] for row in await fetch(self.connection, query, {"texts": texts}, timeout=60)]


class Contender:
    def __init__(self, job: dict[str, Any]) -> None:
        self.connection, self.job, self.runner = Connection(job["uri"]), job, asyncio.Runner()
        self.model = Given(self.connection)

    def load(self, rows: list[dict], label: str, key: str, rules: list) -> None:
        request = AddRecordsRequest(rows, label, key, "\n".join(LINES) if rules else "", fulltext_index="-")
        self.runner.run(add_records(self.connection, request))

    def search(self, numbers: list[float], count: int, below: int | None) -> list[Any]:
        self.model.vector = numbers
        filters = "" if below is None else f"pct < {below}"
        request = VectorRequest("…", self.model, self.job["vectors"], filters, count, token_limit=0)
        return [row["id"] for row in self.runner.run(vector(self.connection, request)).rows]

    def hybrid(self, text: str, numbers: list[float], count: int) -> list[Any]:
        self.model.vector = numbers
        request = HybridRequest(text, self.model, number_of_results=count, token_limit=0)
        return [row["id"] for row in self.runner.run(hybrid(self.connection, request)).rows]

    def describe(self) -> str:
        return self.runner.run(graph_schema(self.connection, GraphSchemaRequest(token_limit=0))).text

    def neighbours(self, ids: list[str]) -> int:
        async def ask() -> dict[str, Any]:
            return await neighbours_of(Reader(self.connection, await capabilities(self.connection), Origin("bench"), 10.0), ids, hide=())

        return sum(bool(groups) for groups in self.runner.run(ask()).values())
