"""Filters converted to the types that are stored: a comparison of the wrong type finds nothing, silently."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from ..errors import InputError
from .filters import Condition, Filter, Group, Quoted, conditions
from .words import fold

_NUMBERS = ("INTEGER", "FLOAT")
_TIMES = ("LOCAL TIME", "ZONED TIME")
_MOMENTS = ("LOCAL DATETIME", "ZONED DATETIME")
_PLAIN_NAMES = {
    "STRING": "text", "INTEGER": "whole numbers", "FLOAT": "numbers", "BOOLEAN": "true or false", "DATE": "dates",
    "LOCAL DATETIME": "dates with a time", "ZONED DATETIME": "dates with a time", "LOCAL TIME": "times", "ZONED TIME": "times",
}  # fmt: skip
_EXAMPLES = {
    "INTEGER": "27", "FLOAT": "3.5", "BOOLEAN": "true", "DATE": "2026-08-26", "LOCAL DATETIME": "2026-08-26T10:30",
    "ZONED DATETIME": "2026-08-26T10:30+02:00", "LOCAL TIME": "10:30", "ZONED TIME": "10:30+02:00",
}  # fmt: skip
_RANGES = ("<", "<=", ">", ">=")
_TRUE = ("true", "yes", "si", "verdadero", "1")
_FALSE = ("false", "no", "falso", "0")
_PARTIAL_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$")
_DAY_FIRST = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})$")


@dataclass(frozen=True)
class Stored:
    """What a property holds: ``kinds`` as ``valueType`` names them (STRING, DATE, LIST<STRING>…), some short text ``values``.

    ``label`` is set for a property of a linked node. No kinds: nothing is stored, or it could not be looked at in time.
    """

    property: str
    kinds: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    label: str | None = None


@dataclass(frozen=True)
class Comparison:
    """One comparison of one kind. ``operator``: those of a filter, and ``has`` (a list holds the value)."""

    property: str
    operator: str
    value: Any = None
    kind: str | None = None
    label: str | None = None


Comparisons = Comparison | Group  # the members of a Group are Comparisons here


def kind_of(value_type: str) -> str:
    """``valueType()`` without its NOT NULL: ``LIST<STRING NOT NULL> NOT NULL`` is ``LIST<STRING>``."""
    return value_type.replace(" NOT NULL", "")


def typed(tree: Filter | None, stored: Mapping[str, Stored]) -> Comparisons | None:
    """Convert every value by what its property holds. ``stored`` is keyed by the names as written in the filter.

    Raises InputError for a value that fits no stored kind, and for a property that ``stored`` does not have.
    """
    if tree is None:
        return None
    if isinstance(tree, Group):
        return Group(tuple(typed(member, stored) for member in tree.members), tree.any)
    return _typed_condition(tree, stored[tree.property])


def unknown(tree: Filter | None, stored: Mapping[str, Stored]) -> list[str]:
    """Names in the filter of which nothing is known."""
    return [name for name in dict.fromkeys(c.property for c in conditions(tree)) if name not in stored]


def _typed_condition(condition: Condition, about: Stored) -> Comparisons:
    def test(operator: str, value: Any = None, kind: str | None = None) -> Comparison:
        return Comparison(about.property, operator, value, kind, about.label)

    operator = condition.operator
    kinds = about.kinds or _guessed(condition)
    if operator in ("empty", "not empty"):
        return test(operator, kind="STRING" if "STRING" in kinds or not about.kinds else kinds[0])
    if operator == "contains":
        text = str(condition.values[0])
        lists = any(kind.startswith("LIST<") for kind in kinds)
        return test("contains", text, "LIST" if lists else "STRING")
    alternatives: list[Comparisons] = []
    for kind in kinds:
        if operator in _RANGES and (kind == "BOOLEAN" or kind.startswith("LIST<")):
            continue
        values = []
        for value in condition.values:
            if isinstance(value, Quoted) and "STRING" in kinds and kind != "STRING":
                continue
            try:
                values += _converted(value, kind, about, operator)
            except (ValueError, TypeError):
                continue
        if values:
            alternatives.append(_compared(operator, values, kind, test))
    merged = _merged(alternatives, operator)
    if merged is None or not _every_value_fits(condition, kinds, about):
        raise _ill_typed(condition, about)
    return merged


def _every_value_fits(condition: Condition, kinds: tuple[str, ...], about: Stored) -> bool:
    """A value of an ``in`` list that fits no kind is an error, not a value that quietly finds nothing."""
    for value in condition.values:
        for kind in kinds:
            try:
                _converted(value, kind, about, condition.operator)
                break
            except (ValueError, TypeError):
                continue
        else:
            return False
    return True


def _compared(operator: str, values: list[Any], kind: str, test: Any) -> Comparisons:
    """The tests of one kind. A day, month or year is a span: ``<= 2026-08`` includes its last day, and its last second."""
    if kind.startswith("LIST<"):
        unequal = operator in ("<>", "not in")
        held = [test("has not" if unequal else "has", value[0] if isinstance(value, _Span) else value, kind) for value in values]
        return held[0] if len(held) == 1 else Group(tuple(held), any=not unequal)
    spans = [value for value in values if isinstance(value, _Span)]
    if not spans:
        if operator in ("=", "<>") and len(values) == 1:
            return test(operator, values[0], kind)
        if operator in ("=", "in"):
            return test("in", list(values), kind)
        if operator in ("<>", "not in"):
            return test("not in", list(values), kind)
        return test(operator, values[0], kind)
    inside = tuple(Group((test(">=", start, kind), test("<", end, kind))) for start, end in spans)
    if operator in ("=", "in"):
        return inside[0] if len(inside) == 1 else Group(inside, any=True)
    if operator in ("<>", "not in"):
        outside = tuple(Group((test("<", start, kind), test(">=", end, kind)), any=True) for start, end in spans)
        return outside[0] if len(outside) == 1 else Group(outside)
    start, end = spans[0]
    sign, edge = {"<": ("<", start), "<=": ("<", end), ">": (">=", end), ">=": (">=", start)}[operator]
    return test(sign, edge, kind)


def _merged(alternatives: list[Comparisons], operator: str) -> Comparisons | None:
    """Several stored kinds: numbers compare as one, equalities become one list, the rest is an or (an and for unequal)."""
    if len(alternatives) < 2:
        return alternatives[0] if alternatives else None
    unique: dict[tuple, Comparisons] = {}
    for each in alternatives:
        number = isinstance(each, Comparison) and each.kind in _NUMBERS
        unique.setdefault((each.operator, str(each.value)) if number else (id(each),), each)
    alternatives = list(unique.values())
    if len(alternatives) == 1:
        return alternatives[0]
    if all(isinstance(each, Comparison) and each.operator in ("=", "in") for each in alternatives):
        values = [v for each in alternatives for v in (each.value if each.operator == "in" else [each.value])]
        first = alternatives[0]
        return Comparison(first.property, "in", values, first.kind, first.label)
    return Group(tuple(alternatives), any=operator not in ("<>", "not in"))


class _Span(tuple):
    """(start, end) of a day, month or year; the end is outside."""


def _converted(value: Any, kind: str, about: Stored, operator: str) -> list[Any]:
    """``value`` as ``kind`` (one item; two when another spelling of it is stored). Raises ValueError or TypeError."""
    if kind.startswith("LIST<"):
        return _converted(value, kind[5:-1].split(" | ")[0], about, operator)
    if kind == "STRING":
        return _spellings(value, about) if operator in ("=", "in", "<>", "not in") else [_text(value)]
    if kind in _NUMBERS:
        return [_number(value)]
    if kind == "BOOLEAN":
        return [_boolean(value)]
    if kind in _TIMES:
        return [_time(value, zoned=kind == "ZONED TIME")]
    if kind == "DATE" or kind in _MOMENTS:
        return [_moment(value, kind)]
    raise TypeError(kind)


def _text(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        raise TypeError("a number does not order among texts")
    return _as_text(value)


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, (date, time)) else str(value)


def _spellings(value: Any, about: Stored) -> list[str]:
    """The text as given and, when only case or accents differ from a stored value, that value too."""
    text = _as_text(value)
    if text in about.values:
        return [text]
    same = [known for known in about.values if fold(known) == fold(text)]
    return [text, *same[:1]]


def _number(value: Any) -> int | float:
    if isinstance(value, bool):
        raise TypeError("a boolean is no number")
    if isinstance(value, (int, float)):
        return value
    text = str(value).strip()
    if "," in text and "." not in text:
        text = text.replace(",", ".")
    number = float(text)
    if number != number or number in (float("inf"), float("-inf")):
        raise ValueError(text)
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else number


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = fold(str(value).strip())
    if text not in _TRUE + _FALSE:
        raise ValueError(text)
    return text in _TRUE


def _time(value: Any, *, zoned: bool) -> time:
    moment = value if isinstance(value, time) else time.fromisoformat(str(value).strip())
    return moment.replace(tzinfo=moment.tzinfo or UTC) if zoned else moment.replace(tzinfo=None)


def _moment(value: Any, kind: str) -> Any:
    """A date or datetime of ``kind``, or the span that a day, month or year is. A time without a zone is UTC."""
    if isinstance(value, datetime):
        moment: datetime | None = value
    elif isinstance(value, date):
        return _span(value, value + timedelta(days=1), kind)
    else:
        text = str(value).strip()
        if found := _PARTIAL_DATE.match(text):
            year, month, day = (int(part) if part else None for part in found.groups())
            start = date(year, month or 1, day or 1)
            if day:
                end = start + timedelta(days=1)
            else:
                end = date(year + (month in (None, 12)), 1 if month in (None, 12) else month + 1, 1)
            return _span(start, end, kind)
        if found := _DAY_FIRST.match(text):
            start = date(int(found[3]), int(found[2]), int(found[1]))
            return _span(start, start + timedelta(days=1), kind)
        moment = datetime.fromisoformat(text)
    if kind == "DATE":
        return _span(moment.date(), moment.date() + timedelta(days=1), kind)
    if kind == "LOCAL DATETIME":
        return moment.replace(tzinfo=None)
    # A fixed offset: a datetime with zoneinfo crashes the process when the driver packs it. Equal instants of two zones
    # are not equal for the server, so an instant is the span of one microsecond.
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return _Span((aware, aware + timedelta(microseconds=1)))


def _span(start: date, end: date, kind: str) -> Any:
    if kind == "DATE":
        return start if end - start == timedelta(days=1) else _Span((start, end))
    zone = UTC if kind == "ZONED DATETIME" else None
    return _Span((datetime(start.year, start.month, start.day, tzinfo=zone), datetime(end.year, end.month, end.day, tzinfo=zone)))


def _guessed(condition: Condition) -> tuple[str, ...]:
    """Kinds that the values could be, for a property of which no value was seen."""
    kinds = ["STRING"] if all(isinstance(v, (str, date, time)) for v in condition.values) else []
    if any(isinstance(v, Quoted) for v in condition.values):
        return ("STRING",)
    for kind in ("INTEGER", "BOOLEAN", "DATE"):
        try:
            for value in condition.values:
                _converted(value, kind, Stored(""), condition.operator)
            kinds.append(kind)
        except (ValueError, TypeError):
            continue
    return tuple(kinds) or ("STRING",)


def _ill_typed(condition: Condition, about: Stored) -> InputError:
    holds = " or ".join(dict.fromkeys(_PLAIN_NAMES.get(kind, kind.lower()) for kind in about.kinds))
    examples = [example for kind in about.kinds if (example := _EXAMPLES.get(kind))]
    hint = "Such a property can only be tested for 'is empty' and 'is not empty'."
    if examples:
        hint = f"Write it like {examples[0]}."
    if "STRING" in about.kinds:
        hint = "Texts are compared with =, <>, in and contains."
    name = condition.property
    what = f"The filter '{name} {condition.operator} …' has a value that does not fit: '{name}' holds {holds}."
    return InputError(what, hint)
