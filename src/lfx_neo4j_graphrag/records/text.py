"""Rows out of JSON, JSON Lines and CSV text. What is broken is named, never guessed."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from ..errors import InputError

_FENCE = re.compile(r"\A```[\w-]*[ \t]*\r?\n(.*?)\r?\n?```\Z", re.S)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,17})\Z")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,15})?\Z")
_DELIMITERS = ",;\t|"
_SNIFFED_LINES = 100
_LONGEST_CELL = 16_000_000
# Cells by which exports of databases write "no value"; the text itself can hardly be meant.
_NO_VALUE = {"NULL", "\\N"}


class BrokenRow(dict):
    """A row that could not be read: empty, and ``reason`` says why. It keeps its place among the others."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason


class Rows(list):
    """A list of rows with ``notes``: sentences about how they were read."""

    def __init__(self, rows: Iterable[dict] = (), notes: Iterable[str] = ()) -> None:
        super().__init__(rows)
        self.notes = list(notes)


def parse_text(text: str) -> Rows | dict:
    """What JSON (a list or an object), JSON Lines or CSV text with a header line holds; a JSON object as it is.

    CSV: the delimiter is found (comma, semicolon, tab or bar), quotes and a BOM are understood. A column whose
    every cell is a number without leading zeros becomes numbers, all else stays text; cells ``NULL`` and ``\\N``
    are blank.

    Raises InputError when the text is neither, with the line where JSON breaks off.
    """
    text = text.lstrip("\ufeff").strip("\r\n")
    if fenced := _FENCE.match(text.strip()):
        text = fenced[1].strip("\r\n")
    if text.lstrip()[:1] in ("[", "{"):
        return _json(text.strip())
    rows = _csv_rows(text)
    if rows is None:
        raise InputError(
            "The text is neither JSON nor a table with a header line and at least two columns.",
            "Give rows as JSON ([{…}, {…}]), JSON Lines or CSV; to read free text, use the operation Build Graph.",
        )
    return rows


def unique_names(names: Sequence[Any]) -> list[str]:
    """Text names of columns: blank ones become ``column_N``, repeated ones get ``_2``, ``_3``…"""
    taken: set[str] = set()
    result = []
    for position, name in enumerate(names, 1):
        name = str(name).strip() or f"column_{position}"
        candidate, number = name, 1
        while candidate in taken:
            number += 1
            candidate = f"{name}_{number}"
        taken.add(candidate)
        result.append(candidate)
    return result


def _json(text: str) -> Rows | dict:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        return _json_lines(text, error)
    except RecursionError:
        raise InputError("The JSON text is nested too deeply to be rows.", "Give a list of flat objects.") from None
    if isinstance(value, dict):
        return value
    return Rows(
        item if isinstance(item, dict) else BrokenRow(f"It is {_json_kind(item)}, not an object with columns.") for item in value
    )


def _json_kind(value: Any) -> str:
    kinds = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def _json_lines(text: str, error: json.JSONDecodeError) -> Rows:
    """One object per line; at least one line must be one, else the text was broken JSON."""
    rows = Rows()
    good = 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as broken:
            rows.append(BrokenRow(f"Line {number} is not valid JSON (column {broken.colno})."))
            continue
        if isinstance(value, dict):
            rows.append(value)
            good += 1
        else:
            rows.append(BrokenRow(f"Line {number} is {_json_kind(value)}, not an object with columns."))
    if not good or text[0] == "[":
        raise InputError(
            f"The JSON text breaks off at line {error.lineno}, column {error.colno}.",
            "Correct it there; it must be a list of objects, or one object per line.",
        )
    return rows


def _csv_rows(text: str) -> Rows | None:
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    skipped = 0
    delimiter = None
    if separator := re.match(r"sep=(.)\r?\n", text):  # Excel writes the delimiter in a line of its own
        text, skipped, delimiter = text[separator.end() :], 1, separator[1]
    lines = [line for line in _LINE.findall(text) if line]
    delimiter = delimiter or _delimiter(lines)
    if delimiter is None:
        return None
    records = _records(lines, delimiter)
    names = unique_names(next(records)[1])
    rows = Rows(
        dict(zip(names, content)) if isinstance(content, list) else BrokenRow(f"Line {line + skipped + 1} {content}.")
        for line, content in records
    )
    _type_columns(rows, names)
    return rows


def _delimiter(lines: list[str]) -> str | None:
    """The delimiter by which most of the first records have as many cells as a header of at least two."""
    best: tuple[float, int] = (0.5, 0)
    found = None
    for delimiter in _DELIMITERS:
        records = [content for _, content in _records(lines[:_SNIFFED_LINES], delimiter)]
        if len(records) < 2 or not isinstance(records[0], list) or len(records[0]) < 2:
            continue
        readable = sum(isinstance(content, list) for content in records[1:]) / (len(records) - 1)
        if (readable, len(records[0])) > best:
            best, found = (readable, len(records[0])), delimiter
    return found


def _records(lines: list[str], delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """(0-based line, cells) of each record that is not blank; where it is broken, a reason instead of cells.

    The first record says how many cells a record has. A quotation mark that is not closed would swallow the lines
    up to the next one: such a record is broken, and reading goes on with the line after its first.
    """
    width = 0
    start = 0
    while start < len(lines):
        base = start
        reader = csv.reader(islice(lines, base, None), delimiter=delimiter, strict=True)
        try:
            for cells in reader:
                end = base + reader.line_num
                width = width or len(cells)
                if len(cells) == width:
                    if any(cells):
                        yield start, cells
                elif end - start > 1:
                    raise csv.Error
                elif any(cells):
                    yield start, _wrong_width(len(cells), width, delimiter)
                start = end
        except csv.Error:
            yield start, "has a quotation mark that is not closed or not doubled"
            start += 1


def _wrong_width(cells: int, width: int, delimiter: str) -> str:
    hint = f"; a cell that holds '{delimiter}' must be in quotation marks" if cells > width else ""
    return f"has {cells} cells, the header has {width}{hint}"


def _type_columns(rows: Rows, names: list[str]) -> None:
    readable = [row for row in rows if row]
    blanked: dict[str, list[str]] = {}
    for name in names:
        cells = [row[name] for row in readable]
        missing = {cell for cell in set(cells) & _NO_VALUE}
        if missing:
            for row in readable:
                if row[name] in missing:
                    row[name] = None
            for cell in sorted(missing):
                blanked.setdefault(cell, []).append(name)
        filled = [cell for cell in cells if cell not in missing and cell.strip()]
        convert = (
            int if filled and all(map(_WHOLE.match, filled)) else float if filled and all(map(_NUMBER.match, filled)) else None
        )
        if convert:
            for row in readable:
                cell = row[name]
                row[name] = convert(cell) if cell and cell.strip() else None
    rows.notes += [f"Cells {cell} were read as blank, in {', '.join(columns)}." for cell, columns in blanked.items()]
