"""Cypher Query: a fixed, read-only query of the user's, whose ``$parameters`` are filled in."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..cypher.parameter_uses import Property, Use, parameter_uses, stored_types
from ..cypher.parameters import find_parameters
from ..cypher.screen import screen
from ..database.connection import Connection
from ..database.expiring import Expiring
from ..database.reading import Limits, Origin, fetch, operator_procedures, read
from ..defaults import (
    NUMBER_OF_RESULTS,
    PARAMETER_NODES,
    PARAMETER_SECONDS,
    QUERY_TIMEOUT,
    ROWS_PER_RESULT,
    STORED_TYPE_SECONDS,
    TOKEN_LIMIT,
)
from ..errors import InputError, QueryTimeout
from ..records.column_types import parse_column_types
from ..records.values import CellProblem
from ..reply.fitting import fit
from ..reply.values import plain_rows
from ..schema.model import Hidden
from .operator import hidden_names
from .result import Result
from .withheld import check_names, without_hidden

_MISSING_NAME = re.compile(r"missing (label|property|relationship type)(?: name)? is: (.+?)\)")
_NUMBERS = {"INTEGER", "FLOAT"}
# What valueType() names, and how a text becomes that.
_CONVERTERS = parse_column_types(
    {
        "INTEGER": "integer",
        "FLOAT": "float",
        "BOOLEAN": "boolean",
        "DATE": "date",
        "LOCAL DATETIME": "datetime",
        "ZONED DATETIME": "datetime",
        "LOCAL TIME": "time",
        "ZONED TIME": "time",
    }
)
_stored = Expiring(STORED_TYPE_SECONDS, 1_000)


@dataclass(frozen=True)
class CypherQueryRequest:
    """``parameters`` may hold more than the query needs. ``timeout`` in seconds; ``token_limit`` 0 is none.

    ``max_rows`` is ROWS_PER_RESULT for each of ``number_of_results`` unless it is given; ``format`` yaml, json or table.
    """

    cypher: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    number_of_results: int = NUMBER_OF_RESULTS
    timeout: float = QUERY_TIMEOUT
    token_limit: int = TOKEN_LIMIT
    format: str = "yaml"
    max_rows: int | None = None
    client: str = "engine"


async def cypher_query(connection: Connection, request: CypherQueryRequest) -> Result:
    """Run the query, which can only read, and reply with as many whole rows as fit.

    A parameter's value that is text is converted when the query needs something else. What it needs is read from the
    query (``cypher.parameter_uses``): a number, a list, a map, or, where the parameter is compared with a property, what
    that property holds in the graph (looked up, and believed for STORED_TYPE_SECONDS). A property that holds texts, or
    nothing, leaves the text as it is. A list is a JSON list, or parts by lines, else semicolons, else commas.

    ``Result.rows``: plain rows; ``Result.details``: query, columns, more (rows there are beyond the cap), truncated
    (rows of ``rows`` that the text leaves out), milliseconds, converted (parameter: its type), hints (of the server).

    Raises InputError (missing values by name, before connecting; values that do not fit), QueryRefused, QueryFailed,
    QueryTimeout, IndexProblem or ConnectionFailed.
    """
    parameters = _given(request)
    hidden = Hidden(hidden_names())
    check_names(request.cypher, hidden)
    converted: dict[str, str] = {}
    if parameters:
        uses = parameter_uses(request.cypher)
        kinds = await _kinds(connection, uses, parameters)
        for name, value in parameters.items():
            parameters[name] = _converted(name, value, uses.get(name, Use()), kinds)
            if type(parameters[name]) is not type(value):
                converted[name] = type(parameters[name]).__name__
    limits = Limits(request.timeout, request.max_rows or ROWS_PER_RESULT * request.number_of_results)
    reading = await read(connection, request.cypher, parameters, limits=limits, origin=Origin("cypher_query", request.client))
    rows = without_hidden(plain_rows(reading.columns, reading.rows), hidden)
    hints = _hints(reading.notifications)
    notes = () if rows or request.format == "json" else hints  # JSON is for programs: rows, and what was cut
    reply = fit(rows, token_limit=request.token_limit, format=request.format, more=reading.more, notes=notes)
    details = {
        "query": request.cypher,
        "columns": reading.columns,
        "more": reading.more,
        "truncated": reply.truncated,
        "milliseconds": round(reading.milliseconds, 1),
        "converted": converted,
        "hints": hints,
    }
    return Result(reply.text, rows, details)


def _given(request: CypherQueryRequest) -> dict[str, Any]:
    """The values of the parameters that the query has. What is wrong is said before anybody connects."""
    if not request.cypher.strip():
        raise InputError("The query is empty.", "Write it in Cypher, for example MATCH (n) RETURN n LIMIT 5.")
    if request.number_of_results < 1 or (request.max_rows is not None and request.max_rows < 1):
        raise InputError("Number of Results is less than 1.", "Ask for at least one.")
    if not request.timeout > 0:
        raise InputError("Query Timeout is not a positive number of seconds.", "Ten seconds suit most queries.")
    screen(request.cypher, allowed_procedures=operator_procedures())
    names = find_parameters(request.cypher)
    missing = [f"${name}" for name in names if name not in request.parameters]
    if missing:
        raise InputError(
            f"The query has no value for {', '.join(missing)}.",
            "Give each of them one: with --param NAME=VALUE in the command, in params of the MCP tool.",
        )
    return {name: request.parameters[name] for name in names}


async def _kinds(
    connection: Connection, uses: Mapping[str, Use], parameters: Mapping[str, Any]
) -> dict[Property, tuple[str, ...]]:
    """What the properties hold that texts among the parameters are compared with; () where it cannot be told in time."""
    wanted = [p for name, use in uses.items() if _has_text(parameters.get(name)) for p in use.properties]
    place = (connection.uri, connection.username, connection.database)
    known = {p: _stored.get((*place, p)) for p in dict.fromkeys(wanted)}
    if unknown := [p for p, kinds in known.items() if kinds is None]:
        try:
            rows = await fetch(connection, stored_types(unknown), {"looked": PARAMETER_NODES}, timeout=PARAMETER_SECONDS)
        except QueryTimeout:
            rows = []
        for row in rows:
            known[unknown[row["i"]]] = tuple(kind.replace(" NOT NULL", "") for kind in row["types"])
        for prop in unknown:
            known[prop] = known[prop] or ()
            if known[prop]:  # a property of which nothing is stored yet may have values in a moment
                _stored.put((*place, prop), known[prop])
    return known


def _has_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, (list, tuple)) and any(isinstance(item, str) for item in value))


def _converted(name: str, value: Any, use: Use, kinds: Mapping[Property, Sequence[str]]) -> Any:
    if use.kind == "integer":
        return _whole_number(name, value)
    if use.kind == "list":
        items = _listed(name, value)
        return [_typed(name, item, use, kinds) for item in items] if isinstance(items, list) else items
    if not isinstance(value, str):
        return value
    if use.kind == "map" or (use.kind == "json" and value.lstrip()[:1] in ("[", "{")):
        return _json(name, value)
    if use.kind == "number":
        return _number(value)
    return _typed(name, value, use, kinds)


def _whole_number(name: str, value: Any) -> Any:
    if isinstance(value, (str, float)):
        try:
            return _CONVERTERS["INTEGER"](value)
        except CellProblem:
            raise InputError(f"${name} must be a whole number.", "The query uses it as a count or a limit.") from None
    return value


def _number(text: str) -> Any:
    """The number that a text is; another text is left to the server, which may take it (a duration, for instance)."""
    for kind in ("INTEGER", "FLOAT"):
        try:
            return _CONVERTERS[kind](text)
        except CellProblem:
            continue
    return text


def _listed(name: str, value: Any) -> Any:
    if isinstance(value, (list, tuple, set, frozenset)):
        return list(value)
    if isinstance(value, str):
        if value.lstrip().startswith("["):
            return _json(name, value)
        separator = next((mark for mark in ("\n", ";", ",") if mark in value), None)
        return [part.strip() for part in value.split(separator) if part.strip()]
    return [value] if isinstance(value, (bool, int, float, dt.date, dt.time)) else value


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise InputError(f"${name} is not valid JSON.", 'Write a list as ["a", "b"] and a map as {"key": "value"}.') from None


def _typed(name: str, value: Any, use: Use, kinds: Mapping[Property, Sequence[str]]) -> Any:
    """``value`` as what it is compared with; raises InputError when none of the stored types can be made of it."""
    if not isinstance(value, str):
        return value
    held = {kind for p in use.properties for kind in kinds.get(p, ())}
    stored = {kind[5:-1] if kind.startswith("LIST<") else kind for kind in held} | set(use.types)
    if not stored or not stored <= set(_CONVERTERS):
        return value
    if stored & _NUMBERS:
        stored |= _NUMBERS  # 2.5 may be compared with whole numbers
    problems = []
    for kind in (kind for kind in _CONVERTERS if kind in stored):
        try:
            found = _CONVERTERS[kind](value)
        except CellProblem as problem:
            problems.append(str(problem))
            continue
        return _zoned(found) if kind.startswith("ZONED") else found
    compared = (f"{'|'.join(p.labels)}.{p.name}".lstrip(".") for p in use.properties if kinds.get(p))
    where = next(compared, "what it is compared with")
    holds = ", ".join(sorted(stored)).lower()
    raise InputError(f"The value of ${name} does not fit {where}: {problems[-1]}.", f"{where} holds: {holds}.")


def _zoned(moment: Any) -> Any:
    """In UTC, as is taken for granted where no zone is named: for the server, one instant in two zones is not equal."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=dt.UTC)
    return moment.astimezone(dt.UTC) if isinstance(moment, dt.datetime) else moment


def _hints(notifications: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the server finds odd in the query, as sentences: names that the graph does not have."""
    found = [match for n in notifications if (match := _MISSING_NAME.search(str(n.get("description", ""))))]
    return list(dict.fromkeys(f"The graph has no {match[1]} '{match[2]}'." for match in found))
