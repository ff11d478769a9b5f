"""Two rankings into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

RANK_CONSTANT = 60


@dataclass(frozen=True)
class Hit:
    """A candidate of one branch: ``id`` tells it apart, ``tie`` orders equal scores the same way on every copy of the data."""

    id: str
    score: float
    tie: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fused:
    """``score`` is in (0, 1]; the ranks count from 1, None where the branch did not find it."""

    id: str
    score: float
    rank_vector: int | None
    rank_text: int | None


def fuse(by_vector: Sequence[Hit], by_text: Sequence[Hit], *, vector_weight: float = 1.0, text_weight: float = 1.0) -> list[Fused]:
    ranks: dict[str, list[int | None]] = {}
    ties: dict[str, tuple[str, ...]] = {}
    for side, hits in enumerate((by_vector, by_text)):
        for rank, hit in enumerate(hits, 1):
            ranks.setdefault(hit.id, [None, None])[side] = rank
            ties.setdefault(hit.id, hit.tie)
    weights = (vector_weight, text_weight)
    most = sum(weights) / (RANK_CONSTANT + 1)
    fused = [
        Fused(id, sum(w / (RANK_CONSTANT + r) for w, r in zip(weights, pair, strict=True) if r) / most, *pair)
        for id, pair in ranks.items()
    ]
    return sorted(fused, key=lambda hit: (-hit.score, hit.rank_vector or 10**9, ties[hit.id]))
