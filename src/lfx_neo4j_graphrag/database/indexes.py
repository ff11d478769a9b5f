"""Constraints and indexes: what exists, and making what a load needs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..cypher import index_statements, write_statements
from ..cypher.names import quote
from ..defaults import FILTERABLE_COLUMNS, INDEX_TIMEOUT
from ..errors import IndexProblem, InputError
from .connection import Connection
from .reading import Origin, fetch
from .writing import Progress, Statement, run_schema

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


@dataclass(frozen=True)
class KeyResult:
    """``constraint``: the key is unique; ``created``: it was made now; ``warning``: why it is not, and what to do."""

    constraint: bool
    created: bool = False
    warning: str | None = None


async def ensure_key(connection: Connection, label: str, prop: str) -> KeyResult:
    """A uniqueness constraint on ``prop`` of ``label``; where that is impossible an index, with a warning.

    Without either, every MERGE reads all nodes of the label.
    """
    for constraint in await list_constraints(connection):
        if constraint.entity == "NODE" and constraint.labels == (label,) and constraint.properties == (prop,):
            if "UNIQUENESS" in constraint.kind or "KEY" in constraint.kind:
                return KeyResult(True)
    outcome = await run_schema(connection, index_statements.create_key_constraint(label, prop))
    if outcome in ("made", "exists"):
        return KeyResult(True, outcome == "made")
    what = f"{prop} of {label} is not kept unique"
    if outcome == "duplicates":
        await run_schema(connection, index_statements.create_range_index(label, prop))
        rows = await fetch(connection, write_statements.repeated_keys(label, prop), origin=_ORIGIN)
        examples = ", ".join(f"{str(row['key'])[:40]!r} ({row['count']} nodes)" for row in rows)
        return KeyResult(
            False,
            False,
            f"{what}: several nodes share a key: {examples}. All of them are changed; delete the extra ones and load again.",
        )
    if outcome == "blocked":
        names = [
            i.name
            for i in await list_indexes(connection)
            if i.labels == (label,) and i.properties == (prop,) and i.kind == "RANGE"
        ]
        drop = f" (DROP INDEX {names[0]})" if names else ""
        return KeyResult(False, False, f"{what}: a plain index stands in the way. Drop it{drop} and load again.")
    return KeyResult(False, False, f"{what}: this user may not make constraints. Ask the database's administrator for one.")


@dataclass(frozen=True)
class VectorWish:
    """A vector index that a load needs: cosine, ``dimensions`` numbers in ``property``, filterable by the rest."""

    name: str
    label: str
    dimensions: int
    filterable: tuple[str, ...] = ()
    property: str = "embedding"


@dataclass(frozen=True)
class FulltextWish:
    """A full-text index that a load needs, over ``properties``, the first of which is the text."""

    name: str
    label: str
    properties: tuple[str, ...]
    analyzer: str


@dataclass(frozen=True)
class IndexPlan:
    """What serves the wish: the index ``name``, after ``create`` when it is not None and ``drop`` when that is ready.

    ``note`` says what an index that is used as it is does not cover, and how to rebuild it.
    """

    kind: str
    name: str
    create: Statement | None = None
    drop: str | None = None
    note: str | None = None


def plan_vector_index(existing: Iterable[Index], wish: VectorWish, *, filters: bool, cypher25: bool) -> IndexPlan:
    """Choose among ``existing``. Same label, same property and same dimension is the same data, whatever the name.

    An index of ours (by its name) that lacks filterable properties gets a second one beside it, which replaces it
    when it is filled. ``filters``: the server can filter inside the index; ``cypher25``: it speaks Cypher 25.

    Raises IndexProblem, before anything is written, when the data are indexed with another dimension or the name is
    taken by other data.
    """
    existing = list(existing)
    same = [
        i
        for i in existing
        if i.kind == "VECTOR" and i.entity == "NODE" and wish.label in i.labels and i.properties[0] == wish.property
    ]
    for index in same:
        if index.dimensions is not None and index.dimensions != wish.dimensions:
            raise IndexProblem(
                f"The vector index {index.name} holds vectors of {index.dimensions} numbers, "
                f"the embedding model gives {wish.dimensions}.",
                f"Connect the model that made it, or run DROP INDEX {quote(index.name)} and load everything again.",
            )
    names = (wish.name, f"{wish.name}_2")
    wanted = wish.filterable if filters else ()
    if not same:
        _name_is_free(existing, wish.name, f"vectors of {wish.label}.{wish.property}")
        create = index_statements.create_vector_index(
            wish.name, wish.label, wish.property, wish.dimensions, filterable=wanted, cypher25=cypher25
        )
        return IndexPlan("VECTOR", wish.name, create)
    best = max(same, key=lambda i: (i.state != "FAILED", len(set(wanted) & set(i.properties)), i.name in names, i.name))
    missing = [name for name in wanted if name not in best.properties]
    ours = best.name in names and best.labels == (wish.label,) and best.similarity == "cosine" and not best.quantized
    if best.state != "FAILED" and (not missing or not ours):
        note = _not_covered(best, "filter", missing) if missing else None
        if best.similarity != "cosine":
            note = f"The vector index {best.name} compares by {best.similarity}, not by cosine; it is used as it is."
        return IndexPlan("VECTOR", best.name, note=note)
    other = names[1] if best.name == names[0] else names[0]
    if not ours or any(i.name == other for i in existing):
        return IndexPlan("VECTOR", best.name, note=_not_covered(best, "filter", missing))
    together = tuple(dict.fromkeys((*best.properties[1:], *wanted)))[:FILTERABLE_COLUMNS]
    create = index_statements.create_vector_index(
        other, wish.label, wish.property, wish.dimensions, filterable=together, cypher25=cypher25
    )
    return IndexPlan(
        "VECTOR",
        other,
        create,
        best.name,
        f"The vector index {best.name} was replaced by {other}, which also filters by {', '.join(missing)}.",
    )


def plan_fulltext_index(existing: Iterable[Index], wish: FulltextWish) -> IndexPlan:
    """Choose among ``existing``: one that covers the wished properties is used, whatever its name and analyzer.

    Raises IndexProblem when the name is taken by other data.
    """
    existing = list(existing)
    same = [i for i in existing if i.kind == "FULLTEXT" and i.entity == "NODE" and wish.label in i.labels]
    names = (wish.name, f"{wish.name}_2")
    covering = [i for i in same if set(wish.properties) <= set(i.properties) and i.state != "FAILED"]
    if covering:
        best = max(covering, key=lambda i: (i.analyzer == wish.analyzer, i.name in names, i.name))
        note = None
        if best.analyzer != wish.analyzer:
            note = (
                f"The full-text index {best.name} has the analyzer {best.analyzer}, not {wish.analyzer}; it is used as it is. "
                f"To change it, run DROP INDEX {quote(best.name)} and load again."
            )
        return IndexPlan("FULLTEXT", best.name, note=note)
    ours = [i for i in same if i.name in names and i.labels == (wish.label,)]
    if not ours:
        _name_is_free(existing, wish.name, f"words of {wish.label}")
        return IndexPlan(
            "FULLTEXT", wish.name, index_statements.create_fulltext_index(wish.name, wish.label, wish.properties, wish.analyzer)
        )
    best = ours[0]
    other = names[1] if best.name == names[0] else names[0]
    missing = [name for name in wish.properties if name not in best.properties]
    if best.analyzer != wish.analyzer or any(i.name == other for i in existing):
        return IndexPlan("FULLTEXT", best.name, note=_not_covered(best, "search the words of", missing))
    together = tuple(dict.fromkeys((*best.properties, *wish.properties)))
    create = index_statements.create_fulltext_index(other, wish.label, together, wish.analyzer)
    return IndexPlan(
        "FULLTEXT",
        other,
        create,
        best.name,
        f"The full-text index {best.name} was replaced by {other}, which also covers {', '.join(missing)}.",
    )


def _name_is_free(existing: Sequence[Index], name: str, purpose: str) -> None:
    for index in existing:
        if index.name == name:
            place = f"{index.kind.lower()} index of {', '.join(index.labels)} ({', '.join(index.properties)})"
            raise IndexProblem(
                f"The index name {name}, wanted for {purpose}, is taken by a {place}.",
                f"Give another name in the node's index field, or run DROP INDEX {quote(name)} if nobody needs it.",
            )


def _not_covered(index: Index, what: str, missing: Sequence[str]) -> str:
    state = " is FAILED and" if index.state == "FAILED" else ""
    lack = f" does not {what} {', '.join(missing)}" if missing else " cannot be used"
    remedy = f"To rebuild it, run DROP INDEX {quote(index.name)} and load again."
    return f"The index {index.name}{state}{lack}; it is used as it is. {remedy}"


async def make_index(connection: Connection, plan: IndexPlan) -> bool:
    """Run ``plan.create``; True when the index was made now, False when it was there (another load was faster)."""
    if plan.create is None:
        return False
    outcome = await run_schema(connection, *plan.create)
    if outcome == "forbidden":
        raise IndexProblem(
            f"This user may not make the index {plan.name}.",
            "The data are saved; ask the database's administrator for the index.",
        )
    return outcome == "made"


async def await_indexes(
    connection: Connection, names: Iterable[str], timeout: float = INDEX_TIMEOUT, progress: Progress | None = None
) -> list[Index]:
    """Wait until the indexes are filled and return them, in the state they have then (after ``timeout`` seconds at most)."""
    wanted = set(names)
    deadline = time.monotonic() + timeout
    pause = 0.01
    while wanted:
        found = [index for index in await list_indexes(connection) if index.name in wanted]
        if all(index.state != "POPULATING" for index in found) or time.monotonic() > deadline:
            return found
        if progress:
            progress(int(min(index.percent for index in found)), 100, "indexes")
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, 1.0)
    return []


async def check_analyzer(connection: Connection, analyzer: str) -> None:
    """Raise InputError, with those there are, unless the server knows the full-text analyzer."""
    rows = await fetch(connection, index_statements.LIST_ANALYZERS, origin=_ORIGIN)
    names = sorted(row["analyzer"] for row in rows)
    if analyzer not in names:
        raise InputError(f"The server has no full-text analyzer '{analyzer}'.", f"It has: {', '.join(names)}.")
