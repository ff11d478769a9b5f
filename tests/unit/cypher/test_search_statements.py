"""The texts of the searches. That they run is what the live tests show."""

from __future__ import annotations

import pytest

from lfx_neo4j_graphrag.cypher import search_statements as statements

EVIL = "a`b\\u0060) DETACH DELETE n //"
QUOTED = "`a``b\\u005cu0060) DETACH DELETE n //`"


def test_vector_search():
    text = statements.vector_search("v`1", inside="n.`a` = $i0", where="n.`b` <> $f0", tie=("codigo",))
    assert text.startswith(
        "CYPHER 25 MATCH (n) SEARCH n IN (VECTOR INDEX `v``1` FOR $vector WHERE n.`a` = $i0 LIMIT $candidates) SCORE AS score WHERE n.`b` <> $f0 "
    )
    assert "ORDER BY score DESC, tie LIMIT $limit" in text and "[toStringOrNull(n.`codigo`)] AS tie" in text
    assert "properties" not in text


def test_multi_label_indexes_need_no_label_and_relationships_one_direction():
    """A label in the pattern would be a filter behind the search; without a direction every hit comes twice."""
    assert "MATCH (n) SEARCH" in statements.vector_search("v")
    assert "MATCH ()-[n]->() SEARCH" in statements.vector_search("v", relationship=True)


def test_vector_search_of_servers_without_the_clause():
    text = statements.vector_search("v", procedure=True, where="n.`b` = $f0", relationship=True)
    assert text.startswith("CYPHER 5 CALL db.index.vector.queryRelationships($index, $candidates, $vector) YIELD relationship AS n, score WHERE n.`b` = $f0 ")
    assert "queryNodes" in statements.vector_search("v", procedure=True)


def test_estimated_scores_are_computed_again():
    text = statements.vector_search("v", procedure=True, rescore=("euclidean", "e`"))
    assert "score WITH n, vector.similarity.euclidean(n.`e```, $vector) AS score WITH n, score, [] AS tie ORDER BY" in text


def test_embeddings_are_not_read_out():
    text = statements.vector_search("v", hide=("embedding", "otro vector"))
    assert "labels(n) AS labels, n {.*, `embedding`: null, `otro vector`: null} AS properties" in text
    assert "n {.*, `embedding`: null} AS properties, [e IN [startNode(n), endNode(n)] | {labels: labels(e)" in statements.contents(relationship=True, hide=("embedding",))


def test_exact_search_is_bounded_and_passes_over_vectors_of_another_length():
    text = statements.exact_search(("A", "B"), "embedding", "n.`x` = $f0", tie=("k",), hide=())
    assert "MATCH (n:`A`|`B`) WHERE n.`x` = $f0 AND n.`embedding` IS NOT NULL WITH n LIMIT $bound + 1" in text
    assert "size(n.`embedding`) = $size" in text and "vector.similarity.cosine(" in text
    assert "properties: properties" in text
    assert "vector.similarity.euclidean(" in statements.exact_search(("A",), "e", "true", similarity="euclidean")
    assert "properties" not in statements.exact_search(("A",), "e", "true")


def test_fulltext_search():
    text = statements.fulltext_search(where="n.`a` = $f0", tie=("k",), texts=("text", "codigo"))
    assert text.startswith("CYPHER 5 CALL db.index.fulltext.queryNodes($index, $text, {limit: $candidates}) YIELD node AS n, score WHERE n.`a` = $f0 ")
    assert "AS covered" in text and "n.`codigo`" in text and "\\u0303" not in text
    unbounded = statements.fulltext_search(bounded=False, relationship=True)
    assert "queryRelationships($index, $text)" in unbounded and "covered" not in unbounded and "$candidates" not in unbounded


@pytest.mark.parametrize(
    "text",
    [
        statements.vector_search(EVIL, tie=(EVIL,), hide=(EVIL,)),
        statements.exact_search((EVIL,), EVIL, "true", tie=(EVIL,), hide=(EVIL,)),
        statements.fulltext_search(tie=(EVIL,), texts=(EVIL,)),
        statements.contents(hide=(EVIL,)),
        statements.stored_kinds([((EVIL,), EVIL, False)]),
        statements.property_names((EVIL,)),
        statements.text_lengths((EVIL,), (EVIL,)),
        statements.stored_example((EVIL,), EVIL, EVIL),
    ],
)
def test_every_name_is_quoted(text):
    assert QUOTED in text and "DETACH" not in text.replace(QUOTED, "")


def test_stored_kinds_numbers_its_rows():
    text = statements.stored_kinds([(("A",), "x", False), (("T",), "y", True)])
    assert "RETURN 0 AS i" in text and "UNION ALL MATCH ()-[n:`T`]->() WHERE n.`y` IS NOT NULL" in text and "RETURN 1 AS i" in text


def test_retrieval_query_comes_after_node_and_score():
    text = statements.retrieval_statement("RETURN node.x AS x, score // todo ;  ")
    assert text == "MATCH (node) WHERE elementId(node) = $__id\nWITH node, $__score AS score\nRETURN node.x AS x, score // todo"
    assert statements.retrieval_statement("cypher 25\nRETURN 1").startswith("CYPHER 25 MATCH (node)")
    assert "MATCH ()-[node]->()" in statements.retrieval_statement("RETURN 1", relationship=True)
