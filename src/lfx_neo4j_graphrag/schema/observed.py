"""From what the database says of values to properties that may be shown."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from ..defaults import LONG_LIST, SAMPLE_VALUE_CHARS, SAMPLE_VALUES, SHORT_TEXT
from .model import Hidden, Property, Value

EXAMPLES = 2  # of a property with too many values to list: two show the spelling
_NUMBERS = {"integer", "float"}
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?\Z", re.DOTALL)
_LIST = re.compile(r"LIST<(.*)>\Z")
_VECTOR = re.compile(r"VECTOR<.*>\((\d+)\)\Z")


def properties_from(
    rows: Iterable[Mapping[str, Any]],
    owner: str,
    *,
    hidden: Hidden = Hidden(),
    sample_values: bool = True,
    unique: frozenset[str] = frozenset(),
) -> tuple[Property, ...]:
    """Properties of one label or type, by name, from rows ``name, type, count, values, low, high, longest``.

    ``type`` is what Cypher's valueType() says. Values of long texts, and of a property called ``text``, are left out: they
    may hold anything, and whoever reads a schema would read them as part of it.
    """
    by_name: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        if not hidden.property(owner, row["name"]):
            by_name[row["name"]].append(row)
    return tuple(_property(name, by_name[name], sample_values, name in unique) for name in sorted(by_name))


def _property(name: str, rows: list[Mapping[str, Any]], sample_values: bool, unique: bool) -> Property:
    kinds = [type_name(row["type"], row["longest"]) for row in rows]
    counts: dict[str, int] = defaultdict(int)
    for kind, row in zip(kinds, rows, strict=True):
        counts[kind] += row["count"]
    types = tuple(sorted(counts, key=lambda kind: (-counts[kind], kind)))
    longest = max((row["longest"] for row in rows if row["longest"] is not None), default=None)
    is_text = types == ("string",)
    kind, values = "", ()
    if sample_values and not (is_text and (longest > SHORT_TEXT or name == "text")):
        kind, values = _values(rows, types)
    return Property(
        name=name,
        types=types,
        kind=kind,
        values=values,
        on=sum(row["count"] for row in rows),
        dimension=_dimension(rows) if types == ("vector",) else None,
        longest=longest if is_text or longest is None else None,
        unique=unique,
    )


def type_name(value_type: str, longest: int | None = None) -> str:
    """``LIST<STRING NOT NULL> NOT NULL`` as ``list of string``; a list of LONG_LIST numbers or more is a ``vector``."""
    text = value_type.removesuffix(" NOT NULL")
    if text.startswith("VECTOR"):
        return "vector"
    if not (inner := _LIST.match(text)):
        return text.lower()
    parts = sorted({part.strip().removesuffix(" NOT NULL").lower() for part in inner[1].split("|")} - {"nothing"})
    if parts and set(parts) <= _NUMBERS and (longest or 0) >= LONG_LIST:
        return "vector"
    return f"list of {' or '.join(parts)}" if parts else "list"


def _dimension(rows: list[Mapping[str, Any]]) -> int | None:
    sizes = [int(found[1]) for row in rows if (found := _VECTOR.match(row["type"].removesuffix(" NOT NULL")))]
    return max(sizes + [row["longest"] for row in rows if row["longest"] is not None], default=None)


def _values(rows: list[Mapping[str, Any]], types: tuple[str, ...]) -> tuple[str, tuple[Value, ...]]:
    ends = [row[end] for row in rows for end in ("low", "high") if row[end] is not None]
    if set(types) <= _NUMBERS or types[0].startswith(("date", "zoned", "local")) and len(types) == 1:
        return ("range", (_json_safe(min(ends)), _json_safe(max(ends)))) if ends else ("", ())
    if types not in (("string",), ("list of string",)):
        return "", ()
    raw = sorted({*(value for row in rows for value in row["values"] or ()), *ends})
    if types == ("string",) and raw and all(_ISO_DATE.match(text) and len(text) <= SAMPLE_VALUE_CHARS for text in [*raw, *ends]):
        return "range", (min(ends), max(ends))
    whole = [value for value in raw if one_line(value) == value and len(value) <= SAMPLE_VALUE_CHARS]
    if types == ("string",) and len(raw) <= SAMPLE_VALUES and whole == raw:
        return "one of", tuple(whole)
    # Which values a sample met depends on the order in the store; the first and the last of all do not.
    whole = [value for value in sorted({*ends}) if value in whole] or whole
    cut = [value for value in whole or map(_cut, raw) if value]
    return ("examples", tuple(cut[:EXAMPLES])) if cut else ("", ())


def one_line(text: str) -> str:
    """Runs of white space and of characters that print nothing as one space, none at the ends."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def _cut(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= SAMPLE_VALUE_CHARS else line[: SAMPLE_VALUE_CHARS - 1] + "…"


def _json_safe(value: Any) -> Value:
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value
