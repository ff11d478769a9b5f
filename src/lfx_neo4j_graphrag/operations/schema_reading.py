"""Reading the schema of a graph in bounded time: counts from the count store, the rest from a few thousand ids."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import chain
from typing import Any

from .. import defaults
from ..cypher import schema_statements as statements
from ..database.connection import Connection, driver_for
from ..database.indexes import list_constraints, list_indexes
from ..database.reading import Origin, fetch
from ..errors import QueryFailed, QueryRefused, QueryTimeout
from ..schema.model import Constraint, Hidden, Index, Label, Schema
from ..schema.observed import properties_from
from ..schema.patterns import Ends, PatternCounts

ORIGIN = Origin("graph_schema")
_UNIQUE = ("UNIQUENESS", "NODE_PROPERTY_UNIQUENESS", "NODE_KEY")
_COUNTS_AT_ONCE = 50  # the count store answers, so these statements may be longer
_INDEXED_AT_MOST = 20  # properties that only an index tells of, looked for one by one
_ASKED_AT_MOST = 40  # patterns that neither counts nor a sample settle


@dataclass
class _Entry:
    """A label or type: internal ids to be read, what was observed on them, whether that is done."""

    name: str
    count: int
    ids: set[int] = field(default_factory=set)
    rows: list[Mapping[str, Any]] = field(default_factory=list)
    done: bool = False

    @property
    def whole(self) -> bool:
        return self.count <= defaults.SCHEMA_WHOLE


@dataclass
class _Counts:
    nodes: int
    labels: dict[str, int]
    ends: Ends

    @property
    def relationships(self) -> int:
        return sum(count for (start, _, end), count in self.ends.items() if start is None and end is None)


class _OutOfTime(Exception):
    pass


async def read_from_database(connection: Connection, *, timeout: float, hidden: Hidden, sample_values: bool) -> Schema:
    """The schema, or as much of it as can be read in ``timeout`` seconds, with what is missing named in ``partial``.

    Raises what ``fetch`` raises; QueryTimeout when not even the counts come in time.
    """
    async with driver_for(connection):  # imports the driver, which takes seconds in some environments: not the server's time
        reader = _Reader(connection, time.monotonic() + timeout, hidden)
        try:
            return await reader.read(sample_values)
        except _OutOfTime:
            raise QueryTimeout(
                f"The counts of the graph did not come within {timeout:g} s.", "Try again when the server is less busy, or raise Query Timeout."
            ) from None


class _Reader:
    def __init__(self, connection: Connection, deadline: float, hidden: Hidden) -> None:
        self.connection, self.deadline, self.hidden = connection, deadline, hidden
        self.slots = asyncio.Semaphore(defaults.SCHEMA_STATEMENTS)
        self.partial: list[str] = []

    async def read(self, sample_values: bool) -> Schema:
        counts, all_indexes, all_constraints, keys = await asyncio.gather(
            self._counts(), list_indexes(self.connection), list_constraints(self.connection), self._rows(statements.PROPERTY_KEYS)
        )
        indexes = tuple(_as(Index, index) for index in all_indexes if not self.hidden.index(index))
        constraints = tuple(_as(Constraint, constraint) for constraint in all_constraints if not self.hidden.index(constraint))
        labels = [_Entry(name, count) for name, count in sorted(counts.labels.items()) if count and not self.hidden.label(name)]
        totals = sorted((kind, count) for (start, kind, end), count in counts.ends.items() if start is None and end is None)
        types = [_Entry(kind, count) for kind, count in totals if count and not self.hidden.label(kind)]
        await self._observe(labels, counts.nodes, statements.SPREAD_NODES, statements.node_ids, statements.NODE_PROPERTIES)
        unlabelled = await self._in_time(self._unlabelled(counts))
        await self._observe(
            types, counts.relationships, statements.SPREAD_RELATIONSHIPS, statements.relationship_ids, statements.RELATIONSHIP_PROPERTIES
        )
        await self._observe_indexed(labels, [*indexes, *constraints])
        patterns = await self._patterns(counts, types)
        for what, entries in (("labels", labels), ("relationship types", types)):
            if missing := [entry.name for entry in entries if not entry.done]:
                self.partial.append(f"{len(entries) - len(missing)} of {len(entries)} {what} read, the others are only counted.")
        if unlabelled:
            labels.insert(0, unlabelled)
        met = {row["name"] for entry in chain(labels, types) for row in entry.rows}
        unmet = {row["name"] for row in keys} - met
        also = _always_together(labels)
        options = {"hidden": self.hidden, "sample_values": sample_values}
        return Schema(
            nodes=counts.nodes,
            relationships=counts.relationships,
            labels=tuple(_described(entry, also.get(entry.name, ()), _unique(entry.name, constraints), options) for entry in labels),
            types=tuple(_described(entry, (), frozenset(), options) for entry in types),
            patterns=patterns,
            indexes=indexes,
            constraints=constraints,
            # after deletions the names of a whole small graph may be more than those in use
            unmet=tuple(sorted(name for name in unmet if not self.hidden.label(name))) if _incomplete(chain(labels, types)) else (),
            partial=tuple(self.partial),
        )

    # --- counts -------------------------------------------------------------------------------------------------

    async def _counts(self) -> _Counts:
        try:
            row = (await self._rows(statements.GRAPH_COUNTS))[0]
        except (QueryFailed, QueryRefused):  # a reader's account may not ask for them all at once
            return await self._counts_one_by_one()
        labels = dict(row["nodes"])
        nodes = labels.pop(None, 0)
        return _Counts(nodes, labels, {(start, kind, end): count for start, kind, end, count in row["relationships"] if kind})

    async def _counts_one_by_one(self) -> _Counts:
        totals, labels, types, possible = await asyncio.gather(
            *map(self._rows, (statements.TOTALS, statements.LABELS, statements.TYPES, statements.POSSIBLE_PATTERNS))
        )
        names = sorted(row["name"] for row in labels)
        by_id = {node.element_id: node["name"] for node in possible[0]["nodes"]}
        ends = {(None, row["name"], None) for row in types}
        for made_up in possible[0]["relationships"]:
            start, end = (by_id[node.element_id] for node in made_up.nodes)
            ends |= {(start, made_up.type, None), (None, made_up.type, end)}
        asked = sorted(ends, key=str)
        label_counts, end_counts = await asyncio.gather(
            self._counted(names, statements.label_counts), self._counted(asked, statements.end_counts)
        )
        return _Counts(totals[0]["nodes"], dict(zip(names, label_counts, strict=True)), dict(zip(asked, end_counts, strict=True)))

    async def _counted(self, names: Sequence[Any], statement: Callable[[Sequence[Any]], str]) -> list[int]:
        results = await asyncio.gather(*(self._rows(statement(batch)) for batch in _batches(names, _COUNTS_AT_ONCE)))
        return [row["count"] for rows in results for row in sorted(rows, key=lambda row: row["position"])]

    # --- properties ---------------------------------------------------------------------------------------------

    async def _observe(self, entries: list[_Entry], total: int, spread: str, find: Callable[..., str], observe: str) -> None:
        """Fill the ids and rows of ``entries``, batch by batch."""
        small = [entry for entry in entries if entry.whole]
        large = [entry for entry in entries if not entry.whole]
        if large:
            await self._in_time(self._spread(spread, total, {entry.name: entry for entry in large}))

        async def work(batch: list[_Entry], whole: bool) -> None:
            most = defaults.SCHEMA_WHOLE if whole else defaults.SCHEMA_EDGE
            _take(batch, await self._rows(find([entry.name for entry in batch], whole=whole), most=most))
            await self._observed(batch, observe)

        batches = [(batch, whole) for part, whole in ((small, True), (large, False)) for batch in _batches(part, defaults.SCHEMA_BATCH)]
        await asyncio.gather(*(self._in_time(work(batch, whole)) for batch, whole in batches))

    async def _spread(self, statement: str, total: int, large: dict[str, _Entry]) -> None:
        for row in await self._rows(statement, ids=statements.spread(total, defaults.SCHEMA_SPREAD)):
            for name in row["names"]:
                if name in large:
                    large[name].ids.update(row["ids"])

    async def _observed(self, batch: list[_Entry], statement: str) -> None:
        for row in await self._rows(statement, groups=_groups(batch)):
            batch[row["position"]].rows.append(row)
        for entry in batch:
            entry.done = True

    async def _unlabelled(self, counts: _Counts) -> _Entry | None:
        """Nodes without a label: looked for in a graph small enough to read, else the number that the labels leave over."""
        left_over = counts.nodes - sum(counts.labels.values())
        entry = _Entry("", max(0, left_over))
        if counts.nodes <= defaults.SCHEMA_ENDS and (left_over > 0 or counts.nodes <= defaults.SCHEMA_WHOLE):
            row = (await self._rows(statements.UNLABELLED, all=defaults.SCHEMA_WHOLE))[0]
            entry.count, entry.ids = row["count"], set(row["ids"])
            await self._observed([entry], statements.NODE_PROPERTIES)
        return entry if entry.count else None

    async def _observe_indexed(self, labels: list[_Entry], indexed: Iterable[Index | Constraint]) -> None:
        """Properties that an index names and that were not met: an index finds its few nodes anywhere."""
        sampled = {entry.name: entry for entry in labels if entry.done and not entry.whole}
        places = sorted(
            {
                (label, name)
                for one in indexed
                if one.entity == "NODE"
                for label in one.labels
                if label in sampled
                for name in one.properties
                if name not in {row["name"] for row in sampled[label].rows}
            }
        )[:_INDEXED_AT_MOST]

        async def look(place: tuple[str, str]) -> None:
            found = _Entry(place[0], 0)
            _take([found], await self._rows(statements.ids_having([place]), most=defaults.SCHEMA_EDGE))
            await self._observed([found], statements.NODE_PROPERTIES)
            sampled[place[0]].rows += [row for row in found.rows if row["name"] == place[1]]

        await asyncio.gather(*(self._in_time(look(place)) for place in places))

    # --- patterns -----------------------------------------------------------------------------------------------

    async def _patterns(self, counts: _Counts, types: list[_Entry]) -> tuple:
        known = PatternCounts(counts.ends, [entry.name for entry in types])
        open_types = [entry for entry in types if known.is_open(entry.name)]
        small = [entry for entry in open_types if entry.count <= defaults.SCHEMA_ENDS]
        large = [entry for entry in open_types if entry.count > defaults.SCHEMA_ENDS]

        async def all_ends(batch: list[_Entry]) -> None:
            rows = await self._rows(statements.all_ends([entry.name for entry in batch]))
            for position, entry in enumerate(batch):
                known.saw_all(entry.name, [(row["starts"], row["ends"], row["count"]) for row in rows if row["position"] == position])

        async def some_ends(entry: _Entry) -> None:
            for row in await self._rows(statements.ENDS, groups=_groups([entry])):
                known.saw(entry.name, row["starts"], row["ends"])
            for start, kind, end in known.unsettled(entry.name)[:_ASKED_AT_MOST]:
                if (await self._rows(statements.pattern_exists(start, kind, end)))[0]["found"]:
                    known.saw(kind, [start] if start else [], [end] if end else [])
                else:
                    known.exclude(start, kind, end)

        await asyncio.gather(
            *(self._in_time(all_ends(batch)) for batch in _batches(small, defaults.SCHEMA_BATCH)),
            *(self._in_time(some_ends(entry)) for entry in large),
        )
        if doubtful := [entry.name for entry in open_types if known.is_open(entry.name)]:
            self.partial.append(f"Patterns of {len(doubtful)} of {len(types)} relationship types may be incomplete.")
        return known.patterns(self.hidden)

    # --- statements ---------------------------------------------------------------------------------------------

    async def _rows(self, statement: str, **parameters: Any) -> list[dict[str, Any]]:
        async with self.slots:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise _OutOfTime
            try:
                async with asyncio.timeout(left):
                    return await fetch(self.connection, statement, parameters, timeout=left, origin=ORIGIN)
            except (TimeoutError, QueryTimeout):
                raise _OutOfTime from None

    async def _in_time(self, work: Coroutine) -> Any:
        """Its result, or None when there was no time for it or the server could not do it: then the schema says it is partial."""
        try:
            return await work
        except (_OutOfTime, QueryFailed, QueryRefused):
            return None


def _take(batch: list[_Entry], rows: Iterable[Mapping[str, Any]]) -> None:
    for row in rows:
        batch[row["position"]].ids.update(row["ids"])


def _groups(batch: list[_Entry]) -> list[dict[str, Any]]:
    return [{"position": position, "ids": sorted(entry.ids)} for position, entry in enumerate(batch)]


def _batches(items: Sequence[Any], size: int) -> list[list[Any]]:
    return [list(items[at : at + size]) for at in range(0, len(items), size)]


def _incomplete(entries: Iterable[_Entry]) -> bool:
    return any(not entry.done or not entry.whole for entry in entries)


def _described(entry: _Entry, also: tuple[str, ...], unique: frozenset[str], options: dict[str, Any]) -> Label:
    read = min(len(entry.ids), entry.count) if entry.done else 0
    return Label(entry.name, entry.count, read, properties_from(entry.rows, entry.name, unique=unique, **options), also)


def _always_together(labels: list[_Entry]) -> dict[str, tuple[str, ...]]:
    """For labels read whole: the others that each of their nodes has as well."""
    whole = [entry for entry in labels if entry.whole and entry.done and entry.ids]
    return {entry.name: tuple(other.name for other in whole if other is not entry and entry.ids <= other.ids) for entry in whole}


def _unique(label: str, constraints: Iterable[Constraint]) -> frozenset[str]:
    return frozenset(
        one.properties[0] for one in constraints if one.kind in _UNIQUE and len(one.properties) == 1 and one.labels == (label,)
    )


def _as(kind: type, found: Any) -> Any:
    """The database's description as the schema's own."""
    return kind(**{field.name: getattr(found, field.name) for field in fields(kind)})
