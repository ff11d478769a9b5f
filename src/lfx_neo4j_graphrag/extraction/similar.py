"""Keys that look like the same entity without being equal: candidates for a person to decide on, never merged."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher

from .names import fold

_LIKENESS = 0.86
_SHORTEST = 4
_MOST_IN_A_BLOCK = 200  # a word that more keys than this share ("bar") tells nothing and would make all pairs


def near_pairs(fresh: Iterable[str], others: Iterable[str], limit: int = 50) -> list[tuple[str, str]]:
    """Pairs of a fresh key and another (or fresh) key of the same type that may be one entity.

    Either the words of one are all in the other (``Brío 2G``, ``Jaltec Brío 2G``), or they are spelled almost alike. Keys
    whose numbers differ are never near: ``INC-2607-01`` and ``INC-2607-02`` are two incidents.
    """
    fresh = sorted(set(fresh))
    keys = sorted(set(fresh) | set(others))
    words = {key: _words(key) for key in keys}
    blocks: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        for mark in _marks(key, words[key]):
            blocks[mark].append(key)
    pairs: set[tuple[str, str]] = set()
    for key in fresh:
        for mark in _marks(key, words[key]):
            block = blocks[mark]
            if len(block) > _MOST_IN_A_BLOCK:
                continue
            for other in block:
                pair = (min(key, other), max(key, other))
                if other != key and pair not in pairs and _near(key, other, words):
                    pairs.add(pair)
    return sorted(pairs)[:limit]


def _near(one: str, other: str, words: dict[str, frozenset[str]]) -> bool:
    a, b = fold(one), fold(other)
    if a == b:
        return False
    smaller, larger = sorted((words[one], words[other]), key=len)
    contained = bool(smaller) and smaller < larger and len("".join(smaller)) >= _SHORTEST
    numbers_one, numbers_other = re.findall(r"\d+", one), re.findall(r"\d+", other)
    if contained and (not numbers_one or not numbers_other or numbers_one == numbers_other):
        return True
    if numbers_one != numbers_other or min(len(a), len(b)) < _SHORTEST:
        return False
    return SequenceMatcher(None, a, b, autojunk=False).ratio() >= _LIKENESS


def _words(key: str) -> frozenset[str]:
    return frozenset(fold(word) for word in re.findall(r"\w+", key))


def _marks(key: str, words: frozenset[str]) -> set[str]:
    folded = fold(key)
    return {"w:" + word for word in words if len(word) >= 3} | {"p:" + folded[:4], "s:" + folded[-4:]}
