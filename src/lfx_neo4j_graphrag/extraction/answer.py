"""The JSON values in a model's answer, whatever it is wrapped in."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

# Reasons why a provider stopped writing before the end.
_LENGTH_REASONS = {"length", "max_tokens", "max_output_tokens", "model_length"}
_THINKING = re.compile(r"<(think|thinking|reasoning|thought)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
# Each bracket that never closes costs a pass over the rest of the text; of a text full of them the rest is noise.
_MOST_WORK = 2_000_000


@dataclass(frozen=True)
class Answer:
    """``values``: every JSON value of the answer, in order. ``cut``: it broke off; only what was complete is in ``values``."""

    values: list[Any]
    cut: bool


def read_answer(text: str, finish_reason: str = "") -> Answer:
    """Every JSON object or list in ``text``: fences, prose and thinking around them are left out, slips repaired.

    Of a value that breaks off, everything up to its last complete part is kept.
    """
    text = _unquoted(_THINKING.sub(" ", text).lstrip("\ufeff"))
    values: list[Any] = []
    cut = finish_reason.lower() in _LENGTH_REASONS
    position = work = 0
    while work < _MOST_WORK and (start := _opening(text, position)) >= 0:
        value, end = _strict(text, start)
        if end < 0:
            end, complete, stack = _extent(text, start)
            work += end - start
            if stack:
                # A stray bracket in the prose never closes either: it is only a cut answer when data follows it.
                value = repaired(text[start:complete] + "".join(reversed(stack))) if complete > start else None
                if not value:
                    position = start + 1
                    continue
                cut = True
            else:
                value = repaired(text[start:end])
        if _is_data(value):
            values.append(value)
        position = end
    return Answer(values, cut)


def _is_data(value: Any) -> bool:
    """Not the ``[1]`` or ``{thanks}`` of a sentence: an object with a value, a list with an object, or an empty one."""
    if isinstance(value, list):
        return not value or any(isinstance(item, (dict, list, str)) and item for item in value)
    return isinstance(value, dict) and (not value or any(item not in ("", None) for item in value.values()))


def _opening(text: str, position: int) -> int:
    found = [at for mark in "{[" if (at := text.find(mark, position)) >= 0]
    return min(found, default=-1)


def _strict(text: str, start: int) -> tuple[Any, int]:
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, -1


def _extent(text: str, start: int) -> tuple[int, int, list[str]]:
    """Where the value that opens at ``start`` ends; if it doesn't: where its last complete part ends, and what is open there."""
    stack: list[str] = []
    complete, open_then = start, []
    in_string = escaped = False
    for position in range(start, len(text)):
        char = text[position]
        if in_string:
            in_string = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            in_string = True
        elif char in "{[":
            stack.append("}" if char == "{" else "]")
        elif char in "}]":
            if char in stack:  # a wrong closing bracket closes what is open up to its own kind
                while stack.pop() != char:
                    pass
            complete, open_then = position + 1, list(stack)
            if not stack:
                return position + 1, position + 1, []
        elif char == ",":
            complete, open_then = position, list(stack)
    return len(text), complete, open_then or stack


def repaired(text: str) -> Any:
    """The value that ``text`` is, its slips (single quotes, commas, missing brackets) mended; None when it is none."""
    from json_repair import loads

    if ":" not in text:  # a bracket of the prose
        return None
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        pass
    try:
        return loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None


def _unquoted(text: str) -> str:
    """An answer that is a JSON string which holds the JSON."""
    if not text.strip().startswith('"'):
        return text
    try:
        inner = json.loads(text.strip())
    except (ValueError, RecursionError):
        return text
    return inner if isinstance(inner, str) else text
