"""The schema of an extraction: which types, properties and relationships the model may give."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from .names import fold

_PLAIN_NAME = re.compile(r"\w[\w ]*(?<! )")


@dataclass(frozen=True)
class Property:
    """``type`` is one of grammar.TYPES or empty (any scalar); ``values`` lists what an enumeration allows, in order."""

    name: str
    type: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class NodeType:
    """The first property is the key. Without properties the type is open: the key is settled later, any property goes."""

    label: str
    properties: tuple[Property, ...] = ()

    @property
    def key(self) -> str | None:
        return self.properties[0].name if self.properties else None

    def property(self, name: str) -> Property | None:
        return _folded(self.properties, name, "name")


@dataclass(frozen=True)
class RelationshipType:
    """``properties`` empty: the relationship has none that were declared."""

    type: str
    properties: tuple[Property, ...] = ()

    def property(self, name: str) -> Property | None:
        return _folded(self.properties, name, "name")


@dataclass(frozen=True)
class Pattern:
    """(start)-[:type]->(end)."""

    start: str
    type: str
    end: str


@dataclass(frozen=True)
class GraphSchema:
    """Empty ``nodes``: any type goes. Empty ``relationships``: any relationship between the types goes.

    A relationship type without a pattern may join any two types.
    """

    nodes: tuple[NodeType, ...] = ()
    relationships: tuple[RelationshipType, ...] = ()
    patterns: tuple[Pattern, ...] = field(default=())

    @cached_property
    def _nodes(self) -> dict[str, NodeType]:
        return {fold(node.label): node for node in self.nodes}

    @cached_property
    def _relationships(self) -> dict[str, RelationshipType]:
        return {fold(relationship.type): relationship for relationship in self.relationships}

    def node(self, label: str) -> NodeType | None:
        return self._nodes.get(fold(label))

    def relationship(self, type: str) -> RelationshipType | None:
        return self._relationships.get(fold(type))

    def patterns_of(self, type: str) -> list[Pattern]:
        return [pattern for pattern in self.patterns if fold(pattern.type) == fold(type)]

    @property
    def empty(self) -> bool:
        return not self.nodes and not self.relationships

    @property
    def first_label(self) -> str | None:
        return self.nodes[0].label if self.nodes else None


def _folded(properties: tuple[Property, ...], name: str, attribute: str) -> Property | None:
    wanted = fold(name)
    return next((entry for entry in properties if fold(getattr(entry, attribute)) == wanted), None)


def written(name: str) -> str:
    """A name as the fields take it: bare when that is unambiguous, else in backquotes."""
    return name if _PLAIN_NAME.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def fields_of(schema: GraphSchema) -> dict[str, str]:
    """The schema in the syntax of the fields ``allowed_patterns``, ``node_types`` and ``relationship_types``."""
    patterns = [f"({written(p.start)})-[:{written(p.type)}]->({written(p.end)})" for p in schema.patterns]
    nodes = [written(node.label) + _properties(node.properties) for node in schema.nodes]
    # A relationship type that says no more than its patterns needs no line of its own.
    types = [
        written(relationship.type) + _properties(relationship.properties)
        for relationship in schema.relationships
        if relationship.properties or not schema.patterns_of(relationship.type)
    ]
    return {"allowed_patterns": "\n".join(patterns), "node_types": ",\n".join(nodes), "relationship_types": ",\n".join(types)}


def _properties(properties: tuple[Property, ...]) -> str:
    if not properties:
        return ""
    return "(" + ", ".join(_property(entry) for entry in properties) + ")"


def _property(entry: Property) -> str:
    if len(entry.values) == 1:  # in quotes: bare it would be read as the name of a type
        return f"{written(entry.name)}: `" + entry.values[0].replace("`", "``") + "`"
    if entry.values:
        return f"{written(entry.name)}: " + " | ".join(written(value) for value in entry.values)
    return written(entry.name) + (f": {entry.type}" if entry.type else "")
