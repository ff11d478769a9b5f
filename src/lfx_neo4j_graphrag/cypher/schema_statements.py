"""Cypher that reads what a graph is made of, without APOC. Pure text; every name passes through ``quote``.

Counts come from the count store. Properties, types and values come from nodes and relationships themselves, named by
internal ids: those of all, or of the first, the last and some evenly spaced ones. So the statement that does the work has
one text for every graph, planned once, and only the look-up of ids names labels and types. ``id()`` is deprecated, and
the only way to nodes anywhere in the store at the cost of a look-up each; hence ``CYPHER 5``, which every server knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..defaults import SAMPLE_VALUE_CHARS, SAMPLE_VALUES
from .names import quote

# Every count that the store keeps, of labels, types and (label, type), in one map. Needs a privilege on Enterprise.
GRAPH_COUNTS = (
    "CALL db.stats.retrieve('GRAPH COUNTS') YIELD data "
    "RETURN [x IN data.nodes | [x.label, x.count]] AS nodes, "
    "[x IN data.relationships | [x.startLabel, x.relationshipType, x.endLabel, x.count]] AS relationships"
)
# The subquery keeps the second count apart: joined to the first, it would walk all relationships.
TOTALS = "MATCH (n) WITH count(n) AS nodes CALL (nodes) { MATCH ()-[r]->() RETURN count(r) AS relationships } RETURN nodes, relationships"
LABELS = "CALL db.labels() YIELD label RETURN label AS name"
TYPES = "CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType AS name"
PROPERTY_KEYS = "CALL db.propertyKeys() YIELD propertyKey RETURN propertyKey AS name"
# Made-up nodes and relationships for the (label, type, label) that the count store doesn't rule out: a superset of the
# patterns that exist. To be taken apart by the client: in Cypher itself, 5.26 knows nothing of their ends.
POSSIBLE_PATTERNS = "CALL db.schema.visualization() YIELD nodes, relationships RETURN nodes, relationships"

# Internal ids by labels or type: of a small store all of them, of a large one those among the parameter ``ids``.
ALL_NODES = "CYPHER 5 MATCH (x) RETURN labels(x) AS names, collect(id(x)) AS ids"
SPREAD_NODES = "CYPHER 5 MATCH (x) WHERE id(x) IN $ids RETURN labels(x) AS names, collect(id(x)) AS ids"
ALL_RELATIONSHIPS = "CYPHER 5 MATCH ()-[x]->() RETURN [type(x)] AS names, collect(id(x)) AS ids"
SPREAD_RELATIONSHIPS = "CYPHER 5 MATCH ()-[x]->() WHERE id(x) IN $ids RETURN [type(x)] AS names, collect(id(x)) AS ids"

# Rows ``name, names, ids``: some nodes or relationships that have one of the properties ``names``, wherever they are. Reads all.
_HAVING = "UNWIND keys(x) AS name WITH x, name WHERE name IN $names "
NODES_HAVING = f"CYPHER 5 MATCH (x) {_HAVING}RETURN name, labels(x) AS names, collect(id(x))[..$most] AS ids"
RELATIONSHIPS_HAVING = f"CYPHER 5 MATCH ()-[x]->() {_HAVING}RETURN name, [type(x)] AS names, collect(id(x))[..$most] AS ids"

# Parameter ``groups``: [{position, ids}]. For each group, property and type: the number of values, some of them, the ends
# of their range and the longest. A text is cut in the database, one character longer than what is shown, so that a cut
# one can be told; a list of texts shows its first.
_OBSERVED = (
    "WITH g.position AS position, x UNWIND keys(x) AS name WITH position, name, x[name] AS v "
    "WITH position, name, v, valueType(v) AS type "
    "WITH position, name, type, v, type STARTS WITH 'STRING' AS text, type STARTS WITH 'LIST' AS list, "
    "type STARTS WITH 'INTEGER' OR type STARTS WITH 'FLOAT' AS number, "
    "type STARTS WITH 'DATE' OR type STARTS WITH 'ZONED' OR type STARTS WITH 'LOCAL' AS temporal "
    "WITH position, name, type, number, text, list, v, "
    f"CASE WHEN text THEN left(v, {SAMPLE_VALUE_CHARS + 1}) WHEN temporal OR number AND v = v THEN v END AS ranged, "
    f"CASE WHEN text THEN left(v, {SAMPLE_VALUE_CHARS + 1}) "
    f"WHEN type STARTS WITH 'LIST<STRING' AND size(v) > 0 THEN left(v[0], {SAMPLE_VALUE_CHARS + 1}) END AS shown "
    f"WITH position, name, type, number, count(*) AS count, collect(DISTINCT shown)[..{SAMPLE_VALUES + 1}] AS values, "
    "min(ranged) AS low, max(ranged) AS high, max(CASE WHEN text OR list THEN size(v) END) AS longest "
    "RETURN position, name, type, count, values, longest, "
    "CASE WHEN number THEN low ELSE toString(low) END AS low, CASE WHEN number THEN high ELSE toString(high) END AS high"
)
NODE_PROPERTIES = "CYPHER 5 UNWIND $groups AS g MATCH (x) WHERE id(x) IN g.ids " + _OBSERVED
RELATIONSHIP_PROPERTIES = "CYPHER 5 UNWIND $groups AS g MATCH ()-[x]->() WHERE id(x) IN g.ids " + _OBSERVED
# Every pattern of a small store; then of the same groups of relationships: rows ``position, starts, ends, count`` by the labels at both ends.
ALL_ENDS = "CYPHER 5 MATCH (a)-[x]->(b) RETURN type(x) AS name, labels(a) AS starts, labels(b) AS ends, count(*) AS count"
ENDS = (
    "CYPHER 5 UNWIND $groups AS g MATCH (a)-[x]->(b) WHERE id(x) IN g.ids "
    "RETURN g.position AS position, labels(a) AS starts, labels(b) AS ends, count(*) AS count"
)


def node_ids(labels: Sequence[str], *, whole: bool) -> str:
    """Rows ``position, ids`` of the first ``$most`` nodes of each label and, unless that is the ``whole`` label, of the last.

    Label scans are ordered by id both ways, so nothing is sorted or skipped.
    """
    return _first_and_last("MATCH (x:{name})", labels, whole)


def relationship_ids(types: Sequence[str], *, whole: bool) -> str:
    """The same of relationships of each type."""
    return _first_and_last("MATCH ()-[x:{name}]->()", types, whole)


def ids_having(label: str, name: str) -> str:
    """One row ``ids`` of the first ``$most`` nodes of a label that have a property: quick where it is indexed."""
    return f"CYPHER 5 MATCH (x:{quote(label)}) WHERE x.{quote(name)} IS NOT NULL WITH x LIMIT $most RETURN collect(id(x)) AS ids"


def label_counts(labels: Sequence[str]) -> str:
    """Rows ``position, count``: nodes of each label, by the count store."""
    return _union("MATCH (n:{name}) RETURN {position} AS position, count(n) AS count", map(quote, labels))


def end_counts(ends: Sequence[tuple[str | None, str, str | None]]) -> str:
    """Rows ``position, count`` of relationships of a type, with one end's label or none, by the count store."""
    return _joined(
        f"MATCH ({_label(start)})-[r:{quote(kind)}]->({_label(end)}) RETURN {position} AS position, count(r) AS count"
        for position, (start, kind, end) in enumerate(ends)
    )


