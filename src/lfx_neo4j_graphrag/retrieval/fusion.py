"""The rankings by meaning, by words and by codes put into one.

Chosen on the tuning half of the ranking sets (docs/benchmarks.md): plain reciprocal rank fusion lets one shared word
push a better answer down, because a rank does not say how little of the question the words explain.

* meaning counts by rank: ``21 / (20 + rank)``;
* words count by score, relative to the best and to a small absolute score, times the square of the share of the question's words
  that the text holds, when that is more than half;
* a text that holds a code of the question (E07, INC-2608-07) comes before all that do not; a question that is only a code
  is answered by codes, and meaning orders the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

RANK_CONSTANT = 20
# Least score that words are measured against: a text that only shares the beginning of a word has a tenth of 1.
WORD_SCORE = 0.3
MOST_OF_THE_QUESTION = 0.5
# A code outranks meaning and words together.
CODE_WEIGHT = 2.0
# Orders what has no other score; never enough to change an order.
FAINT = 0.001


@dataclass(frozen=True)
class Hit:
    """A candidate of one branch: ``id`` tells it apart, ``tie`` orders equal scores the same way on every copy of the data.

    ``covered`` is the share of the question's words in its text (0 to 1).
    """

    id: str
    score: float
    tie: tuple[str, ...] = ()
    covered: float = 1.0


@dataclass(frozen=True)
class Fused:
    """``score`` is in (0, 1]; the ranks count from 1, None where the branch did not find it."""

    id: str
    score: float
    rank_vector: int | None
    rank_text: int | None


def fuse(
    by_meaning: Sequence[Hit], by_words: Sequence[Hit], by_codes: Sequence[Hit] = (), *, only_codes: bool = False
) -> list[Fused]:
    """All candidates, best first; each list is best first. ``only_codes``: the question holds nothing but codes.

    An empty list takes nothing from the others. Equal scores are ordered by rank by words (to be nearest in
    meaning somebody always is), then by meaning, then by ``tie``.
    """
    meaning = _by_rank(by_meaning)
    codes = {hit.id: hit.score / by_codes[0].score for hit in by_codes}
    if not only_codes:
        codes = {id: 1.0 if share >= 0.5 else 0.5 for id, share in codes.items()}
    words = _words(by_words) if by_meaning else _by_rank(by_words)
    weights = (FAINT if only_codes and codes else 1.0, 1.0, 1.0 if only_codes else CODE_WEIGHT)
    parts = (meaning, words, codes)
    rank_meaning = {hit.id: rank for rank, hit in enumerate(by_meaning, 1)}
    ties = {hit.id: hit.tie for hit in (*by_codes, *by_words, *by_meaning)}

    def text_score(id: str) -> float:
        return words.get(id, 0.0) + CODE_WEIGHT * codes.get(id, 0.0)

    by_text = sorted(words.keys() | codes.keys(), key=lambda id: (-text_score(id), ties[id]))
    rank_text = {id: rank for rank, id in enumerate(by_text, 1)}
    weighted = list(zip(weights, parts, strict=True))
    most = sum(weight for weight, part in weighted if part)
    fused = [
        Fused(id, sum(w * part.get(id, 0.0) for w, part in weighted) / most, rank_meaning.get(id), rank_text.get(id))
        for id in ties
    ]
    last = len(ties) + 1
    return sorted(fused, key=lambda hit: (-hit.score, hit.rank_text or last, hit.rank_vector or last, ties[hit.id]))


def _by_rank(hits: Sequence[Hit]) -> dict[str, float]:
    return {hit.id: (RANK_CONSTANT + 1) / (RANK_CONSTANT + rank) for rank, hit in enumerate(hits, 1)}


def _words(hits: Sequence[Hit]) -> Mapping[str, float]:
    if not hits:
        return {}
    most = max(hits[0].score, WORD_SCORE)
    return {
        hit.id: hit.score / most * (hit.covered**2 if hit.covered > MOST_OF_THE_QUESTION else FAINT) for hit in hits
    }
