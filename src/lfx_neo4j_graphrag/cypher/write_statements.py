"""Cypher that saves rows. Every statement takes ``$rows`` or ``$keys``; names of the graph pass through ``quote``.

A row travels as a list, ``[key, property…, links…]``: half the bytes of a map, and the server reads its cells by
position. ``links`` are null, one key, or a list of keys; UNWIND takes all three.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..defaults import PARTS_ENDING
from .names import quote

# (relationship type, label of the linked node, its key property)
Link = tuple[str, str, str]


def stored_nodes(label: str, key: str, properties: Sequence[str], links: Sequence[Link] = (), embedding: str | None = None) -> str:
    """What the nodes of ``$keys`` hold now: one list of ``[key, property…, [linked key…]…, vector size?]``.

    One record for the whole batch: a record each would cost more than the reading.
    """
    cells = [f"n.{quote(name)}" for name in (key, *properties)]
    cells += [f"[(n)-[:{quote(kind)}]->(x:{quote(other)}) | x.{quote(prop)}]" for kind, other, prop in links]
    if embedding:
        cells.append(f"CASE WHEN n.{quote(embedding)} IS :: LIST<ANY> THEN size(n.{quote(embedding)}) END")
    return f"MATCH (n:{quote(label)}) WHERE n.{quote(key)} IN $keys RETURN collect([{', '.join(cells)}]) AS found"


def create_nodes(label: str, key: str, properties: Sequence[str], links: Sequence[Link] = ()) -> str:
    """Nodes whose keys are known to be new, with their links: the fast way, safe under a uniqueness constraint."""
    cells = ", ".join(f"{quote(name)}: r[{place}]" for place, name in enumerate((key, *properties)))
    parts = (
        f" CALL (n, r) {{ UNWIND r[{place}] AS v MATCH (t:{other} {{{prop}: v}}) CREATE (n)-[:{kind}]->(t) }}"
        for place, (kind, other, prop) in enumerate((map(quote, link) for link in links), len(properties) + 1)
    )
    return f"UNWIND $rows AS r CREATE (n:{quote(label)} {{{cells}}})" + (" WITH n, r" if links else "") + "".join(parts)


def merge_nodes(label: str, key: str, properties: Sequence[str]) -> str:
    """The same without links, for keys that another load may be creating, or that no constraint protects."""
    text = f"UNWIND $rows AS r MERGE (n:{quote(label)} {{{quote(key)}: r[0]}})"
    if properties:
        cells = (f"n.{quote(name)} = coalesce(r[{place}], n.{quote(name)})" for place, name in enumerate(properties, 1))
        text += f" SET {', '.join(cells)}"
    return text


def update_nodes(label: str, key: str) -> str:
    """Rows ``[key, {changed property: value or null}]`` of nodes that exist."""
    return f"UNWIND $rows AS r MATCH (n:{quote(label)} {{{quote(key)}: r[0]}}) SET n += r[1]"


def merge_linked(label: str, key: str) -> str:
    """Rows ``[key, {property: value}]`` of linked nodes, which other loads may be making at the same time."""
    return f"UNWIND $rows AS r MERGE (n:{quote(label)} {{{quote(key)}: r[0]}}) SET n += r[1]"


def replace_links(label: str, key: str, link: Link) -> str:
    """Rows ``[key, [linked key…]]``: afterwards the node has exactly these links of this type to this label.

    Links of the type to other labels, and those of other nodes, stay. Setting the key to itself locks the node before its links
    are read: else two loads that move it at once each leave a link, the one not seeing the other's.
    """
    kind, other, prop = map(quote, link)
    return (
        f"UNWIND $rows AS r MATCH (n:{quote(label)} {{{quote(key)}: r[0]}}) SET n.{quote(key)} = n.{quote(key)} WITH n, r "
        f"CALL (n, r) {{ MATCH (n)-[old:{kind}]->(x:{other}) WHERE NOT coalesce(x.{prop} IN r[1], false) DELETE old }} "
        f"CALL (n, r) {{ UNWIND r[1] AS v MATCH (t:{other} {{{prop}: v}}) MERGE (n)-[:{kind}]->(t) }}"
    )


def set_vectors(label: str, key: str, embedding: str, *, bolt_vectors: bool) -> str:
    """Rows ``[key, vector, vectors of its parts or null]``. Always stored as a list of floats: Community cannot store the
    vector type.

    ``bolt_vectors``: they travel as such, three times faster than lists; only Cypher 25 turns them into lists.
    """
    prefix, value = ("CYPHER 25 ", "toFloatList(r[1])") if bolt_vectors else ("", "r[1]")
    return (
        f"{prefix}UNWIND $rows AS r MATCH (n:{quote(label)} {{{quote(key)}: r[0]}}) "
        f"SET n.{quote(embedding)} = {value}, n.{quote(embedding + PARTS_ENDING)} = r[2]"
    )


def node_properties(label: str, key: str) -> str:
    """All properties of the nodes of ``$keys``, as a list of maps."""
    return f"MATCH (n:{quote(label)}) WHERE n.{quote(key)} IN $keys RETURN collect(properties(n)) AS found"


def longest_texts(label: str, properties: Sequence[str]) -> str:
    """Characters of the longest text in each property, over all nodes of the label."""
    cells = (f"max(CASE WHEN n.{quote(name)} IS :: STRING THEN size(n.{quote(name)}) END)" for name in properties)
    return f"MATCH (n:{quote(label)}) RETURN [{', '.join(cells)}] AS lengths"


def count_nodes(label: str) -> str:
    return f"MATCH (n:{quote(label)}) RETURN count(n) AS count"


def some_keys(label: str, key: str) -> str:
    """A few stored keys, to compare their kind with that of new ones."""
    return f"MATCH (n:{quote(label)}) WHERE n.{quote(key)} IS NOT NULL RETURN n.{quote(key)} AS key LIMIT 5"


def repeated_keys(label: str, key: str) -> str:
    """The keys that more than one node has, worst first."""
    return (
        f"MATCH (n:{quote(label)}) WHERE n.{quote(key)} IS NOT NULL WITH n.{quote(key)} AS key, count(*) AS count "
        "WHERE count > 1 RETURN key, count ORDER BY count DESC, toString(key) LIMIT 5"
    )
