"""The neutral notation of the cases: reading a file, filling in its values, comparing rows."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import itertools
import json
import math
import random
import re
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

CASE_FIELDS = {
    "id", "title", "area", "operations", "family", "fault_class", "source", "symptom", "premise", "needs", "tags", "input",
    "calls", "checks", "right", "accept",
}  # fmt: skip
CALL_FIELDS = {"op", "as", "args", "args_py", "for_each", "reset_database_between", "driver", "in", "server_timeout"}
CHECK_FIELDS = {"cypher", "python", "expect", "expect_set", "expect_if_no_error", "with", "for", "after"}


class CaseError(Exception):
    """The file uses something that the notation does not have, or a check that cannot be evaluated."""


class Color(enum.Enum):
    """An enumeration for the cases that send one as a value."""

    ROJO = "rojo"


def load(path: Path) -> list[dict[str, Any]]:
    """The cases of a file; raises CaseError for a field that the notation does not have."""
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    cases = document["cases"]
    for case in cases:
        _only(case, CASE_FIELDS, f"case {case.get('id')}")
        for call in case["calls"]:
            _only(call, CALL_FIELDS, f"a call of {case['id']}")
        for check in case["checks"]:
            _only(check, CHECK_FIELDS, f"a check of {case['id']}")
    return cases


def _only(entry: dict[str, Any], known: set[str], where: str) -> None:
    if unknown := set(entry) - known:
        raise CaseError(f"{where}: unknown field {', '.join(sorted(unknown))}")


def python_names() -> dict[str, Any]:
    """What expressions of a case may use besides its own names."""
    modules = (collections, datetime, decimal, itertools, json, math, random, re, uuid, yaml)
    names = {module.__name__: module for module in modules} | {"Color": Color}
    try:
        import numpy
        import pandas

        names |= {"pandas": pandas, "numpy": numpy, "DataFrame": pandas.DataFrame}
    except ImportError:
        pass
    return names


def evaluate(expression: str, names: dict[str, Any]) -> Any:
    """The value of a Python expression; raises CaseError when it cannot be evaluated."""
    try:
        # One dict: a comprehension inside eval sees globals only.
        return eval(expression, dict(names))  # noqa: S307
    except Exception as error:
        raise CaseError(f"cannot evaluate {expression[:120]!r}: {type(error).__name__}: {error}") from error


def singular(name: str) -> str:
    """The loop variable of ``for_each: NAME``."""
    if name.endswith("ies"):
        return name[:-3] + "y"
    return name[:-1] if name.endswith("s") else name


_CALLED = re.compile(r"(MODEL|EMB\w*)\s*\(.*\)\Z", re.S)


def fill(value: Any, names: dict[str, Any]) -> Any:
    """``value`` with ``$name``, ``MODEL(…)``, ``EMB4(…)`` and the constants of the notation put in, at any depth."""
    if isinstance(value, dict):
        return {
            (key[: -len("_py")] if key.endswith("_py") else key): (
                evaluate(item, names) if key.endswith("_py") and isinstance(item, str) else fill(item, names)
            )
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [fill(item, names) for item in value]
    if not isinstance(value, str):
        return value
    text = value.strip()
    if re.fullmatch(r"\$\w+", text) and text[1:] in names:
        return names[text[1:]]
    if text.startswith("$index_of("):
        return evaluate(text[1:], names)
    if text in names and re.fullmatch(r"(MODEL|EMB)\w*", text):
        return names[text]
    if _CALLED.fullmatch(text):
        return evaluate(re.sub(r"\$(\w+)", r"\1", text), names)
    return value


def same_rows(got: list[list[Any]], expected: list[list[Any]], ordered: bool) -> bool:
    """Whether two lists of rows are the same; in any order where the query has none."""
    if ordered or len(expected) <= 1:
        return got == expected
    return Counter(map(_frozen, got)) == Counter(map(_frozen, expected))


def _frozen(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str, ensure_ascii=False)


def is_ordered(cypher: str) -> bool:
    return "order by" in cypher.lower()
