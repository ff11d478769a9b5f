"""Which index a search uses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lfx_neo4j_graphrag.database.indexes import Index
from lfx_neo4j_graphrag.errors import IndexProblem
from lfx_neo4j_graphrag.retrieval.discovery import check_dimension, choose_index, keys_of, tie_properties, visible

VECTOR = Index("parte_vector", "VECTOR", "NODE", ("Parte",), ("embedding", "estado"), "ONLINE", 100.0, 4, "cosine", False)
WORDS = Index("parte_text", "FULLTEXT", "NODE", ("Parte",), ("text", "codigo"), "ONLINE", 100.0, analyzer="spanish")
KEY = Index("c1", "RANGE", "NODE", ("Parte",), ("codigo",), "ONLINE", 100.0, constraint="c1")
OTHER = replace(VECTOR, name="chunk_vector", labels=("Chunk",))
OTHER_WORDS = replace(WORDS, name="chunk_text", labels=("Chunk",), properties=("text",))


def problem(*arguments, **named) -> str:
    with pytest.raises(IndexProblem) as caught:
        choose_index(*arguments, **named)
    return str(caught.value)


def test_the_only_one_of_its_class():
    assert choose_index([KEY, WORDS, VECTOR], "VECTOR") is VECTOR
    assert choose_index([KEY, WORDS, VECTOR], "FULLTEXT") is WORDS
    assert choose_index([VECTOR, OTHER], "VECTOR", " chunk_vector ") is OTHER


def test_several_are_listed():
    said = problem([VECTOR, OTHER], "VECTOR")
    assert "parte_vector (Parte.embedding)" in said and "chunk_vector (Chunk.embedding)" in said and "Vector Index" in said
    assert "Full-text Index" in problem([WORDS, OTHER_WORDS], "FULLTEXT")


def test_none_of_its_class():
    assert "no vector index" in problem([WORDS, KEY], "VECTOR")


def test_a_name_that_is_not_there_or_of_another_class():
    said = problem([VECTOR, WORDS], "VECTOR", "no_existe")
    assert "no_existe" in said and "parte_vector" in said
    assert "fulltext index" in problem([VECTOR, WORDS], "VECTOR", "parte_text")


def test_a_named_vector_index_decides_between_full_text_indexes():
    assert choose_index([WORDS, OTHER_WORDS], "FULLTEXT", like=OTHER) is OTHER_WORDS


def test_two_of_the_same_data_are_one():
    """While a load with a new column replaces the index, and afterwards under its new name."""
    renewed = replace(VECTOR, name="parte_vector_2", properties=("embedding", "estado", "fecha"))
    assert choose_index([VECTOR, renewed], "VECTOR") is renewed
    assert choose_index([VECTOR, replace(renewed, state="POPULATING", percent=3.0)], "VECTOR") is VECTOR
    assert choose_index([renewed], "VECTOR", "parte_vector") is renewed


@pytest.mark.parametrize(("state", "said"), [("POPULATING", "not ready"), ("FAILED", "failed")])
def test_an_index_that_is_not_ready(state, said):
    text = problem([replace(VECTOR, state=state, percent=43.2)], "VECTOR")
    assert "parte_vector" in text and said in text
    assert ("43 %" in text) == (state == "POPULATING")


def test_dimensions():
    check_dimension(VECTOR, 4)
    check_dimension(replace(VECTOR, dimensions=None), 8)
    with pytest.raises(IndexProblem) as caught:
        check_dimension(VECTOR, 8)
    assert all(word in str(caught.value) for word in ("parte_vector", "4", "8", "model"))


def test_hidden_labels_and_properties_have_no_index():
    assert visible([VECTOR, OTHER, WORDS], {"Chunk"}) == [VECTOR, WORDS]
    assert visible([VECTOR], {"embedding"}) == []
    assert visible([VECTOR], {"estado"}) == [VECTOR]


def test_keys_and_ties():
    assert keys_of([VECTOR, WORDS, KEY]) == {"Parte": ("codigo",)}
    assert tie_properties(VECTOR, [VECTOR, WORDS, KEY], {"Parte": ("codigo",)}) == ["codigo"]
    assert tie_properties(VECTOR, [VECTOR, WORDS], {})[:2] == ["text", "codigo"]
    assert keys_of([replace(KEY, constraint=None)]) == {}
