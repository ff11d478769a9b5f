"""The Filters argument of a search as a tool.

Its types come from the results that searches of the same index have given, kept in a file of the user: describing
a tool must not ask the database, and a run cannot change the saved flow. Names and types are kept, never values.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from typing import TYPE_CHECKING, Any, Literal

from ..database.connection import data_folder, resolve
from ..defaults import FILTERABLE_COLUMNS, SHORT_TEXT
from ..errors import GraphRAGError
from .values import Values

if TYPE_CHECKING:
    from pathlib import Path

_LONG = "long"
_NAME = re.compile(r"[^\r\n]{1,64}")  # names are other people's text too
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DATETIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
_SCHEMAS: dict[str, dict[str, str]] = {
    "text": {"type": "string"},
    "boolean": {"type": "boolean"},
    "number": {"type": "number"},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
}
_EQUAL_ONLY = {"text", "boolean"}
_OPERATORS = Literal["=", "<>", "<", "<=", ">", ">=", "in"]
_SCALAR = str | bool | int | float
_ABOUT = "Conditions that every result must meet; leave out what the question does not say."
_log = logging.getLogger(__name__)


def remember(fields: Values, rows: list[dict[str, Any]]) -> None:
    """Keep which properties the results of a search had, and of which types."""
    if fields.text("retrieval_query") or not (path := _file(fields)):
        return  # the columns of a Retrieval Query are no properties
    known = recall(fields)
    types = dict(list(_merged(known, _types_in(rows)).items())[:FILTERABLE_COLUMNS])
    if types == known:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".new")
        draft.write_text(json.dumps(types), encoding="utf-8")
        draft.replace(path)
    except OSError as error:  # a read-only home: the argument stays a list of conditions
        _log.debug("Filter types were not kept: %s", error)


def _types_in(rows: list[dict[str, Any]]) -> dict[str, str]:
    from ..operations.search import OWN_COLUMNS

    found: dict[str, str] = {}
    for row in rows:
        seen = {name: kind for name, value in row.items() if name not in OWN_COLUMNS and _NAME.fullmatch(name) and (kind := _kind(value))}
        found = _merged(found, seen)
    return {name: kind for name, kind in found.items() if kind != _LONG}


def _kind(value: Any) -> str | None:
    if isinstance(value, str):
        return _LONG if len(value) > SHORT_TEXT else "date" if _DATE.fullmatch(value) else "datetime" if _DATETIME.match(value) else "text"
    return {bool: "boolean", int: "number", float: "number"}.get(type(value))


def _merged(one: dict[str, str], other: dict[str, str]) -> dict[str, str]:
    """A property that was seen with two types is text; one that was ever long is none to filter by."""

    def both(a: str, b: str) -> str:
        return a if a == b else _LONG if _LONG in (a, b) else "text"

    return one | {name: both(one.get(name, kind), kind) for name, kind in other.items()}


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

    if not (types := recall(fields)):
        condition = create_model(
            "Condition",
            __config__=ConfigDict(extra="forbid"),
            property=(str, Field(description="A property of the nodes, or Label.property of a linked node.")),
            operator=(_OPERATORS, Field(default="=")),
            value=(_SCALAR | list[_SCALAR], Field(description="A value, or a list of them for in. Dates as YYYY-MM-DD.")),
        )
        return list[condition] | None, Field(default=None, description=_ABOUT)
    properties: dict[str, Any] = {}
    for position, (name, kind) in enumerate(types.items()):
        about = f"{name}, {kind}" + ("" if kind in _EQUAL_ONLY else "; a range as {min, max}")
        # Named by position: a property of somebody's graph can have any name, an attribute of a model can't.
        field = Field(default=None, alias=name, description=about, json_schema_extra=_schema(kind))
        properties[f"property_{position}"] = (Any, field)
    # Open: results show a part of the properties, and Label.property of a linked node can be filtered by as well.
    model = create_model("Filters", __config__=ConfigDict(extra="allow"), **properties)
    return model | None, Field(default=None, description=_ABOUT)


def _schema(kind: str) -> dict[str, Any]:
    one = _SCHEMAS[kind]
    if kind in _EQUAL_ONLY:
        return dict(one)
    return {"anyOf": [one, {"type": "object", "properties": {"min": one, "max": one}, "additionalProperties": False}]}


def plain(filters: Any) -> Any:
    """What an agent gave, without the classes of the tool's arguments: a list of conditions, or property -> value or range."""
    if isinstance(filters, list):
        return [item.model_dump() for item in filters]
    return filters.model_dump(by_alias=True, exclude_none=True) if filters else None
