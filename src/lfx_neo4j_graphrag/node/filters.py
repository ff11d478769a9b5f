"""The Filters argument of a search as a tool.

Its types come from what a search of the same index saw when it last ran, kept in a file of the user: describing
a tool must not ask the database, and a run cannot change the saved flow. Names and types are kept, never values.
"""

from __future__ import annotations

import hashlib
import json
import logging
from typing import TYPE_CHECKING, Any, Literal

from ..database.connection import data_folder, resolve
from ..errors import GraphRAGError
from .values import Values

if TYPE_CHECKING:
    from pathlib import Path

_TYPES = {"text": "string", "boolean": "boolean", "number": "number", "date": "string", "datetime": "string"}
_ORDERED = {"number", "date", "datetime"}
_OPERATORS = Literal["=", "<>", "<", "<=", ">", ">=", "in"]
_SCALAR = str | bool | int | float
_ABOUT = "Conditions that every result must meet; leave out what the question does not say."
_log = logging.getLogger(__name__)


def remember(fields: Values, types: dict[str, str] | None) -> None:
    """Keep the types of the filterable properties (text, number, boolean, date, datetime) that a search reported."""
    if not types:
        return
    path = _file(fields)
    kept = {name: kind for name, kind in types.items() if kind in _TYPES}
    if path is None or not kept or recall(fields) == kept:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".new")
        draft.write_text(json.dumps(kept), encoding="utf-8")
        draft.replace(path)
    except OSError as error:  # a read-only home: the argument stays a list of conditions
        _log.debug("Filter types were not kept: %s", error)


def recall(fields: Values) -> dict[str, str]:
    """What ``remember`` kept for this server, database and index; empty before the first search."""
    path = _file(fields)
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path else {}
    except (OSError, ValueError):
        return {}


def _file(fields: Values) -> Path | None:
    try:
        connection = resolve(*(fields.text(name) for name in ("uri", "username", "password", "database")))
    except GraphRAGError:
        return None
    place = "\n".join([connection.uri, connection.database or "", fields.text("vector_index")])
    return data_folder() / "filters" / f"{hashlib.sha256(place.encode()).hexdigest()[:24]}.json"


def filters_argument(fields: Values) -> tuple[Any, Any]:
    """Type and description of the ``filters`` argument: typed by property where that is known, else a list of conditions."""
    from pydantic import ConfigDict, Field, create_model

    strict = ConfigDict(extra="forbid")
    if not (types := recall(fields)):
        condition = create_model(
            "Condition",
            __config__=strict,
            property=(str, Field(description="A property of the nodes, or Label.property of a linked node.")),
            operator=(_OPERATORS, Field(default="=")),
            value=(_SCALAR | list[_SCALAR], Field(description="A value, or a list of them for in. Dates as YYYY-MM-DD.")),
        )
        return list[condition] | None, Field(default=None, description=_ABOUT)
    properties: dict[str, Any] = {}
    for position, (name, kind) in enumerate(types.items()):
        ranged = kind in _ORDERED
        described = f"{name} ({kind}); a range as {{min, max}}" if ranged else f"{name} ({kind})"
        # Named by position: a property of somebody's graph can have any name, an attribute of a model can't.
        properties[f"property_{position}"] = (Any, Field(default=None, alias=name, description=described, json_schema_extra=_schema(kind)))
    model = create_model("Filters", __config__=strict, **properties)
    return model | None, Field(default=None, description=_ABOUT)


def _schema(kind: str) -> dict[str, Any]:
    one = {"type": _TYPES[kind]} | ({"format": "date" if kind == "date" else "date-time"} if kind in {"date", "datetime"} else {})
    if kind not in _ORDERED:
        return one
    limits = {"type": "object", "properties": {"min": one, "max": one}, "additionalProperties": False}
    return {"anyOf": [one, limits]}


def conditions(filters: Any) -> list[dict[str, Any]]:
    """What an agent gave, as a list of {property, operator, value}."""
    if not filters:
        return []
    if isinstance(filters, list):
        return [item if isinstance(item, dict) else item.model_dump() for item in filters]
    given = filters if isinstance(filters, dict) else filters.model_dump(by_alias=True, exclude_none=True)
    found = []
    for name, value in given.items():
        if isinstance(value, dict):
            found += [(name, operator, value[limit]) for limit, operator in (("min", ">="), ("max", "<=")) if value.get(limit) is not None]
        elif value is not None:
            found.append((name, "in" if isinstance(value, list) else "=", value))
    return [{"property": name, "operator": operator, "value": bound} for name, operator, bound in found]
