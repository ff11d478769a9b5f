"""Embedders without a model, and what the search tests load."""

from __future__ import annotations

import random
import zlib

from lfx_neo4j_graphrag.database.connection import Connection, driver_for


class TableEmbedder:
    """The vectors of a table, ``other`` (the last unit vector) for any other text; remembers which texts it was asked for."""

    def __init__(self, table: dict[str, list[float]] | None = None, size: int = 4, other: list[float] | None = None) -> None:
        self.table, self.other, self.asked = table or {}, other or [0.0] * (size - 1) + [1.0], []

    def embed_query(self, text: str) -> list[float]:
        self.asked.append(text)
        return self.table.get(text, self.other)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class HashEmbedder:
    """Unit vectors drawn from a generator that the text seeds: equal texts are equal, others clearly apart."""

    def __init__(self, size: int = 16, salt: str = "") -> None:
        self.size, self.salt = size, salt

    def embed_query(self, text: str) -> list[float]:
        rng = random.Random(zlib.crc32((self.salt + text).encode()))
        vector = [rng.gauss(0, 1) for _ in range(self.size)]
        length = sum(x * x for x in vector) ** 0.5
        return [x / length for x in vector]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


async def run(connection: Connection, *statements: str, **parameters) -> list[dict]:
    """Run statements of the test one after the other; the rows of the last."""
    rows: list[dict] = []
    async with driver_for(connection) as driver:
        for statement in statements:
            records = (await driver.execute_query(statement, parameters, database_=connection.database)).records
            rows = [record.data() for record in records]
    return rows


def vector_index(name: str, target: str = "(n:Parte)", size: int = 4, extra: str = "", prefix: str = "") -> str:
    return (
        f"{prefix}CREATE VECTOR INDEX {name} FOR {target} ON (n.embedding) {extra} "
        f"OPTIONS {{indexConfig: {{`vector.dimensions`: {size}, `vector.similarity_function`: 'cosine'}}}}"
    )


WORDS = "CREATE FULLTEXT INDEX parte_text FOR (n:Parte) ON EACH [n.text, n.codigo] OPTIONS {indexConfig: {`fulltext.analyzer`: 'spanish'}}"
AWAIT = "CALL db.awaitIndexes(60)"
