"""Which labels a relationship type joins, and how often, from counts of one end at a time.

The count store knows how many relationships of a type begin at a label, and how many end at one, not both together. Where
all of them begin at one label, the count of an end is that of the pattern; where neither end is like that, the
combinations are open until somebody has looked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .model import Hidden, Pattern

# (start label, type, end label) -> relationships; at most one of the labels is given
Ends = dict[tuple[str | None, str, str | None], int]
Key = tuple[str, str, str]


class PatternCounts:
    """Patterns of ``types``, first from the counts of ends, then from what is seen. An empty label is a node without one."""

    def __init__(self, ends: Ends, types: Iterable[str]) -> None:
        self._counts: dict[Key, int | None] = {}
        self._open: dict[str, set[Key]] = {}
        for kind in types:
            total = ends[None, kind, None]
            starts = {start: n for (start, k, end), n in ends.items() if k == kind and start is not None and end is None and n}
            finish = {end: n for (start, k, end), n in ends.items() if k == kind and end is not None and start is None and n}
            self._open[kind] = set()
            for start, at_start in _with_loose(starts, total).items():
                for end, at_end in _with_loose(finish, total).items():
                    key = (start, kind, end)
                    if at_start == total or at_end == total:
                        self._counts[key] = min(at_start, at_end)
                    else:
                        self._open[kind].add(key)

    def is_open(self, kind: str) -> bool:
        """Whether some combination of labels of this type may exist or not."""
        return bool(self._open[kind])

    def unsettled(self, kind: str) -> list[Key]:
        """The combinations that are open, in stable order."""
        return sorted(self._open[kind])

    def saw(self, kind: str, starts: Sequence[str], ends: Sequence[str]) -> None:
        """Some relationship between nodes of these labels: how many there are in all stays unknown."""
        for key in _combinations(kind, starts, ends):
            if key in self._open[kind]:
                self._open[kind].discard(key)
                self._counts[key] = None

    def saw_all(self, kind: str, seen: Iterable[tuple[Sequence[str], Sequence[str], int]]) -> None:
        """Every relationship of this type, as (labels at the start, at the end, how many)."""
        counts: Counter[Key] = Counter()
        for starts, ends, count in seen:
            for key in _combinations(kind, starts, ends):
                counts[key] += count
        self._counts = {key: count for key, count in self._counts.items() if key[1] != kind} | counts
        self._open[kind].clear()

    def exclude(self, start: str, kind: str, end: str) -> None:
        """There is no such pattern."""
        self._open[kind].discard((start, kind, end))

    def patterns(self, hidden: Hidden) -> tuple[Pattern, ...]:
        """In stable order, without those that touch something hidden."""
        return tuple(
            Pattern(start, kind, end, count)
            for (start, kind, end), count in sorted(self._counts.items())
            if not any(map(hidden.label, (start, kind, end)))
        )


def _combinations(kind: str, starts: Sequence[str], ends: Sequence[str]) -> list[Key]:
    return [(start, kind, end) for start in starts or ("",) for end in ends or ("",)]


def _with_loose(labelled: dict[str, int], total: int) -> dict[str, int]:
    """The relationships that the labels leave over are at nodes without one. (Nodes of several labels may hide some.)"""
    loose = total - sum(labelled.values())
    return labelled | ({"": loose} if loose > 0 else {})
