"""Reading: the bounded path for statements of users (``read``) and the short one for our own (``fetch``).

``read`` lets nothing but reading through, in layers that do not rely on each other: the lexical screen,
the server's own plan (EXPLAIN), and a READ transaction that is always rolled back. It streams at most
one row more than the cap, and nothing of it is ever retried.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..cypher.plan import check_plan
from ..cypher.screen import screen
from ..defaults import CLIENT_GRACE, MAX_ROWS, QUERY_TIMEOUT
from ..errors import GraphRAGError
from .connection import Connection, driver_for
from .failures import translated

if TYPE_CHECKING:
    from neo4j import AsyncSession

logger = logging.getLogger("lfx_neo4j_graphrag")
APPLICATION = f"lfx-neo4j-graphrag/{__version__}"
ALL_LAYERS = frozenset({"screen", "explain", "read_transaction"})
FETCH_ROWS = 1000


@dataclass(frozen=True)
class Origin:
    """Who asks; travels as transaction metadata into the server's transaction list and query log."""

    operation: str
    client: str = "engine"

    def metadata(self) -> dict[str, str]:
        return {"app": APPLICATION, "operation": self.operation, "client": self.client}


@dataclass(frozen=True)
class Limits:
    """Seconds, rows, and procedures beyond the built-in list (lower-case full names)."""

    timeout: float = QUERY_TIMEOUT
    max_rows: int = MAX_ROWS
    allowed_procedures: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Reading:
    """``rows`` hold raw driver values in the order of ``columns`` (names may repeat); ``more``: rows were left out."""

    columns: list[str]
    rows: list[list[Any]]
    more: bool
    milliseconds: float
    notifications: list[dict[str, Any]] = field(default_factory=list)


async def read(
    connection: Connection,
    cypher: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    limits: Limits = Limits(),
    origin: Origin = Origin("cypher_query"),
    layers: frozenset[str] = ALL_LAYERS,
) -> Reading:
    """Run a user's reading statement. ``layers`` exists for tests, which switch one off at a time.

    Raises QueryRefused, QueryFailed, QueryTimeout, IndexProblem, InputError or ConnectionFailed.
    """
    text = cypher
    if "screen" in layers:
        text = screen(cypher, allowed_procedures=limits.allowed_procedures)
    metadata = origin.metadata() | {"statement": uuid.uuid4().hex}
    started = time.perf_counter()
    async with _logged(origin, started) as outcome:
        async with translated(connection, limits.timeout, parameters), asyncio.timeout(limits.timeout + CLIENT_GRACE):
            async with driver_for(connection) as driver:
                mode = "READ" if "read_transaction" in layers else "WRITE"
                async with driver.session(
                    database=connection.database, default_access_mode=mode, fetch_size=min(limits.max_rows + 1, FETCH_ROWS)
                ) as session:
                    reading = await _run(session, text, parameters, limits, metadata, layers, started)
        outcome.rows = len(reading.rows)
    return reading


async def _run(
    session: AsyncSession, text: str, parameters: Any, limits: Limits, metadata: dict, layers: frozenset[str], started: float
) -> Reading:
    notifications: list[dict] = []
    # Not `async with`: leaving a transaction of the driver without an error commits it.
    transaction = await session.begin_transaction(metadata=metadata, timeout=limits.timeout)
    try:
        if "explain" in layers:
            plan = await (await transaction.run("EXPLAIN " + text, parameters)).consume()
            check_plan(plan.query_type, plan.plan, allowed_procedures=limits.allowed_procedures)
            notifications = plan.notifications or []
        result = await transaction.run(text, parameters)
        records = await result.fetch(limits.max_rows + 1)
        columns = list(result.keys())
    finally:
        if not transaction.closed():
            await transaction.rollback()
    rows = [list(record) for record in records[: limits.max_rows]]
    return Reading(columns, rows, len(records) > limits.max_rows, (time.perf_counter() - started) * 1000, notifications)


async def fetch(
    connection: Connection,
    cypher: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    timeout: float = QUERY_TIMEOUT,
    origin: Origin = Origin("internal"),
) -> list[dict[str, Any]]:
    """Run our own reading statement (auto-commit, READ, not screened) and return all rows as raw driver values."""
    from neo4j import READ_ACCESS, Query

    async with _logged(origin, time.perf_counter()) as outcome:
        async with translated(connection, timeout, parameters), asyncio.timeout(timeout + CLIENT_GRACE):
            async with driver_for(connection) as driver:
                async with driver.session(database=connection.database, default_access_mode=READ_ACCESS) as session:
                    result = await session.run(Query(cypher, metadata=origin.metadata(), timeout=timeout), dict(parameters or {}))
                    rows = [dict(record.items()) async for record in result]
        outcome.rows = len(rows)
    return rows


class _logged:
    """One log line per statement: who, how many rows, how long, how it ended. No values, no query text."""

    def __init__(self, origin: Origin, started: float) -> None:
        self.origin, self.started, self.rows = origin, started, 0

    async def __aenter__(self) -> _logged:
        return self

    async def __aexit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        outcome = "ok" if error is None else error.kind if isinstance(error, GraphRAGError) else "cancelled"
        milliseconds = (time.perf_counter() - self.started) * 1000
        logger.info("%s client=%s rows=%d ms=%.1f %s", self.origin.operation, self.origin.client, self.rows, milliseconds, outcome)
