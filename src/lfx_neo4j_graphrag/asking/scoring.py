"""Scoring an answer by what it returned: are the expected values there, and (but for a search) nothing else?"""

from __future__ import annotations

import math
from collections import Counter
from itertools import permutations
from typing import Any

_OF_THE_SEARCH = ("score", "rank_vector", "rank_text")
MOST_COLUMNS = 8  # of a wide answer only so many columns are tried: 8 * 7 * 6 orders for three expected columns


def matches(expected: Any, rows: list[dict[str, Any]]) -> bool:
    """True when ``rows`` hold exactly the expected values.

    ``expected`` is one value (one row, in any column), a list of values (one column, in any order, repeats of
    a row that other columns tell apart do not count), or a list of lists or dicts (rows, in any order; the
    names of columns do not matter). Extra columns are allowed. Nothing expected (None or []) is no rows, or one
    row of nothing. Numbers agree within a hundredth, so that 33.33 is a third of a hundred.
    """
    if expected is None or expected == []:
        return not rows or (len(rows) == 1 and all(not v for v in rows[0].values()))
    if not isinstance(expected, list):
        return len(rows) == 1 and any(_same(expected, v) for v in rows[0].values())
    wanted = [list(e.values()) if isinstance(e, dict) else list(e) if isinstance(e, list) else [e] for e in expected]
    if not rows or len({len(w) for w in wanted}) != 1:
        return False
    rows = _unpacked(rows, wanted)
    columns = list(rows[0])[:MOST_COLUMNS]
    width = len(wanted[0])
    target = Counter(_key(w) for w in wanted)
    for chosen in permutations(columns, width):
        got = Counter(_key([row.get(c) for c in chosen]) for row in rows)
        if got == target or (set(got) == set(target) and max(target.values()) == 1):
            return True
    return False


def contains(expected: Any, rows: list[dict[str, Any]]) -> bool:
    """True when what a search found holds every expected value, in whatever row, whatever else it holds.

    ``expected`` as for ``matches``. A text may stand inside a longer one (a passage, the lines of neighbours), whatever the
    line breaks; other values must equal a property. Scores and ranks are not looked at. Nothing expected is no rows.
    """
    if expected is None or expected == []:
        return not rows
    cells = [value for row in rows for name, value in row.items() if name not in _OF_THE_SEARCH]
    texts = [" ".join(str(value).split()) for value in cells]
    known = {_plain(item) for value in cells for item in (value if isinstance(value, list) else [value])}
    return all(
        any(" ".join(value.split()) in text for text in texts) if isinstance(value, str) else _plain(value) in known
        for value in _flat(expected)
    )


def _flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    return [one for item in value for one in _flat(item)] if isinstance(value, list) else [value]


def _unpacked(rows: list[dict[str, Any]], wanted: list[list[Any]]) -> list[dict[str, Any]]:
    """One row with one list is as good as a column of its items."""
    if len(rows) == 1 and len(wanted[0]) == 1:
        lists = [(k, v) for k, v in rows[0].items() if isinstance(v, list)]
        if len(lists) == 1:
            return [{lists[0][0]: item} for item in lists[0][1]] or rows
    return rows


def _key(values: list[Any]) -> tuple:
    return tuple(_plain(v) for v in values)


def _plain(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return str(value)  # True is not 1
    if isinstance(value, (int, float)):
        return round(float(value), 2) if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        return tuple(sorted((_plain(v) for v in value), key=str))
    return str(value).strip()


def _same(a: Any, b: Any) -> bool:
    return _plain(a) == _plain(b)
