"""The search indexes of a built graph: of the first type over each node's own line, and of the source chunks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time
from typing import Any

from ..cypher.graph_statements import CHUNK, entity_lines
from ..cypher.write_statements import merge_linked
from ..database.capabilities import Capabilities
from ..database.connection import Connection
from ..database.indexes import FulltextWish, VectorWish
from ..database.writing import Progress, read_current, write
from ..defaults import EMBEDDING_PROPERTY, FILTERABLE_COLUMNS, SHORT_TEXT, VECTOR_PROPERTIES, WRITE_BATCH
from ..extraction.conform import Identity
from ..extraction.lines import is_own_line, node_line
from ..records.report import Report
from .add_records import index_name
from .build_writing import ORIGIN, GraphWriter, native
from .embedding import embed_documents
from .record_indexes import NO_INDEX, IndexWork, embed_nodes, searchable

TEXT = "text"
_CHUNK_FILTERS = ("document", "position", "page", "date")
_CHUNK_WORDS = (TEXT, "title", "document")


async def embedder_work(embedder: Any, can: Capabilities) -> IndexWork:
    """The model and its dimension, found with one short text before anything is written; without a model, no vectors."""
    if embedder is None:
        return IndexWork(ORIGIN, None, None, can, None, None)
    (vector,) = await embed_documents(embedder, ["graph"])
    return IndexWork(ORIGIN, embedder, len(vector), can, None, None, ("graph", vector))


def chunk_work(base: IndexWork, analyzer: str) -> IndexWork:
    """The two indexes of source chunks: ``chunk_vector`` (when there is a model) and ``chunk_text``."""
    vector = VectorWish("chunk_vector", CHUNK, base.dimensions, _CHUNK_FILTERS, EMBEDDING_PROPERTY) if base.dimensions else None
    words = FulltextWish("chunk_text", CHUNK, _CHUNK_WORDS, analyzer)
    return IndexWork(ORIGIN, base.embedder, base.dimensions, base.can, vector, words)


def entity_work(
    base: IndexWork, label: str, names: tuple[str, str], analyzer: str, words: Sequence[str] = (), filterable: Sequence[str] = ()
) -> IndexWork:
    """The two indexes of an entity type. ``names`` empty: ``<label>_vector`` and ``<label>_text``; ``-``: none."""
    vector_name, text_name = (
        name.strip() or index_name(label, ending) for name, ending in zip(names, ("_vector", "_text"), strict=True)
    )
    vector = fulltext = None
    if base.dimensions and vector_name != NO_INDEX:
        vector = VectorWish(vector_name, label, base.dimensions, tuple(filterable), EMBEDDING_PROPERTY)
    if text_name != NO_INDEX:
        fulltext = FulltextWish(text_name, label, (TEXT, *words), analyzer)
    return IndexWork(ORIGIN, base.embedder if vector else None, base.dimensions, base.can, vector, fulltext)


def indexed_columns(writer: GraphWriter, label: str) -> tuple[list[str], list[str]]:
    """(columns for words, columns to filter by) besides the text, as the entities of this run have them."""
    nodes = [node for (own, _), node in writer.nodes.items() if own == label]
    columns: dict[str, list[Any]] = {}
    for node in nodes:
        for name in node.said:
            columns.setdefault(name, []).append(node.properties.get(name))
    columns.pop(TEXT, None)
    texts = [
        name for name, values in columns.items() if all(isinstance(value, str) and len(value) <= SHORT_TEXT for value in values)
    ]
    others = [
        name for name, values in columns.items() if all(isinstance(value, (bool, int, float, date, time)) for value in values)
    ]
    key = writer.labels[label].key_property
    keys = [key] if all(isinstance(node.key, str) for node in nodes) else []
    filterable = [name for name in columns if name in texts or name in others]
    return list(searchable(sorted(texts + keys))), sorted(filterable)[:FILTERABLE_COLUMNS]


def first_label(declared: str | None, identities: Sequence[Identity]) -> str | None:
    """The type that is indexed: the first of the schema, else the one that most entities have."""
    labels = [label for label, _ in identities]
    if declared:
        return declared if declared in labels else None
    return max(dict.fromkeys(labels), key=labels.count) if labels else None


async def write_lines(
    connection: Connection,
    writer: GraphWriter,
    label: str,
    work: IndexWork,
    report: Report,
    timeout: float,
    progress: Progress | None,
) -> None:
    """Give the nodes of this run their own line as ``text``, and its vector. Only what changed is written and embedded.

    A text that records or people gave stays, and so does one that the type itself declares.
    """
    node = writer.vocabulary.schema.node(label)
    own_text = bool(node and node.property(TEXT))
    key_property = writer.labels[label].key_property
    statement = entity_lines(label, key_property, {name: known.key_property for name, known in writer.labels.items()})
    keys = [stored.key for (own, _), stored in sorted(writer.nodes.items()) if own == label]
    to_embed: list[tuple[Any, str]] = []
    for start in range(0, len(keys), WRITE_BATCH):
        rows = []
        batch = {"keys": keys[start : start + WRITE_BATCH]}
        for row in await read_current(connection, statement, batch, timeout=timeout, origin=ORIGIN):
            stored = {name: native(value) for name, value in row["properties"].items() if _describes(value)}
            text = stored.pop(TEXT, None)
            stored.pop(key_property, None)
            line = node_line(label, row["key"], stored, [(kind, name) for kind, name in row["neighbours"]])
            ours = not own_text and (text is None or is_own_line(text, label, row["key"], stored))
            if ours and text != line:
                # The vectors of the old line go with it: a run without a model, or one that is stopped here, must leave none.
                rows.append([row["key"], {TEXT: line} | dict.fromkeys(VECTOR_PROPERTIES)])
            current = line if ours else text
            if current and (current != text or not row["embedded"]):
                to_embed.append((row["key"], current))
        if rows:
            await write(connection, merge_linked(label, key_property), {"rows": rows}, timeout=timeout, origin=ORIGIN)
    if work.embedder is not None:
        await embed_nodes(connection, label, key_property, to_embed, work, report, timeout, progress)


def _describes(value: Any) -> bool:
    """Worth a place in a line: not empty, and no vector."""
    return value is not None and not (isinstance(value, list) and len(value) > 20)
