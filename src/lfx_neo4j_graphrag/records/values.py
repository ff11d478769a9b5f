"""Cells as Neo4j can store them. Columns are converted whole: plain ones are recognised and passed on untouched."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import json
import math
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

_TEXT, _WHOLE, _FLOAT, _NONE = {str}, {int}, {float}, type(None)
_NUMBERS = {int, float}
_LISTABLE = (str, bool, dt.datetime, dt.date, dt.time, dt.timedelta)
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_EXACT_FLOAT = 2**53  # above it a float that looks whole may stand for another number


class CellProblem(ValueError):
    """A cell that cannot be stored; its text is the reason, without the value."""


@dataclass
class Column:
    """``values`` as Neo4j stores them, None where blank; ``problems`` maps 0-based rows to reasons.

    ``kinds`` are the Python types that occur, ``longest`` the characters of the longest text; ``notes`` tell what was
    stored in another form.
    """

    values: list[Any]
    kinds: set[type]
    longest: int = 0
    problems: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def convert_column(values: list[Any], cell_type: Callable[[Any], Any] | None = None, *, nested: bool = False) -> Column:
    """Convert the cells of one column, then apply ``cell_type`` (see column_types) to those that are not blank.

    Blank: None, NaN, NaT, NA, and text of nothing but white space. A column of floats that are all whole and has
    gaps is what pandas makes of whole numbers with gaps: it becomes whole numbers again. ``nested``: dicts and lists
    stay as they are, for a statement that takes them apart.
    """
    column = _plain(values) or _any(values, nested)
    if cell_type:
        for position, value in enumerate(column.values):
            if value is not None:
                try:
                    column.values[position] = cell_type(value)
                except CellProblem as problem:
                    column.problems[position] = str(problem)
        describe(column)
    return column


def describe(column: Column) -> None:
    """Set ``kinds`` and ``longest`` after the values."""
    column.kinds = set(map(type, column.values)) - {_NONE}
    column.longest = max(map(_length, column.values), default=0) if column.kinds & {str, list} else 0


def _length(value: Any) -> int:
    if type(value) is list:
        return max(map(_length, value), default=0)
    return len(value) if type(value) is str else 0


def _plain(values: list[Any]) -> Column | None:
    """The column if text, whole numbers, floats, booleans and None are all it holds; else None."""
    kinds = set(map(type, values)) - {_NONE}
    if not kinds <= {str, int, float, bool}:
        return None
    if kinds == _FLOAT:
        return _floats(values)
    longest = 0
    if float in kinds and any(value != value for value in values):
        values = [None if value != value else value for value in values]
    if str in kinds:
        texts = values if kinds == _TEXT and None not in values else [value for value in values if type(value) is str]
        if not all(map(str.strip, texts)):
            values = [None if type(value) is str and not value.strip() else value for value in values]
            kinds = set(map(type, values)) - {_NONE}
        if not all(map(str.isascii, texts)) and not all(map(_sendable, texts)):
            return None
        longest = max(map(len, texts))
    if int in kinds:
        whole = values if kinds == _WHOLE and None not in values else [value for value in values if type(value) is int]
        if min(whole) < _SMALLEST or max(whole) > _LARGEST:
            return None
    return Column(values, kinds, longest)


def _floats(values: list[Any]) -> Column:
    filled = [value for value in values if value is not None and value == value]
    if len(filled) == len(values):
        return Column(values, {float})
    gaps = [None if value is None or value != value else value for value in values]
    if any(value is not None and value != value for value in values) and all(_looks_whole(value) for value in filled):
        return Column([None if value is None else int(value) for value in gaps], {int} if filled else set())
    return Column(gaps, {float} if filled else set())


def _looks_whole(value: float) -> bool:
    return value.is_integer() and abs(value) < _EXACT_FLOAT


def _sendable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _any(values: list[Any], nested: bool) -> Column:
    column = Column([None] * len(values), set())
    forms: dict[str, int] = {}
    for position, value in enumerate(values):
        try:
            column.values[position], form = _sent(value) if nested else stored(value)
        except CellProblem as problem:
            column.problems[position] = str(problem)
            continue
        if form:
            forms[form] = forms.get(form, 0) + 1
    column.notes = [f"{count} {'cell was' if count == 1 else 'cells were'} stored as {form}." for form, count in forms.items()]
    if set(map(type, column.values)) <= {float, _NONE} and any(_is_nan(value) for value in values):
        column.values = _floats([float("nan") if value is None else value for value in column.values]).values
    describe(column)
    return column


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value


def _sent(value: Any) -> tuple[Any, str | None]:
    if isinstance(value, Mapping):
        return {str(name): _sent(item)[0] for name, item in value.items()}, None
    if isinstance(value, (list, tuple)):
        return [_sent(item)[0] for item in value], None
    return stored(value)


def stored(value: Any) -> tuple[Any, str | None]:
    """(value as Neo4j stores it, the form it was changed to or None). None is a blank cell.

    Enumerations become their value; Decimal a whole number or a float where that is exact to its own digits, else
    text; UUID and whole numbers beyond 64 bits text; sets sorted lists; dicts and lists that are not of one simple
    kind JSON text. Dates and times stay such, with a fixed offset instead of a named zone: the driver crashes on
    ``zoneinfo``.

    Raises CellProblem for half a surrogate pair and for objects of unknown types.
    """
    if value is None or isinstance(value, bool):
        return value, None
    if isinstance(value, enum.Enum):
        return stored(value.value)
    if isinstance(value, str):
        return _text(str(value)), None
    if isinstance(value, int):
        value = int(value)
        return (value, None) if _SMALLEST <= value <= _LARGEST else (str(value), "text (more than 64 bits)")
    if isinstance(value, float):
        return (None if math.isnan(value) else float(value)), None
    if isinstance(value, decimal.Decimal):
        return _decimal(value)
    if isinstance(value, uuid.UUID):
        return str(value), None
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value), None
    if isinstance(value, (dt.date, dt.time, dt.timedelta)):
        return _temporal(value), None
    if isinstance(value, (set, frozenset)):
        return stored(_in_order(value))
    if isinstance(value, (list, tuple)):
        return _list(list(value))
    if isinstance(value, Mapping):
        return _json(value)
    return _foreign(value)


def _in_order(items: Any) -> list:
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=lambda item: (type(item).__name__, str(item)))


def _text(value: str) -> str | None:
    if not _sendable(value):
        raise CellProblem("the text holds half of a character (a lone surrogate): it was decoded wrongly")
    return value if value.strip() else None


def _decimal(value: decimal.Decimal) -> tuple[Any, str | None]:
    if value.is_nan():
        return None, None
    if value.is_finite() and int(value.as_tuple().exponent) >= 0:
        return stored(int(value))
    as_float = float(value)
    if value.is_finite() and decimal.Decimal(repr(as_float)) != value:
        return str(value), "text (a decimal with more digits than a number holds)"
    return as_float, None


def _temporal(value: Any) -> Any:
    if value != value:  # NaT
        return None
    if hasattr(value, "to_pydatetime"):
        value = value.floor("us").to_pydatetime()
    if hasattr(value, "to_pytimedelta"):
        return value.to_pytimedelta()
    zone = getattr(value, "tzinfo", None)
    if zone is None or type(zone) is dt.timezone:
        return value
    offset = value.utcoffset()
    return value.replace(tzinfo=None if offset is None else dt.timezone(offset))


def _list(items: list[Any]) -> tuple[Any, str | None]:
    try:
        cells = [stored(item)[0] for item in items]
    except CellProblem as problem:
        raise CellProblem(f"in a list, {problem}") from None
    if any(isinstance(item, (list, tuple, set, frozenset, Mapping)) for item in items):
        return _json(items)
    kinds = set(map(type, cells))
    if not kinds or kinds <= _NUMBERS:
        return ([float(cell) for cell in cells] if len(kinds) == 2 else cells), None
    if len(kinds) == 1 and isinstance(cells[0], _LISTABLE):
        return cells, None
    return _json(items)


def _json(value: Any) -> tuple[str, str]:
    try:
        text = json.dumps(value, ensure_ascii=False, default=_json_default)
        if not _sendable(text):
            text = json.dumps(value, default=_json_default)
    except (TypeError, ValueError, RecursionError):
        raise CellProblem("the nested value cannot be written as JSON text") from None
    return text, "JSON text (nested or mixed values)"


def _json_default(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)


def _foreign(value: Any) -> tuple[Any, str | None]:
    """numpy, pandas and driver values, by what they offer."""
    name = type(value).__name__
    if name in ("NAType", "NaTType"):
        return None, None
    if type(value).__module__ == "numpy":
        if name == "datetime64":
            unit = "D" if value.dtype.name[11:-1] in ("Y", "M", "W", "D") else "us"  # datetime64[D] is a date
            return stored(value.astype(f"datetime64[{unit}]").item())
        if name == "timedelta64":
            return stored(value.astype("timedelta64[us]").item())
        return stored(value.tolist())
    if type(value).__module__.startswith("neo4j."):
        if hasattr(value, "to_native"):
            return stored(value.to_native())
        return (value, None) if not hasattr(value, "items") else _json(dict(value.items()))
    if name in ("Period", "Interval"):
        return str(value), None
    raise CellProblem(f"a value of type {name} cannot be stored")
