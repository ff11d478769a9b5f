"""The Lucene queries for a full-text index: which of its properties hold the text."""

from __future__ import annotations

import time

from ..cypher import search_statements as statements
from ..database.indexes import Index
from ..defaults import SHORT_TEXT
from ..errors import GraphRAGError
from ..retrieval.fulltext import TextQuery, text_query
from .candidates import Reader

SAMPLE = 50
REMEMBERED_SECONDS = 60.0
_known: dict[tuple, tuple[float, tuple[str, ...]]] = {}


async def text_query_for(reader: Reader, index: Index, question: str) -> TextQuery:
    """Every word is searched in the text, other properties take only what may be a value there."""
    texts = await _text_properties(reader, index)
    others = [name for name in index.properties if name not in texts]
    return text_query(question, texts, others, index.analyzer)


async def _text_properties(reader: Reader, index: Index) -> tuple[str, ...]:
    """``text`` where it is indexed, else the properties with values of more than 64 characters, else all."""
    if "text" in index.properties:
        return ("text",)
    if len(index.properties) == 1:
        return index.properties
    key = (reader.connection.uri, reader.connection.database, index.name, index.labels, index.properties)
    remembered = _known.get(key)
    if remembered and time.monotonic() - remembered[0] < REMEMBERED_SECONDS:
        return remembered[1]
    try:
        text = statements.text_lengths(index.labels, index.properties, index.entity == "RELATIONSHIP")
        longest = (await reader.rows(text, sample=SAMPLE))[0]["longest"]
    except GraphRAGError:
        return index.properties
    found = tuple(name for name, size in zip(index.properties, longest, strict=True) if (size or 0) > SHORT_TEXT)
    _known[key] = (time.monotonic(), found or index.properties)
    return found or index.properties
