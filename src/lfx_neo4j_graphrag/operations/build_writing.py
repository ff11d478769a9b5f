"""Saving what was read, as it arrives: joined with what the graph holds, the final state of each property on top."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ..cypher import graph_statements as statements
from ..cypher.write_statements import count_nodes
from ..database.connection import Connection
from ..database.indexes import ensure_key
from ..database.reading import Origin
from ..database.writing import read_current, write
from ..defaults import KEYS_MOST, WRITE_BATCH
from ..extraction.conform import Entity, Extraction, Identity
from ..extraction.names import fold_key
from ..extraction.states import Rank, judge
from ..extraction.vocabulary import Vocabulary
from .memory import Memory

ORIGIN = Origin("build_graph")
_ROWS_TOGETHER = 2 * WRITE_BATCH
_LinkKey = tuple[str, Identity, Identity]


@dataclass
class Found:
    """What one call (or one graph document) gave. ``chunk`` is the id of the source chunk that it was read in."""

    extraction: Extraction
    rank: Rank
    document: str
    chunk: str | None = None


@dataclass
class Stored:
    """A node or a link of the graph, as this run knows it. ``before`` is what it held when the run met it first."""

    key: Any
    existed: bool
    properties: dict[str, Any]
    rank: Rank
    before: dict[str, Any] = field(default_factory=dict)
    newest: str = ""
    ranks: dict[str, Rank] = field(default_factory=dict)  # of the document behind each value
    mine: set[str] = field(default_factory=set)  # properties that this run set
    said: dict[str, list[tuple[Rank, Any, str]]] = field(default_factory=dict)
    changed: bool = False


@dataclass
class _Label:
    """``spelled``: folded key -> stored key; not ``whole``: the type is too large for that, and matched exactly."""

    key_property: str
    spelled: dict[str, Any] = field(default_factory=dict)
    exact: frozenset[Any] = frozenset()
    newest: str = ""
    whole: bool = True

    def stored_key(self, entity: Entity, folded: str) -> Any:
        """The key in the graph that may be this entity's; None when there is none."""
        return entity.key if not self.whole or entity.key in self.exact else self.spelled.get(folded)


