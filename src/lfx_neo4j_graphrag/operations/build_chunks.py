"""Source chunks: the passages of the documents as nodes, in order, embedded, and replaced when their document changed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from ..cypher import graph_statements as statements
from ..database.connection import Connection
from ..database.indexes import ensure_key
from ..database.writing import Counters, read_current, write
from ..defaults import WRITE_BATCH
from ..extraction.passages import Planned
from .build_writing import ORIGIN, native

_TITLE_CHARS = 200


@dataclass(frozen=True)
class Chunk:
    """A passage to be stored. The same text at the same place of the same document is the same chunk, also in a later run."""

    document: str
    passage: Planned
    date: date | None
    title: str = ""

    @property
    def id(self) -> str:
        mark = "\0".join((self.document, str(self.passage.position), self.passage.text))
        return hashlib.sha256(mark.encode("utf-8", "replace")).hexdigest()[:32]

    def properties(self) -> dict[str, Any]:
        title = " > ".join(self.passage.headings) or self.title
        values = {
            "text": self.passage.text.encode("utf-8", "replace").decode(),
            "document": self.document,
            "position": self.passage.position,
            "page": self.passage.page,
            "title": title[:_TITLE_CHARS] or None,
            "date": self.date,
        }
        return {name: value for name, value in values.items() if value is not None}


@dataclass
class SavedChunks:
    """What saving the chunks did, for the report; ``unembedded`` are the chunks that have no vector yet."""

    total: int = 0
    created: int = 0
    deleted: int = 0
    unembedded: list[Chunk] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    counters: Counters = field(default_factory=Counters)


async def save_chunks(connection: Connection, chunks: Sequence[Chunk], timeout: float) -> SavedChunks:
    """Store the chunks, join each to the next, and remove those that their documents, changed since, no longer have.

    Of other documents nothing is touched, nor of one that gave no text this time: it may only have failed to be read. Chunks
    that are there already are left as they are.
    """
    result = SavedChunks(total=len(chunks))
    if (made := await ensure_key(connection, statements.CHUNK, "id")).warning:
        result.warnings.append(made.warning)
    documents = {"documents": sorted({chunk.document for chunk in chunks})}
    rows = await read_current(connection, statements.STORED_CHUNKS, documents, timeout=timeout, origin=ORIGIN)
    stored = {row["id"]: row for row in rows}
    kept = {chunk.id for chunk in chunks}
    changed = []
    for chunk in chunks:
        row = stored.get(chunk.id)
        known = {name: native(value) for name, value in row["properties"].items()} if row else {}
        properties = {name: value for name, value in chunk.properties().items() if known.get(name) != value}
        if row is None or properties:
            changed.append({"id": chunk.id, "properties": properties})
        if row is None or not row["embedded"]:
            result.unembedded.append(chunk)
    pairs = [
        {"start": one.id, "end": other.id}
        for one, other in zip(chunks, chunks[1:], strict=False)
        if one.document == other.document
    ]
    for statement, name, values in (
        (statements.DELETE_CHUNKS, "ids", sorted(set(stored) - kept)),
        (statements.MERGE_CHUNKS, "rows", changed),
        (statements.JOIN_CHUNKS, "rows", pairs),
    ):
        for start in range(0, len(values), WRITE_BATCH):
            batch = values[start : start + WRITE_BATCH]
            result.counters += await write(connection, statement, {name: batch}, timeout=timeout, origin=ORIGIN)
    result.created, result.deleted = result.counters.nodes_created, result.counters.nodes_deleted
    return result
