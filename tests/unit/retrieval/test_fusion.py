"""Two or three rankings into one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.retrieval.fusion import Hit, fuse


def hits(*ids: str, score: float = 9.0, covered: float = 1.0) -> list[Hit]:
    return [Hit(id, score - place, (id,), covered) for place, id in enumerate(ids)]


def order(fused) -> list[str]:
    return [hit.id for hit in fused]


def test_first_in_both_scores_one_and_stays_first():
    """The union of a known library drops the best hit when its two scores are equal."""
    fused = fuse(hits("a", "b", "c"), hits("a", "b", "c"))
    assert order(fused) == ["a", "b", "c"] and fused[0].score == 1.0
    assert (fused[0].rank_vector, fused[0].rank_text) == (1, 1)


def test_agreement_beats_a_lone_first():
    assert order(fuse(hits("x", "a"), hits("a", "y")))[0] == "a"


def test_an_empty_side_takes_nothing():
    assert order(fuse(hits("a", "b"), [])) == ["a", "b"]
    assert order(fuse([], hits("a", "b"))) == ["a", "b"]
    assert fuse(hits("a"), [])[0].score == fuse([], hits("a"))[0].score == 1.0
    assert fuse([], []) == []
    assert fuse(hits("a"), [])[0].rank_text is None


def test_words_that_are_a_small_part_of_the_question_leave_the_order():
    by_words = [Hit("c", 9.0, ("c",), covered=0.25)]
    assert order(fuse(hits("a", "b", "c"), by_words)) == ["a", "b", "c"]


def test_a_text_with_all_the_words_competes_though_meaning_does_not_know_it():
    many = hits(*(f"m{i:02d}" for i in range(50)), score=99)
    assert order(fuse(many, [Hit("w", 9.0, ("w",), 1.0)])).index("w") == 0


def test_the_beginning_of_a_word_counts_less_than_the_word():
    """Relative to the best, which is itself, its small score would be 1."""
    assert order(fuse(hits("a"), [Hit("w", 0.1, ("w",), 1.0)])) == ["a", "w"]
    assert order(fuse(hits("a", "b"), [Hit("w", 2.0, ("w",), 1.0)])) == ["w", "a", "b"]


def test_a_code_comes_before_meaning_and_meaning_orders_among_codes():
    fused = fuse(hits("a", "b", "c", "d"), hits("a"), [Hit("d", 3.1, ("d",)), Hit("c", 3.0, ("c",))])
    assert order(fused) == ["c", "d", "a", "b"]
    assert (fused[0].rank_text, fused[2].rank_text) == (1, 3)


def test_two_codes_beat_one():
    fused = fuse(hits("one", "both"), [], [Hit("both", 8.0, ("both",)), Hit("one", 3.0, ("one",))])
    assert order(fused) == ["both", "one"]


def test_a_question_that_is_a_code():
    fused = fuse(hits("a", "b", "x"), [], [Hit("x", 5.0, ("x",))], only_codes=True)
    assert order(fused) == ["x", "a", "b"] and fused[0].score > fused[1].score


def test_equal_scores_are_ordered_by_their_tie_not_by_the_input():
    one, other = Hit("id1", 1.0, ("b",)), Hit("id2", 1.0, ("a",))
    assert order(fuse([], [], [one, other])) == order(fuse([], [], [other, one])) == ["id2", "id1"]


branch = st.lists(st.tuples(st.integers(0, 30), st.floats(0.001, 50), st.floats(0, 1)), max_size=30, unique_by=lambda t: t[0])


@given(branch, branch, branch, st.booleans())
def test_always_each_hit_once_with_a_score_in_range_and_order(meaning, words, codes, only_codes):
    lists = [
        sorted((Hit(str(id), score, (str(id),), covered) for id, score, covered in part), key=lambda hit: -hit.score)
        for part in (meaning, words, codes)
    ]
    fused = fuse(*lists, only_codes=only_codes)
    assert sorted(order(fused)) == sorted({hit.id for part in lists for hit in part})
    assert all(0 < hit.score <= 1 + 1e-9 for hit in fused)
    assert [hit.score for hit in fused] == sorted((hit.score for hit in fused), reverse=True)
