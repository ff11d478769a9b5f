"""Reading: the bounded path for statements of users (``read``) and the short one for our own (``fetch``).

``read`` lets nothing but reading through, in layers that do not rely on each other: the lexical screen,
the server's own plan (EXPLAIN), and a READ transaction that is always rolled back. It streams at most
one row more than the cap, runs at most USER_STATEMENTS at once on a server, and retries nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..cypher.plan import check_plan
from ..cypher.screen import screen
from ..defaults import CLIENT_GRACE, MAX_ROWS, QUERY_TIMEOUT, VERDICT_SECONDS, VERDICTS
from ..errors import ConnectionFailed, GraphRAGError, QueryTimeout
from .connection import Connection, driver_for
from .expiring import Expiring
from .failures import translated
from .sending import sendable
from .slots import Slot, statement_slot

if TYPE_CHECKING:
    from neo4j import AsyncSession, AsyncTransaction, Record

logger = logging.getLogger("lfx_neo4j_graphrag")
APPLICATION = f"lfx-neo4j-graphrag/{__version__}"
ALL_LAYERS = frozenset({"screen", "explain", "read_transaction"})
_EXPLAIN = "EXPLAIN "
_FETCH_ROWS = 1000  # rows per message of the server, when the cap is larger
_ASK_SECONDS = 0.5  # how long the server is asked about statements that were given up on

_LISTED = (
    "SHOW TRANSACTIONS YIELD transactionId, metaData, status WHERE metaData.statement IN $statements "
    "RETURN metaData.statement AS statement, transactionId AS id, status"
)
_TERMINATE = "TERMINATE TRANSACTIONS $ids"

# Statements whose EXPLAIN was found harmless lately, with its notifications. A verdict depends on the text, the
# database, the user's rights and the server's procedures: the first three are in the key (as a digest, no text), the
# last may be replaced at any time, so it is believed for a minute only, and the READ transaction is never left out.
# Refusals are not kept: they raise.
_verdicts = Expiring(VERDICT_SECONDS, VERDICTS)


@dataclass(frozen=True)
class Origin:
    """Who asks; travels as transaction metadata into the server's transaction list and query log."""

    operation: str
    client: str = "engine"

    def metadata(self) -> dict[str, str]:
        return {"app": APPLICATION, "operation": self.operation, "client": self.client}


@dataclass(frozen=True)
class Limits:
    """Seconds, rows, and procedures or functions beyond the built-in list (lower-case full names, or ``apoc.meta.*``)."""

    timeout: float = QUERY_TIMEOUT
    max_rows: int = MAX_ROWS
    allowed_procedures: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Reading:
    """``rows`` hold raw driver values in the order of ``columns`` (names may repeat); ``more``: rows were left out.

    ``notifications`` are the server's hints on the statement (unknown label or property, cartesian product, …).
    """

    columns: list[str]
    rows: list[list[Any]]
    more: bool
    milliseconds: float
    notifications: list[dict[str, Any]] = field(default_factory=list)


def operator_procedures(environ: Mapping[str, str] = os.environ) -> frozenset[str]:
    """Procedures and functions that the operator allows beside the built-in list: NEO4J_GRAPHRAG_PROCEDURES, by commas.

    ``apoc.meta.*`` allows a namespace.
    """
    names = environ.get("NEO4J_GRAPHRAG_PROCEDURES", "").split(",")
    return frozenset(name.strip().lower() for name in names if name.strip())


async def read(
    connection: Connection,
    cypher: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    limits: Limits = Limits(),
    origin: Origin = Origin("cypher_query"),
    layers: frozenset[str] = ALL_LAYERS,
    before_run: Callable[[list[dict[str, Any]]], None] | None = None,
) -> Reading:
    """Run a user's reading statement. ``layers`` exists for tests, which switch one off at a time.

    ``before_run`` gets the server's notifications on the statement and stops it by raising a GraphRAGError.

    The caller has its rows or its error within ``limits.timeout`` + CLIENT_GRACE seconds and a little, whatever the
    server does. Raises QueryRefused, QueryFailed, QueryTimeout, IndexProblem, InputError or ConnectionFailed.
    """
    started = time.perf_counter()
    statement = uuid.uuid4().hex
    metadata = origin.metadata() | {"statement": statement}
    seconds = limits.timeout + CLIENT_GRACE
    listed_of = partial(still_listed, connection)
    with _logged(origin) as outcome:
        allowed = limits.allowed_procedures | operator_procedures()
        text = screen(cypher, allowed_procedures=allowed) if "screen" in layers else cypher
        bound = sendable(parameters)
        async with statement_slot(connection.uri, statement, seconds, listed_of) as slot:
            try:
                async with translated(connection, limits.timeout, bound), asyncio.timeout(seconds):
                    async with _read_session(connection, limits, layers) as session:
                        async with _rolled_back(session, metadata, limits.timeout, slot) as tx:
                            notifications: list[dict[str, Any]] = []
                            if "explain" in layers:
                                notifications = await _explained(tx, connection, text, bound, allowed, limits.timeout)
                            if before_run:
                                before_run(notifications)
                            result = await tx.run(text, bound)
                            records: list[Record] = await result.fetch(limits.max_rows + 1)
                            columns = list(result.keys())
            except QueryTimeout:
                if slot.busy and await listed_of([statement]) == set():
                    slot.busy = False
                raise
        rows = [list(record) for record in records[: limits.max_rows]]
        outcome.rows = len(rows)
    milliseconds = (time.perf_counter() - started) * 1000
    return Reading(columns, rows, len(records) > limits.max_rows, milliseconds, notifications)


