from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.cypher import schema_statements as statements
from lfx_neo4j_graphrag.cypher.names import quote

ODD = "A\\u0060) CREATE (h:Pwned) //{name} {position} $"
names = st.text(min_size=1).filter(lambda name: "\0" not in name)


def test_ids_of_whole_labels_are_one_part_each():
    assert statements.node_ids(["A", "B"], whole=True) == (
        "CYPHER 5 MATCH (x:`A`) WITH x ORDER BY x LIMIT $most RETURN 0 AS position, collect(id(x)) AS ids"
        " UNION ALL MATCH (x:`B`) WITH x ORDER BY x LIMIT $most RETURN 1 AS position, collect(id(x)) AS ids"
    )


def test_ids_of_large_ones_are_the_first_and_the_last():
    text = statements.relationship_ids(["T"], whole=False)
    assert text.count("UNION ALL") == 1 and text.count("()-[x:`T`]->()") == 2
    assert "ORDER BY x LIMIT" in text and "ORDER BY x DESC LIMIT" in text


@given(names)
def test_every_name_is_quoted(name):
    quoted = quote(name)
    for text in (
        statements.node_ids([name], whole=False),
        statements.relationship_ids([name], whole=True),
        statements.ids_having(name, name),
        statements.label_counts([name]),
        statements.end_counts([(name, name, None), (None, name, name)]),
        statements.all_ends(name),
        statements.pattern_exists(name, name, name),
    ):
        assert quoted in text
        rest = text.replace(quoted, "")
        assert name in quoted or name not in rest or len(name) < 12


def test_a_name_with_the_marks_of_the_template_stays_as_it_is():
    assert quote(ODD) in statements.label_counts([ODD])
    assert statements.label_counts(["x", ODD]).count("{position}") == 1


def test_an_end_without_label_is_asked_for_as_such():
    assert statements.end_counts([("A", "T", None)]).startswith("CYPHER 5 MATCH (:`A`)-[r:`T`]->() RETURN 0 AS position")
    assert "WHERE labels(a) = []" in statements.pattern_exists("", "T", "B")
    assert "WHERE labels(b) = []" in statements.pattern_exists("A", "T", "")
    assert "WHERE" not in statements.pattern_exists("A", "T", "B")


@given(st.integers(0, 10**9), st.integers(1, 5000))
def test_spread_is_even_and_within_the_store(total, most):
    ids = statements.spread(total, most)
    assert len(ids) == min(most, total) or len(ids) <= most
    assert all(0 <= one < total for one in ids)
    steps = {later - earlier for earlier, later in zip(ids, ids[1:], strict=False)}
    assert len(steps) <= 1
    assert bool(ids) == bool(total)
