"""write_cypher: one statement of a model's that changes data, bounded and looked at before it counts.

It runs once, in one transaction, and is never repeated: screen, the server's own plan, the statement, then what it did.
Too many changes, or a value that the database would not survive, and it is rolled back.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ..cypher.guard_statements import long_filter_values
from ..cypher.plan import check_plan
from ..cypher.screen import screen
from ..database.connection import Connection, driver_for
from ..database.failures import translated
from ..database.indexes import Index, list_indexes
from ..database.reading import Origin, operator_procedures, still_listed
from ..database.sending import sendable
from ..database.slots import Slot, statement_slot
from ..defaults import CLIENT_GRACE, MAX_FILTER_BYTES
from ..errors import GraphRAGError, QueryRefused
from ..reply.values import plain_rows

if TYPE_CHECKING:
    from neo4j import AsyncTransaction

_ORIGIN = Origin("write_cypher", "mcp")
_EXPLAIN = "EXPLAIN "
_COUNTED = (
    "nodes_created",
    "nodes_deleted",
    "relationships_created",
    "relationships_deleted",
    "properties_set",
    "labels_added",
    "labels_removed",
)
_UTF8_MOST = 4  # bytes of one character


@dataclass(frozen=True)
class Written:
    """``changed`` counts by kind what is not zero; ``rows`` are plain, ``more`` when there were more of them."""

    changed: dict[str, int]
    rows: list[dict[str, Any]]
    more: bool


async def write_cypher(
    connection: Connection, query: str, parameters: Mapping[str, Any], *, timeout: float, max_writes: int, max_rows: int
) -> Written:
    """Run ``query`` and commit it, unless it changes more than ``max_writes`` things.

    Raises QueryRefused (nothing was changed), QueryFailed, QueryTimeout, InputError or ConnectionFailed. When the
    connection breaks at the very commit, the sentence says that the outcome is not known.
    """
    text = screen(query, writing=True, allowed_procedures=operator_procedures())
    bound = sendable(parameters)
    guarded = [index for index in await list_indexes(connection) if index.kind == "VECTOR" and index.properties[1:] and index.state != "FAILED"]
    statement = uuid.uuid4().hex
    seconds = timeout + CLIENT_GRACE
    async with statement_slot(connection.uri, statement, seconds, partial(still_listed, connection)) as slot:
        async with translated(connection, timeout, bound), asyncio.timeout(seconds):
            async with _transaction(connection, statement, timeout, slot) as tx:
                async with translated(connection, timeout, bound, prefix=_EXPLAIN):
                    plan = await (await tx.run(_EXPLAIN + text, bound)).consume()
                check_plan(plan.query_type, plan.plan, writing=True, allowed_procedures=operator_procedures())
                result = await tx.run(text, bound)
                records = await result.fetch(max_rows + 1)
                columns = list(result.keys())
                counters = (await result.consume()).counters
                changed = {name: count for name in _COUNTED if (count := getattr(counters, name))}
                if sum(changed.values()) > max_writes:
                    raise QueryRefused(
                        f"The statement makes {sum(changed.values()):,} changes, more than the {max_writes:,} allowed at once; nothing was changed.",
                        "Let it match less, or ask the operator of this server to raise MAX_WRITES.",
                    )
                if {"nodes_created", "relationships_created", "properties_set", "labels_added"} & changed.keys():
                    await _check_filter_values(tx, guarded)
                rows = plain_rows(columns, [list(record) for record in records[:max_rows]])
                await _commit(tx, connection)
    return Written(changed, rows, len(records) > max_rows)


@asynccontextmanager
async def _transaction(connection: Connection, statement: str, timeout: float, slot: Slot) -> AsyncIterator[AsyncTransaction]:
    """A write transaction that is rolled back unless the body commits it."""
    metadata = _ORIGIN.metadata() | {"statement": statement}
    async with driver_for(connection) as driver, driver.session(database=connection.database) as session:
        transaction = await session.begin_transaction(metadata=metadata, timeout=timeout)
        slot.busy = True
        try:
            yield transaction
            slot.busy = False
        finally:
            if not transaction.closed():  # closed already: committed or cancelled
                await transaction.rollback()
                slot.busy = False


async def _check_filter_values(tx: AsyncTransaction, guarded: Sequence[Index]) -> None:
    """Raise QueryRefused when a vector index would have to keep a text that panics the database at commit."""
    for index in guarded:
        text = long_filter_values(index.labels, index.properties[0], index.properties[1:], index.entity == "RELATIONSHIP")
        result = await tx.run(text, characters=MAX_FILTER_BYTES // _UTF8_MOST, most=MAX_FILTER_BYTES)
        async for record in result:
            value = record["value"]
            if value is None or len(value.encode("utf-8", "replace")) > MAX_FILTER_BYTES:
                raise QueryRefused(
                    f"A filterable property of the vector index '{index.name}' would get a text of more than {MAX_FILTER_BYTES:,} bytes, "
                    "which stops the whole database; nothing was changed.",
                    f"Shorten it; these properties take short texts only: {', '.join(index.properties[1:])}.",
                )


async def _commit(tx: AsyncTransaction, connection: Connection) -> None:
    try:
        async with translated(connection):
            await tx.commit()
    except GraphRAGError as error:
        if error.kind in ("connection", "timeout"):
            sentence = f"{error.sentence} Whether the change was saved is not known."
            raise type(error)(sentence, "Look with read_cypher before trying again.", kind=error.kind) from None
        raise
