"""Spreadsheets that a person has uploaded.

Read File of Langflow 1.13 offers XLSX and then refuses to read it (its message asks for a switch that it hides for
XLSX). Its output *File Path* still says where the file is, so a message that holds nothing but such paths is read here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .values import is_message

_ENDINGS = (".xlsx", ".parquet")


def opened(data: Any) -> Any:
    """``data`` with the rows of uploaded spreadsheets in place of messages that name them; everything else as it is.

    Only files that Langflow itself lets this run read are opened: those of its user or flow. The path of any other
    file stays text.
    """
    if isinstance(data, list):
        return [opened(item) for item in data]
    files = _files(data.get_text()) if is_message(data) else []
    if not files:
        return data
    from ..local.files import rows_of_file

    return [row for file in files for row in rows_of_file(file)]


def _files(text: str) -> list[Path]:
    lines = [line.strip() for line in (text or "").strip().splitlines()]
    if not lines or not all(line.lower().endswith(_ENDINGS) and Path(line).is_absolute() for line in lines):
        return []
    try:
        from lfx.utils.file_path_security import enforce_current_file_access

        files = [enforce_current_file_access(line) for line in lines]
    except (ImportError, ValueError):  # a Langflow without this check, or a file that it keeps from this run
        return []
    return files if all(file.is_file() for file in files) else []
