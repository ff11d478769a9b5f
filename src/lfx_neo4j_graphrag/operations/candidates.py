"""Candidates of a search: the vector branch with its ladder of filters, the word branch, and how filters get their types."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..cypher import search_statements as statements
from ..database.capabilities import Capabilities
from ..database.connection import Connection
from ..database.indexes import Index
from ..database.reading import Origin, fetch
from ..defaults import (
    CANDIDATES,
    EXACT_MEMBERS,
    EXACT_MOST,
    FILTER_SAMPLE,
    FILTER_SAMPLE_SECONDS,
    OVERFETCH_STEPS,
    PARTS_ENDING,
    QUANTIZED_CANDIDATES,
    SHORT_TEXT,
    TEXT_OVERFETCH_STEPS,
)
from ..errors import InputError, QueryFailed, QueryTimeout
from ..retrieval.filters import Condition, Filter, Group, conditions
from ..retrieval.parts import rescored
from ..retrieval.predicates import split_for_index, where
from ..retrieval.typed_filters import Comparisons, Stored, kind_of, typed
from ..retrieval.words import fold


@dataclass(frozen=True)
class Reader:
    """One search's way to the server: statements of ours under one deadline for all of them."""

    connection: Connection
    capabilities: Capabilities
    origin: Origin
    timeout: float
    started: float = field(default_factory=time.monotonic)

    def left(self) -> float:
        """Seconds until the deadline, never less than a tenth (the server refuses none, and the statement may be quick)."""
        return max(0.1, self.timeout - (time.monotonic() - self.started))

    def vector(self, numbers: Sequence[float]) -> Any:
        """The parameter for a vector: packed as one value where the protocol can, which is quicker to send and to read."""
        if not self.capabilities.vector_type_over_bolt:
            return list(numbers)
        from neo4j.vector import Vector

        return Vector.from_native(list(numbers), "f32")

    async def rows(self, statement: str, at_most: float | None = None, /, **parameters: Any) -> list[dict[str, Any]]:
        limit = self.left() if at_most is None else min(self.left(), at_most)
        return await fetch(self.connection, statement, parameters, timeout=limit, origin=self.origin)

    async def hits(self, statement: str, /, **parameters: Any) -> list[dict[str, Any]]:
        """Of a statement that gives them all in one row."""
        return (await self.rows(statement, **parameters))[0]["hits"]


@dataclass(frozen=True)
class Wanted:
    """``limit`` hits in the order of score and ``tie``; ``hide`` (embedding properties) asks for their content too; ``parts``
    compares the parts of long texts as well, where an index by cosine has kept their vectors."""

    limit: int
    tie: tuple[str, ...] = ()
    hide: tuple[str, ...] | None = None
    parts: bool = False


@dataclass(frozen=True)
class Found:
    """``hits``: id, score, tie and, when asked for, labels, properties (and ends). ``mode``: how filters were applied
    (``index``, ``exact``, ``overfetch``), None without filters. ``complete``: nothing that matches and ranks here is missing
    but for what an approximate index misses."""

    hits: list[dict[str, Any]]
    mode: str | None = None
    complete: bool = True
    candidates: int = 0


def candidate_count(index: Index, limit: int) -> int:
    """Candidates asked of the index: with fewer it misses true hits, most of all when its vectors are quantized."""
    return max(QUANTIZED_CANDIDATES if index.quantized else CANDIDATES, 5 * limit)


async def vector_candidates(
    reader: Reader, index: Index, vector: Sequence[float], tests: Comparisons | None, wanted: Wanted, asked: int
) -> Found:
    """The hits nearest to ``vector`` among ``asked`` candidates: filters inside the index where the server can, exact where the
    filtered set is small, growing over-fetch otherwise."""
    wanted = replace(wanted, parts=wanted.parts and (index.similarity or "cosine") == "cosine")
    found = await _candidates(_Search(reader, index, vector, wanted, asked), tests)
    return replace(found, hits=rescored(found.hits, vector)) if wanted.parts else found


