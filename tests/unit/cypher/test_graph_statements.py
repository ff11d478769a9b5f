"""Each statement by name, with names that would break out of their quotes."""

import pytest

from lfx_neo4j_graphrag.cypher import graph_statements as statements

ODD = "A`) DETACH DELETE n //"
QUOTED = "`A``) DETACH DELETE n //`"


def test_texts_of_ordinary_names():
    assert statements.all_keys("L", "k") == "MATCH (n:`L`) WHERE n.`k` IS NOT NULL RETURN n.`k` AS key"
    assert statements.merge_entities("L", "k") == "UNWIND $rows AS row MERGE (n:`L` {`k`: row.key}) SET n += row.properties"
    assert statements.rename_entities("L", "k") == "UNWIND $rows AS row MATCH (n:`L` {`k`: row.old}) SET n.`k` = row.new"
    ends = "UNWIND $rows AS row MATCH (a:`A` {`x`: row.start}) MATCH (b:`B` {`y`: row.end})"
    assert statements.merge_links(("A", "x"), "T", ("B", "y")) == f"{ends} MERGE (a)-[:`T`]->(b)"
    assert statements.update_links(("A", "x"), "T", ("B", "y")) == f"{ends} MATCH (a)-[r:`T`]->(b) SET r += row.properties"
    assert statements.stored_links(("A", "x"), "T", ("B", "y")).endswith("RETURN row.number AS number, properties(r) AS properties")
    assert statements.merge_mentions("L", "k").endswith("MATCH (n:`L` {`k`: row.key}) MERGE (c)-[:MENTIONS]->(n)")


def test_chunks_are_looked_at_only_where_there_are_some():
    assert "MENTIONS" in statements.stored_entities("L", "k", chunks=True)
    assert "MENTIONS" not in statements.stored_entities("L", "k", chunks=False)


def test_dates_of_named_properties_or_of_all():
    assert "UNWIND $names AS name" in statements.newest_date("L", named=True)
    assert "UNWIND keys(n) AS name" in statements.newest_date("L", named=False)


def test_vectors_never_travel():
    for text in (
        statements.stored_entities("L", "k", chunks=False),
        statements.entity_lines("L", "k", {}),
        statements.STORED_CHUNKS,
    ):
        assert "embedding: null, embedding_parts: null}" in text


def test_a_neighbour_is_called_by_the_key_of_its_type():
    assert "CASE WHEN m:`Cliente` THEN m.`nif` ELSE coalesce(m.nombre" in statements.entity_lines("L", "k", {"Cliente": "nif"})


@pytest.mark.parametrize(
    "text",
    [
        statements.all_keys(ODD, ODD),
        statements.newest_date(ODD, named=False),
        statements.stored_entities(ODD, ODD, chunks=True),
        statements.merge_entities(ODD, ODD),
        statements.rename_entities(ODD, ODD),
        statements.merge_links((ODD, ODD), ODD, (ODD, ODD)),
        statements.stored_links((ODD, ODD), ODD, (ODD, ODD)),
        statements.update_links((ODD, ODD), ODD, (ODD, ODD)),
        statements.entity_lines(ODD, ODD, {ODD: ODD}),
        statements.merge_mentions(ODD, ODD),
    ],
)
def test_odd_names_stay_inside_their_quotes(text):
    assert QUOTED in text and "DETACH" not in text.replace(QUOTED, "")
