"""Names and values as they are shown: ready to be copied into a statement, always on one line."""

from __future__ import annotations

import re
from typing import Any

from ..cypher.names import quote
from ..errors import InputError

_PLAIN = re.compile(r"[^\W\d]\w*\Z")


def shown(name: str) -> str:
    """A label, type, property or index as Cypher takes it: backquoted where it must be, line breaks as ``\\u000a``."""
    if _PLAIN.match(name):
        return name
    try:
        quoted = quote(name)
    except InputError:  # empty or NUL: no statement can name it
        quoted = f"`{name}`"
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in quoted)


def pattern(start: str, kind: str, end: str) -> str:
    """``(:Start)-[:TYPE]->(:End)``; an empty label is any node."""
    return f"({_label(start)})-[:{shown(kind)}]->({_label(end)})"


def literal(value: Any) -> str:
    """A value as Cypher would write it: texts in single quotes, numbers short."""
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return number(value)


def number(value: Any) -> str:
    """At most six significant digits; what is not a number (a date, Infinity) as it is."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
    return str(value)


def _label(name: str) -> str:
    return f":{shown(name)}" if name else ""