class GraphWriter:
    """Writes extractions in any order of arrival with the same result; ``links_created`` are counted by type."""

    def __init__(
        self, connection: Connection, vocabulary: Vocabulary, memory: Memory, graph: str, *, chunks: bool, timeout: float
    ) -> None:
        self.connection, self.vocabulary, self.memory, self.graph = connection, vocabulary, memory, graph
        self.chunks, self.timeout = chunks, timeout
        self.nodes: dict[Identity, Stored] = {}
        self.links: dict[_LinkKey, Stored] = {}
        self.labels: dict[str, _Label] = {}
        self.links_created: Counter[str] = Counter()
        self.warnings: list[str] = []
        self.older: list[dict[str, Any]] = []

    # ----------------------------------------------------------------------------------------------- one flush

    async def save(self, found: Sequence[Found]) -> None:
        """Write what these calls gave: entities, links and mentions in one transaction."""
        found = sorted(found, key=lambda one: one.rank)
        await self._load(found)
        evidence: list[tuple[str, str, Any, Rank]] = []
        todo = self._entities(found, evidence)
        todo += await self._links(found, evidence)
        todo += self._mentions(found)
        for together in _transactions(todo):
            await write(self.connection, together, timeout=self.timeout, origin=ORIGIN)
        if evidence:
            self.memory.keep_evidence(self.graph, evidence)

    async def _load(self, found: Sequence[Found]) -> None:
        wanted: dict[str, dict[str, Entity]] = defaultdict(dict)
        for one in found:
            for (label, folded), entity in one.extraction.entities.items():
                if (label, folded) not in self.nodes:
                    wanted[label].setdefault(folded, entity)
        for label, entities in wanted.items():
            if label not in self.labels:
                self.labels[label] = await self._label(label, next(iter(entities.values())).key_property)
            known = self.labels[label]
            keys = [key for folded, entity in entities.items() if (key := known.stored_key(entity, folded)) is not None]
            for batch in _batches(keys):
                statement = statements.stored_entities(label, known.key_property, chunks=self.chunks)
                for row in await read_current(self.connection, statement, {"keys": batch}, timeout=self.timeout, origin=ORIGIN):
                    self._remember(label, known, row)

    def _remember(self, label: str, known: _Label, row: dict[str, Any]) -> None:
        properties = {name: native(value) for name, value in row["properties"].items() if value is not None}
        properties.pop(known.key_property, None)
        newest = max(known.newest, str(native(row["newest"]) or "")[:10])
        self.nodes[(label, fold_key(row["key"]))] = Stored(row["key"], True, properties, ("", 0), dict(properties), newest)

    async def _label(self, label: str, key_property: str) -> _Label:
        """Meet a type: make its constraint, and read its keys and how far its dates go, before this run changes them."""
        made = await ensure_key(self.connection, label, key_property)
        if made.warning:
            self.warnings.append(made.warning)
        (count,) = await self._read(count_nodes(label), {})
        if not count["count"]:
            return _Label(key_property)
        if count["count"] > KEYS_MOST:
            self.warnings.append(
                f"{label} has more than {KEYS_MOST:,} nodes: names are matched exactly, not whatever their case and accents."
            )
            return _Label(key_property, whole=False)
        rows = await self._read(statements.all_keys(label, key_property), {})
        node = self.vocabulary.schema.node(label)
        names = [entry.name for entry in node.properties[1:]] if node and node.properties else []
        (newest,) = await self._read(statements.newest_date(label, named=bool(names)), {"names": names})
        spelled: dict[str, Any] = {}
        for row in sorted(rows, key=lambda row: str(row["key"])):
            spelled.setdefault(fold_key(row["key"]), row["key"])
        return _Label(key_property, spelled, frozenset(row["key"] for row in rows), newest["newest"] or "")

    async def _read(self, statement: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        return await read_current(self.connection, statement, parameters, timeout=self.timeout, origin=ORIGIN)

    # ------------------------------------------------------------------------------------------------ entities

    def _entities(self, found: Sequence[Found], evidence: list) -> list[tuple[str, dict[str, Any]]]:
        changes: dict[Identity, dict[str, Any]] = {}
        renames: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for one in found:
            for identity, entity in one.extraction.entities.items():
                node = self.nodes.get(identity)
                if node is None:
                    node = self.nodes[identity] = Stored(entity.key, False, {}, one.rank)
                    changes[identity] = {}
                elif not node.existed and one.rank < node.rank:
                    # A new entity is spelled as its earliest document does, whichever answer came first. Calls are sorted
                    # here, so a lower rank means that the node was written by an earlier flush.
                    if entity.key != node.key:
                        renames[identity[0]].append({"old": node.key, "new": entity.key})
                        node.key = entity.key
                    node.rank = one.rank
                declared = self.vocabulary.schema.node(identity[0])
                owner = ("\0".join(identity), f"{identity[0]} {node.key}")
                for name, value in entity.properties.items():
                    values = getattr(declared.property(name) if declared else None, "values", ())
                    if self._apply(node, owner, name, value, values, one, evidence):
                        changes.setdefault(identity, {})[name] = value
        rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for identity, properties in changes.items():
            rows[identity[0]].append({"key": self.nodes[identity].key, "properties": properties})
            self.nodes[identity].changed = True
        return [
            (statement(label, self.labels[label].key_property), {"rows": batch})
            for statement, groups in ((statements.rename_entities, renames), (statements.merge_entities, rows))
            for label in sorted(groups)
            for batch in _batches(groups[label])
        ]

    def _apply(
        self, node: Stored, owner: tuple[str, str], name: str, value: Any, values: tuple, one: Found, evidence: list
    ) -> bool:
        """Whether the property of ``owner`` (mark, title) is to be set. The statement is remembered either way."""
        mark, title = owner
        current = node.properties.get(name)
        said = (one.rank, value, one.document)
        known = node.ranks.get(name)
        if current is not None and known is None:
            known = self.memory.evidence(self.graph, mark, name, current)
        if current is not None and not _same(current, value):
            if refused := judge(current, value, one.rank, evidence=known, newest=node.newest, values=values):
                if name in node.mine:  # an earlier document of this run, whose answer came later
                    node.said.setdefault(name, []).append(said)
                else:
                    self.older.append(_refusal(title, name, current, value, one.document, refused.reason))
                return False
        node.said.setdefault(name, []).append(said)
        confirmed = current is not None and _same(current, value)
        # A value that somebody else stored and this document only confirms is as new as the graph is.
        rank = (max(one.rank[0], node.newest), one.rank[1]) if confirmed and known is None else one.rank
        node.ranks[name] = max(rank, known or rank)
        evidence.append((mark, name, value, node.ranks[name]))
        if confirmed:
            return False
        node.properties[name] = value
        node.mine.add(name)
        return True

    # --------------------------------------------------------------------------------------------------- links

    async def _links(self, found: Sequence[Found], evidence: list) -> list[tuple[str, dict[str, Any]]]:
        fresh: dict[_LinkKey, None] = {}
        described: dict[_LinkKey, list[tuple[Found, dict[str, Any]]]] = defaultdict(list)
        for one in found:
            for link in one.extraction.links:
                key = (link.type, link.start, link.end)
                if key not in self.links:
                    self.links[key] = Stored(None, False, {}, one.rank)
                    fresh[key] = None
                if link.properties:
                    described[key].append((one, link.properties))
        todo: list[tuple[str, dict[str, Any]]] = []
        for (start, kind, end), keys in self._by_pattern(fresh):
            await self._read_links(start, kind, end, [key for key in keys if self._both_existed(key)])
            rows = [self._link_row(key) for key in keys if not self.links[key].existed]
            self.links_created[kind] += len(rows)
            todo += [(statements.merge_links(start, kind, end), {"rows": batch}) for batch in _batches(rows)]
        for (start, kind, end), keys in self._by_pattern(described):
            changes = [(key, self._link_changes(key, described[key], evidence)) for key in keys]
            rows = [self._link_row(key) | {"properties": properties} for key, properties in changes if properties]
            todo += [(statements.update_links(start, kind, end), {"rows": batch}) for batch in _batches(rows)]
        return todo

    async def _read_links(self, start: tuple[str, str], kind: str, end: tuple[str, str], keys: list[_LinkKey]) -> None:
        """Which of these links between nodes that existed are there already, and what they hold."""
        for batch in _batches(keys):
            rows = [self._link_row(key) | {"number": number} for number, key in enumerate(batch)]
            for row in await self._read(statements.stored_links(start, kind, end), {"rows": rows}):
                properties = {name: native(value) for name, value in row["properties"].items()}
                self.links[batch[row["number"]]] = Stored(None, True, properties, ("", 0), dict(properties))

    def _link_changes(self, key: _LinkKey, described: Iterable[tuple[Found, dict[str, Any]]], evidence: list) -> dict[str, Any]:
        stored = self.links[key]
        declared = self.vocabulary.schema.relationship(key[0])
        owner = ("\0".join((*key[1], key[0], *key[2])), self._link_name(key))
        changes: dict[str, Any] = {}
        for one, properties in described:
            for name, value in properties.items():
                values = getattr(declared.property(name) if declared else None, "values", ())
                if self._apply(stored, owner, name, value, values, one, evidence):
                    changes[name] = value
        return changes

    def _by_pattern(self, keys: Iterable[_LinkKey]) -> list[tuple[tuple, list[_LinkKey]]]:
        def pattern(key: _LinkKey) -> tuple:
            kind, start, end = key
            return ((start[0], self.labels[start[0]].key_property), kind, (end[0], self.labels[end[0]].key_property))

        return [(shape, list(group)) for shape, group in groupby(sorted(keys, key=lambda key: (pattern(key), key)), pattern)]

    def _link_row(self, key: _LinkKey) -> dict[str, Any]:
        return {"start": self.nodes[key[1]].key, "end": self.nodes[key[2]].key}

    def _both_existed(self, key: _LinkKey) -> bool:
        return self.nodes[key[1]].existed and self.nodes[key[2]].existed

    # ------------------------------------------------------------------------------------------------ mentions

    def _mentions(self, found: Sequence[Found]) -> list[tuple[str, dict[str, Any]]]:
        rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        kept: list[dict[str, Any]] = []
        for one in found:
            if one.chunk is None:
                continue
            mentions = []
            for identity in one.extraction.entities:
                key = self.nodes[identity].key
                rows[identity[0]].append({"chunk": one.chunk, "key": key})
                mentions.append({"label": identity[0], "property": self.labels[identity[0]].key_property, "key": key})
            kept.append({"chunk": one.chunk, "mentions": mentions})
        todo: list[tuple[str, dict[str, Any]]] = [(statements.PRUNE_MENTIONS, {"rows": batch}) for batch in _batches(kept)]
        for label in sorted(rows):
            text = statements.merge_mentions(label, self.labels[label].key_property)
            todo += [(text, {"rows": batch}) for batch in _batches(rows[label])]
        return todo

    # -------------------------------------------------------------------------------------------------- report

    def state_changes(self) -> list[dict[str, Any]]:
        """Properties that ended otherwise than they began, in the order of the documents that changed them."""
        changes = []
        owners = [(f"{identity[0]} {node.key}", node) for identity, node in self.nodes.items()]
        owners += [(self._link_name(key), link) for key, link in self.links.items() if link.said]
        for owner, stored in owners:
            for name, said in stored.said.items():
                value = stored.before.get(name)
                for rank, following, document in sorted(said, key=lambda entry: entry[0]):
                    if value is not None and not _same(value, following):
                        change = {
                            "node": owner,
                            "property": name,
                            "from": shown(value),
                            "to": shown(following),
                            "document": document,
                        }
                        changes.append((rank, change))
                    value = following
        return [change for _, change in sorted(changes, key=lambda entry: (entry[0], entry[1]["node"], entry[1]["property"]))]

    def _link_name(self, key: _LinkKey) -> str:
        return f"{key[1][0]} {self.nodes[key[1]].key} -{key[0]}-> {key[2][0]} {self.nodes[key[2]].key}"


def native(value: Any) -> Any:
    """A driver value as Python compares it: its temporals are types of their own."""
    if isinstance(value, list):
        return [native(item) for item in value]
    return value.to_native() if hasattr(value, "to_native") else value


def shown(value: Any) -> Any:
    """A value as a report can hold it (JSON)."""
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def _same(one: Any, other: Any) -> bool:
    # True == 1 in Python, but not in a graph; a whole float and its integer are the same number there.
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _refusal(node: str, name: str, kept: Any, value: Any, document: str, why: str) -> dict[str, Any]:
    return {"node": node, "property": name, "kept": shown(kept), "not_applied": shown(value), "document": document, "why": why}


def _transactions(todo: Sequence[tuple[str, dict[str, Any]]]) -> list[list[tuple[str, dict[str, Any]]]]:
    """One transaction, so that a stopped run leaves no half-written document; several only for what one can't hold."""
    groups: list[list[tuple[str, dict[str, Any]]]] = []
    rows = _ROWS_TOGETHER
    for statement in todo:
        rows += len(statement[1]["rows"])
        if rows > _ROWS_TOGETHER:
            groups.append([])
            rows = len(statement[1]["rows"])
        groups[-1].append(statement)
    return groups


def _batches(rows: Sequence[Any]) -> list[Sequence[Any]]:
    return [rows[start : start + WRITE_BATCH] for start in range(0, len(rows), WRITE_BATCH)]
