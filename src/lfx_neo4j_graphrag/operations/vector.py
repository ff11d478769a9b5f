"""Vector and Vector + Graph: search by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..database.capabilities import capabilities
from ..database.connection import Connection
from ..database.indexes import Index
from ..database.reading import Origin
from ..retrieval.discovery import choose_index, keys_of, tie_properties
from .candidates import Reader, Wanted, candidate_count, typed_by_storage, vector_candidates
from .embedding import embed_query, wants_parts
from .model_check import model_warning
from .result import Result
from .search import Ranked, SearchRequest, check_size, checked, embedding_names, no_embedder, reply, with_indexes, within_rights


@dataclass(frozen=True)
class VectorRequest(SearchRequest):
    """A search by meaning. See SearchRequest."""


async def vector(connection: Connection, request: VectorRequest) -> Result:
    """The nodes (or relationships) whose vectors are nearest to the question's.

    ``Result.rows``: score (the index's similarity, 0 to 1), rank_vector, labels, key, the properties without embeddings, and with
    ``neighbours`` their lines; with a Retrieval Query its own columns. ``Result.details``: vector_index, filter_mode, complete,
    candidates, warnings.

    Raises InputError, EmbeddingProblem, IndexProblem, QueryRefused, QueryFailed, QueryTimeout or ConnectionFailed.
    """
    request = within_rights(request)
    tree = checked(request)
    if request.embedder is None:
        raise no_embedder()
    known: list[list[float]] = []

    async def attempt(indexes: Sequence[Index]) -> Result:
        index = choose_index(indexes, "VECTOR", request.vector_index)
        if not known:
            known.append(await embed_query(request.embedder, request.query))
        reader = Reader(connection, await capabilities(connection), Origin("vector", request.client), request.timeout)
        await check_size(reader, index, len(known[0]))
        warning = await model_warning(reader, indexes, index, request.embedder)
        tests = await typed_by_storage(reader, index, tree, request.hidden)
        asked = candidate_count(index, request.number_of_results)
        parts = wants_parts(request.embedder)
        # With parts the order of the candidates is not that of the index.
        whole = parts or request.wants_retrieval
        wanted = Wanted(
            limit=asked if whole else request.number_of_results,
            tie=tuple(tie_properties(index, indexes, keys_of(indexes))),
            hide=None if whole else embedding_names(indexes),
            parts=parts,
        )
        found = await vector_candidates(reader, index, known[0], tests, wanted, asked)
        hits = [hit | {"rank_vector": rank} for rank, hit in enumerate(found.hits, 1)]
        details = {
            "operation": "vector_graph" if request.neighbours else "vector",
            "vector_index": index.name,
            "filter_mode": found.mode,
            "complete": found.complete,
            "candidates": found.candidates,
        }
        return await reply(reader, request, indexes, index, Ranked(hits, details, (warning,) if warning else ()))

    return await with_indexes(connection, request.hidden, attempt)
