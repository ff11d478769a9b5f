"""``schema``: what is in the graph."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from ..defaults import SCHEMA_TIMEOUT, TOKEN_LIMIT
from .common import Connect, TimeoutOption, TokenLimitOption, command, print_answer
from .pictures import HtmlOption, schema_graph, write_picture


class SchemaFormat(str, Enum):
    """How the schema is written."""

    text = "text"
    table = "table"
    json = "json"
    mermaid = "mermaid"


def register(app: typer.Typer) -> None:
    """Add the command to the app."""

    @command(app, "schema")
    async def schema(
        connect: Connect,
        format: Annotated[SchemaFormat, typer.Option("--format", help="mermaid draws a picture.")] = SchemaFormat.text,
        query_timeout: TimeoutOption = SCHEMA_TIMEOUT,
        token_limit: TokenLimitOption = TOKEN_LIMIT,
        html: HtmlOption = None,
    ) -> None:
        """Labels, properties, relationships and indexes of the graph, with counts and example values."""
        from ..operations.graph_schema import GraphSchemaRequest, graph_schema

        request = GraphSchemaRequest(timeout=query_timeout, token_limit=token_limit, format=format.value)
        result = await graph_schema(connect(), request)
        print_answer(result.text)
        if html:
            write_picture(html, schema_graph(result.details["schema"]))
