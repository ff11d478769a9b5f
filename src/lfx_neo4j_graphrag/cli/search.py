"""``search``: the four search operations."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

import typer

from ..database.connection import Connection
from ..defaults import NUMBER_OF_RESULTS, QUERY_TIMEOUT, TOKEN_LIMIT
from ..errors import InputError
from ..local.embeddings import local_embeddings_available
from ..operations.result import Result
from .common import (
    Connect,
    EmbeddingOption,
    Format,
    FormatOption,
    TimeoutOption,
    TokenLimitOption,
    command,
    embedding_model,
    pairs,
    print_answer,
    text_or_file,
)
from .pictures import HtmlOption, write_picture


class Operation(str, Enum):
    """The searches of the Operation dropdown."""

    vector = "vector"
    hybrid = "hybrid"
    vector_graph = "vector-graph"
    hybrid_graph = "hybrid-graph"


def register(app: typer.Typer) -> None:
    """Add the command to the app."""

    @command(app, "search")
    async def search(
        connect: Connect,
        query: Annotated[str, typer.Argument(metavar="TEXT", help="What to search for, in your own words.")],
        operation: Annotated[
            Operation, typer.Option("--operation", help="By meaning, or by words too; with neighbours.")
        ] = Operation.hybrid,
        filters: Annotated[
            list[str] | None, typer.Option("--filter", "--filters", help="'estado = abierta'; may be repeated.")
        ] = None,
        number_of_results: Annotated[int, typer.Option("--results", "--number-of-results", min=1)] = NUMBER_OF_RESULTS,
        vector_index: Annotated[str, typer.Option("--vector-index", help="Default: the only one.")] = "",
        fulltext_index: Annotated[str, typer.Option("--fulltext-index", help="Default: the only one.")] = "",
        retrieval_query: Annotated[str, typer.Option("--retrieval-query", help="Cypher after node and score, or @file.")] = "",
        param: Annotated[list[str] | None, typer.Option("--param", help="name=value for a $name of it; may be repeated.")] = None,
        hops: Annotated[int, typer.Option("--hops", min=1, max=2, help="How far the neighbours go.")] = 1,
        model: EmbeddingOption = "",
        query_timeout: TimeoutOption = QUERY_TIMEOUT,
        token_limit: TokenLimitOption = TOKEN_LIMIT,
        format: FormatOption = Format.yaml,
        html: HtmlOption = None,
    ) -> None:
        """Find nodes by meaning and by words; the + graph operations show what each one is connected with."""
        if html and retrieval_query:
            raise InputError("The rows of a Retrieval Query have no picture.", "Leave out --html or --retrieval-query.")
        wanted = {
            "vector_index": vector_index,
            "filters": list(filters or ()),
            "number_of_results": number_of_results,
            "retrieval_query": text_or_file(retrieval_query),
            "retrieval_parameters": dict(pairs(param or [], "--param")),
            "hops": hops,
            "timeout": query_timeout,
            "token_limit": token_limit,
            "format": format.value,
            "client": "command",
        }
        embedder = search_embedder(model)
        result = await run_search(connect(), operation, query, embedder, fulltext_index=fulltext_index, **wanted)
        print_answer(result.text)
        if html and result.rows:
            write_picture(html, result.details["graph"])


def search_embedder(name: str) -> Any:
    """The embedder called ``name``, else the local one where it is installed, else None: words alone are searched."""
    return embedding_model(name or ("local" if local_embeddings_available() else ""))


async def run_search(
    connection: Connection, operation: Operation, query: str, embedder: Any, *, fulltext_index: str = "", **fields: Any
) -> Result:
    """One of the four searches; ``fields`` are those of ``operations.search.SearchRequest``. Raises what ``hybrid`` raises."""
    from ..operations.hybrid import HybridRequest, hybrid
    from ..operations.vector import VectorRequest, vector

    fields |= {"query": query, "embedder": embedder, "neighbours": operation in (Operation.vector_graph, Operation.hybrid_graph)}
    if operation in (Operation.hybrid, Operation.hybrid_graph):
        return await hybrid(connection, HybridRequest(**fields, fulltext_index=fulltext_index))
    return await vector(connection, VectorRequest(**fields))
