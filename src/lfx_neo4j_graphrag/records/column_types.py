"""The field Column Types: ``fecha: date, precio: float``, one entry per comma or line."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import InputError
from .values import CellProblem, stored

_WHOLE = re.compile(r"[+-]?\d+\Z")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,(?:\d{1,2}|\d{4,})\Z")
_ENTRY = re.compile(r"\s*(?:`((?:[^`]|``)+)`|\"([^\"]+)\"|([^:]*[^:\s]))\s*:\s*([\w ]+?)\s*\Z")
_TRUE = {"true", "yes", "1", "sí", "si", "verdadero"}
_FALSE = {"false", "no", "0", "falso"}


def _to_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list) else str(value)


def _to_integer(value: Any) -> int:
    if isinstance(value, float) and value.is_integer() or isinstance(value, int) and not isinstance(value, bool):
        number = int(value)
    elif isinstance(value, str) and _WHOLE.match(value.strip()):
        number = int(value)
    else:
        raise CellProblem(f"{_kind(value)} is not a whole number")
    if not -(2**63) <= number < 2**63:
        raise CellProblem("the whole number needs more than 64 bits")
    return number


def _to_float(value: Any) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    text = value.strip() if isinstance(value, str) else ""
    if _NUMBER.match(text):
        return float(text)
    if _DECIMAL_COMMA.match(text):
        return float(text.replace(",", "."))
    raise CellProblem(f"{_kind(value)} is not a number like 12.5 or 12,5 (a comma before three digits could group thousands)")


def _to_boolean(value: Any) -> bool:
    word = str(value).strip().lower()
    if isinstance(value, bool) or word in _TRUE | _FALSE:
        return word in _TRUE
    raise CellProblem(f"{_kind(value)} is neither true nor false")


def _to_datetime(value: Any) -> dt.datetime:
    if isinstance(value, dt.datetime):
        return value
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day)
    try:
        return dt.datetime.fromisoformat(value.strip())
    except (ValueError, AttributeError):
        raise CellProblem(f"{_kind(value)} is not an ISO date and time (2026-09-29T10:30:00)") from None


def _to_date(value: Any) -> dt.date:
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    try:
        return _to_datetime(value).date()
    except CellProblem:
        raise CellProblem(f"{_kind(value)} is not an ISO date (2026-09-29)") from None


def _to_time(value: Any) -> dt.time:
    if isinstance(value, dt.time):
        return value
    try:
        return dt.time.fromisoformat(value.strip())
    except (ValueError, AttributeError):
        raise CellProblem(f"{_kind(value)} is not an ISO time (10:30:00)") from None


def _to_list(value: Any) -> list:
    if isinstance(value, str):
        if value.lstrip().startswith("["):
            try:
                value = json.loads(value)
            except json.JSONDecodeError:
                raise CellProblem("the text starts like a JSON list and is not one") from None
        else:
            value = [part.strip() for part in value.split(";" if ";" in value else ",") if part.strip()]
    value = stored(value if isinstance(value, list) else [value])[0]
    if not isinstance(value, list):
        raise CellProblem("the list holds values of several kinds, which Neo4j cannot store as one list")
    return value


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "text": _to_text,
    "integer": _to_integer,
    "float": _to_float,
    "boolean": _to_boolean,
    "date": _to_date,
    "datetime": _to_datetime,
    "time": _to_time,
    "list": _to_list,
}
_OTHER_NAMES = {
    "string": "text", "str": "text", "texto": "text", "int": "integer", "entero": "integer", "number": "float", "double": "float",
    "decimal": "float", "número": "float", "numero": "float", "bool": "boolean", "booleano": "boolean", "fecha": "date",
    "timestamp": "datetime", "fecha y hora": "datetime", "hora": "time", "lista": "list",
}  # fmt: skip


def parse_column_types(text: str | Mapping[str, str] | None) -> dict[str, Callable[[Any], Any]]:
    """Column name -> function that converts one cell or raises CellProblem.

    Entries are ``column: type``, separated by commas or lines; a column name with a comma or a colon goes in
    backquotes. Types: text, integer, float, boolean, date, datetime, time, list (a JSON list, or parts separated by
    semicolons, else commas).

    Raises InputError that names the entry.
    """
    if isinstance(text, Mapping):
        entries = [(name, kind) for name, kind in text.items()]
    else:
        pieces = re.findall(r"(?:`(?:[^`]|``)*`|\"[^\"]*\"|[^,\r\n])+", text or "")
        entries = [_entry(piece) for piece in pieces if piece.strip()]
    converters: dict[str, Callable[[Any], Any]] = {}
    for name, kind in entries:
        kind = str(kind).strip().lower()
        kind = _OTHER_NAMES.get(kind, kind)
        if kind not in _CONVERTERS:
            raise InputError(f"Column Types: '{kind}' (of column {name}) is not a type.", f"Types are {', '.join(_CONVERTERS)}.")
        if name in converters:
            raise InputError(f"Column Types names the column {name} twice.", "Keep one of the two entries.")
        converters[name] = _CONVERTERS[kind]
    return converters


def _entry(piece: str) -> tuple[str, str]:
    match = _ENTRY.match(piece)
    if not match:
        raise InputError(
            f"Column Types: '{piece.strip()}' was not understood.", "Write column: type, for example fecha: date, precio: float"
        )
    return (match[1].replace("``", "`") if match[1] else match[2] or match[3]), match[4]


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "the text"
    if isinstance(value, (dt.date, dt.time)):
        return "a date or time"
    return "the value"
