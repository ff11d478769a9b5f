"""``build-graph``: documents on disk into a graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..defaults import FULLTEXT_ANALYZER, MODEL_CONCURRENCY, QUERY_TIMEOUT
from ..errors import ExtraMissing, InputError
from ..records.documents import Document, documents_from
from .common import Connect, EmbeddingOption, TimeoutOption, command, embedding_model, print_answer, progress_bar, text_or_file
from .models import ModelOption, chat_model

_TEXT_ENDINGS = (".md", ".markdown", ".txt", ".text", ".rst", ".csv", ".json", ".html")


def register(app: typer.Typer) -> None:
    """Add the command to the app."""

    @command(app, "build-graph")
    async def build_graph(
        connect: Connect,
        files: Annotated[list[Path], typer.Argument(help="PDF, DOCX, Markdown or text; a folder stands for the files in it.")],
        model: ModelOption = "",
        allowed_patterns: Annotated[str, typer.Option("--allowed-patterns", help="'(A)-[:T]->(B)', one a line; or @file.")] = "",
        node_types: Annotated[
            str, typer.Option("--node-types", help="'A(key, other: date, state: open | closed)'; or @file.")
        ] = "",
        relationship_types: Annotated[str, typer.Option("--relationship-types", help="'T(since: date), U'; or @file.")] = "",
        extraction_instructions: Annotated[
            str, typer.Option("--extraction-instructions", help="In your own words; or @file.")
        ] = "",
        save_source_chunks: Annotated[
            bool, typer.Option("--save-source-chunks", help="Keep the passages, linked to what they mention.")
        ] = False,
        vector_index: Annotated[str, typer.Option("--vector-index", help="Default: <label>_vector.")] = "",
        fulltext_index: Annotated[str, typer.Option("--fulltext-index", help="Default: <label>_text.")] = "",
        fulltext_analyzer: Annotated[str, typer.Option("--fulltext-analyzer", help="For example spanish.")] = FULLTEXT_ANALYZER,
        local_embedding: Annotated[bool, typer.Option("--local-embedding", help="The same as --embedding-model local.")] = False,
        embedding: EmbeddingOption = "",
        concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Model calls at once.")] = MODEL_CONCURRENCY,
        cache: Annotated[
            bool, typer.Option("--cache/--no-cache", help="Remember the model's answers in your own folder.")
        ] = True,
        query_timeout: TimeoutOption = QUERY_TIMEOUT,
    ) -> None:
        """Read documents with a language model and save the entities and relationships that they state."""
        from ..operations.build_graph import BuildGraphRequest, build_graph

        request = BuildGraphRequest(
            documents=[document for path in _listed(files) for document in documents_of_file(path)],
            model=chat_model(model),
            allowed_patterns=text_or_file(allowed_patterns),
            node_types=text_or_file(node_types),
            relationship_types=text_or_file(relationship_types),
            extraction_instructions=text_or_file(extraction_instructions),
            save_source_chunks=save_source_chunks,
            embedder=embedding_model("local" if local_embedding else embedding),
            vector_index=vector_index,
            fulltext_index=fulltext_index,
            fulltext_analyzer=fulltext_analyzer,
            concurrency=concurrency,
            use_cache=cache,
            timeout=query_timeout,
        )
        connection = connect()
        with progress_bar() as progress:
            result = await build_graph(connection, request, progress)
        print_answer(result.text)
        if result.details["status"] == "failed":
            raise typer.Exit(1)


def documents_of_file(path: Path) -> list[Document]:
    """The text of a file: one document, of a PDF one per page (they are joined again, and passages know their page).

    A page without text, as in a scan, is a blank document, and a broken file one with a problem: Build Graph reports both.

    Raises InputError for a file that is missing or of another kind, ExtraMissing for DOCX without the extra ``files``.
    """
    if not path.is_file():
        raise InputError(f"There is no file {path}.", "Check the name and the folder.")
    ending = path.suffix.lower()
    try:
        if ending == ".pdf":
            return documents_from(
                [{"text": text, "file_path": str(path), "page": number} for number, text in enumerate(_pdf(path), 1)]
            )
        if ending == ".docx":
            return documents_from({"text": _docx(path), "file_path": str(path)})
        if ending in _TEXT_ENDINGS:
            return documents_from({"text": _decoded(path), "file_path": str(path)})
    except _Unreadable as error:
        return documents_from(Document("", str(path), problem=str(error)))
    raise InputError(f"{path.name} is of a kind that cannot be read.", "Give PDF, DOCX, Markdown or text files.")


class _Unreadable(ValueError):
    """The file is broken; its text is the reason."""


def _listed(paths: list[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        kinds = (".pdf", ".docx", *_TEXT_ENDINGS)
        found += sorted(entry for entry in path.rglob("*") if entry.suffix.lower() in kinds) if path.is_dir() else [path]
    if not found:
        raise InputError("There are no documents in the folder.", "Give PDF, DOCX, Markdown or text files.")
    return found


def _pdf(path: Path) -> list[str]:
    from pypdf import PdfReader

    try:
        return [page.extract_text() or "" for page in PdfReader(path).pages]
    except Exception as error:  # pypdf stumbles over broken files in many ways
        raise _Unreadable(f"it cannot be read as PDF ({type(error).__name__}); is it broken or behind a password?") from None


def _docx(path: Path) -> str:
    """Paragraphs and tables in their order, headings as Markdown, cells between bars."""
    try:
        from docx import Document as open_docx
        from docx.table import Table
    except ImportError:
        raise ExtraMissing("Reading a DOCX file", "files") from None
    try:
        file = open_docx(str(path))
    except Exception as error:  # zipfile's, XML's and python-docx's own errors
        raise _Unreadable(f"it cannot be read as DOCX ({type(error).__name__})") from None
    blocks: list[str] = []
    for block in file.iter_inner_content():
        if isinstance(block, Table):
            blocks.append("\n".join(" | ".join(cell.text.strip() for cell in row.cells) for row in block.rows))
        elif text := block.text.strip():
            level = (block.style.name or "").removeprefix("Heading ") if block.style else ""
            blocks.append(f"{'#' * int(level)} {text}" if level.isdigit() else text)
    return "\n\n".join(blocks)


def _decoded(path: Path) -> str:
    content = path.read_bytes()
    for encoding in ("utf-8-sig", "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise _Unreadable("it is not text")
