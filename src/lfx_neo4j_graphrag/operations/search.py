"""What Vector and Hybrid share: the request, the indexes of the moment, and from hits to a reply."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ..cypher import search_statements as statements
from ..cypher.parameters import find_parameters
from ..database.connection import Connection
from ..database.indexes import Index, list_indexes
from ..database.reading import Limits, read
from ..defaults import INDEX_LIST_SECONDS, NUMBER_OF_RESULTS, PARTS_ENDING, QUERY_TIMEOUT, ROWS_PER_RESULT, TOKEN_LIMIT
from ..errors import EmbeddingProblem, GraphRAGError, InputError
from ..reply.fitting import fit, fit_text
from ..reply.rendering import FORMATS
from ..reply.tokens import count_tokens
from ..reply.values import plain, plain_rows
from ..retrieval import lines
from ..retrieval.discovery import check_dimension, keys_of, visible
from ..retrieval.filters import Filter, parse_filters
from ..retrieval.picture import graph_of
from ..schema.model import Hidden
from .candidates import Reader
from .neighbours import neighbours_of
from .operator import hidden_names
from .result import Result
from .withheld import check_names, without_hidden

Request = TypeVar("Request", bound="SearchRequest")
OWN_COLUMNS = ("score", "rank_vector", "rank_text", "labels", "key", "start", "end", "neighbours")
_HINT = "Ask for fewer results, filter, or raise Token Limit."


@dataclass(frozen=True)
class SearchRequest:
    """What every search needs. ``embedder`` has LangChain's ``embed_query`` and ``embed_documents``.

    ``filters``: lines, JSON, a dict or a list (``retrieval.filters``). ``retrieval_query`` and ``hops`` matter with
    ``neighbours``. ``timeout`` is in seconds and bounds everything asked of the server; ``hidden`` are labels, types and
    properties that never show.
    """

    query: str
    embedder: Any = None
    vector_index: str = ""
    filters: Any = None
    number_of_results: int = NUMBER_OF_RESULTS
    retrieval_query: str = ""
    retrieval_parameters: Mapping[str, Any] = field(default_factory=dict)
    neighbours: bool = False
    hops: int = 1
    timeout: float = QUERY_TIMEOUT
    token_limit: int = TOKEN_LIMIT
    format: str = "yaml"
    hidden: frozenset[str] = frozenset()
    client: str = "engine"

    @property
    def wants_retrieval(self) -> bool:
        return self.neighbours and bool(self.retrieval_query.strip())


@dataclass(frozen=True)
class Ranked:
    """Hits in their final order: maps of ``id`` and ``score`` (and ranks, and content where it was read already)."""

    hits: list[dict[str, Any]]
    details: dict[str, Any]
    warnings: tuple[str, ...] = ()


def within_rights(request: Request) -> Request:
    """The request with what the operator hides."""
    return replace(request, hidden=request.hidden | hidden_names())


def checked(request: SearchRequest) -> Filter | None:
    """The filter tree. Raises InputError for a blank question, a wrong number, missing parameters, unreadable filters."""
    if request.format not in FORMATS:
        raise InputError(f"'{request.format}' is not a format.", f"Choose one of {', '.join(FORMATS)}.")
    if not request.query.strip():
        raise InputError("The question is empty.", "Write what to search for in Query.")
    if request.number_of_results < 1:
        raise InputError("Number of Results is less than 1.", "Ask for at least one result.")
    if request.wants_retrieval:
        missing = [name for name in find_parameters(request.retrieval_query) if name not in request.retrieval_parameters]
        if missing:
            raise InputError(
                f"The Retrieval Query needs a value for ${', $'.join(missing)}.",
                "Write the value in the query itself, or use Filters; the command takes it as --param NAME=VALUE.",
            )
    return parse_filters(request.filters)


def no_embedder() -> EmbeddingProblem:
    return EmbeddingProblem(
        "No embedding model is connected, and a search by meaning needs one.",
        "Connect to Embedding the model that saved the data, or switch on Local Embedding.",
    )


_listed: dict[tuple[str, str, str | None], tuple[float, list[Index]]] = {}  # and when they were listed (monotonic seconds)


async def with_indexes(
    connection: Connection, hidden: frozenset[str], attempt: Callable[[list[Index]], Awaitable[Result]]
) -> Result:
    """Run ``attempt`` with the indexes of the last search while the server is asked for those of now; again if they differ.

    Listing indexes takes a fifth of a search; waiting for it first would add that to each one. In a burst of searches it is
    asked once in a while, and whenever an attempt fails.
    """
    key = (connection.uri, connection.username, connection.database)

    async def listed() -> list[Index]:
        found = await list_indexes(connection)
        _listed[key] = (time.monotonic(), found)
        return found

    since, known = _listed.get(key, (0.0, None))
    if known is None:
        return await attempt(visible(await listed(), hidden))
    if time.monotonic() - since < INDEX_LIST_SECONDS:
        try:
            return await attempt(visible(known, hidden))
        except GraphRAGError:
            if (now := await listed()) == known:
                raise
            return await attempt(visible(now, hidden))
    outcome, now = await asyncio.gather(attempt(visible(known, hidden)), listed(), return_exceptions=True)
    if isinstance(now, BaseException):
        raise now
    if now != known:
        return await attempt(visible(now, hidden))
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def embedding_names(indexes: Sequence[Index]) -> tuple[str, ...]:
    """Properties that hold embeddings anywhere in the database: they never leave it."""
    names = dict.fromkeys(index.properties[0] for index in indexes if index.kind == "VECTOR")
    return tuple(name + ending for name in names for ending in ("", PARTS_ENDING))


async def check_size(reader: Reader, index: Index, size: int) -> None:
    """Raises IndexProblem when the index, or what it holds when it names no dimension, has vectors of another length."""
    if index.dimensions is None:
        text = statements.stored_size(index.labels, index.properties[0], index.entity == "RELATIONSHIP")
        rows = await reader.rows(text)
        index = replace(index, dimensions=rows[0]["size"] if rows else None)
    check_dimension(index, size)


async def reply(reader: Reader, request: SearchRequest, indexes: Sequence[Index], index: Index, ranked: Ranked) -> Result:
    """The answer: rows, or with neighbours the readable lines (rows too in JSON and as a table), or what the Retrieval Query
    gives."""
    relationship = index.entity == "RELATIONSHIP"
    if request.wants_retrieval:
        return await _retrieved(reader, request, ranked, relationship)
    hits = await _with_contents(reader, request, indexes, ranked.hits, relationship)
    keys = keys_of(indexes)
    rows = [_row(hit, request, keys) for hit in hits]
    details = ranked.details | {"warnings": list(ranked.warnings), "results": len(rows)}
    groups: dict[str, tuple[lines.Neighbours, ...]] = {}
    if request.neighbours and hits and not relationship:
        ids = [hit["id"] for hit in hits]
        groups = await neighbours_of(reader, ids, hide=embedding_names(indexes), hidden=request.hidden, hops=request.hops)
    if request.neighbours:
        for hit, row in zip(hits, rows, strict=True):
            around = lines.neighbour_lines(groups.get(hit["id"], ()), keys, lines.SHAPES[0])
            row["neighbours"] = "\n".join(line[2:] for line in around)
    details["graph"] = graph_of(hits, groups, keys)
    if not request.neighbours or request.format != "yaml":
        extra = {name: details[name] for name in ("filter_mode", "complete") if details.get("filter_mode")}
        said = [_for_reader(row, several_labels=len(index.labels) > 1) for row in rows]
        fitted = fit(said, token_limit=request.token_limit, format=request.format, extra=extra, notes=ranked.warnings, hint=_HINT)
        return Result(fitted.text, rows, details)
    text = _fitted_lines(request, hits, groups, keys, _remarks(details, ranked.warnings))
    return Result(text, rows, details)


async def _with_contents(
    reader: Reader, request: SearchRequest, indexes: Sequence[Index], hits: Sequence[dict[str, Any]], relationship: bool
) -> list[dict[str, Any]]:
    """The first Number of Results hits with their labels and properties, plain and without embeddings."""
    first = list(hits[: request.number_of_results])
    if any("properties" not in hit for hit in first):
        text = statements.contents(relationship=relationship, hide=embedding_names(indexes))
        content = {row["id"]: row for row in await reader.hits(text, ids=[hit["id"] for hit in first])}
        # One that was deleted between the two statements is no result any more.
        first = [hit | content[hit["id"]] for hit in first if hit["id"] in content]
    contents = []
    for hit in first:
        properties = plain(lines.shown(hit["properties"], request.hidden, hit["labels"]), longest=None)
        content = {"labels": _seen(hit["labels"], request), "properties": properties}
        if "ends" in hit:
            content["ends"] = [_end(end, request) for end in hit["ends"]]
        contents.append(hit | content)
    return contents


def _seen(labels: Sequence[str], request: SearchRequest) -> list[str]:
    return [label for label in labels if label not in request.hidden]


def _end(end: dict[str, Any], request: SearchRequest) -> dict[str, Any]:
    return {
        "labels": _seen(end["labels"], request),
        "properties": plain(lines.shown(end["properties"], request.hidden, end["labels"])),
    }


def _row(hit: dict[str, Any], request: SearchRequest, keys: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """A line of the table; a property of the user that is called like a column of ours gets ``(property)``."""
    row: dict[str, Any] = {"score": hit["score"]}
    row |= {name: hit[name] for name in ("rank_vector", "rank_text") if name in hit}
    row |= {"labels": hit["labels"], "key": lines.key_text(hit["labels"], hit["properties"], keys)}
    for name, end in zip(("start", "end"), hit.get("ends", ()), strict=False):
        row[name] = lines.node_line(end["labels"], end["properties"], keys, lines.SHAPES[0].neighbour_text)
    for name, value in hit["properties"].items():
        row[f"{name} (property)" if name in OWN_COLUMNS else name] = value
    return row


def _for_reader(row: dict[str, Any], several_labels: bool) -> dict[str, Any]:
    """A row as an agent reads it: the score rounded, the properties; ranks, key and a single label say nothing more."""
    kept = {name: value for name, value in row.items() if name not in ("rank_vector", "rank_text", "key")}
    kept["score"] = round(row["score"], 3)
    if not several_labels:
        del kept["labels"]
    return kept


def _remarks(details: Mapping[str, Any], warnings: Sequence[str]) -> list[str]:
    """Lines that follow the results: how filters were applied, and warnings."""
    mode = details.get("filter_mode")
    filtered = [f"[filter_mode: {mode}, complete: {str(details['complete']).lower()}]"] if mode else []
    return filtered + [f"[{warning}]" for warning in warnings]


def _fitted_lines(
    request: SearchRequest,
    hits: Sequence[dict[str, Any]],
    groups: Mapping[str, tuple[lines.Neighbours, ...]],
    keys: Mapping[str, Sequence[str]],
    remarks: list[str],
) -> str:
    """All results in the most generous shape in which they fit; else as many whole ones as fit in the tersest."""

    def block(hit: dict[str, Any], shape: lines.Shape) -> str:
        found = [lines.node_line(hit["labels"], hit["properties"], keys, shape.text)]
        for word, end in zip(("from", "to"), hit.get("ends", ()), strict=False):
            found.append(f"  {word} {lines.node_line(end['labels'], end['properties'], keys, shape.neighbour_text)}")
        return "\n".join(found + lines.neighbour_lines(groups.get(hit["id"], ()), keys, shape))

    def fits(text: str) -> bool:
        return request.token_limit <= 0 or count_tokens(text) <= request.token_limit

    if not hits:
        return "\n".join(["No results.", *remarks])
    for shape in lines.SHAPES:
        blocks = [block(hit, shape) for hit in hits]
        if fits(text := "\n".join(blocks + remarks)):
            return text
    for count in range(len(blocks) - 1, 0, -1):
        notice = f"[Cut: {count} of {len(blocks)} results (token limit {request.token_limit}). {_HINT}]"
        if fits(text := "\n".join([notice, *blocks[:count], *remarks])):
            return text
    hint = f"1 of {len(blocks)} results. {_HINT}"
    return fit_text("\n".join([blocks[0], *remarks]), token_limit=request.token_limit, hint=hint)


async def _retrieved(reader: Reader, request: SearchRequest, ranked: Ranked, relationship: bool) -> Result:
    """The Retrieval Query on the candidates in order, until Number of Results of them have given rows."""
    check_names(request.retrieval_query, Hidden(request.hidden))
    statement = statements.retrieval_statement(request.retrieval_query, relationship)
    rows: list[dict[str, Any]] = []
    given, tried, more = 0, 0, False

    async def one(hit: dict[str, Any]) -> tuple[list[dict[str, Any]], bool]:
        parameters = dict(request.retrieval_parameters) | {"__id": hit["id"], "__score": hit["score"]}
        limits = Limits(timeout=reader.left(), max_rows=ROWS_PER_RESULT)
        reading = await read(reader.connection, statement, parameters, limits=limits, origin=reader.origin)
        return without_hidden(plain_rows(reading.columns, reading.rows), Hidden(request.hidden)), reading.more

    # One after the other: each of them takes a slot of those that all users of the server share.
    for hit in ranked.hits:
        if given == request.number_of_results:
            break
        found, cut = await one(hit)
        tried += 1
        if found:
            given += 1
            rows += found
            more = more or cut
    warnings = list(ranked.warnings)
    if given < request.number_of_results and tried and given < tried:
        warnings.append(f"The Retrieval Query gave rows for {given} of the {tried} candidates of this search.")
    details = ranked.details | {"warnings": warnings, "results": given, "candidates_tried": tried}
    extra = {name: details[name] for name in ("filter_mode", "complete") if details.get("filter_mode")}
    fitted = fit(rows, token_limit=request.token_limit, format=request.format, extra=extra, notes=warnings, more=more, hint=_HINT)
    return Result(fitted.text, rows, details)
