"""The texts for neighbours."""

from __future__ import annotations

from lfx_neo4j_graphrag.cypher import neighbour_statements as statements

EVIL = "a`b\\u0060"
QUOTED = "`a``b\\u005cu0060`"


def test_small_nodes_never_open_a_hub():
    text = statements.small_nodes(("embedding",))
    assert "COUNT { (n)-->() } + COUNT { (n)<--() } AS degree" in text and "WHERE degree <= $small MATCH (n)-[r]-(m)" in text
    assert "m {.*, `embedding`: null}" in text and "collect(r)[..$cap]" in text and "$hidden" not in text
    assert "none(label IN labels(m) WHERE label IN $hidden)" in statements.small_nodes(hidden=True)


def test_degrees_come_from_the_degree_store():
    assert statements.degrees(["A", EVIL]).endswith(
        f"RETURN id, [COUNT {{ (n)-[:`A`]->() }}, COUNT {{ (n)<-[:`A`]-() }}, COUNT {{ (n)-[:{QUOTED}]->() }}, COUNT {{ (n)<-[:{QUOTED}]-() }}] AS counts"
    )


def test_first_neighbours_has_an_arm_a_type_and_direction():
    text = statements.first_neighbours([("A", True), (EVIL, False)], (EVIL,))
    assert "MATCH (n)-[r:`A`]->(m) WITH n, r, m LIMIT $cap WITH n, collect(" in text
    assert "RETURN 0 AS arm, COUNT { (n)-[:`A`]->() } AS total, some UNION ALL MATCH" in text
    assert f"MATCH (n)<-[r:{QUOTED}]-(m)" in text and f"RETURN 1 AS arm, COUNT {{ (n)<-[:{QUOTED}]-() }} AS total" in text
    assert f"m {{.*, {QUOTED}: null}}" in text
