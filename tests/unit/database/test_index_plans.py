"""Which index serves a load, and when it stops before anything is written."""

from __future__ import annotations

import pytest

from lfx_neo4j_graphrag.database.indexes import FulltextWish, Index, VectorWish, plan_fulltext_index, plan_vector_index
from lfx_neo4j_graphrag.errors import IndexProblem

WISH = VectorWish("parte_vector", "Parte", 4, ("estado", "fecha"))
WORDS = FulltextWish("parte_text", "Parte", ("text", "codigo"), "spanish")


def vector(name="parte_vector", label="Parte", dimensions=4, filters=("estado", "fecha"), **fields) -> Index:
    defaults = {"state": "ONLINE", "percent": 100.0, "similarity": "cosine", "quantized": False}
    return Index(name, "VECTOR", "NODE", (label,), ("embedding", *filters), dimensions=dimensions, **(defaults | fields))


def fulltext(name="parte_text", label="Parte", properties=("text", "codigo"), analyzer="spanish", **fields) -> Index:
    return Index(
        name,
        "FULLTEXT",
        "NODE",
        (label,),
        tuple(properties),
        **({"state": "ONLINE", "percent": 100.0} | fields),
        analyzer=analyzer,
    )


def plan(*existing, wish=WISH, filters=True):
    return plan_vector_index(existing, wish, filters=filters, cypher25=filters)


def test_none_there():
    made = plan(fulltext(), vector(name="otra", label="Otra", dimensions=8))
    assert made.name == "parte_vector" and "WITH [n.`estado`, n.`fecha`]" in made.create[0] and made.drop is None
    old = plan(filters=False)
    assert "WITH" not in old.create[0] and "CYPHER 25" not in old.create[0]


@pytest.mark.parametrize("name", ["parte_vector", "hecho_a_mano"])
def test_the_same_data_under_any_name_is_used(name):
    assert plan(vector(name)) == plan(vector(name, filters=("estado", "fecha", "otra")))
    assert (plan(vector(name)).name, plan(vector(name)).create, plan(vector(name)).note) == (name, None, None)


def test_an_index_over_several_labels_serves_its_labels():
    index = Index(
        "varios", "VECTOR", "NODE", ("Otra", "Parte"), ("embedding", "estado", "fecha"), "ONLINE", 100.0, 4, "cosine", False
    )
    assert plan(index).name == "varios"


def test_another_dimension_stops_with_both_numbers_and_the_remedy():
    for name in ("parte_vector", "hecho_a_mano"):
        with pytest.raises(IndexProblem) as caught:
            plan(vector(name, dimensions=8))
        assert name in caught.value.sentence and "8" in caught.value.sentence and "4" in caught.value.sentence
        assert f"DROP INDEX `{name}`" in caught.value.advice


def test_a_name_taken_by_other_data_stops():
    for index in (
        vector(label="Cliente"),
        fulltext("parte_vector", "Cliente"),
        Index("parte_vector", "RANGE", "NODE", ("Cliente",), ("id",), "ONLINE", 100.0),
    ):
        with pytest.raises(IndexProblem) as caught:
            plan(index)
        assert all(word in caught.value.sentence for word in ("parte_vector", "Parte", "Cliente"))


def test_a_new_column_makes_a_second_index_that_replaces_ours():
    made = plan(vector(filters=("estado", "otra")))
    assert (made.name, made.drop) == ("parte_vector_2", "parte_vector")
    assert "WITH [n.`estado`, n.`otra`, n.`fecha`]" in made.create[0] and "fecha" in made.note
    back = plan(vector("parte_vector_2", filters=("estado",)))
    assert (back.name, back.drop) == ("parte_vector", "parte_vector_2")


def test_fewer_columns_in_this_load_change_nothing():
    assert plan(vector(), wish=VectorWish("parte_vector", "Parte", 4, ("estado",))).create is None


@pytest.mark.parametrize(
    "index",
    [
        vector("hecho_a_mano", filters=()),
        vector(filters=(), similarity="euclidean"),
        vector(filters=(), quantized=True),
    ],
    ids=["name", "similarity", "quantized"],
)
def test_somebody_elses_index_is_used_as_it_is_and_said(index):
    made = plan(index)
    assert made.create is None and made.name == index.name and index.name in made.note


def test_both_names_taken():
    made = plan(vector(filters=()), Index("parte_vector_2", "RANGE", "NODE", ("X",), ("y",), "ONLINE", 100.0))
    assert made.create is None and "DROP INDEX" in made.note


def test_a_failed_index_of_ours_is_replaced():
    made = plan(vector(state="FAILED", percent=0.0))
    assert (made.name, made.drop) == ("parte_vector_2", "parte_vector")
    assert "FAILED" in plan(vector("hecho_a_mano", state="FAILED")).note


def test_old_servers_need_no_filters():
    assert plan(vector(filters=()), filters=False).create is None


def test_words_none_there():
    made = plan_fulltext_index([vector()], WORDS)
    assert made.name == "parte_text" and made.create[1] == {"analyzer": "spanish"} and "[n.`text`, n.`codigo`]" in made.create[0]


@pytest.mark.parametrize("index", [fulltext(), fulltext("a_mano"), fulltext(properties=("codigo", "text", "otra"))])
def test_words_covered_by_an_index_of_any_name(index):
    made = plan_fulltext_index([index], WORDS)
    assert (made.name, made.create, made.note) == (index.name, None, None)


def test_words_with_another_analyzer_are_used_and_said():
    made = plan_fulltext_index([fulltext(analyzer="english")], WORDS)
    assert made.create is None and all(word in made.note for word in ("english", "spanish", "DROP INDEX `parte_text`"))


def test_words_of_a_new_column_replace_ours():
    made = plan_fulltext_index([fulltext(properties=("text",))], WORDS)
    assert (made.name, made.drop) == ("parte_text_2", "parte_text") and "codigo" in made.note


def test_words_when_the_name_is_taken():
    with pytest.raises(IndexProblem) as caught:
        plan_fulltext_index([fulltext(label="Cliente")], WORDS)
    assert all(word in caught.value.sentence for word in ("parte_text", "Parte", "Cliente"))


def test_somebody_elses_word_index_does_not_hinder_ours():
    made = plan_fulltext_index([fulltext("a_mano", properties=("otra",))], WORDS)
    assert made.name == "parte_text" and made.create and made.drop is None
