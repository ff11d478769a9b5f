"""Cypher that saves what was read in documents: entities, links, source chunks. Names pass through ``quote``.

Parameters are ``$rows`` (maps), ``$keys`` or ``$ids``. Chunks have the label ``Chunk`` and the key ``id``.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..defaults import EMBEDDING_PROPERTY as _EMBEDDING
from ..defaults import VECTOR_PROPERTIES
from .names import quote

CHUNK, NEXT_CHUNK, MENTIONS = "Chunk", "NEXT_CHUNK", "MENTIONS"
# Vectors and the text of records are large and not needed to compare entities.
_NO_VECTORS = ", ".join(f"{name}: null" for name in sorted(VECTOR_PROPERTIES))
# The names by which nodes of types that we don't know are called in another node's line.
_NAME_GUESSES = ("nombre", "name", "titulo", "title", "codigo", "code", "id")
_BUSY_NODE = 1000  # a node of more relationships is not described by its neighbours


# What tells this database from every other, and whether it holds anything.
GRAPH_MARK = "CALL db.info() YIELD id RETURN id, EXISTS { MATCH () } AS filled"


def all_keys(label: str, key: str) -> str:
    """Every stored key of a type: names are compared in a folded form that the server cannot compute."""
    return f"MATCH (n:{quote(label)}) WHERE n.{quote(key)} IS NOT NULL RETURN n.{quote(key)} AS key"


def newest_date(label: str, *, named: bool) -> str:
    """The newest date (ISO text) among the properties ``$names`` of a type; among all when not ``named``."""
    return (
        f"MATCH (n:{quote(label)}) UNWIND {'$names' if named else 'keys(n)'} AS name WITH toStringOrNull(n[name]) AS text "
        r"WHERE text =~ '(19|20)\\d\\d-[01]\\d-[0-3]\\d([T ].*)?' RETURN max(substring(text, 0, 10)) AS newest"
    )


def stored_entities(label: str, key: str, *, chunks: bool) -> str:
    """What the nodes of ``$keys`` hold; with ``chunks`` also the newest date of the chunks that mention each."""
    mentions = (
        f"CALL (n) {{ MATCH (n)<-[:{MENTIONS}]-(c:{CHUNK}) RETURN max(c.date) AS newest }}"
        if chunks
        else "WITH key, n, null AS newest"
    )
    return (
        f"UNWIND $keys AS key MATCH (n:{quote(label)} {{{quote(key)}: key}}) {mentions} "
        f"RETURN key, n {{.*, {_NO_VECTORS}}} AS properties, newest"
    )


def merge_entities(label: str, key: str) -> str:
    """Rows ``{key, properties}``; another load may be making the same nodes."""
    return f"UNWIND $rows AS row MERGE (n:{quote(label)} {{{quote(key)}: row.key}}) SET n += row.properties"


def rename_entities(label: str, key: str) -> str:
    """Rows ``{old, new}``: the same entity under another spelling."""
    return f"UNWIND $rows AS row MATCH (n:{quote(label)} {{{quote(key)}: row.old}}) SET n.{quote(key)} = row.new"


def _ends(start: tuple[str, str], end: tuple[str, str]) -> str:
    return (
        f"UNWIND $rows AS row MATCH (a:{quote(start[0])} {{{quote(start[1])}: row.start}}) "
        f"MATCH (b:{quote(end[0])} {{{quote(end[1])}: row.end}})"
    )


def merge_links(start: tuple[str, str], kind: str, end: tuple[str, str]) -> str:
    """Rows ``{start, end}`` of keys; ``start`` and ``end`` are (label, key property)."""
    return f"{_ends(start, end)} MERGE (a)-[:{quote(kind)}]->(b)"


def stored_links(start: tuple[str, str], kind: str, end: tuple[str, str]) -> str:
    """The properties of links that exist, by the ``number`` of the row."""
    return f"{_ends(start, end)} MATCH (a)-[r:{quote(kind)}]->(b) RETURN row.number AS number, properties(r) AS properties"


def update_links(start: tuple[str, str], kind: str, end: tuple[str, str]) -> str:
    """Rows ``{start, end, properties}`` of links that exist."""
    return f"{_ends(start, end)} MATCH (a)-[r:{quote(kind)}]->(b) SET r += row.properties"


def entity_lines(label: str, key: str, names: Mapping[str, str]) -> str:
    """What makes a node's own line, for ``$keys``: properties and [relationship type, neighbour's name] pairs.

    ``names`` gives the key property of each label of the schema; other neighbours are called by a usual property.
    """
    cases = "".join(f" WHEN m:{quote(other)} THEN m.{quote(name)}" for other, name in names.items())
    guesses = ", ".join(f"m.{name}" for name in _NAME_GUESSES)
    name = f"CASE{cases} ELSE coalesce({guesses}) END" if cases else f"coalesce({guesses})"
    return (
        f"UNWIND $keys AS key MATCH (n:{quote(label)} {{{quote(key)}: key}}) "
        f"RETURN key, n {{.*, {_NO_VECTORS}}} AS properties, n.{_EMBEDDING} IS NOT NULL AS embedded, "
        f"CASE WHEN COUNT {{ (n)--() }} > {_BUSY_NODE} THEN [] ELSE COLLECT {{ MATCH (n)-[r]-(m) WHERE NOT m:{CHUNK} "
        f"WITH type(r) AS kind, {name} AS name WHERE name IS NOT NULL RETURN DISTINCT [kind, toStringOrNull(name)] }} END "
        "AS neighbours"
    )


# ---------------------------------------------------------------------------------------------------------- chunks

STORED_CHUNKS = (
    f"MATCH (c:{CHUNK}) WHERE c.document IN $documents AND c.id IS NOT NULL "
    f"RETURN c.id AS id, c.document AS document, c {{.*, {_NO_VECTORS}}} AS properties, "
    f"c.{_EMBEDDING} IS NOT NULL AS embedded"
)
MERGE_CHUNKS = f"UNWIND $rows AS row MERGE (c:{CHUNK} {{id: row.id}}) SET c += row.properties"
DELETE_CHUNKS = f"UNWIND $ids AS id MATCH (c:{CHUNK} {{id: id}}) DETACH DELETE c"
# Pairs of ids that follow each other; what is in order already is left alone.
JOIN_CHUNKS = (
    f"UNWIND $rows AS row MATCH (a:{CHUNK} {{id: row.start}}) MATCH (b:{CHUNK} {{id: row.end}}) MERGE (a)-[:{NEXT_CHUNK}]->(b)"
)


def merge_mentions(label: str, key: str) -> str:
    """Rows ``{chunk, key}``."""
    return (
        f"UNWIND $rows AS row MATCH (c:{CHUNK} {{id: row.chunk}}) MATCH (n:{quote(label)} {{{quote(key)}: row.key}}) "
        f"MERGE (c)-[:{MENTIONS}]->(n)"
    )


# Rows {chunk, mentions: [{label, property, key}]}: links to anything else go, which an earlier reading had found.
PRUNE_MENTIONS = (
    f"UNWIND $rows AS row MATCH (c:{CHUNK} {{id: row.chunk}})-[r:{MENTIONS}]->(n) "
    "WHERE NOT any(m IN row.mentions WHERE m.label IN labels(n) AND n[m.property] = m.key) DELETE r"
)
