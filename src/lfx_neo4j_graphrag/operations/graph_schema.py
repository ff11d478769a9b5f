"""Graph Schema: what is in the graph, for a person, for an agent, and for the model that writes Cypher."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..cypher import schema_statements as statements
from ..database.connection import Connection
from ..database.indexes import list_indexes
from ..database.reading import fetch
from ..defaults import SCHEMA_CACHE, SCHEMA_CACHE_SECONDS, SCHEMA_TIMEOUT, TOKEN_LIMIT
from ..errors import InputError
from ..reply.fitting import fit, fit_text
from ..reply.rendering import compact_json
from ..reply.tokens import count_tokens
from ..schema import render
from ..schema.model import Hidden, Schema
from .operator import hidden_names, shows_values
from .result import Result
from .schema_reading import ORIGIN, read_from_database

FORMATS = ("text", "table", "json", "yaml", "mermaid")
HINT = "Raise Token Limit to read more, or 0 for all."
_LEFT_OUT = {
    render.TYPES: "Values are left out to keep to the token limit of {limit}.",
    render.NAMES: "Values and types are left out to keep to the token limit of {limit}.",
}


@dataclass(frozen=True)
class GraphSchemaRequest:
    """``timeout`` in seconds for the whole reading; what doesn't come in time is missing and said to be.

    ``hidden`` adds to what the operator hides by NEO4J_GRAPHRAG_HIDDEN. ``token_limit`` 0 is no limit.
    """

    format: str = "text"
    timeout: float = SCHEMA_TIMEOUT
    token_limit: int = TOKEN_LIMIT
    hidden: frozenset[str] = frozenset()
    sample_values: bool = True


async def graph_schema(connection: Connection, request: GraphSchemaRequest = GraphSchemaRequest()) -> Result:
    """Describe the graph as it is now. ``details`` holds ``schema`` (plain values) and ``mermaid``, whatever the format.

    JSON and YAML are the whole description while that fits the token limit, else the rows of the table that fit.
    Raises InputError for an unknown format and what reading raises.
    """
    if request.format not in FORMATS:
        raise InputError(f"'{request.format}' is not a format of a schema.", f"Choose one of {', '.join(FORMATS)}.")
    schema = await read_schema(
        connection, timeout=request.timeout, hidden=request.hidden, sample_values=request.sample_values, fresh=True
    )
    rows, document, picture = render.to_table(schema), render.to_json(schema), render.to_mermaid(schema)
    limit = request.token_limit
    if request.format == "text":
        text = text_within(schema, limit)
    elif request.format == "mermaid":
        text = fit_text(picture, token_limit=limit, hint=HINT, notice="%% {}")
    elif request.format == "table":
        text = fit(rows, token_limit=limit, format="table", hint=HINT, notes=schema.partial).text
    else:
        text = _whole_document(document, request.format)
        if 0 < limit < count_tokens(text):
            text = fit(rows, token_limit=limit, format=request.format, hint=HINT, notes=schema.partial).text
    return Result(text, rows, {"schema": document, "mermaid": picture})


def text_within(schema: Schema, token_limit: int) -> str:
    """The text in as much detail as the limit takes: without values, then without types, then without its last lines."""
    text = render.to_text(schema)
    for detail, said in _LEFT_OUT.items():
        if token_limit <= 0 or count_tokens(text) <= token_limit:
            return text
        text = f"{said.format(limit=token_limit)} {HINT}\n{render.to_text(schema, detail)}"
    return fit_text(text, token_limit=token_limit, hint=HINT)


def _whole_document(document: dict[str, Any], format: str) -> str:
    if format == "json":
        return compact_json(document) + "\n"
    import yaml

    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=2**31 - 1)


# --- reading, remembered --------------------------------------------------------------------------------------

# (connection, hidden, values, timeout) -> (time, fingerprint, schema); read and written by many loops and threads.
_cache: OrderedDict[tuple, tuple[float, tuple, Schema]] = OrderedDict()
_lock = threading.Lock()


async def read_schema(
    connection: Connection,
    *,
    timeout: float = SCHEMA_TIMEOUT,
    hidden: frozenset[str] = frozenset(),
    sample_values: bool = True,
    fresh: bool = False,
    environ: Mapping[str, str] = os.environ,
) -> Schema:
    """The schema, from memory when the graph's counts and indexes are those of the last reading, at most a minute old.

    What the operator hides (NEO4J_GRAPHRAG_HIDDEN: ``Label``, ``Label.property``, ``property``, by commas) is never in it;
    with SAMPLE_VALUES=false no value of the data is. ``fresh`` reads again whatever is remembered.
    """
    hides = Hidden(frozenset(hidden) | hidden_names(environ))
    values = sample_values and shows_values(environ)
    key = (connection, hides, values)
    fingerprint = await _fingerprint(connection)
    with _lock:
        known = _cache.get(key)
    if known and not fresh and known[1] == fingerprint and time.monotonic() - known[0] < SCHEMA_CACHE_SECONDS:
        return known[2]
    schema = await read_from_database(connection, timeout=timeout, hidden=hides, sample_values=values)
    with _lock:
        _cache.pop(key, None)
        if not schema.partial:  # the next one may come further
            _cache[key] = (time.monotonic(), fingerprint, schema)
        while len(_cache) > SCHEMA_CACHE:
            _cache.popitem(last=False)
    return schema


async def _fingerprint(connection: Connection) -> tuple:
    """What changes with nearly every change of a graph and costs two round trips: totals and the list of indexes."""
    totals, indexes = await asyncio.gather(fetch(connection, statements.TOTALS, origin=ORIGIN), list_indexes(connection))
    return totals[0]["nodes"], totals[0]["relationships"], tuple(indexes)
