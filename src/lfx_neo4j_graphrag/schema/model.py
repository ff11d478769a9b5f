"""The description of a graph: what there is, how much of it, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Value = str | int | float | bool


@dataclass(frozen=True)
class Property:
    """A property of the nodes of a label or the relationships of a type.

    ``types`` are Cypher's in lower case (``string``, ``integer``, ``date``, ``zoned datetime``, ``list of string``,
    ``vector``…). ``kind`` says what ``values`` are: ``one of`` (all that were seen), ``range`` (lowest and highest),
    ``examples``, or empty. ``on`` counts the nodes read that have it. ``dimension`` is that of a vector, ``longest``
    the length of the longest text or list. ``unique`` when a constraint says so.
    """

    name: str
    types: tuple[str, ...]
    kind: str = ""
    values: tuple[Value, ...] = ()
    on: int = 0
    dimension: int | None = None
    longest: int | None = None
    unique: bool = False


@dataclass(frozen=True)
class Label:
    """A label, or a relationship type, with what was seen on the ``read`` of ``count`` nodes or relationships.

    ``name`` is empty for nodes without a label. ``also`` are labels that every node read has besides.
    """

    name: str
    count: int
    read: int = 0
    properties: tuple[Property, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def sampled(self) -> bool:
        return self.read < self.count


@dataclass(frozen=True)
class Pattern:
    """``(:start)-[:type]->(:end)``; an empty label is a node without one. ``count`` None: it exists, how often is unknown."""

    start: str
    type: str
    end: str
    count: int | None = None


@dataclass(frozen=True)
class Index:
    """As the server lists it; ``properties[0]`` of a VECTOR index is the embedding, the rest are filterable."""

    name: str
    kind: str
    entity: str
    labels: tuple[str, ...]
    properties: tuple[str, ...]
    state: str = "ONLINE"
    percent: float = 100.0
    dimensions: int | None = None
    similarity: str | None = None
    quantized: bool | None = None
    analyzer: str | None = None
    constraint: str | None = None


@dataclass(frozen=True)
class Constraint:
    """As the server lists it; ``kind`` is its own word (UNIQUENESS, NODE_PROPERTY_UNIQUENESS, NODE_KEY…)."""

    name: str
    kind: str
    entity: str
    labels: tuple[str, ...]
    properties: tuple[str, ...]


@dataclass(frozen=True)
class Schema:
    """Everything in stable order: names alphabetically.

    ``unmet`` are names of properties that the database knows and that were on nothing that was read. ``partial`` are
    sentences on what could not be read in time.
    """

    nodes: int = 0
    relationships: int = 0
    labels: tuple[Label, ...] = ()
    types: tuple[Label, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    indexes: tuple[Index, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    unmet: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()

    @property
    def sampled(self) -> bool:
        """Whether properties and values are those of a part of the graph."""
        return bool(self.partial) or any(entry.sampled for entry in (*self.labels, *self.types))

    def label(self, name: str) -> Label | None:
        return next((label for label in self.labels if label.name == name), None)


@dataclass(frozen=True)
class Hidden:
    """Labels, types and properties that never appear: ``Label``, ``TYPE``, ``Label.property``, ``property``."""

    names: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, text: str) -> Hidden:
        """From an operator's setting: names between commas."""
        return cls(frozenset(name.strip() for name in text.split(",") if name.strip()))

    def label(self, name: str) -> bool:
        return name in self.names

    def property(self, label: str, name: str) -> bool:
        return name in self.names or f"{label}.{name}" in self.names

    def index(self, index: Any) -> bool:
        """Whether an index or constraint is on something hidden."""
        return any(map(self.label, index.labels)) or any(
            self.property(label, name) for name in index.properties for label in index.labels or ("",)
        )
