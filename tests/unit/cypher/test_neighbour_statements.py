"""The texts for neighbours."""

from __future__ import annotations

from lfx_neo4j_graphrag.cypher import neighbour_statements as statements

EVIL = "a`b\\u0060"
QUOTED = "`a``b\\u005cu0060`"


def test_small_nodes_never_open_a_hub():
    text = statements.small_nodes(("embedding",))
    assert "COUNT { (n)--() } AS degree" in text and "WHERE degree <= $small MATCH (n)-[r]-(m)" in text
    assert "m {.*, `embedding`: null}" in text and "collect(r)[..$cap]" in text and "$hidden" not in text
    assert "none(label IN labels(m) WHERE label IN $hidden)" in statements.small_nodes(hidden=True)


def test_degrees_come_from_the_degree_store():
    assert statements.degrees(["A", EVIL]).endswith(
        f"RETURN id, [COUNT {{ (n)-[:`A`]->() }}, COUNT {{ (n)<-[:`A`]-() }}, COUNT {{ (n)-[:{QUOTED}]->() }}, COUNT {{ (n)<-[:{QUOTED}]-() }}] AS counts"
    )


def test_first_neighbours_has_an_arm_a_type_and_direction():
    text = statements.first_neighbours([("A", True), (EVIL, False)], (EVIL,))
    assert f"MATCH (n)-[r:`A`]->(m) WITH r, m LIMIT $cap RETURN 0 AS arm" in text
    assert f"UNION ALL MATCH (n)<-[r:{QUOTED}]-(m) WITH r, m LIMIT $cap RETURN 1 AS arm" in text
    assert f"m {{.*, {QUOTED}: null}}" in text
