"""Rows out of whatever holds them: every container of Langflow and Python, JSON, JSON Lines and CSV text.

pandas, LangChain and Langflow are recognised by what their objects offer, so that none of them is imported.
No file and no database is opened here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from ..errors import InputError
from .text import BrokenRow, Rows, parse_text, unique_names

# What Read File gives for several files: one row per file, with the content of the file as text.
_FILE_KEYS = {"file_path", "filename", "file_name", "text", "encoding", "mimetype"}
_FILE_ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv")


def rows_from(value: Any) -> Rows:
    """The rows of ``value`` as a list of dicts, in their order; their keys are texts without white space around them.

    Understood: None (no rows), dict, Data/JSON, DataFrame/Table (pandas, polars, pyarrow), Message, LangChain
    Document (``text`` plus its metadata), lists of them to any depth, and text: JSON, JSON Lines, CSV.
    A dict whose only value is a list of dicts, or JSON text (as Read File gives it), holds the rows in it.

    What cannot be read as a row becomes an empty ``BrokenRow`` with its reason at the same place, so that
    positions stay those of the input; ``Rows.notes`` are remarks for the report.

    Raises InputError for text that is neither JSON nor a table, and for objects that hold no rows.
    """
    rows = Rows()
    _collect(value, rows)
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    if any(type(name) is not str or name != name.strip() or not name for name in names):
        clean = dict(zip(names, unique_names(names)))
        rows[:] = [row if isinstance(row, BrokenRow) else {clean[name]: cell for name, cell in row.items()} for row in rows]
    return rows


def _collect(value: Any, rows: Rows) -> None:
    if value is None:
        return
    if isinstance(value, str):
        if value.strip():
            _collect(parse_text(value), rows)
    elif isinstance(value, BrokenRow):
        rows.append(value)
    elif isinstance(value, Mapping):
        _collect_dict(value, rows)
    elif isinstance(value, (list, tuple)):
        rows.notes.extend(note for note in getattr(value, "notes", ()) if note not in rows.notes)
        _collect_list(value, rows)
    elif any(kind.__name__ == "Message" for kind in type(value).__mro__):
        _collect(value.text, rows)
    elif isinstance(getattr(value, "data", None), Mapping):
        _collect_dict(value.data, rows)
    elif (converted := _table(value)) is not None:
        _collect_list(converted, rows)
    elif hasattr(value, "page_content"):
        rows.append({**(value.metadata or {}), "text": value.page_content})
    elif hasattr(value, "nodes") and hasattr(value, "relationships"):
        raise InputError(
            "Add Records was given a graph document, not rows.", "Use the operation Build Graph for graph documents."
        )
    else:
        raise InputError(
            f"No rows can be read from an object of type {type(value).__name__}.",
            "Connect a table, JSON, a list of records, or text with JSON or CSV.",
        )


def _collect_list(values: Iterable[Any], rows: Rows) -> None:
    for value in values:
        if type(value) is dict and len(value) > 1 and "file_path" not in value:
            rows.append(value)  # by far the most common case, and there may be a million of them
        else:
            _collect(value, rows)


def _collect_dict(value: Mapping, rows: Rows) -> None:
    if len(value) == 1:
        inner = next(iter(value.values()))
        if isinstance(inner, list) and inner and all(isinstance(item, Mapping) for item in inner):
            return _collect_list(inner, rows)
        if "value" in value and isinstance(inner, str) and inner.lstrip()[:1] in ("[", "{"):
            return _collect(inner, rows)
    if "file_path" in value and _FILE_KEYS.issuperset(value) and str(value["file_path"]).lower().endswith(_FILE_ENDINGS):
        return _collect(value.get("text"), rows)
    rows.append(dict(value))


def _table(value: Any) -> list[dict] | None:
    """The rows of a pandas, polars or pyarrow table as Python values; None for anything else."""
    if hasattr(value, "to_pylist") and hasattr(value, "schema"):
        return value.to_pylist()
    if hasattr(value, "to_dicts"):
        return value.to_dicts()
    if not (hasattr(value, "iloc") and hasattr(value, "columns")):
        return None
    if any(name is not None for name in value.index.names):
        value = value.reset_index()
    names = unique_names(["_".join(map(str, name)) if isinstance(name, tuple) else name for name in value.columns])
    columns = [value.iloc[:, i].tolist() for i in range(len(names))]
    return [dict(zip(names, cells)) for cells in zip(*columns)]
