"""The texts that make indexes and constraints."""

from __future__ import annotations

from lfx_neo4j_graphrag.cypher import index_statements as ixs


def test_constraint_and_index_of_a_key():
    assert ixs.create_key_constraint("Avería", "có`digo") == (
        "CREATE CONSTRAINT IF NOT EXISTS FOR (n:`Avería`) REQUIRE n.`có``digo` IS UNIQUE"
    )
    assert ixs.create_range_index("A", "id") == "CREATE INDEX IF NOT EXISTS FOR (n:`A`) ON (n.`id`)"
    assert ixs.drop_index("a`b") == "DROP INDEX `a``b` IF EXISTS"


def test_vector_index():
    text, parameters = ixs.create_vector_index("a_vector", "A", "embedding", 384)
    assert text.startswith("CREATE VECTOR INDEX `a_vector` FOR (n:`A`) ON (n.`embedding`) OPTIONS ")
    assert "`vector.quantization.enabled`: false" in text and "'cosine'" in text and parameters == {"dimensions": 384}
    text, _ = ixs.create_vector_index("a_vector", "A", "embedding", 4, filterable=("x", "y z"), cypher25=True)
    assert text.startswith(
        "CYPHER 25 CREATE VECTOR INDEX `a_vector` FOR (n:`A`) ON (n.`embedding`) WITH [n.`x`, n.`y z`] OPTIONS "
    )


def test_fulltext_index():
    text, parameters = ixs.create_fulltext_index("a_text", "A", ("text", "codigo"), "spanish")
    assert text.startswith("CREATE FULLTEXT INDEX `a_text` FOR (n:`A`) ON EACH [n.`text`, n.`codigo`] OPTIONS ")
    assert "`fulltext.eventually_consistent`: false" in text and parameters == {"analyzer": "spanish"}


def test_nothing_hides_an_index_that_differs():
    for text in (ixs.create_vector_index("a", "A", "e", 4)[0], ixs.create_fulltext_index("a", "A", ("t",), "x")[0]):
        assert "IF NOT EXISTS" not in text
