"""A node's own line: what is indexed for a node that has no text of its own.

``Incidencia INC-2608-07 (fecha: 2026-08-26, estado: abierta). DE_CLIENTE: Bar El Postigo. ASIGNADA_A: Manuel Campos.``
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_MOST_NEIGHBOURS = 20  # of one kind: a client with 500 incidents is not described by their codes
_VALUE_CHARS = 200


def node_line(label: str, key: Any, properties: Mapping[str, Any], neighbours: Iterable[tuple[str, str]]) -> str:
    """``neighbours`` are (relationship type, name). The same node gives the same line: everything is in a fixed order."""
    shown = ", ".join(f"{name}: {_short(value)}" for name, value in sorted(properties.items()) if value is not None)
    line = f"{label} {_short(key)}" + (f" ({shown})" if shown else "") + "."
    by_type: dict[str, list[str]] = {}
    for kind, name in sorted(set(neighbours)):
        by_type.setdefault(kind, []).append(_short(name))
    return line + "".join(f" {kind}: {', '.join(names[:_MOST_NEIGHBOURS])}." for kind, names in by_type.items())


def is_own_line(text: Any, label: str, key: Any, names: Iterable[str]) -> bool:
    """Whether ``text`` was made by ``node_line`` for this node; a text that people or records gave must stay."""
    head = f"{label} {_short(key)}"
    if not isinstance(text, str) or not text.startswith(head):
        return False
    rest = text[len(head) :]
    return rest == "." or bool(re.match(r"\. [^:]+: ", rest)) or any(rest.startswith(f" ({name}: ") for name in names)


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= _VALUE_CHARS else text[: _VALUE_CHARS - 1] + "…"