async def _candidates(search: _Search, tests: Comparisons | None) -> Found:
    reader, index, wanted, asked = search.reader, search.index, search.wanted, search.asked
    if tests is None:
        return Found(await search.index_hits(asked), candidates=asked)
    inside, outside = None, tests
    if reader.capabilities.filter_in_index:
        inside, outside = split_for_index(tests, index.properties[1:], reader.capabilities.in_operator)
    if outside is None:
        return Found(await search.index_hits(asked, inside=inside), mode="index", candidates=asked)
    if (exact := await search.exact(tests, EXACT_MEMBERS)) is not None:
        return exact
    for step in OVERFETCH_STEPS:
        count = max(step, asked)
        hits = await search.index_hits(count, inside=inside, outside=outside)
        if len(hits) >= wanted.limit:
            return Found(hits, mode="overfetch", candidates=count)
    # What matches is far from the question: compare all of it, while the time lasts.
    exact = await search.exact(tests, EXACT_MOST)
    return exact or Found(hits, mode="overfetch", complete=False, candidates=count)


@dataclass(frozen=True)
class _Search:
    reader: Reader
    index: Index
    vector: Sequence[float]
    wanted: Wanted
    asked: int

    async def index_hits(
        self, candidates: int, *, inside: Comparisons | None = None, outside: Comparisons | None = None
    ) -> list[dict[str, Any]]:
        inner, values = where(inside, prefix="i") if inside else ("", {})
        outer, more = where(outside, relationship=self._relationship) if outside else ("", {})
        can = self.reader.capabilities
        procedure = not can.search_clause
        estimated = self.index.quantized and not can.quantization_type
        text = statements.vector_search(
            self.index.name,
            relationship=self._relationship,
            procedure=procedure,
            inside=inner,
            where=outer,
            rescore=(self.index.similarity or "cosine", self.index.properties[0]) if estimated else None,
            tie=self.wanted.tie,
            hide=self.wanted.hide,
            parts=self.wanted.parts,
        )
        numbers = {"candidates": candidates, "limit": self.wanted.limit} | ({"index": self.index.name} if procedure else {})
        return await self.reader.hits(text, vector=self.reader.vector(self.vector), **numbers, **values, **more, **self._parts)

    async def exact(self, tests: Comparisons, bound: int) -> Found | None:
        """All that match compared one by one; None when they are more than ``bound``, or it takes too long."""
        predicate, values = where(tests, relationship=self._relationship)
        text = statements.exact_search(
            self.index.labels,
            self.index.properties[0],
            predicate,
            similarity=self.index.similarity or "cosine",
            relationship=self._relationship,
            tie=self.wanted.tie,
            hide=self.wanted.hide,
            parts=self.wanted.parts,
        )
        numbers = {"bound": bound, "size": len(self.vector), "limit": self.wanted.limit}
        try:
            # Half of the time that is left: the other rungs of the ladder need some too.
            half = self.reader.left() / 2
            rows = await self.reader.rows(text, half, vector=self.reader.vector(self.vector), **numbers, **values, **self._parts)
        except (QueryTimeout, QueryFailed):
            return None
        total = rows[0]["total"]
        return Found(rows[0]["best"], mode="exact", candidates=total) if total <= bound else None

    @property
    def _parts(self) -> dict[str, str]:
        return {"parts": self.index.properties[0] + PARTS_ENDING} if self.wanted.parts else {}

    @property
    def _relationship(self) -> bool:
        return self.index.entity == "RELATIONSHIP"


async def text_candidates(
    reader: Reader,
    index: Index,
    lucene: str,
    tests: Comparisons | None,
    wanted: Wanted,
    texts: Sequence[str] = (),
    stems: Sequence[str] = (),
) -> Found:
    """The best hits for a Lucene query; with filters, among ever more of them until enough hold. With ``texts`` each hit has
    ``covered``, the share of ``stems`` that these properties hold."""
    relationship = index.entity == "RELATIONSHIP"
    predicate, values = where(tests, relationship=relationship) if tests else ("", {})
    more = {"stems": list(stems)} if texts else {}

    async def hits(candidates: int | None) -> list[dict[str, Any]]:
        text = statements.fulltext_search(
            relationship=relationship, where=predicate, tie=wanted.tie, bounded=candidates is not None, texts=texts
        )
        bound = {} if candidates is None else {"candidates": candidates}
        return await reader.hits(text, index=index.name, text=lucene, limit=wanted.limit, **bound, **values, **more)

    if tests is None:
        return Found(await hits(wanted.limit), candidates=wanted.limit)
    for step in TEXT_OVERFETCH_STEPS:
        found = await hits(max(step, wanted.limit))
        if len(found) >= wanted.limit:
            return Found(found, mode="overfetch", candidates=step)
    return Found(await hits(None), mode="overfetch", candidates=step)


