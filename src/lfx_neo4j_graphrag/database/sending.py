"""Parameter values as the driver can send them."""

from __future__ import annotations

import datetime
import math
import uuid
from collections.abc import Mapping, Sequence, Set
from decimal import Decimal
from enum import Enum
from typing import Any
from zoneinfo import ZoneInfo

from ..errors import InputError

_DEPTH = 60


def sendable(parameters: Mapping[str, Any] | None) -> dict[str, Any]:
    """``parameters`` for the driver: named zones become their offset (packing a ``ZoneInfo`` crashes the process),
    Decimal a number, sets and tuples lists, UUID text, keys of maps text.

    Raises InputError that names the parameter, never its value, for what Neo4j has no type for.
    """
    return {str(name): _value(value, str(name), 0) for name, value in (parameters or {}).items()}


def _value(value: Any, name: str, depth: int) -> Any:
    if value is None or isinstance(value, (bool, float, bytes, bytearray)):
        return value
    if isinstance(value, Enum):
        return _value(value.value, name, depth)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise InputError(f"The value of ${name} is a number beyond 64 bits.", "Pass it as text.")
        return value
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
            raise InputError(f"The text of ${name} holds half a surrogate pair.", "Remove the broken character.")
        return value
    if isinstance(value, Decimal):
        return int(value) if value.is_finite() and value == value.to_integral_value() and abs(value) < 2**63 else float(value)
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(getattr(value, "tzinfo", None), ZoneInfo):
        return _fixed_offset(value)
    if depth >= _DEPTH:
        raise InputError(f"The value of ${name} is nested more than {_DEPTH} deep.", "Pass a flatter value.")
    if isinstance(value, Mapping):
        return {str(key): _value(item, name, depth + 1) for key, item in value.items()}
    if isinstance(value, (Sequence, Set)) and not isinstance(value, memoryview):
        return [_value(item, name, depth + 1) for item in value]
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)) or type(value).__module__.split(".")[0] in (
        "neo4j",
        "numpy",
        "pandas",
    ):
        return value
    raise InputError(
        f"The value of ${name} is of a type that Neo4j has not ({type(value).__name__}).",
        "Use text, numbers, booleans, dates, lists and maps of them.",
    )


def _fixed_offset(value: Any) -> Any:
    """The same instant with the zone's offset at that moment; ``value`` is a datetime or time, of Python or of the driver."""
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=datetime.timezone(value.utcoffset() or datetime.timedelta()))
    if not hasattr(value, "year"):  # a time of day has no date to take the zone's offset from
        return value.replace(tzinfo=None)
    seconds, fraction = math.floor(value.second), value.nanosecond // 1000
    moment = datetime.datetime(value.year, value.month, value.day, value.hour, value.minute, seconds, fraction, value.tzinfo)
    return value.replace(tzinfo=datetime.timezone(moment.utcoffset() or datetime.timedelta()))
