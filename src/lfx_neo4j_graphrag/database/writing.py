"""Writing: managed transactions that the driver retries, in batches and streams, and schema changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

from ..defaults import CLIENT_GRACE, QUERY_TIMEOUT, RETRY_TIME, SCHEMA_CHANGE_TIMEOUT, WRITE_BATCH
from .connection import Connection, driver_for
from .failures import translated
from .reading import Origin

Statement = tuple[str, Mapping[str, Any]]
Progress = Callable[[int, int, str], Any]
_Batch = TypeVar("_Batch")


@dataclass(frozen=True)
class Counters:
    """What the server counted, and how often a transaction was run again after a deadlock or another passing fault."""

    nodes_created: int = 0
    nodes_deleted: int = 0
    relationships_created: int = 0
    relationships_deleted: int = 0
    properties_set: int = 0
    labels_added: int = 0
    retries: int = 0

    def __add__(self, other: Counters) -> Counters:
        return Counters(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Counters)))


async def write(
    connection: Connection,
    statements: str | Sequence[Statement],
    parameters: Mapping[str, Any] | None = None,
    *,
    timeout: float = QUERY_TIMEOUT,
    origin: Origin = Origin("write"),
    undo: bool = False,
) -> Counters:
    """Run one statement, or several in order, in one write transaction; ``timeout`` seconds for all of them.

    The driver repeats the whole transaction after deadlocks and other passing faults. ``undo`` counts what would
    change and rolls back.

    Raises the errors of ``failures.explain``; ``kind`` ``constraint`` when a value that must be unique exists.
    """
    from neo4j import unit_of_work

    todo = [(statements, parameters or {})] if isinstance(statements, str) else list(statements)
    attempts = 0

    async def work(transaction: Any) -> Counters:
        nonlocal attempts
        attempts += 1
        total = Counters()
        for text, values in todo:
            total += _counted((await (await transaction.run(text, dict(values))).consume()).counters)
        return total

    async with _session(connection, timeout, RETRY_TIME, todo[0][1] if todo else {}) as session:
        if not undo:
            total = await session.execute_write(unit_of_work(metadata=origin.metadata(), timeout=timeout)(work))
            return total + Counters(retries=attempts - 1)
        transaction = await session.begin_transaction(metadata=origin.metadata(), timeout=timeout)
        try:
            return await work(transaction)
        finally:
            if not transaction.closed():
                await transaction.rollback()


def _counted(counters: Any) -> Counters:
    return Counters(*(getattr(counters, f.name) for f in fields(Counters) if f.name != "retries"))


async def read_current(
    connection: Connection,
    cypher: str,
    parameters: Mapping[str, Any],
    *,
    timeout: float = QUERY_TIMEOUT,
    origin: Origin = Origin("write"),
) -> list[dict[str, Any]]:
    """Read what a write is about to be compared with: in a cluster from the leader, which a plain read may lag behind."""
    from neo4j import Query

    async with _session(connection, timeout, 0, parameters) as session:
        result = await session.run(Query(cypher, metadata=origin.metadata(), timeout=timeout), dict(parameters))
        return [dict(record.items()) async for record in result]


async def explain(
    connection: Connection,
    cypher: str,
    parameters: Mapping[str, Any],
    *,
    timeout: float = QUERY_TIMEOUT,
    origin: Origin = Origin("write"),
) -> tuple[str, Mapping[str, Any] | None]:
    """(query type, plan) by which the server would run the statement; nothing runs."""
    from neo4j import Query

    async with _session(connection, timeout, 0, parameters) as session:
        query = Query("EXPLAIN " + cypher, metadata=origin.metadata(), timeout=timeout)
        summary = await (await session.run(query, dict(parameters))).consume()
        return summary.query_type, summary.plan


SchemaOutcome = Literal["made", "exists", "blocked", "duplicates", "forbidden"]
_SCHEMA_OUTCOMES: dict[str, SchemaOutcome] = {
    "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists": "exists",
    "Neo.ClientError.Schema.ConstraintAlreadyExists": "exists",
    "Neo.ClientError.Schema.IndexWithNameAlreadyExists": "exists",
    "Neo.ClientError.Schema.ConstraintWithNameAlreadyExists": "exists",
    "Neo.ClientError.Schema.IndexAlreadyExists": "blocked",
    "Neo.DatabaseError.Schema.ConstraintCreationFailed": "duplicates",
    "Neo.ClientError.Schema.ConstraintValidationFailed": "duplicates",
    "Neo.ClientError.Security.Forbidden": "forbidden",
}


async def run_schema(
    connection: Connection, cypher: str, parameters: Mapping[str, Any] | None = None, *, timeout: float = SCHEMA_CHANGE_TIMEOUT
) -> SchemaOutcome:
    """Make or drop a constraint or an index; ``timeout`` is long because a constraint is checked on all its nodes.

    ``exists``: there is an equal one, or one of that name; ``blocked``: an index on the same properties forbids it;
    ``duplicates``: the data break the constraint; ``forbidden``: the user may not. Everything else is raised.
    """
    from neo4j import unit_of_work
    from neo4j.exceptions import Neo4jError

    @unit_of_work(metadata=Origin("schema").metadata(), timeout=timeout)
    async def work(transaction: Any) -> None:
        await (await transaction.run(cypher, dict(parameters or {}))).consume()

    async with _session(connection, timeout, RETRY_TIME, {}) as session:
        try:
            await session.execute_write(work)
        except Neo4jError as error:
            if error.code in _SCHEMA_OUTCOMES:
                return _SCHEMA_OUTCOMES[error.code]
            raise
    return "made"


async def write_batches(
    connection: Connection,
    cypher: str,
    rows: Sequence[Any],
    *,
    batch: int = WRITE_BATCH,
    streams: int = 1,
    timeout: float = QUERY_TIMEOUT,
    origin: Origin = Origin("write"),
    progress: Progress | None = None,
    what: str = "rows",
) -> Counters:
    """Run ``cypher`` with ``$rows`` in batches, each a transaction; ``progress(done, total, what)`` after each."""
    total, done = Counters(), 0

    async def save(some: Sequence[Any]) -> None:
        nonlocal total, done
        counted = await write(connection, cypher, {"rows": some}, timeout=timeout, origin=origin)
        total, done = total + counted, done + len(some)
        if progress:
            progress(done, len(rows), what)

    await in_streams((rows[i : i + batch] for i in range(0, len(rows), batch)), save, streams)
    return total


async def in_streams(batches: Iterable[_Batch], save: Callable[[_Batch], Awaitable[None]], streams: int) -> None:
    """Take batches one by one and save them, ``streams`` at a time. The first error stops all and is raised."""
    waiting = iter(batches)

    async def stream() -> None:
        for batch in waiting:
            await save(batch)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(streams):
                group.create_task(stream())
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None


@asynccontextmanager
async def _session(connection: Connection, timeout: float, retry_time: float, values: Mapping[str, Any]) -> AsyncIterator[Any]:
    """A session with write access, under a deadline, with errors translated."""
    async with translated(connection, timeout, values), asyncio.timeout(timeout + retry_time + CLIENT_GRACE):
        async with (
            driver_for(connection) as driver,
            driver.session(database=connection.database, notifications_min_severity="OFF") as session,
        ):
            yield session