async def typed_by_storage(reader: Reader, index: Index, tree: Filter | None, hidden: Collection[str]) -> Comparisons | None:
    """The filter with its values converted to what the properties hold, looked up in the graph.

    Raises InputError for a property that is not there, with those that are, and for a value of another type.
    """
    if tree is None:
        return None
    stored, missing = await _stored(reader, index, tree, hidden)
    if missing:
        known = await _property_names(reader, index, hidden)
        tree = _respelled(tree, {name: same for name in missing if (same := _same_name(name, known))})
        stored, missing = await _stored(reader, index, tree, hidden)
    if missing:
        listed = ", ".join(list(dict.fromkeys([*_filterable(index, hidden), *known]))[:40]) or "none"
        raise InputError(
            f"There is no property '{missing[0]}' to filter by on {'|'.join(index.labels)}.",
            f"Filterable are: {listed}. A property of a linked node is written Label.property.",
        )
    return typed(tree, stored)


async def _stored(reader: Reader, index: Index, tree: Filter, hidden: Collection[str]) -> tuple[dict[str, Stored], list[str]]:
    relationship = index.entity == "RELATIONSHIP"
    names = [name for name in dict.fromkeys(c.property for c in conditions(tree)) if name not in hidden]
    places: list[tuple[str, Sequence[str], str, bool, str | None]] = []
    for name in names:
        places.append((name, index.labels, name, relationship, None))
        label, dot, linked = name.partition(".")
        if dot and linked and label and not {label, linked} & set(hidden):
            places.append((name, (label,), linked, False, label))
    rows: list[dict[str, Any]] = []
    if places:
        text = statements.stored_kinds([(labels, name, of_relationship) for _, labels, name, of_relationship, _ in places])
        try:
            rows = await reader.rows(text, FILTER_SAMPLE_SECONDS, sample=FILTER_SAMPLE, short=SHORT_TEXT)
        except QueryTimeout:
            # A rare property in a very large graph: go by the look of the values.
            return {place[0]: Stored(place[2], label=place[4]) for place in places}, []
    stored: dict[str, Stored] = {}
    for row in sorted(rows, key=lambda row: row["i"]):
        name, _, prop, _, label = places[row["i"]]
        kinds = tuple(kind for value in sorted(row["kinds"]) if (kind := kind_of(value)) != "NULL")
        if kinds:
            stored.setdefault(name, Stored(prop, kinds, tuple(sorted(row["texts"])), label))
    for name in _filterable(index, hidden):
        stored.setdefault(name, Stored(name))
    wanted = dict.fromkeys(c.property for c in conditions(tree))
    return stored, [name for name in wanted if name not in stored]


def _filterable(index: Index, hidden: Collection[str]) -> list[str]:
    return [name for name in index.properties[1:] if name not in hidden]


async def _property_names(reader: Reader, index: Index, hidden: Collection[str]) -> list[str]:
    text = statements.property_names(index.labels, index.entity == "RELATIONSHIP")
    rows = await reader.rows(text, sample=1000)
    vectors = ("LIST<FLOAT", "LIST<INTEGER", "VECTOR")
    return [row["name"] for row in rows if row["name"] not in hidden and not row["kind"].startswith(vectors)]


def _same_name(name: str, known: Sequence[str]) -> str | None:
    """The property that differs from ``name`` in case or accents only."""
    same = [other for other in known if fold(other) == fold(name)]
    return same[0] if len(same) == 1 else None


def _respelled(tree: Filter, names: Mapping[str, str]) -> Filter:
    if isinstance(tree, Condition):
        return replace(tree, property=names.get(tree.property, tree.property))
    return Group(tuple(_respelled(member, names) for member in tree.members), tree.any)
