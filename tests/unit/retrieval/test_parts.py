"""Parts of a long text, their vectors as bytes, and the order that they give."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.retrieval.parts import LONG_TEXT, MAX_PARTS, packed, parts, rescored, sentences

PARAGRAPH = "Una frase que dice algo. Otra que dice otra cosa. Y una tercera para terminar. "


def test_a_part_is_two_neighbouring_sentences():
    text = PARAGRAPH * 8
    found = parts(text)
    assert len(found) == 8 * 3 - 1
    assert found[:2] == [
        "Una frase que dice algo. Otra que dice otra cosa.",
        "Otra que dice otra cosa. Y una tercera para terminar.",
    ]


@pytest.mark.parametrize("text", ["", PARAGRAPH, "a" * (LONG_TEXT - 1), ("palabra " * 60).strip() + ". Fin de todo el texto."])
def test_short_texts_and_few_sentences_have_none(text):
    assert parts(text) == []


def test_sentences_end_at_marks_blank_lines_items_and_headings():
    text = "# Limpieza diaria\n\nVaciar la\nbandeja: con cuidado.\n- quitar el filtro\n- lavar la rejilla\n1. apagar la caldera\n| E07 | caudal"
    assert sentences(text) == [
        "Limpieza diaria Vaciar la bandeja:",  # too short for a sentence of its own
        "con cuidado. - quitar el filtro",
        "- lavar la rejilla",
        "1. apagar la caldera",
        "| E07 | caudal",
    ]


def test_a_text_without_marks_is_cut_at_blanks():
    text = "palabra " * 200
    assert all(len(part) <= 601 for part in parts(text)) and "palab " not in " ".join(parts(text))


@given(st.text(alphabet="ab .\n-|#", min_size=LONG_TEXT, max_size=8000))
def test_nothing_of_a_long_text_is_left_out(text):
    found = parts(text)
    assert len(found) <= MAX_PARTS
    if found:
        letters = [c for c in " ".join(sentences(text)) if c in "ab"]
        assert letters == [c for c in text if c in "ab"]
        assert all(any(sentence in part for part in found) for sentence in sentences(text))


def test_the_nearest_part_lifts_a_text():
    kept = packed([[1.0, 0.0], [0.0, -2.0]])
    assert len(kept) == 4
    hits = [
        {"id": "first", "score": 0.88, "tie": ["a"], "parts": None},
        {"id": "equal", "score": 0.88, "tie": ["b"], "parts": None},
        {"id": "long", "score": 0.8, "tie": ["c"], "parts": kept},
    ]
    found = rescored(hits, [3.0, 0.0])
    assert [hit["id"] for hit in found] == ["long", "first", "equal"]
    assert {hit["id"]: hit["score"] for hit in found} == pytest.approx({"long": 0.9, "first": 0.88, "equal": 0.88}, abs=1e-6)
    assert all("parts" not in hit for hit in found)
    against = {hit["id"]: hit["score"] for hit in rescored(hits, [0.0, 1.0])}
    assert against["long"] == pytest.approx((0.8 + 0.5) / 2)  # the nearest is at a right angle


@pytest.mark.parametrize("other", [b"", b"abc", "text", [1.0, 2.0], 7])
def test_what_is_not_ours_changes_nothing(other):
    assert rescored([{"id": "x", "score": 0.7, "tie": [], "parts": other}], [1.0, 0.0]) == [{"id": "x", "score": 0.7, "tie": []}]


def test_bytes_of_zeros_score_like_a_right_angle():
    [hit] = rescored([{"id": "x", "score": 0.7, "tie": [], "parts": bytes(4)}], [1.0, 0.0])
    assert hit["score"] == pytest.approx(0.6)


@given(
    st.lists(st.lists(st.floats(-1, 1), min_size=8, max_size=8).filter(lambda v: max(map(abs, v)) > 0.01), min_size=1, max_size=5)
)
def test_bytes_keep_the_direction(vectors):
    question = [1.0, -2.0, 3.0, 0.5, 0.0, 1.0, -1.0, 2.0]

    def cosine(vector):
        return sum(a * b for a, b in zip(vector, question, strict=True)) / math.hypot(*vector) / math.hypot(*question)

    [hit] = rescored([{"id": "x", "score": 0.0, "tie": [], "parts": packed(vectors)}], question)
    assert 4 * hit["score"] - 1 == pytest.approx(max(map(cosine, vectors)), abs=0.02)
