"""``add-records``: a file of rows into the graph."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from ..defaults import FULLTEXT_ANALYZER, QUERY_TIMEOUT
from .common import Connect, EmbeddingOption, TimeoutOption, command, embedding_model, print_answer, progress_bar, text_or_file


class EmptyCells(str, Enum):
    """What a blank cell does to a stored value."""

    keep = "keep"
    clear = "clear"


def register(app: typer.Typer) -> None:
    """Add the command to the app."""

    @command(app, "add-records")
    async def add_records(
        connect: Connect,
        file: Annotated[Path, typer.Argument(help="JSON, JSON Lines, CSV, XLSX or Parquet.")],
        node_label: Annotated[str, typer.Option("--label", "--node-label", help="What each row is, for example Incidencia.")],
        key_property: Annotated[str, typer.Option("--key", "--key-property", help="The column that identifies a row.")],
        relationships: Annotated[
            list[str] | None,
            typer.Option("--relationship", "--relationships", help="'cliente -> DE_CLIENTE -> Cliente.nombre'; may be repeated."),
        ] = None,
        write_query: Annotated[str, typer.Option("--write-query", help="Cypher of your own with $rows or row; or @file.")] = "",
        text_column: Annotated[str, typer.Option("--text-column", help="The column to search; default: text, else the longest.")] = "",
        column_types: Annotated[str, typer.Option("--column-types", help="'fecha: date, precio: float'.")] = "",
        empty_cells: Annotated[EmptyCells, typer.Option("--empty-cells", help="Blank cells keep or clear what is stored.")] = EmptyCells.keep,
        dry_run: Annotated[bool, typer.Option("--dry-run", "--preview", help="Say what would change, write nothing.")] = False,
        vector_index: Annotated[str, typer.Option("--vector-index", help="Default: <label>_vector.")] = "",
        fulltext_index: Annotated[str, typer.Option("--fulltext-index", help="Default: <label>_text.")] = "",
        fulltext_analyzer: Annotated[str, typer.Option("--fulltext-analyzer", help="For example spanish.")] = FULLTEXT_ANALYZER,
        local_embedding: Annotated[bool, typer.Option("--local-embedding", help="The same as --embedding-model local.")] = False,
        model: EmbeddingOption = "",
        query_timeout: TimeoutOption = QUERY_TIMEOUT,
    ) -> None:
        """Save the rows of a file as nodes and link them; saving the same rows again changes nothing."""
        from ..local.files import rows_of_file
        from ..operations.add_records import AddRecordsRequest, add_records

        request = AddRecordsRequest(
            rows=rows_of_file(file),
            node_label=node_label,
            key_property=key_property,
            relationships="\n".join(relationships or ()),
            write_query=text_or_file(write_query),
            embedder=embedding_model("local" if local_embedding else model),
            text_column=text_column,
            column_types=column_types,
            empty_cells=empty_cells.value,
            preview=dry_run,
            vector_index=vector_index,
            fulltext_index=fulltext_index,
            fulltext_analyzer=fulltext_analyzer,
            timeout=query_timeout,
        )
        connection = connect()
        with progress_bar() as progress:
            result = await add_records(connection, request, progress)
        print_answer(result.text)
