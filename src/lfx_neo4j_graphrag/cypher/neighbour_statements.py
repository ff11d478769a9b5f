"""Cypher for the neighbours of hits: fair per hit, relationship type and direction, at a cost that no hub changes. Pure text.

A node of few relationships is read whole. Of a larger one the numbers per type come from the degree store and only the
first relationships of each type are touched, so 50,000 neighbours cost what 50 do.
"""

from __future__ import annotations

from collections.abc import Sequence

from .names import quote

TYPES = "CALL db.relationshipTypes() YIELD relationshipType RETURN collect(relationshipType) AS types"


def small_nodes(hide: Sequence[str] = (), *, hidden: bool = False) -> str:
    """Neighbours of the nodes ``$ids`` that have at most ``$small`` relationships, ``$cap`` of each type and direction.

    One row a node: ``id``, ``degree`` (outgoing and incoming, a loop counts twice), ``groups`` (``type``, ``out``,
    ``total``, ``some``: at most ``$cap`` maps of ``id``, ``labels``, ``properties`` and the relationship's own ``link``); no
    groups for a larger node. ``hide`` are the embedding properties; with ``hidden``, nodes with a label of ``$hidden`` are
    passed over.
    """
    seen = "WHERE none(label IN labels(m) WHERE label IN $hidden) " if hidden else ""
    return (
        "CYPHER 5 UNWIND $ids AS id MATCH (n) WHERE elementId(n) = id "
        "WITH id, n, COUNT { (n)-->() } + COUNT { (n)<--() } AS degree "
        "CALL (n, degree) { WITH n, degree WHERE degree <= $small MATCH (n)-[r]-(m) " + seen + "WITH n, type(r) AS type, "
        "startNode(r) = n AS out, count(*) AS total, collect(r)[..$cap] AS links UNWIND links AS r "
        "WITH type, out, total, r, CASE WHEN out THEN endNode(r) ELSE startNode(r) END AS m "
        f"WITH type, out, total, collect({_neighbour(hide)}) AS some "
        "RETURN collect({type: type, out: out, total: total, some: some}) AS groups } "
        "RETURN id, degree, groups"
    )


def degrees(types: Sequence[str]) -> str:
    """How many relationships of each type the nodes ``$ids`` have, outgoing and incoming by turns: ``id``, ``counts``."""
    each = ", ".join(f"COUNT {{ (n)-[:{quote(t)}]->() }}, COUNT {{ (n)<-[:{quote(t)}]-() }}" for t in types)
    return f"CYPHER 5 UNWIND $ids AS id MATCH (n) WHERE elementId(n) = id RETURN id, [{each}] AS counts"


def first_neighbours(arms: Sequence[tuple[str, bool]], hide: Sequence[str] = (), *, hidden: bool = False) -> str:
    """The first ``$cap`` neighbours of ``$ids`` on each (type, outgoing).

    Rows ``id``, ``arm`` (its number), ``total``, ``some``.
    """
    visible = ["none(label IN labels(m) WHERE label IN $hidden)"] if hidden else []
    parts = []
    for number, (name, out) in enumerate(arms):
        left, right = ("-", "->") if out else ("<-", "-")
        tests = visible if out else [*visible, "m <> n"]  # a loop is shown once, as outgoing
        seen = f"WHERE {' AND '.join(tests)} " if tests else ""
        parts.append(
            f"MATCH (n){left}[r:{quote(name)}]{right}(m) {seen}WITH n, r, m LIMIT $cap "
            f"WITH n, collect({_neighbour(hide)}) AS some "
            f"RETURN {number} AS arm, COUNT {{ (n){left}[:{quote(name)}]{right}() }} AS total, some"
        )
    return (
        "CYPHER 5 UNWIND $ids AS id MATCH (n) WHERE elementId(n) = id CALL (n) { "
        + " UNION ALL ".join(parts)
        + " } RETURN id, arm, total, some"
    )


def _neighbour(hide: Sequence[str]) -> str:
    without = "".join(f", {quote(name)}: null" for name in hide)
    return f"{{id: elementId(m), labels: labels(m), properties: m {{.*{without}}}, link: r {{.*{without}}}}}"
