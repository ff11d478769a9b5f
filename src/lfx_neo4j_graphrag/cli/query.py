"""``query``: a fixed Cypher question."""

from __future__ import annotations

from typing import Annotated

import typer

from ..defaults import NUMBER_OF_RESULTS, QUERY_TIMEOUT, TOKEN_LIMIT
from .common import Connect, Format, FormatOption, TimeoutOption, TokenLimitOption, command, pairs, print_answer, text_or_file


def register(app: typer.Typer) -> None:
    """Add the command to the app."""

    @command(app, "query")
    async def query(
        connect: Connect,
        cypher: Annotated[str, typer.Argument(help="Cypher that reads, or @file.")],
        param: Annotated[list[str] | None, typer.Option("--param", help="name=value for a $name; may be repeated.")] = None,
        number_of_results: Annotated[int, typer.Option("--number-of-results", min=1, help="20 rows for each.")] = NUMBER_OF_RESULTS,
        query_timeout: TimeoutOption = QUERY_TIMEOUT,
        token_limit: TokenLimitOption = TOKEN_LIMIT,
        format: FormatOption = Format.yaml,
    ) -> None:
        """Run a Cypher query that can only read; the answer is bounded and says when something was cut."""
        from ..operations.cypher_query import CypherQueryRequest, cypher_query

        request = CypherQueryRequest(
            cypher=text_or_file(cypher),
            parameters=dict(pairs(param or [], "--param")),
            number_of_results=number_of_results,
            timeout=query_timeout,
            token_limit=token_limit,
            format=format.value,
            client="command",
        )
        print_answer((await cypher_query(connect(), request)).text)
