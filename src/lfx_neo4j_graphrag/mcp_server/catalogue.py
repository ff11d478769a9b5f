"""Which search tools there are: the vector indexes of the moment, typed by what a sample of their nodes holds.

Looked at when a client lists the tools, and every INDEX_LOOK_SECONDS besides, so that a new, dropped or rebuilt index is
noticed without a restart. A database that is down changes nothing: the tools that are known stay.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from ..cypher import schema_statements as statements
from ..database.connection import Connection
from ..database.indexes import Index, list_indexes
from ..database.reading import Origin, fetch
from ..defaults import FILTER_SAMPLE_SECONDS, INDEX_LOOK_SECONDS, INDEX_VALUES_SECONDS, TOOL_LIST_WAIT, TOOL_SAMPLE
from ..errors import GraphRAGError
from ..schema.model import Hidden, Property
from ..schema.observed import properties_from
from .filters import filter_arguments
from .tools import SearchTarget, search_names

_log = logging.getLogger("lfx_neo4j_graphrag.mcp")
_ORIGIN = Origin("tools", "mcp")
_FRESH_SECONDS = 1.0  # twenty clients that start together share one look

Rows = list[Mapping[str, Any]]


class Catalogue:
    """``targets`` are the search tools by name; ``problem`` says why the last look failed, None when it did not."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[Connection]],
        prefix: str = "",
        *,
        hidden: Hidden = Hidden(),
        sample_values: bool = True,
        on_change: Callable[[], Awaitable[None]],
    ) -> None:
        self.targets: dict[str, SearchTarget] = {}
        self.problem: GraphRAGError | None = None
        self._connect, self._prefix, self._hidden, self._sample_values = connect, prefix, hidden, sample_values
        self._on_change = on_change
        self._looked = 0.0
        self._reached = False  # during a look: the database has answered
        self._told: dict[str, Any] | None = None
        self._look: asyncio.Task[None] | None = None
        self._seen: dict[Index, tuple[float, tuple[Property, ...]]] = {}

    async def look(self, at_most: float | None = None) -> None:
        """Look at the database now, waiting ``at_most`` seconds; several callers share one look. Never raises."""
        if self._look is None or self._look.done():
            self._look = asyncio.create_task(self._looking())
        await asyncio.wait({self._look}, timeout=at_most)

    async def listed(self) -> dict[str, SearchTarget]:
        """The targets, for a client that lists the tools: after a look, or as known so far when that takes too long."""
        if self.problem or time.monotonic() - self._looked > _FRESH_SECONDS:
            await self._patient_look()
        self._told = _outline(self.targets)
        return self.targets

    async def watch(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(INDEX_LOOK_SECONDS)

    async def find(self, tool: str) -> SearchTarget | None:
        """The target of a tool's name. An index that was rebuilt under ``name_2`` answers to its old name too."""
        if (target := self._known(tool)) is None:
            await self._patient_look()
            target = self._known(tool)
        return target

    def _known(self, tool: str) -> SearchTarget | None:
        renewed = [name for name in self.targets if re.fullmatch(re.escape(tool) + r"_\d+", name)]
        return self.targets.get(tool) or (self.targets[renewed[0]] if len(renewed) == 1 else None)

    async def _patient_look(self) -> None:
        """A look, given up on when the database does not answer within TOOL_LIST_WAIT seconds. One that has answered gets the
        time to show its values too."""
        await self.look(TOOL_LIST_WAIT)
        if self._reached and self._look and not self._look.done():
            await self.look(2 * FILTER_SAMPLE_SECONDS)

    async def _looking(self) -> None:
        self._reached = False
        try:
            connection = await self._connect()
            indexes = [index for index in await list_indexes(connection) if not self._hidden.index(index)]
            self._reached = True
            vectors = [index for index in indexes if index.kind == "VECTOR" and index.state == "ONLINE"]
            await self._see(connection, vectors)
        except GraphRAGError as error:
            self.problem = error
            return
        except Exception as error:  # nobody awaits this; the next look may do better
            _log.error("Looking at the indexes failed unexpectedly (%s).", type(error).__name__)
            self.problem = GraphRAGError("The indexes of the database could not be read.", "Try again in a moment.")
            return
        names = search_names(vectors, self._prefix)
        self.targets = {names[index.name]: self._target(index, indexes) for index in vectors}
        self.problem, self._looked = None, time.monotonic()
        if self._told not in (None, _outline(self.targets)):
            self._told = _outline(self.targets)
            await self._on_change()

    def _target(self, index: Index, indexes: Sequence[Index]) -> SearchTarget:
        text = text_index_for(index, indexes)
        properties = self._seen.get(index, (0.0, ()))[1]
        texts = text.properties[:1] if text else ()
        return SearchTarget(index, text.name if text else None, filter_arguments(properties, index.properties[1:], texts))

    async def _see(self, connection: Connection, indexes: list[Index]) -> None:
        """Look at the values behind each index that is new or was looked at long ago."""
        now = time.monotonic()
        self._seen = {index: seen for index, seen in self._seen.items() if index in indexes}
        stale = [index for index in indexes if now - self._seen.get(index, (-INDEX_VALUES_SECONDS, ()))[0] >= INDEX_VALUES_SECONDS]
        for entity in ("NODE", "RELATIONSHIP"):
            of_entity = [index for index in stale if index.entity == entity]
            if not of_entity:
                continue
            try:
                rows = await observe(connection, of_entity)
            except GraphRAGError as error:  # a tool without filters is better than none; tried again at the next look
                _log.info("The values behind %d indexes could not be looked at (%s).", len(of_entity), error.kind)
                continue
            for index, found in zip(of_entity, rows, strict=True):
                self._seen[index] = (now, self._properties(index, found))

    def _properties(self, index: Index, rows: Rows) -> tuple[Property, ...]:
        kept = [row for row in rows if not any(self._hidden.property(label, row["name"]) for label in index.labels)]
        return properties_from(kept, index.labels[0], sample_values=self._sample_values)


async def observe(connection: Connection, indexes: Sequence[Index]) -> list[Rows]:
    """For each index (all of nodes, or all of relationships) what was seen of the properties: rows for ``properties_from``.

    The first and the last TOOL_SAMPLE of each label, and the first that have a filterable property which those do not have.
    """
    places = [(position, label) for position, index in enumerate(indexes) for label in index.labels]
    nodes = indexes[0].entity == "NODE"
    if nodes:
        text = statements.node_ids([label for _, label in places], whole=False)
    else:
        text = statements.relationship_ids([label for _, label in places], whole=False)
    ids: dict[int, set[int]] = {}
    for row in await _rows(connection, text, most=TOOL_SAMPLE):
        ids.setdefault(places[row["position"]][0], set()).update(row["ids"])
    found = await _observed(connection, ids, nodes, len(indexes))
    missing = [
        (position, label, name)
        for position, index in enumerate(indexes)
        for name in sorted(set(index.properties[1:]) - {row["name"] for row in found[position]})
        for label in index.labels
    ]
    if nodes and missing:
        asked = (_rows(connection, statements.ids_having(label, name), most=TOOL_SAMPLE) for _, label, name in missing)
        ids = {}
        for (position, _, _), rows in zip(missing, await asyncio.gather(*asked), strict=True):
            ids.setdefault(position, set()).update(id for row in rows for id in row["ids"])
        for rows, more in zip(found, await _observed(connection, ids, nodes, len(indexes)), strict=True):
            known = {row["name"] for row in rows}
            rows += [row for row in more if row["name"] not in known]
    return found


async def _rows(connection: Connection, text: str, **parameters: Any) -> Rows:
    return await fetch(connection, text, parameters, timeout=FILTER_SAMPLE_SECONDS, origin=_ORIGIN)


async def _observed(connection: Connection, ids: Mapping[int, Iterable[int]], nodes: bool, count: int) -> list[Rows]:
    groups = [{"position": position, "ids": sorted(some)} for position, some in ids.items()]
    text = statements.NODE_PROPERTIES if nodes else statements.RELATIONSHIP_PROPERTIES
    found: list[Rows] = [[] for _ in range(count)]
    for row in await _rows(connection, text, groups=groups):
        found[row["position"]].append(row)
    return found


def text_index_for(index: Index, indexes: Iterable[Index]) -> Index | None:
    """The full-text index over the same data as a vector index; the one that shares most labels."""
    same = [
        other
        for other in indexes
        if other.kind == "FULLTEXT" and other.state == "ONLINE" and other.entity == index.entity and set(other.labels) & set(index.labels)
    ]
    return min(same, key=lambda other: (len(set(other.labels) ^ set(index.labels)), other.name), default=None)


def _outline(targets: Mapping[str, SearchTarget]) -> dict[str, Any]:
    """What of the tools a client must hear about: not the example values, which change with every load."""
    return {
        name: (target.index.labels, target.text_index, tuple((argument.name, argument.kinds) for argument in target.filters))
        for name, target in targets.items()
    }
