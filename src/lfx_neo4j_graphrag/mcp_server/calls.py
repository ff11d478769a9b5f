"""What each tool does: arguments in, a text out. Everything that goes wrong is a sentence for the model."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from ..asking.names import nearest
from ..database.connection import Connection
from ..defaults import TOP_K, USER_STATEMENTS
from ..errors import ConnectionFailed, EmbeddingProblem, GraphRAGError, InputError, QueryTimeout
from ..operations.cypher_query import CypherQueryRequest, cypher_query
from ..operations.graph_schema import HINT, read_schema, text_within
from ..operations.hybrid import HybridRequest, hybrid
from ..operations.result import Result
from ..operations.search import OWN_COLUMNS
from ..operations.vector import VectorRequest, vector
from ..operations.withheld import check_names, without_hidden
from ..reply.fitting import fit
from ..schema.model import Hidden, Schema
from .catalogue import Catalogue
from .filters import by_property
from .settings import Settings
from .tools import GET_SCHEMA, READ_CYPHER, SEARCH, WRITE_CYPHER, SearchTarget
from .writing import write_cypher

_log = logging.getLogger("lfx_neo4j_graphrag.mcp")
_SCHEMA_HINT = "Ask for a part: get_schema with labels."
_MODEL_SETTING = "On this server the model is set by EMBEDDING_MODEL."
_NO_MODEL_WARNING = "No embedding model is connected"
Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Reply:
    """``failed``: the text is a sentence on what went wrong and one on what to do."""

    text: str
    failed: bool = False


class Calls:
    """The tools of one server. ``connect`` finds the database; ``make_embedder`` the model, None without one."""

    def __init__(
        self,
        settings: Settings,
        connect: Callable[[], Awaitable[Connection]],
        catalogue: Catalogue,
        make_embedder: Callable[[], Any],
    ) -> None:
        self.settings, self.catalogue = settings, catalogue
        self._connect, self._make_embedder = connect, make_embedder
        self._embedder: Any = None
        self._embedder_lock = asyncio.Lock()
        self._turns = asyncio.Semaphore(USER_STATEMENTS)
        self._hidden = Hidden(frozenset(settings.hidden))
        prefix = f"{settings.namespace}_" if settings.namespace else ""
        self._tools: dict[str, Callable[[Arguments], Awaitable[str]]] = {
            prefix + GET_SCHEMA: self._get_schema,
            prefix + READ_CYPHER: self._read_cypher,
        }
        if settings.allow_writes:
            self._tools[prefix + WRITE_CYPHER] = self._write_cypher
        self._search_prefix = prefix + SEARCH

    async def call(self, name: str, arguments: Any) -> Reply:
        """Run a tool. Never raises but for a cancelled call, which also stops what runs in the database."""
        try:
            if arguments is not None and not isinstance(arguments, Mapping):
                raise InputError("The arguments are not an object.", "Send an object with the arguments by name.")
            return Reply(await self._run(name, arguments or {}))
        except GraphRAGError as error:
            about_model = "embedding model" in str(error) and "EMBEDDING_MODEL" not in str(error)
            return Reply(f"{error} {_MODEL_SETTING}" if about_model else str(error), failed=True)
        except Exception as error:  # its text may hold values or secrets
            _log.error("Unexpected %s in %s", type(error).__name__, name, exc_info=True)
            return Reply(f"Something unexpected went wrong ({type(error).__name__}). Try it another way.", failed=True)

    async def _run(self, name: str, arguments: Arguments) -> str:
        if name in self._tools:
            work = self._tools[name]
        elif name.startswith(self._search_prefix) and (target := await self.catalogue.find(name)):
            work = self._search_in(target)
        elif name.startswith(self._search_prefix) and self.catalogue.problem:
            raise self.catalogue.problem
        else:
            there = ", ".join([*self._tools, *self.catalogue.targets])
            raise InputError(f"There is no tool '{name[:80]}'.", f"The tools are: {there}.")
        try:
            return await work(arguments)
        except ConnectionFailed as error:
            if error.kind != "connection" or work == self._write_cypher:
                raise
            # The server was restarted, or something in between dropped an idle connection: the driver has noticed now.
            return await work(arguments)

    # --- schema and Cypher ---------------------------------------------------------------------------------------

    async def _get_schema(self, arguments: Arguments) -> str:
        _only(arguments, "labels")
        settings = self.settings
        schema = await read_schema(
            await self._connect(), timeout=settings.query_timeout, hidden=self._hidden.names, sample_values=settings.sample_values
        )
        return text_within(_part(schema, arguments.get("labels")), settings.token_limit).replace(HINT, _SCHEMA_HINT, 1)

    async def _read_cypher(self, arguments: Arguments) -> str:
        query, params = self._statement(arguments)
        settings = self.settings
        request = CypherQueryRequest(
            cypher=query,
            parameters=params,
            timeout=settings.query_timeout,
            token_limit=settings.token_limit,
            format=settings.format,
            max_rows=settings.max_rows,
            client="mcp",
        )
        connection = await self._connect()
        async with self._turn():
            result = await cypher_query(connection, request)
        if not self._hidden.names:
            return result.text
        rows = without_hidden(result.rows, self._hidden)
        notes = () if rows else result.details["hints"]
        return self._fit(rows, more=result.details["more"], notes=notes)

    async def _write_cypher(self, arguments: Arguments) -> str:
        query, params = self._statement(arguments)
        settings = self.settings
        limits = {"timeout": settings.query_timeout, "max_writes": settings.max_writes, "max_rows": settings.max_rows}
        connection = await self._connect()
        async with self._turn():
            written = await write_cypher(connection, query, params, **limits)
        return self._fit(without_hidden(written.rows, self._hidden), more=written.more, extra={"changed": written.changed})

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Wait in line for one of the statements that may run at once: many clients share them, first come, first served."""
        try:
            async with asyncio.timeout(self.settings.query_timeout):
                await self._turns.acquire()
        except TimeoutError:
            raise QueryTimeout("Too many statements of other clients were waiting.", "Try again in a moment.", kind="busy") from None
        try:
            yield
        finally:
            self._turns.release()

    def _statement(self, arguments: Arguments) -> tuple[str, dict[str, Any]]:
        _only(arguments, "query", "params")
        query = arguments.get("query")
        if not isinstance(query, str) or not query.strip():
            raise InputError("The query is empty.", "Write a Cypher statement in query, for example MATCH (n) RETURN n LIMIT 5.")
        check_names(query, self._hidden)
        return query, _params(arguments.get("params"))

    # --- searches ------------------------------------------------------------------------------------------------

    def _search_in(self, target: SearchTarget) -> Callable[[Arguments], Awaitable[str]]:
        async def work(arguments: Arguments) -> str:
            return await self._search(target, arguments)

        return work

    async def _search(self, target: SearchTarget, arguments: Arguments) -> str:
        settings, index = self.settings, target.index
        _only(arguments, "query", "top_k", "filters", hint="Conditions go into filters.")
        query = arguments.get("query")
        if not isinstance(query, str) or not query.strip():
            raise InputError("The question is empty.", "Write what to search for in query.")
        filters, notes = by_property(arguments.get("filters"), target.filters)
        top_k = _top_k(arguments.get("top_k"))
        if top_k > settings.max_rows:
            notes.append(f"At most {settings.max_rows} results are given (MAX_ROWS).")
        wanted = {
            "query": query,
            "embedder": await self._model(),
            "vector_index": index.name,
            "filters": filters,
            "number_of_results": min(top_k, settings.max_rows),
            "timeout": settings.query_timeout,
            "token_limit": 0,  # cut below, in the shape that MCP has
            "hidden": self._hidden.names,
            "client": "mcp",
        }
        if wanted["embedder"] is None and target.text_index is None:
            raise EmbeddingProblem(
                f"'{index.name}' can only be searched by meaning, and no embedding model is set.",
                "The operator of this server sets EMBEDDING_MODEL (local, or provider:model) to the model that made the vectors. "
                "Until then use read_cypher.",
            )
        connection = await self._connect()
        if target.text_index is not None:
            result = await hybrid(connection, HybridRequest(**wanted, fulltext_index=target.text_index))
        else:
            result = await vector(connection, VectorRequest(**wanted))
        return self._found(result, index.entity == "RELATIONSHIP", len(index.labels) > 1, notes)

    def _found(self, result: Result, relationship: bool, several_labels: bool, notes: list[str]) -> str:
        for warning in result.details["warnings"]:
            without_model = warning.startswith(_NO_MODEL_WARNING)
            notes.append("EMBEDDING_MODEL is not set: only words were searched." if without_model else warning)
        extra = {"filter_mode": result.details["filter_mode"] or "none", "complete": result.details["complete"]}
        rows = without_hidden(result.rows, self._hidden)
        if self.settings.format != "table":  # a table has columns for the properties
            rows = [_nested(row, relationship, several_labels) for row in rows]
        return self._fit(rows, extra=extra, notes=notes, hint="Ask for fewer results (top_k), or filter.")

    async def _model(self) -> Any:
        """The embedding model, made at the first search; a failure is told each time and tried again."""
        if self.settings.embedding_model and self._embedder is None:
            async with self._embedder_lock:
                self._embedder = self._embedder or await asyncio.to_thread(self._make_embedder)
        return self._embedder

    def _fit(self, rows: list[dict[str, Any]], **about: Any) -> str:
        return fit(rows, token_limit=self.settings.token_limit, format=self.settings.format, **about).text


