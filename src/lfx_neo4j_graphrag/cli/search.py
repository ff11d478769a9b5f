"""``search``: the four search operations."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from ..defaults import NUMBER_OF_RESULTS, QUERY_TIMEOUT, TOKEN_LIMIT
from ..errors import InputError
from ..local.embeddings import local_embeddings_available
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
        from ..operations.hybrid import HybridRequest, hybrid
        from ..operations.vector import VectorRequest, vector

        if html and retrieval_query:
            raise InputError("The rows of a Retrieval Query have no picture.", "Leave out --html or --retrieval-query.")
        wanted = {
            "query": query,
            "embedder": embedding_model(model or ("local" if local_embeddings_available() else "")),
            "vector_index": vector_index,
            "filters": list(filters or ()),
            "number_of_results": number_of_results,
            "retrieval_query": text_or_file(retrieval_query),
            "retrieval_parameters": dict(pairs(param or [], "--param")),
            "neighbours": operation in (Operation.vector_graph, Operation.hybrid_graph),
            "hops": hops,
            "timeout": query_timeout,
            "token_limit": token_limit,
            "format": format.value,
            "client": "command",
        }
        if operation in (Operation.hybrid, Operation.hybrid_graph):
            result = await hybrid(connect(), HybridRequest(**wanted, fulltext_index=fulltext_index))
        else:
            result = await vector(connect(), VectorRequest(**wanted))
        print_answer(result.text)
        if html and result.rows:
            write_picture(html, result.details["graph"])
