"""Rows of a file on disk: JSON, JSON Lines, CSV, XLSX, Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import ExtraMissing, InputError
from ..records.rows import rows_from

TEXT_ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt")


def rows_of_file(path: Path) -> list[dict[str, Any]]:
    """The rows, as ``rows_from`` gives them. XLSX: the first sheet that holds cells, its first row names the columns.

    Raises InputError for a file that is missing or holds no rows, ExtraMissing without the extra ``files``.
    """
    if not path.is_file():
        raise InputError(f"There is no file {path}.", "Check the name and the folder.")
    ending = path.suffix.lower()
    if ending in TEXT_ENDINGS:
        return rows_from(_text(path))
    if ending == ".xlsx":
        return rows_from(_sheet(path))
    if ending in (".parquet", ".pq"):
        return rows_from(_parquet(path))
    raise InputError(f"{path.name} is of a kind that cannot be read.", "Give a .json, .jsonl, .csv, .xlsx or .parquet file.")


def _text(path: Path) -> str:
    """UTF-8 or UTF-16 with its mark, else the old Western encoding that spreadsheets still write."""
    content = path.read_bytes()
    encodings = ("utf-16",) if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "cp1252")
    for encoding in encodings:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InputError(f"{path.name} is not text.", "Save it as UTF-8.")


def _sheet(path: Path) -> list[dict[str, Any]]:
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise ExtraMissing("Reading an XLSX file", "files") from None
    try:
        book = load_workbook(path, read_only=True, data_only=True)  # data_only: values, not formulas
    except Exception as error:  # zipfile's, XML's and openpyxl's own errors
        raise InputError(f"{path.name} is not an XLSX file ({type(error).__name__}).", "Save it again as XLSX or CSV.") from None
    for sheet in book.worksheets:
        lines = (cells for cells in sheet.iter_rows(values_only=True) if any(cell is not None for cell in cells))
        names = next(lines, None)
        if names:
            kept = [(i, str(name).strip()) for i, name in enumerate(names) if name is not None]
            return [{name: cells[i] for i, name in kept if i < len(cells)} for cells in lines]
    return []


def _parquet(path: Path) -> Any:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise ExtraMissing("Reading a Parquet file", "files") from None
    try:
        return parquet.read_table(path)
    except (ArrowException, OSError) as error:
        reason = type(error).__name__
        raise InputError(f"{path.name} is not a Parquet file ({reason}).", "Save it again as Parquet or CSV.") from None
