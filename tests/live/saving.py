"""What the live tests of Add Records share."""

from __future__ import annotations

from pathlib import Path

from lfx_neo4j_graphrag.database.connection import Connection, driver_for
from lfx_neo4j_graphrag.operations.add_records import AddRecordsRequest, add_records

ASSETS = Path(__file__).parents[2] / "assets"
SEARCH_INDEXES = "SHOW INDEXES YIELD name, type, labelsOrTypes AS labels, properties WHERE type IN ['VECTOR', 'FULLTEXT']"


class Embedder:
    """Vectors of ``size`` numbers that depend on the text; ``texts`` and ``batches`` record what was asked."""

    def __init__(self, size: int = 4, fail_after: int | None = None) -> None:
        self.size, self.fail_after, self.texts, self.batches = size, fail_after, [], []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.batches.append(list(texts))
        if self.fail_after is not None and len(self.texts) >= self.fail_after:
            raise RuntimeError("429 too many requests")
        self.texts += texts
        return [[1.0 + len(text), *[float(ord(text[n % len(text)]) % 7) for n in range(self.size - 1)]] for text in texts]


async def save(connection: Connection, rows, label="Parte", key="codigo", lines="", **fields) -> dict:
    """Run Add Records and return its report."""
    result = await add_records(connection, AddRecordsRequest(rows, label, key, lines, **fields))
    assert "saved" in result.text.splitlines()[0]
    return result.details["report"]


def changed_nothing(report: dict) -> bool:
    names = ("nodes_created", "nodes_updated", "relationships_created", "relationships_deleted", "properties_set", "embeddings")
    return all(report[name] == 0 for name in names)


async def ask(connection: Connection, cypher: str, **parameters) -> list[list]:
    async with driver_for(connection) as driver:
        return [list(record) for record in (await driver.execute_query(cypher, parameters)).records]


async def wipe(connection: Connection) -> None:
    """An empty database in the middle of a test."""
    for [name] in await ask(connection, "SHOW CONSTRAINTS YIELD name"):
        await ask(connection, "DROP CONSTRAINT $name", name=name)
    for [name] in await ask(connection, "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name"):
        await ask(connection, "DROP INDEX $name", name=name)
    await ask(connection, "MATCH (n) DETACH DELETE n")
