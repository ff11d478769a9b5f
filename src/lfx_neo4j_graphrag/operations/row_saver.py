"""Saving rows of one label: compare with what is stored, write what differs, leave out what the server refuses."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, TypeVar

from ..cypher import write_statements
from ..database.connection import Connection
from ..database.reading import Origin
from ..database.writing import Counters, Progress, Statement, in_streams, read_current, write
from ..defaults import SERVER_REJECTS, WRITE_BATCH, WRITE_CHARACTERS, WRITE_STREAMS
from ..errors import GraphRAGError, InputError, QueryFailed, QueryTimeout
from ..records.changes import Changes, Shape, compare

logger = logging.getLogger("lfx_neo4j_graphrag")
_SMALLEST_TIMED_OUT = 100
_Row = TypeVar("_Row")


async def save_apart(
    batch: Sequence[_Row], save: Callable[[Sequence[_Row]], Awaitable[None]], refused: list[tuple[_Row, str]]
) -> None:
    """Save a batch; when the server refuses it, find the rows at fault by halving and add them to ``refused``.

    Raises the server's error when it has refused so many rows that all of them must be wrong, and when even a small
    batch takes too long.
    """
    try:
        await save(batch)
    except (QueryFailed, QueryTimeout, InputError) as error:
        if isinstance(error, QueryTimeout) and len(batch) <= _SMALLEST_TIMED_OUT or len(refused) >= SERVER_REJECTS:
            raise
        if len(batch) == 1:
            refused.append((batch[0], error.sentence))
            return
        middle = len(batch) // 2
        await save_apart(batch[:middle], save, refused)
        await save_apart(batch[middle:], save, refused)


class RowSaver:
    """Nodes of ``label`` known by ``key``, laid out as ``shape`` says, with ``links`` to nodes that exist already.

    ``unique``: a constraint protects the key, so that new nodes may be created without looking again; ``empty``: the
    label has no nodes, so that there is nothing to compare with. After ``save``
    or ``preview``, ``totals`` has what was found to change, ``counters`` what the server counted, ``refused`` the
    (row, reason) pairs that it would not take.
    """

    def __init__(
        self,
        connection: Connection,
        label: str,
        key: str,
        shape: Shape,
        links: Sequence[write_statements.Link] = (),
        *,
        unique: bool,
        empty: bool = False,
        timeout: float,
        origin: Origin,
    ) -> None:
        self.connection, self.timeout, self.origin = connection, timeout, origin
        self.shape, self.unique, self.empty = shape, unique, empty
        self.totals = Changes(links_added=[0] * len(links), links_removed=[0] * len(links), links_kept=[0] * len(links))
        self.created = 0
        self.created_keys: list[Any] = []
        self.counters = Counters()
        self.refused: list[tuple[tuple, str]] = []
        self._stored = write_statements.stored_nodes(label, key, shape.properties, links, shape.embedding)
        self._create = write_statements.create_nodes(label, key, shape.properties, links)
        self._merge = write_statements.merge_nodes(label, key, shape.properties)
        self._update = write_statements.update_nodes(label, key)
        self._replace = [write_statements.replace_links(label, key, link) for link in links]
        # Changed nodes and links are written by one stream at a time: two would meet in deadlocks at every hub.
        self._one_writer = asyncio.Lock()

    async def save(self, rows: Sequence[tuple], progress: Progress | None = None, what: str = "rows") -> None:
        """Save in batches, each a transaction. Stopping between two of them loses nothing: saving again goes on.

        Raises what the server raises for a whole batch; the sentence then says how many rows are saved.
        """
        done = 0

        async def one(batch: Sequence[tuple]) -> None:
            nonlocal done
            await save_apart(batch, self._save, self.refused)
            done += len(batch)
            if progress:
                progress(done, len(rows), what)

        try:
            await in_streams(self._batches(rows), one, WRITE_STREAMS)
        except asyncio.CancelledError:
            logger.info("%s stopped: %d of %d %s are saved", self.origin.operation, done, len(rows), what)
            raise
        except GraphRAGError as error:
            saved = f"{done:,} of {len(rows):,} {what} were saved before; loading again continues there."
            raise type(error)(error.sentence, f"{error.advice} {saved}".strip(), kind=error.kind) from None

    async def preview(self, rows: Sequence[tuple]) -> None:
        """Count what ``save`` would change."""

        async def one(batch: Sequence[tuple]) -> None:
            self._add(await self._first_look(batch))

        await in_streams(self._batches(rows), one, WRITE_STREAMS)

    def _batches(self, rows: Sequence[tuple]) -> Iterator[Sequence[tuple]]:
        place = None if self.shape.text is None else 1 + self.shape.text
        start = characters = 0
        for end, row in enumerate(rows):
            if place is not None and row[place] is not None:
                characters += len(row[place])
            if end - start >= WRITE_BATCH or characters > WRITE_CHARACTERS and end > start:
                yield rows[start:end]
                start, characters = end, 0
        if start < len(rows):
            yield rows[start:]

    async def _first_look(self, batch: Sequence[tuple]) -> Changes:
        return compare(batch, [], self.shape) if self.empty else await self._changes(batch)

    async def _changes(self, batch: Sequence[tuple]) -> Changes:
        keys = {"keys": [row[0] for row in batch]}
        records = await read_current(self.connection, self._stored, keys, timeout=self.timeout, origin=self.origin)
        return compare(batch, records[0]["found"], self.shape)

    async def _save(self, batch: Sequence[tuple]) -> None:
        changes = await self._first_look(batch)
        try:
            await self._write(changes, self._create if self.unique else self._merge)
        except QueryFailed as error:
            if error.kind != "constraint":
                raise
            # Most likely another load has just made some of these nodes.
            changes = await self._changes(batch)
            await self._write(changes, self._merge)
        self._add(changes)

    async def _write(self, changes: Changes, create: str) -> None:
        statements: list[Statement] = []
        links: Sequence[list] = changes.links
        if changes.created:
            statements.append((create, {"rows": changes.created}))
            if create == self._merge:  # another load may have made the node meanwhile, with other links
                links = [rows + self._links_of(changes.created, group) for group, rows in enumerate(links)]
        if changes.updated:
            statements.append((self._update, {"rows": changes.updated}))
        statements += [(text, {"rows": rows}) for text, rows in zip(self._replace, links) if rows]
        if not statements:
            return
        if len(statements) == 1 and changes.created:
            counted = await write(self.connection, statements, timeout=self.timeout, origin=self.origin)
        else:
            async with self._one_writer:
                counted = await write(self.connection, statements, timeout=self.timeout, origin=self.origin)
        self.counters += counted

    def _links_of(self, rows: Sequence[tuple], group: int) -> list[list]:
        """``[key, [linked key…]]`` of the rows that have links of a group."""
        place = 1 + len(self.shape.properties) + group
        return [[row[0], row[place] if type(row[place]) is list else [row[place]]] for row in rows if row[place] is not None]

    def _add(self, changes: Changes) -> None:
        totals = self.totals
        self.created += len(changes.created)
        self.created_keys += [row[0] for row in changes.created]
        totals.properties += changes.properties
        totals.unchanged += changes.unchanged
        totals.stale += changes.stale
        totals.touched += changes.touched
        totals.embed += changes.embed
        for mine, its in (
            (totals.links_added, changes.links_added),
            (totals.links_removed, changes.links_removed),
            (totals.links_kept, changes.links_kept),
        ):
            mine[:] = map(sum, zip(mine, its))