def _part(schema: Schema, labels: Any) -> Schema:
    """The labels asked for, and the relationships and indexes at them. Raises InputError for one that is not there."""
    if not labels:
        return schema
    if isinstance(labels, str):
        labels = labels.split(",")
    if not isinstance(labels, (list, tuple)):
        raise InputError("labels is not a list.", 'Send names: ["Person", "Movie"].')
    wanted = {str(label).strip().strip("`") for label in labels}
    there = [label.name for label in schema.labels]
    if missing := sorted(wanted - set(there)):
        near = nearest(missing[0], there) or there[:20]
        raise InputError(f"There is no label '{missing[0][:60]}'.", f"Labels are: {', '.join(near)}.")
    patterns = tuple(p for p in schema.patterns if {p.start, p.end} & wanted)
    types = {p.type for p in patterns}
    return replace(
        schema,
        labels=tuple(label for label in schema.labels if label.name in wanted),
        types=tuple(kind for kind in schema.types if kind.name in types),
        patterns=patterns,
        indexes=tuple(index for index in schema.indexes if set(index.labels) & (wanted | types)),
        constraints=tuple(constraint for constraint in schema.constraints if set(constraint.labels) & (wanted | types)),
        unmet=(),
    )


def _nested(row: Mapping[str, Any], relationship: bool, several_labels: bool) -> dict[str, Any]:
    """A row of a search as ``{score, node}``, or ``{score, relationship, start, end}``, without what only a table needs."""
    properties = {}
    for name, value in row.items():
        if name not in OWN_COLUMNS:
            own = name.removesuffix(" (property)")
            properties[own if own in OWN_COLUMNS else name] = value
    if several_labels:
        properties = {"labels" if not relationship else "type": row["labels"]} | properties
    found: dict[str, Any] = {"score": round(row["score"], 4), "relationship" if relationship else "node": properties}
    return found | {end: row[end] for end in ("start", "end") if end in row}


def _only(arguments: Arguments, *names: str, hint: str = "") -> None:
    """An argument that would be ignored is refused: the model believes that it counted."""
    unknown = [str(name) for name in arguments if name not in names]
    if unknown:
        raise InputError(f"There is no argument '{unknown[0][:60]}'.", f"The arguments are: {', '.join(names)}. {hint}".strip())


def _params(given: Any) -> dict[str, Any]:
    """Parameters as an object, as JSON text of one, or nothing: clients send all of these."""
    if isinstance(given, str) and given.strip():
        try:
            given = json.loads(given)
        except ValueError:
            raise InputError("params is a text that is no JSON.", 'Send an object: {"name": "Ana"}.') from None
    if given is None or given == "":
        return {}
    if not isinstance(given, Mapping):
        raise InputError("params is not an object.", 'Send the values by name: {"name": "Ana"}.')
    return {str(name): value for name, value in given.items()}


def _top_k(given: Any) -> int:
    if given is None or given == "":
        return TOP_K
    try:
        number = float(given) if not isinstance(given, bool) else None
        if number is not None and number == int(number) and number >= 1:
            return int(number)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError("top_k is no whole number of at least 1.", f"Leave it out for {TOP_K} results.")