@asynccontextmanager
async def _read_session(connection: Connection, limits: Limits, layers: frozenset[str]) -> AsyncIterator[AsyncSession]:
    mode = "READ" if "read_transaction" in layers else "WRITE"
    fetch_size = min(limits.max_rows + 1, _FETCH_ROWS)
    async with driver_for(connection) as driver:
        async with driver.session(database=connection.database, default_access_mode=mode, fetch_size=fetch_size) as session:
            yield session


@asynccontextmanager
async def _rolled_back(session: AsyncSession, metadata: dict, timeout: float, slot: Slot) -> AsyncIterator[AsyncTransaction]:
    """A transaction that never commits: the driver's own context manager would, when nothing fails."""
    transaction = await session.begin_transaction(metadata=metadata, timeout=timeout)
    slot.busy = True
    try:
        yield transaction
    finally:
        if not transaction.closed():  # closed already: cancelled, and the server may go on
            await transaction.rollback()
            slot.busy = False


async def _explained(
    tx: AsyncTransaction, connection: Connection, text: str, parameters: dict, allowed: frozenset[str], timeout: float
) -> list[dict[str, Any]]:
    """The server's notifications on ``text``; raises QueryRefused when its plan would do more than read."""
    digest = hashlib.sha256(text.encode()).digest()
    key = (connection.uri, connection.username, connection.database, allowed, digest)
    notifications = _verdicts.get(key)
    if notifications is None:
        async with translated(connection, timeout, parameters, prefix=_EXPLAIN):
            summary = await (await tx.run(_EXPLAIN + text, parameters)).consume()
        check_plan(summary.query_type, summary.plan, allowed_procedures=allowed)
        notifications = [dict(notification) for notification in summary.notifications or ()]
        _verdicts.put(key, notifications)
    return notifications


async def still_listed(connection: Connection, statements: list[str]) -> set[str] | None:
    """Those of ``statements`` that the server still lists, each asked to end; None when it cannot say in half a second."""
    try:
        async with asyncio.timeout(_ASK_SECONDS):
            listed = await fetch(connection, _LISTED, {"statements": statements}, timeout=_ASK_SECONDS)
            if ids := [row["id"] for row in listed if not row["status"].startswith("Terminated")]:
                await fetch(connection, _TERMINATE, {"ids": ids}, timeout=_ASK_SECONDS)
            return {row["statement"] for row in listed}
    except ConnectionFailed:
        return set()  # a server that is gone runs nothing, and whoever comes next shall hear that it is gone
    except (GraphRAGError, TimeoutError):
        return None


async def fetch(
    connection: Connection,
    cypher: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    timeout: float = QUERY_TIMEOUT,
    origin: Origin = Origin("internal"),
) -> list[dict[str, Any]]:
    """Run our own reading statement (auto-commit, READ, not screened) and return all rows as raw driver values.

    Raises what ``read`` raises, but QueryRefused. Nothing is retried.
    """
    from neo4j import READ_ACCESS, Query

    with _logged(origin) as outcome:
        bound = sendable(parameters)
        async with translated(connection, timeout, bound), asyncio.timeout(timeout + CLIENT_GRACE):
            async with driver_for(connection) as driver:
                async with driver.session(
                    database=connection.database, default_access_mode=READ_ACCESS, notifications_min_severity="OFF"
                ) as session:
                    result = await session.run(Query(cypher, metadata=origin.metadata(), timeout=timeout), bound)
                    rows = [dict(record.items()) async for record in result]
        outcome.rows = len(rows)
    return rows


@dataclass
class _Outcome:
    rows: int = 0


@contextmanager
def _logged(origin: Origin) -> Iterator[_Outcome]:
    """One log line per statement: who, how many rows, how long, how it ended. No values, no query text."""
    outcome, ended, started = _Outcome(), "cancelled", time.perf_counter()
    try:
        yield outcome
        ended = "ok"
    except GraphRAGError as error:
        ended = error.kind
        raise
    finally:
        milliseconds = (time.perf_counter() - started) * 1000
        who = (origin.operation, origin.client)
        logger.info("operation=%s client=%s rows=%d ms=%.1f outcome=%s", *who, outcome.rows, milliseconds, ended)
