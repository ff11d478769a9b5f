"""The ``filters`` argument of a search tool: JSON Schema typed by what the properties hold, and back to properties."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..defaults import SAMPLE_VALUE_CHARS, SAMPLE_VALUES, SHORT_TEXT, TOOL_FILTERS
from ..errors import InputError
from ..schema.model import Property
from .names import safe_names

# Kinds by Cypher's types in lower case; what is not here (points, vectors, durations) cannot be filtered by.
_KINDS = {
    "string": "text",
    "boolean": "boolean",
    "integer": "number",
    "float": "number",
    "date": "date",
    "local datetime": "datetime",
    "zoned datetime": "datetime",
    "local time": "time",
    "zoned time": "time",
    "list of string": "text list",
}
_WORDS = {
    "text": "text, exact",
    "boolean": "true or false",
    "number": "number",
    "date": "date as YYYY-MM-DD",
    "datetime": "date and time as YYYY-MM-DDTHH:MM:SSZ",
    "time": "time as HH:MM:SS",
    "text list": "list of texts; matches if it holds the text",
}
_RANGED = ("number", "date", "datetime", "time")


@dataclass(frozen=True)
class FilterArgument:
    """``name`` is the key of ``filters``; ``kinds`` several when values of several types were seen.

    ``said`` shows real values (``one of …``, ``from … to …``), ``example`` is one of them.
    """

    name: str
    property: str
    kinds: tuple[str, ...]
    said: str = ""
    example: Any = None

    @property
    def type_words(self) -> str:
        """What it takes, without anything that is of the graph."""
        mixed = " or ".join(_WORDS[kind] for kind in self.kinds)
        return mixed + ("; also {min, max}" if any(kind in _RANGED for kind in self.kinds) else "")

    @property
    def words(self) -> str:
        """One line for the description of the tool."""
        property = f" (property {_json(self.property)})" if self.property != self.name and is_showable(self.property) else ""
        return self.type_words + property + (f"; {self.said}" if self.said else "")


def filter_arguments(properties: Sequence[Property], declared: Sequence[str], texts: Sequence[str] = ()) -> tuple[FilterArgument, ...]:
    """The arguments for ``properties``: those ``declared`` in the index first, then others that are short, up to
    TOOL_FILTERS in all. ``texts`` (what a full-text index reads first) are never filtered by unless declared."""
    known = {item.name: item for item in properties}
    inside = [name for name in declared if name in known]
    others = [item.name for item in properties if item.name not in declared and item.name not in texts and _short(item)]
    chosen = [name for name in inside + others[: max(0, TOOL_FILTERS - len(inside))] if _kinds(known[name])]
    names = safe_names(chosen)
    return tuple(_argument(known[name], names[name], name in texts) for name in chosen)


def _short(item: Property) -> bool:
    return item.longest is None or item.longest <= SHORT_TEXT or item.types[0].startswith("list")


def _kinds(item: Property) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_KINDS[kind] for kind in item.types if kind in _KINDS))


def _argument(item: Property, name: str, text: bool) -> FilterArgument:
    values = [] if text else [value for value in item.values if not (isinstance(value, str) and not is_showable(value))]
    values = values[:SAMPLE_VALUES]
    said, example = "", values[0] if values else None
    if values and item.kind == "range" and len(item.values) == len(values) == 2:
        said = f"from {_json(values[0])} to {_json(values[1])}"
    elif values:
        all_shown = item.kind == "one of" and len(values) == len(item.values)
        said = f"{'one of' if all_shown else 'for example'} {', '.join(map(_json, values))}"
    return FilterArgument(name, item.name, _kinds(item), said, example)


def is_showable(value: str) -> bool:
    """A text of the graph may stand in a description only as one short line: a model may take it for an instruction."""
    return len(value) <= SAMPLE_VALUE_CHARS and value.isprintable() and not value.endswith("…")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# --- JSON Schema -------------------------------------------------------------------------------------------------

_ONE: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "boolean": {"type": "boolean"},
    "number": {"type": "number"},
    "date": {"type": "string"},
    "datetime": {"type": "string"},
    "time": {"type": "string"},
    "text list": {"type": "string"},
}


def filters_schema(arguments: Sequence[FilterArgument]) -> dict[str, Any]:
    """JSON Schema of ``filters``. Plain keywords only: no ``format``, ``null`` or ``$ref``, which some clients refuse."""
    return {
        "type": "object",
        "description": 'Conditions that every result must meet: a value, {"in": [values]}, or a range where it says so.',
        "properties": {argument.name: _schema(argument) for argument in arguments},
        "additionalProperties": False,
    }


def _schema(argument: FilterArgument) -> dict[str, Any]:
    ones: list[dict[str, Any]] = []
    for kind in argument.kinds:
        if _ONE[kind] not in ones:
            ones.append(_ONE[kind])
    if argument.kinds == ("boolean",):
        return {"type": "boolean", "description": argument.type_words}
    one = ones[0] if len(ones) == 1 else {"anyOf": ones}
    more: dict[str, Any] = {"in": {"type": "array", "items": one}}
    if any(kind in _RANGED for kind in argument.kinds):
        more = {"min": one, "max": one} | more
    return {
        "anyOf": [*ones, {"type": "object", "properties": more, "additionalProperties": False}],
        "description": argument.type_words,
    }


# --- and back ----------------------------------------------------------------------------------------------------


def by_property(given: Any, arguments: Sequence[FilterArgument]) -> tuple[dict[str, Any], list[str]]:
    """Filters as the search takes them, by property, and remarks on what was left out.

    Keys may be arguments or properties; others pass as they are, for a property that no sample showed or one of a
    linked node (``Label.property``): the search refuses what does not exist. None, ``""`` and ``{}`` are what some
    models send for "not asked for": no condition.

    Raises InputError for what is no object of conditions, and for a condition given twice.
    """
    if isinstance(given, str) and given.strip()[:1] in ("{", "["):
        try:
            given = json.loads(given)
        except ValueError:
            raise InputError("The filters are no valid JSON.", _advice(arguments)) from None
    if given is None or given == "":
        return {}, []
    if not isinstance(given, Mapping):
        raise InputError("The filters are not an object.", _advice(arguments))
    names = {argument.name: argument.property for argument in arguments}
    filters: dict[str, Any] = {}
    remarks = []
    for key, value in given.items():
        name = names.get(str(key), str(key))
        if isinstance(value, Mapping):
            value = {operator: operand for operator, operand in value.items() if operand is not None and operand != ""}
        if value is None or value == {} or value == []:
            continue
        if value == "":
            remarks.append(f"The filter '{key}' was empty and not applied.")
            continue
        if name in filters:
            raise InputError(f"'{name}' is filtered by twice.", "Give each condition once.")
        filters[name] = value
    return filters, remarks


def _advice(arguments: Sequence[FilterArgument]) -> str:
    if not arguments:
        return "Leave filters out: this index has nothing to filter by."
    return f"Write {_json(example(arguments))}; what can be filtered by: {', '.join(argument.name for argument in arguments)}."


def example(arguments: Sequence[FilterArgument]) -> dict[str, Any]:
    """Two conditions as they may look, with real values where there are some."""
    shown: dict[str, Any] = {}
    for argument in sorted(arguments, key=lambda argument: argument.example is None)[:2]:
        kind = argument.kinds[0]
        stand_in = {"boolean": True, "number": 1, "date": "2026-01-31", "datetime": "2026-01-31T00:00:00Z", "time": "08:00:00"}
        value = argument.example if argument.example is not None else stand_in.get(kind, "…")
        shown[argument.name] = {"min": value} if kind in _RANGED else value
    return shown
