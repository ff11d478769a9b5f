"""Was the data saved by another embedding model of the same dimension? Asked once, without writing anything."""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from typing import Any

from ..cypher import search_statements as statements
from ..database.indexes import Index
from ..defaults import SAME_MODEL_COSINE
from ..errors import GraphRAGError
from .candidates import Reader
from .embedding import embed_documents

# Indexes and models that were found to belong together; a model that says its name is known by it, another by itself.
_same_by_name: set[tuple] = set()
_same_by_object: weakref.WeakKeyDictionary[Any, set[tuple]] = weakref.WeakKeyDictionary()


async def model_warning(reader: Reader, indexes: Sequence[Index], index: Index, embedder: Any) -> str | None:
    """A sentence when a stored text, embedded now, is far from its stored vector; None when it is near or cannot be told.

    Costs one short read and one embedding the first time that this process meets the index with this model.
    """
    place = (reader.connection.uri, reader.connection.database, index.name, index.labels, index.properties[0])
    name = next((v for key in ("model", "model_name", "deployment") if isinstance(v := getattr(embedder, key, None), str)), None)
    met = _same_by_name if name else _objects(embedder)
    mark = (*place, type(embedder).__qualname__, name)
    if mark in met:
        return None
    try:
        cosine = await _cosine(reader, indexes, index, embedder)
    except GraphRAGError:
        return None
    if cosine is not None and cosine < SAME_MODEL_COSINE:
        return (
            f"Another embedding model seems to have saved the data of '{index.name}': a stored text embedded now is far from its "
            f"stored vector (cosine {cosine:.2f}). Results by meaning are not reliable; connect the model that saved the data."
        )
    met.add(mark)
    return None


def _objects(embedder: Any) -> set[tuple]:
    try:
        return _same_by_object.setdefault(embedder, set())
    except TypeError:  # an object that cannot be referred to weakly is asked each time
        return set()


async def _cosine(reader: Reader, indexes: Sequence[Index], index: Index, embedder: Any) -> float | None:
    words = [i for i in indexes if i.kind == "FULLTEXT" and i.entity == index.entity and set(i.labels) & set(index.labels)]
    properties = [name for i in words for name in i.properties]
    text_property = "text" if "text" in properties or not properties else properties[0]
    text = statements.stored_example(index.labels, index.properties[0], text_property, index.entity == "RELATIONSHIP")
    rows = await reader.rows(text, 1.0, size=index.dimensions or 0, longer=0)
    if not rows:
        return None
    stored = list(rows[0]["vector"])
    [now] = await embed_documents(embedder, [rows[0]["text"]])
    lengths = math.hypot(*stored) * math.hypot(*now)
    return sum(a * b for a, b in zip(stored, now, strict=True)) / lengths if lengths else None
