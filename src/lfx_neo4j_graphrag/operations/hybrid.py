"""Hybrid and Hybrid + Graph: search by meaning and by words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..database.capabilities import capabilities
from ..database.connection import Connection
from ..database.indexes import Index
from ..database.reading import Origin
from ..defaults import CANDIDATES, CODE_CANDIDATES
from ..errors import IndexProblem
from ..retrieval.discovery import choose_index, keys_of, tie_properties
from ..retrieval.fulltext import TextQuery
from ..retrieval.fusion import Hit, fuse
from ..retrieval.typed_filters import Comparisons
from ..retrieval.words import without_codes
from .candidates import Found, Reader, Wanted, candidate_count, text_candidates, typed_by_storage, vector_candidates
from .embedding import embed_query, wants_parts
from .model_check import model_warning
from .result import Result
from .search import Ranked, SearchRequest, check_size, checked, reply, with_indexes, within_rights
from .text_index import text_query_for


@dataclass(frozen=True)
class HybridRequest(SearchRequest):
    """A search by meaning and by words. See SearchRequest."""

    fulltext_index: str = ""


async def hybrid(connection: Connection, request: HybridRequest) -> Result:
    """The best of both branches, run at the same time and fused by rank (``retrieval.fusion``).

    ``Result.rows``: score in (0, 1], rank_vector, rank_text (None where a branch did not find it), then as ``vector``. Without an
    embedding model, without one of the two indexes (and none named), or without a word in the question, the other branch
    alone answers and the reply says so. ``Result.details`` adds fulltext_index.

    Raises what ``vector`` raises; IndexProblem when neither index is there.
    """
    request = within_rights(request)
    tree = checked(request)
    known: list[list[float]] = []

    async def attempt(indexes: Sequence[Index]) -> Result:
        by_vector, by_text, warnings = _branches(indexes, request)
        if by_vector and not known:
            known.append(await embed_query(request.embedder, without_codes(request.query) if by_text else request.query))
        reader = Reader(connection, await capabilities(connection), Origin("hybrid", request.client), request.timeout)
        if by_vector:
            await check_size(reader, by_vector, len(known[0]))
            if warning := await model_warning(reader, indexes, by_vector, request.embedder):
                warnings.append(warning)
        main = by_vector or by_text
        tests = await typed_by_storage(reader, main, tree, request.hidden)
        tie = tuple(tie_properties(main, indexes, keys_of(indexes)))
        count = request.number_of_results
        pool = candidate_count(by_vector, count) if by_vector else max(CANDIDATES, 5 * count)
        wanted = Wanted(limit=pool, tie=tie, parts=wants_parts(request.embedder))
        query = await text_query_for(reader, by_text, request.query) if by_text else TextQuery()
        if by_text and not (query.words or query.codes):
            warnings.append("The question holds no word that can be searched: only the meaning was compared.")
        by_meaning, (by_words, by_codes) = await asyncio.gather(
            vector_candidates(reader, by_vector, known[0], tests, wanted, pool) if by_vector else _nothing(),
            _by_text(reader, by_text, query, tests, wanted),
        )
        fused = fuse(_hits(by_meaning), _hits(by_words), _hits(by_codes), only_codes=not query.words)
        hits = [{"id": hit.id, "score": hit.score, "rank_vector": hit.rank_vector, "rank_text": hit.rank_text} for hit in fused]
        details = {
            "operation": "hybrid_graph" if request.neighbours else "hybrid",
            "vector_index": by_vector.name if by_vector else None,
            "fulltext_index": by_text.name if by_text else None,
            "filter_mode": by_meaning.mode or by_words.mode or by_codes.mode,
            "complete": by_meaning.complete,
            "candidates": max(by_meaning.candidates, by_words.candidates, by_codes.candidates),
        }
        return await reply(reader, request, indexes, main, Ranked(hits, details, tuple(warnings)))

    return await with_indexes(connection, request.hidden, attempt)


def _branches(indexes: Sequence[Index], request: HybridRequest) -> tuple[Index | None, Index | None, list[str]]:
    """The two indexes, None for a branch that cannot run, and why not."""
    warnings: list[str] = []
    kinds = {index.kind for index in indexes}
    by_vector = by_text = None
    if request.embedder is None:
        warnings.append(
            "No embedding model is connected: only words were searched. Connect to Embedding the model that saved the data."
        )
    elif request.vector_index or "VECTOR" in kinds:
        by_vector = choose_index(indexes, "VECTOR", request.vector_index)
    else:
        warnings.append("The database has no vector index: only words were searched.")
    if request.fulltext_index or "FULLTEXT" in kinds:
        like = by_vector if request.vector_index else None
        by_text = choose_index(indexes, "FULLTEXT", request.fulltext_index, like=like)
    else:
        warnings.append("The database has no full-text index: only the meaning was compared.")
    if by_vector is None and by_text is None:
        raise IndexProblem(
            "The database has no index that this search could use.",
            "Save data with Add Records or Build Graph and an embedding model connected; they create both indexes.",
        )
    if by_vector and by_text and by_vector.entity != by_text.entity:
        raise IndexProblem(
            f"'{by_vector.name}' is an index of {_of(by_vector)}, '{by_text.name}' of {_of(by_text)}; "
            "their results cannot be put together.",
            "Name two indexes of the same kind of data in Vector Index and Full-text Index.",
        )
    return by_vector, by_text, warnings


def _of(index: Index) -> str:
    return "nodes" if index.entity == "NODE" else "relationships"


async def _by_text(
    reader: Reader, index: Index | None, query: TextQuery, tests: Comparisons | None, wanted: Wanted
) -> tuple[Found, Found]:
    """Hits for the words and for the codes of the question, one after the other: two reads at once keep a small server busy."""
    words = codes = Found([])
    if index and query.words:
        words = await text_candidates(reader, index, query.words, tests, wanted, index.properties, query.stems)
    if index and query.codes:
        codes = await text_candidates(reader, index, query.codes, tests, replace(wanted, limit=CODE_CANDIDATES))
    return words, codes


async def _nothing() -> Found:
    return Found([])


def _hits(found: Found) -> list[Hit]:
    return [
        Hit(hit["id"], hit["score"], tuple(str(value or "") for value in hit["tie"]), hit.get("covered", 1.0)) for hit in found.hits
    ]
