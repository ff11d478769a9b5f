"""Reading the schema of a graph in bounded time: counts from the count store, the rest from a few thousand ids."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
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


@dataclass(frozen=True)
class _Side:
    """The statements for nodes, or for relationships."""

    all: str
    spread: str
    find: Callable[..., str]
    properties: str
    having: str


_NODES = _Side(
    statements.ALL_NODES, statements.SPREAD_NODES, statements.node_ids, statements.NODE_PROPERTIES, statements.NODES_HAVING
)
_RELATIONSHIPS = _Side(
    statements.ALL_RELATIONSHIPS,
    statements.SPREAD_RELATIONSHIPS,
    statements.relationship_ids,
    statements.RELATIONSHIP_PROPERTIES,
    statements.RELATIONSHIPS_HAVING,
)


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
            self._counts(),
            self._bounded(list_indexes(self.connection)),
            self._bounded(list_constraints(self.connection)),
            self._rows(statements.PROPERTY_KEYS),
        )
        indexes = tuple(_as(Index, index) for index in all_indexes if not self.hidden.index(index))
        constraints = tuple(_as(Constraint, constraint) for constraint in all_constraints if not self.hidden.index(constraint))
        labels = [_Entry(name, count) for name, count in sorted(counts.labels.items()) if count and not self.hidden.label(name)]
        totals = sorted((kind, count) for (start, kind, end), count in counts.ends.items() if start is None and end is None)
        types = [_Entry(kind, count) for kind, count in totals if count and not self.hidden.label(kind)]
        unlabelled = _Entry("", max(0, counts.nodes - sum(counts.labels.values())))
        await self._observe(_NODES, labels, counts.nodes, unlabelled)
        await self._observe(_RELATIONSHIPS, types, counts.relationships, None)
        await self._observe_indexed(labels, [*indexes, *constraints])
        patterns = await self._patterns(counts, types)
        for what, entries in (("labels", labels), ("relationship types", types)):
            if missing := [entry.name for entry in entries if not entry.done]:
                self.partial.append(f"{len(entries) - len(missing)} of {len(entries)} {what} read, the others are only counted.")
        if unlabelled.count:
            labels.insert(0, unlabelled)
        unmet = set()
        # after deletions the names of a whole small graph may be more than those in use
        if _incomplete(chain(labels, types)):
            unmet = {row["name"] for row in keys} - {row["name"] for entry in chain(labels, types) for row in entry.rows}
        if unmet and counts.nodes + counts.relationships <= defaults.SCHEMA_SEARCHED:
            sides = ((_NODES, labels), (_RELATIONSHIPS, types))
            if all(await asyncio.gather(*(_in_time(self._search, side, unmet, entries) for side, entries in sides))):
                unmet = set()
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
            unmet=tuple(sorted(name for name in unmet if not self.hidden.label(name))),
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

    async def _observe(self, side: _Side, entries: list[_Entry], total: int, unlabelled: _Entry | None) -> None:
        """Fill the ids and rows of ``entries``. A small store is listed by one statement that every graph shares."""
        by_name = {entry.name: entry for entry in entries}
        if total <= defaults.SCHEMA_LISTED:
            await _in_time(self._list, side, by_name, unlabelled)
        else:
            await self._find(side, entries)
            await _in_time(self._spread, side, by_name, unlabelled)
        found = [entry for entry in (*entries, unlabelled) if entry and entry.ids]
        await asyncio.gather(*(_in_time(self._observed, batch, side.properties) for batch in _loads(found)))

    async def _find(self, side: _Side, entries: list[_Entry]) -> None:
        """All ids of small entries, the first and the last of large ones; at most half of the time that is left."""

        async def work(batch: list[_Entry], whole: bool) -> None:
            most = defaults.SCHEMA_WHOLE if whole else defaults.SCHEMA_EDGE
            for row in await self._rows(side.find([entry.name for entry in batch], whole=whole), most=most):
                batch[row["position"]].ids.update(row["ids"])

        parts = [([entry for entry in entries if entry.whole is whole], whole) for whole in (True, False)]
        batches = [(batch, whole) for part, whole in parts for batch in _batches(part, defaults.SCHEMA_BATCH)]
        with suppress(TimeoutError):
            async with asyncio.timeout((self.deadline - time.monotonic()) / 2):
                await asyncio.gather(*(_in_time(work, batch, whole) for batch, whole in batches))

    async def _list(self, side: _Side, by_name: dict[str, _Entry], unlabelled: _Entry | None) -> None:
        for row in await self._rows(side.all):
            for name in row["names"]:
                if name in by_name:
                    by_name[name].ids.update(row["ids"])
            if not row["names"] and unlabelled:
                unlabelled.ids, unlabelled.count = set(row["ids"]), len(row["ids"])
        for entry in (*by_name.values(), unlabelled):
            if entry and len(entry.ids) > defaults.SCHEMA_WHOLE:
                ids, edge = sorted(entry.ids), defaults.SCHEMA_EDGE
                entry.ids = {*ids[:edge], *ids[-edge:], *(ids[at] for at in statements.spread(len(ids), edge))}

    async def _spread(self, side: _Side, by_name: dict[str, _Entry], unlabelled: _Entry | None) -> None:
        """Ids between the first and the last. The highest bounds the store better than its count, where much was deleted."""
        highest = max((max(entry.ids) for entry in by_name.values() if entry.ids), default=-1)
        for row in await self._rows(side.spread, ids=statements.spread(highest + 1, defaults.SCHEMA_SPREAD)):
            for name in row["names"]:
                if name in by_name and by_name[name].ids and not by_name[name].whole:
                    by_name[name].ids.update(row["ids"])
            if not row["names"] and unlabelled:
                unlabelled.ids.update(row["ids"])
                unlabelled.count = max(unlabelled.count, len(row["ids"]))

    async def _observed(self, batch: list[_Entry], statement: str) -> None:
        for row in await self._rows(statement, groups=_groups(batch)):
            batch[row["position"]].rows.append(row)
        for entry in batch:
            entry.done = True

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

        async def look(label: str, name: str) -> None:
            ids = (await self._rows(statements.ids_having(label, name), most=defaults.SCHEMA_EDGE))[0]["ids"]
            await self._observe_more(_NODES, sampled[label], name, ids)

        await asyncio.gather(*(_in_time(look, *place) for place in places))

    async def _search(self, side: _Side, names: Iterable[str], entries: Iterable[_Entry]) -> bool:
        """Find the few nodes or relationships anywhere that have these properties, which were not met on what was read."""
        by_name = {entry.name: entry for entry in entries}
        for row in await self._rows(side.having, names=sorted(names), most=defaults.SCHEMA_EDGE):
            for name in row["names"] or [""]:
                if name in by_name:
                    await self._observe_more(side, by_name[name], row["name"], row["ids"])
        return True

    async def _observe_more(self, side: _Side, entry: _Entry, name: str, ids: Iterable[int]) -> None:
        """One more property of a label or type, as these nodes or relationships have it."""
        found = _Entry(entry.name, 0, set(ids))
        await self._observed([found], side.properties)
        entry.rows += [row for row in found.rows if row["name"] == name]

    # --- patterns -----------------------------------------------------------------------------------------------

    async def _patterns(self, counts: _Counts, types: list[_Entry]) -> tuple:
        known = PatternCounts(counts.ends, [entry.name for entry in types])
        open_types = [entry for entry in types if known.is_open(entry.name)]

        async def every(statement: str) -> None:
            rows = await self._rows(statement)
            for kind in {row["name"] for row in rows}:
                known.saw_all(kind, [(row["starts"], row["ends"], row["count"]) for row in rows if row["name"] == kind])

        async def some(entry: _Entry) -> None:
            for row in await self._rows(statements.ENDS, groups=_groups([entry])):
                known.saw(entry.name, row["starts"], row["ends"])
            for start, kind, end in known.unsettled(entry.name)[:_ASKED_AT_MOST]:
                if (await self._rows(statements.pattern_exists(start, kind, end)))[0]["found"]:
                    known.saw(kind, [start] if start else [], [end] if end else [])
                else:
                    known.exclude(start, kind, end)

        if open_types and counts.relationships <= defaults.SCHEMA_ENDS:
            await _in_time(every, statements.ALL_ENDS)
        else:
            small = [(every, statements.all_ends(entry.name)) for entry in open_types if entry.count <= defaults.SCHEMA_ENDS]
            large = [(some, entry) for entry in open_types if entry.count > defaults.SCHEMA_ENDS]
            await asyncio.gather(*(_in_time(*each) for each in (*small, *large)))
        if doubtful := [entry.name for entry in open_types if known.is_open(entry.name)]:
            self.partial.append(f"Patterns of {len(doubtful)} of {len(types)} relationship types may be incomplete.")
        return known.patterns(self.hidden)

    # --- statements ---------------------------------------------------------------------------------------------

    async def _rows(self, statement: str, **parameters: Any) -> list[dict[str, Any]]:
        async with self.slots:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise _OutOfTime
            return await self._bounded(fetch(self.connection, statement, parameters, timeout=left, origin=ORIGIN))

    async def _bounded(self, work: Coroutine) -> Any:
        try:
            async with asyncio.timeout(self.deadline - time.monotonic()):
                return await work
        except (TimeoutError, QueryTimeout):
            raise _OutOfTime from None


async def _in_time(work: Callable[..., Coroutine], *arguments: Any) -> Any:
    """Its result, or None when there was no time for it or the server could not do it: then the schema says it is partial.

    The work is called here: a coroutine that was made before, and whose turn never comes, is warned of by Python.
    """
    try:
        return await work(*arguments)
    except (_OutOfTime, QueryFailed, QueryRefused):
        return None


def _groups(batch: list[_Entry]) -> list[dict[str, Any]]:
    return [{"position": position, "ids": sorted(entry.ids)} for position, entry in enumerate(batch)]


def _batches(items: Sequence[Any], size: int) -> list[list[Any]]:
    return [list(items[at : at + size]) for at in range(0, len(items), size)]


def _loads(entries: Iterable[_Entry]) -> list[list[_Entry]]:
    """Batches of about as many ids as the server reads while another statement is on its way."""
    loads: list[list[_Entry]] = [[]]
    for entry in entries:
        if sum(len(other.ids) for other in loads[-1]) >= defaults.SCHEMA_LOAD:
            loads.append([])
        loads[-1].append(entry)
    return [load for load in loads if load]


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
