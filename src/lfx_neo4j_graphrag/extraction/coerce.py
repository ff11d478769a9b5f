"""Values of a model's answer, made storable: of their declared type, of an enumeration, or as they are."""

from __future__ import annotations

import json
import math
import re
from datetime import date, datetime, time
from typing import Any

from ..defaults import MAX_FILTER_BYTES
from .dates import read_date, read_datetime
from .names import fold
from .schema import Property

# What models write instead of leaving a property out.
_NOTHING = {"", "null", "none", "n/a", "undefined", "-", "—"}
_TRUE = {"true", "yes", "si", "sí", "verdadero", "1"}
_FALSE = {"false", "no", "falso", "0"}
_CURRENCY = re.compile(r"\s*(?:€|\$|£|eur(?:os?)?|usd|gbp)\s*", re.IGNORECASE)
_GENDER = re.compile(r"(?:os|as|es|[aoes])$")
_INT64 = 2**63


class Unfit(ValueError):
    """The value cannot be stored as what it was declared; ``reason`` is one of the reasons of a report."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def coerce(value: Any, declared: Property | None) -> Any:
    """The storable form of ``value``; None when it says nothing (empty, null, not a number).

    Raises Unfit when it is not one of the listed values, not of the declared type, or too long to be a property.
    """
    if value is None or (isinstance(value, str) and value.strip().lower() in _NOTHING):
        return None
    if declared and declared.values:
        return _of_values(value, declared.values)
    found = _of_type(value, declared.type) if declared and declared.type else plain(value)
    if isinstance(found, str) and len(found) > MAX_FILTER_BYTES // 4 and len(found.encode()) > MAX_FILTER_BYTES:
        raise Unfit("value too long")
    return found


def plain(value: Any) -> Any:
    """A scalar or a list of scalars of one kind, as Neo4j can store it; anything nested becomes JSON text."""
    if isinstance(value, str):
        return value.strip().encode("utf-8", "replace").decode()
    if value is None or isinstance(value, (bool, date, time)):
        return value
    if isinstance(value, int):
        return value if -_INT64 <= value < _INT64 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (list, tuple)):
        items = [item for item in map(_scalar, value) if item is not None]
        kinds = {float if isinstance(item, (int, float)) and not isinstance(item, bool) else type(item) for item in items}
        if len(items) == len(value) and len(kinds) <= 1:
            return items or None
    return json.dumps(value, ensure_ascii=False, default=str)


def is_nested(value: Any) -> bool:
    """Whether ``plain`` writes this value as JSON text."""
    return isinstance(value, (dict, list, tuple)) and isinstance(plain(value), str)


def _scalar(value: Any) -> Any:
    return None if isinstance(value, (dict, list, tuple)) else plain(value)


def _of_values(value: Any, values: tuple[str, ...]) -> str:
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if not isinstance(value, (str, int, float)):
        raise Unfit("value not allowed")
    wanted = fold(str(value))
    for allowed in values:
        if fold(allowed) == wanted:
            return allowed
    # "abierto" where "abierta" is allowed: gender and number are not another value, as long as only one fits.
    near = [allowed for allowed in values if _GENDER.sub("", fold(allowed)) == _GENDER.sub("", wanted)]
    if len(near) == 1 and len(wanted) > 3:
        return near[0]
    raise Unfit("value not allowed")


def _of_type(value: Any, kind: str) -> Any:
    if kind == "list":
        items = value if isinstance(value, (list, tuple)) else re.split(r"\s*[,;|]\s*", str(value))
        found = plain([item for item in items if item not in (None, "")])
        return [found] if isinstance(found, str) else found
    if kind == "text":
        found = plain(value)
        if isinstance(found, float) and found.is_integer():
            found = int(found)
        return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, default=str)
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    found = _READERS[kind](value) if isinstance(value, (str, int, float, date, time)) else None
    if found is None:
        raise Unfit("value not of its type")
    return found


def _number(value: Any) -> float | None:
    """``1234.5``, ``1.234,50 €``, ``12,5``, ``1,234.50``.

    Alone before exactly three digits a comma groups thousands, a dot doesn't.
    """
    if isinstance(value, bool) or isinstance(value, (date, time)):
        return None
    if isinstance(value, (int, float)):
        return float(value) if math.isfinite(value) else None
    text = _CURRENCY.sub("", value).replace("\u00a0", "").replace(" ", "").replace("\u2212", "-").rstrip("%")
    if not re.fullmatch(r"[+-]?[\d.,]*\d", text):
        return None
    comma, dot = text.rfind(","), text.rfind(".")
    if comma >= 0 and dot >= 0:
        decimal = "," if comma > dot else "."
    else:
        mark = "," if comma >= 0 else "."
        grouped = re.fullmatch(rf"[+-]?[1-9]\d{{0,2}}(?:\{mark}\d{{3}})+", text) and (mark == "," or text.count(mark) > 1)
        decimal = "" if grouped or text.count(mark) > 1 else mark
    plain_text = "".join("." if char == decimal else char for char in text if char not in ",." or char == decimal)
    try:
        return float(plain_text)
    except ValueError:
        return None


def _integer(value: Any) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?[1-9]\d{0,2}(?:\.\d{3})+\s*", value):
        value = value.replace(".", "")
    number = _number(value)
    return int(number) if number is not None and number.is_integer() and abs(number) < _INT64 else None


def _boolean(value: Any) -> bool | None:
    word = str(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def _date(value: Any) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else read_date(value) if isinstance(value, str) else None


def _datetime(value: Any) -> datetime | None:
    if isinstance(value, str):
        return read_datetime(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time())
    return value if isinstance(value, datetime) else None


def _time(value: Any) -> time | None:
    match = re.fullmatch(r"\s*(\d{1,2})[:.h](\d{2})(?::(\d{2}))?\s*h?\.?\s*", str(value))
    try:
        return time(*(int(part or 0) for part in match.groups())) if match else None
    except ValueError:
        return None


_READERS = {"integer": _integer, "float": _number, "boolean": _boolean, "date": _date, "datetime": _datetime, "time": _time}
