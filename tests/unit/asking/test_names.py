from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.asking.names import distance, fold, nearest, spans, tolerance


def test_folding_removes_case_and_accents_and_keeps_the_letter_enye():
    assert fold("  LUCÍA  Ortega ") == "lucia ortega"
    assert fold("INC-2608_07") == "inc 2608 07"
    assert fold("Año") == "año" != fold("ano")


def test_distance_counts_swaps_as_one():
    assert distance("ortega", "ortgea", 2) == 1
    assert distance("giralda", "jiralda", 2) == 1
    assert distance("abc", "xyz", 1) == 2


@given(st.text(max_size=12), st.text(max_size=12))
def test_distance_is_symmetric_and_bounded(a, b):
    assert distance(a, b, 30) == distance(b, a, 30) <= max(len(a), len(b))
    assert (distance(a, b, 30) == 0) == (a == b)


def test_nearest_prefers_equal_then_misspelt_then_sharing_a_word():
    known = ["Javier Ruiz", "Rocío Benítez", "Lucía Ortega", "Manuel Campos"]
    assert nearest("lucia ortega", known)[0] == "Lucía Ortega"
    assert nearest("Rocio Benites", known) == ["Rocío Benítez"]
    assert nearest("Ana Ruiz", known) == ["Javier Ruiz"]
    assert nearest("zzz", known) == []


def test_codes_tolerate_no_misspelling():
    assert tolerance("inc 2608 07") == 0
    assert tolerance("javier ruiz") == 2
    assert tolerance("brio") == 0


def test_spans_are_runs_of_words_longest_first():
    got = spans("¿Qué hizo Lucía Ortega con INC-2608-07?")
    assert got[0].startswith("Qué hizo Lucía Ortega con")
    assert "Lucía Ortega" in got and "INC-2608-07" in got
    assert got.index("Lucía Ortega") < got.index("Lucía")
