"""What of a question is searched: words that say something, codes, names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.retrieval.words import fold, is_code, quoted_phrases, without_codes, words


def texts(question: str) -> list[str]:
    return [word.text for word in words(question)]


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("¿Qué pasó con la junta del grupo?", ["pasó", "junta", "grupo"]),
        ("What is the warranty of the grinder?", ["warranty", "grinder"]),
        ("no está", ["no", "está"]),  # nothing else is left: better these than none
        ("¿¿??", []),
        ("", []),
        ("caldera Caldera CALDERA", ["caldera"]),
        ("gotea/junta, text:válvula", ["gotea", "junta", "text", "válvula"]),
        ("B12/3 y 4.2", ["B12/3", "4.2"]),
    ],
)
def test_words_that_say_something(question, left):
    assert texts(question) == left


@pytest.mark.parametrize("code", ["E07", "e07", "VL-1180", "INC-2608-07", "F2", "M64", "2026-08-26", "20260826", "B12/3"])
def test_codes(code):
    assert is_code(code) and words(f"mira {code} hoy")[1].code


@pytest.mark.parametrize("number", ["24", "2G", "400", "4.2", "2026", "cafetera"])
def test_numbers_and_measures_are_words(number):
    assert not is_code(number)


@pytest.mark.parametrize(
    ("question", "code"),
    [("INC 2608 07", "INC-2608-07"), ("busca inc 2608 07", "inc-2608-07"), ("la VL 1180 gotea", "VL-1180"), ("E 07", "E-07")],
)
def test_a_code_written_apart(question, code):
    assert code in [word.text for word in words(question) if word.code]


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("VL-3050 acceso remoto por internet", "acceso remoto por internet"),
        ("¿qué le pasa a la VL 1180 de la planta 2?", "¿qué le pasa a la de la planta 2?"),
        ("INC-2608-07", "INC-2608-07"),
        ("E07 y E21", "E07 y E21"),  # "y" alone asks nothing
        ("más de 24 horas con la 2G", "más de 24 horas con la 2G"),
        ("", ""),
    ],
)
def test_the_meaning_of_a_question_is_what_is_left_without_its_codes(question, rest):
    assert without_codes(question) == rest


def test_numbers_after_small_words_are_no_codes():
    assert not any(word.code for word in words("más de 24 horas, los 30 primeros y en 2026"))


def test_names_are_capitals_inside_a_sentence_and_what_is_quoted():
    found = {word.text: word.name for word in words('Las averías de Lucía en "bar la giralda". Otra cosa')}
    assert found["Lucía"] and found["giralda"] and found["bar"]
    assert not found["averías"] and not found["cosa"]
    assert not found.get("Otra", False)  # begins a sentence (and says nothing)
    assert not any(word.name for word in words("CAFETERIA LISBOA"))


def test_quoted_phrases_of_several_words():
    assert quoted_phrases('la "junta del grupo" y «Bar Uno», “x y”, "sola" y "abierta') == ["junta del grupo", "Bar Uno", "x y"]


def test_fold_keeps_the_letter_ñ():
    assert fold("CAMIÓN pingüino año") == "camion pinguino año"
    assert fold("an\u0303o") == "año"  # decomposed, as a Mac types it


@given(st.text(max_size=300))
def test_any_text_has_words_or_none(text):
    assert without_codes(text).strip() or not text.strip()
    for word in words(text):
        assert word.text and len(word.text) <= 80 and '"' not in word.text and "\\" not in word.text
