"""Constraints and indexes: what exists, and making what a load needs."""

from __future__ import annotations

from dataclasses import dataclass

from ..cypher import index_statements
from .connection import Connection
from .reading import Origin, fetch

_ORIGIN = Origin("indexes")


@dataclass(frozen=True)
class Index:
    """``properties[0]`` of a VECTOR index is the embedding, the rest are its filterable properties.

    ``state`` is ONLINE, POPULATING or FAILED, ``percent`` how far it is filled (0 to 100); ``similarity`` is ``cosine`` or
    ``euclidean``, ``quantized`` None when it is no vector index.
    """

    name: str
    kind: str
    entity: str
    labels: tuple[str, ...]
    properties: tuple[str, ...]
    state: str
    percent: float
    dimensions: int | None = None
    similarity: str | None = None
    quantized: bool | None = None
    analyzer: str | None = None
    constraint: str | None = None  # name of the constraint that the index serves: its properties are a key


@dataclass(frozen=True)
class Constraint:
    """``kind`` as the server names it: UNIQUENESS or NODE_PROPERTY_UNIQUENESS, NODE_KEY, NODE_PROPERTY_EXISTENCE…"""

    name: str
    kind: str
    entity: str
    labels: tuple[str, ...]
    properties: tuple[str, ...]


async def list_indexes(connection: Connection) -> list[Index]:
    """Every index but the token look-ups, by name."""
    rows = await fetch(connection, index_statements.LIST_INDEXES, origin=_ORIGIN)
    return sorted((_index(row) for row in rows), key=lambda index: index.name)


async def list_constraints(connection: Connection) -> list[Constraint]:
    """Every constraint, by name."""
    rows = await fetch(connection, index_statements.LIST_CONSTRAINTS, origin=_ORIGIN)
    found = (
        Constraint(row["name"], row["type"], row["entityType"], tuple(row["labelsOrTypes"] or ()), tuple(row["properties"] or ()))
        for row in rows
    )
    return sorted(found, key=lambda constraint: constraint.name)


def _index(row: dict) -> Index:
    config = (row["options"] or {}).get("indexConfig") or {}
    quantized = None
    if row["type"] == "VECTOR":
        # 2026.06 and later give a type, earlier servers a switch; without either the server quantizes.
        kind = config.get("vector.quantization.type")
        quantized = str(kind).upper() != "NONE" if kind is not None else config.get("vector.quantization.enabled", True)
    similarity = config.get("vector.similarity_function")
    return Index(
        name=row["name"],
        kind=row["type"],
        entity=row["entityType"],
        labels=tuple(row["labelsOrTypes"] or ()),
        properties=tuple(row["properties"] or ()),
        state=row["state"],
        percent=row["populationPercent"],
        dimensions=config.get("vector.dimensions"),
        similarity=similarity.lower() if similarity else None,
        quantized=quantized,
        analyzer=config.get("fulltext.analyzer"),
        constraint=row["owningConstraint"],
    )