def all_ends(kind: str) -> str:
    """The rows of ALL_ENDS of one type."""
    return f"CYPHER 5 MATCH (a)-[x:{quote(kind)}]->(b) RETURN type(x) AS name, labels(a) AS starts, labels(b) AS ends, count(*) AS count"


def pattern_exists(start: str, kind: str, end: str) -> str:
    """One row ``found``; an empty label is a node without one. Where there is none it walks all of that type at one label."""
    loose = [f"labels({end}) = []" for end, label in (("a", start), ("b", end)) if not label]
    where = f" WHERE {' AND '.join(loose)}" if loose else ""
    return f"RETURN EXISTS {{ MATCH (a{_label(start)})-[:{quote(kind)}]->(b{_label(end)}){where} }} AS found"


def spread(total: int, most: int) -> list[int]:
    """At most ``most`` internal ids, evenly spaced over a store of ``total`` entries."""
    step = max(1, total // most)
    return list(range(step // 2, total, step))[:most]


def _label(label: str | None) -> str:
    return f":{quote(label)}" if label else ""


def _first_and_last(match: str, names: Sequence[str], whole: bool) -> str:
    ways = ("",) if whole else ("", " DESC")
    parts = [f"{match} WITH x ORDER BY x{way} LIMIT $most RETURN {{position}} AS position, collect(id(x)) AS ids" for way in ways]
    return _union(" UNION ALL ".join(parts), map(quote, names))


def _union(part: str, names: Iterable[str]) -> str:
    # replaced, not formatted: a name may hold braces
    return _joined(part.replace("{position}", str(position)).replace("{name}", name) for position, name in enumerate(names))


def _joined(parts: Iterable[str]) -> str:
    return "CYPHER 5 " + " UNION ALL ".join(parts)
