"""Rows as YAML, JSON or a Markdown table, built from parts whose tokens add up.

Every part ends in a line break and every row begins in column 0. No token of the vocabularies in use reaches over
a line break into text that is no white space, so the tokens of a document are the sum of those of its parts.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

FORMATS = ("yaml", "json", "table")

# Numbers of YAML 1.2 and of other readers that YAML 1.1, PyYAML's, takes for text; quoted so that all agree.
_NUMBER_ELSEWHERE = re.compile(r"[-+]?(\.?\d[\d_]*(\.\d*)?([eE][-+]?\d+)?|0o[0-7]+|0x[0-9a-fA-F]+)\Z")


def head(document: dict[str, Any], format: str) -> str:
    """What comes before the rows: everything of the document but them."""
    if format == "json":
        return "{" + "".join(f"{compact_json(key)}: {compact_json(value)},\n" for key, value in document.items())
    if format == "table":
        lines = [line for key, value in document.items() for line in _lines(key, value)]
        return "".join(f"{line}\n" for line in [*lines, ""]) if lines else ""
    return _yaml(document) if document else ""


def body(rows: list[str], format: str, columns: list[str], after: dict[str, Any] | None = None) -> str:
    """The rows, as ``row`` renders them, with what stands around them and what comes ``after`` them."""
    end = tail(after or {}, format)
    if format == "json":
        return '"rows": [' + ("\n" + "".join(rows)[:-2] + "\n" if rows else "") + "]" + end + "}\n"
    if format == "table":
        return (table_top(columns) + "".join(rows) if rows else "(no rows)\n") + end
    return ("rows:\n" + "".join(rows) if rows else "rows: []\n") + end


def tail(document: dict[str, Any], format: str) -> str:
    """What comes after the rows."""
    if not document:
        return ""
    if format == "json":
        return "".join(f",\n{compact_json(key)}: {compact_json(value)}" for key, value in document.items())
    if format == "table":
        return "\n" + "".join(f"{line}\n" for key, value in document.items() for line in _lines(key, value))
    return _yaml(document)


def mark(shown: int, of: int | str, format: str) -> str:
    """The last line of a cut reply: who reads a long list to its end learns there that it goes on. JSON has no place for it."""
    text = f"more rows: {shown} of {of} are shown"
    return {"yaml": f"# {text}\n", "table": f"\n({text})\n"}.get(format, "")


def row(value: dict[str, Any], format: str, columns: list[str]) -> str:
    """One row as its own lines."""
    if format == "json":
        return compact_json(value) + ",\n"
    if format == "table":
        return "| " + " | ".join(_cell(value.get(column)) for column in columns) + " |\n"
    return _yaml([value])


def table_top(columns: list[str]) -> str:
    """The two first lines of a Markdown table."""
    return "| " + " | ".join(map(_cell, columns)) + " |\n|" + " --- |" * len(columns) + "\n"


def compact_json(value: Any) -> str:
    """JSON without needless escapes: they cost half as many tokens again in Spanish, more in Chinese."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else compact_json(value)
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")


def _lines(key: str, value: Any) -> list[str]:
    if key == "truncated":
        left_out = f" Left out: {', '.join(value['left_out'])}." if value.get("left_out") else ""
        hint = f" {value['hint']}" if value.get("hint") else ""
        return [f"Truncated: {value['shown']} of {value['of']} rows shown ({value['reason']}).{left_out}{hint}"]
    if isinstance(value, list):
        return [item if isinstance(item, str) else compact_json(item) for item in value]
    return [f"{key}: {value if isinstance(value, str) else compact_json(value)}"]


def _yaml(value: Any) -> str:
    text = _dump(value, fast=True)
    # libyaml writes characters beyond U+FFFF as "\\U0001F600", ten tokens; PyYAML's own emitter writes them as they are.
    return _dump(value, fast=False) if "\\U00" in text else text


def _dump(value: Any, *, fast: bool) -> str:
    import yaml

    # indent=1 and width as in the source of this format; libyaml takes no infinity
    options = {"default_flow_style": False, "sort_keys": False, "width": 2**31 - 1, "indent": 1, "allow_unicode": True}
    return yaml.dump(value, Dumper=_dumper(fast), **options)


def _is_block(text: str) -> bool:
    """Several lines that a block (``key: |``) holds as they are: a query, else quoted with its quotes and line breaks doubled."""
    return "\n" in text and text == text.strip() and all(line == line.rstrip() for line in text.split("\n"))


@cache
def _dumper(fast: bool) -> Any:
    import yaml

    class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper) if fast else yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True  # "&id001" and "*id001" mean nothing to a model

    def text(dumper: Any, value: str) -> Any:
        # PyYAML's emitter writes U+0085 in a way that no parser reads back, unless told to escape it
        style = '"' if "\x85" in value else "'" if _NUMBER_ELSEWHERE.match(value) else "|" if _is_block(value) else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    return Dumper
