"""Filters as people and models write them, as one small tree.

Lines (all of them hold), JSON, or the typed arguments of a tool::

    estado = abierta                     {"estado": "abierta"}
    fecha >= 2026-08-01                  {"fecha": {"min": "2026-08-01"}}
    codigo_error in E01, E07             {"codigo_error": {"in": ["E01", "E07"]}}
    text contains goteo                  [{"property": "text", "operator": "contains", "value": "goteo"}]
    tecnico is empty                     {"tecnico": null}
    estado = abierta or estado = nueva   {"or": [{"estado": "abierta"}, {"estado": "nueva"}]}
    Maquina.marca = Jaltec               {"Maquina.marca": "Jaltec"}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError

OPERATORS = ("=", "<>", "<", "<=", ">", ">=", "in", "not in", "contains", "empty", "not empty")
_NAMES = {
    "==": "=", "eq": "=", "equals": "=", "is": "=", "igual": "=",
    "!=": "<>", "ne": "<>", "neq": "<>", "not": "<>", "distinto": "<>", "≠": "<>",
    "lt": "<", "lte": "<=", "le": "<=", "max": "<=", "≤": "<=", "=<": "<=",
    "gt": ">", "gte": ">=", "ge": ">=", "min": ">=", "≥": ">=", "=>": ">=",
    "en": "in", "nin": "not in", "not_in": "not in", "no en": "not in",
    "contiene": "contains", "like": "contains", "ilike": "contains",
    "is empty": "empty", "is null": "empty", "está vacío": "empty", "esta vacio": "empty", "vacío": "empty", "vacio": "empty",
    "is not empty": "not empty", "is not null": "not empty", "not_empty": "not empty",
    "no está vacío": "not empty", "no esta vacio": "not empty", "no vacío": "not empty", "no vacio": "not empty",
}  # fmt: skip
_NO_VALUE = ("empty", "not empty")
_EMPTY_WORDS = r"is\s+not\s+empty|is\s+not\s+null|is\s+empty|is\s+null|no\s+est[áa]\s+vac[íi]o|est[áa]\s+vac[íi]o"
_LINE = re.compile(
    r"^\s*(?P<name>`[^`]+`|[^\s=<>!≤≥≠'\"][^=<>!≤≥≠'\"]*?)\s*"
    rf"(?:(?P<empty>\s(?:{_EMPTY_WORDS})\s*$)"
    r"|(?P<sign>==|=<|=>|!=|<>|<=|>=|=|<|>|≤|≥|≠)\s*(?P<value>.*)"
    r"|\s(?P<word>not\s+in|in|no\s+en|en|contains|contiene)\s+(?P<list>.*))$",
    re.IGNORECASE | re.DOTALL,
)
_JOIN = re.compile(r"\s+(or|and|o|y)\s+", re.IGNORECASE)
_HELP = "Write one condition a line, such as: estado = abierta, fecha >= 2026-08-01, codigo_error in E01, E07, tecnico is empty."


@dataclass(frozen=True)
class Condition:
    """``property`` as written, ``Label.property`` for a linked node; ``values`` has one item but for the ``in`` operators."""

    property: str
    operator: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Group:
    """All members hold, or (``any``) at least one."""

    members: tuple[Condition | Group, ...]
    any: bool = False


Filter = Condition | Group


class Quoted(str):
    """A value that was written between quotation marks: text, whatever it looks like."""


def parse_filters(given: Any) -> Filter | None:
    """The filter tree of lines, JSON text, a dict or a list; None when there is nothing in it.

    Raises InputError that names the line or the item and what was expected.
    """
    if given is None or isinstance(given, (Condition, Group)):
        return given
    if isinstance(given, str):
        text = given.strip()
        if not text:
            return None
        if text[0] in "[{":
            try:
                return parse_filters(json.loads(text))
            except json.JSONDecodeError as error:
                what = f"Filters look like JSON, but cannot be read (line {error.lineno}: {error.msg})."
                raise InputError(what, _HELP) from None
        return _all([_line(line) for line in text.splitlines() if line.strip()])
    if isinstance(given, Mapping):
        return _all(list(_mapping(given)))
    if isinstance(given, Sequence):
        return _all([part for item in given if (part := parse_filters(item)) is not None])
    raise InputError(f"Filters are of a kind that cannot be read ({type(given).__name__}).", _HELP)


def conditions(tree: Filter | None) -> Iterator[Condition]:
    """Every condition of the tree, left to right."""
    if isinstance(tree, Condition):
        yield tree
    elif tree is not None:
        for member in tree.members:
            yield from conditions(member)


def _all(members: list[Filter]) -> Filter | None:
    return members[0] if len(members) == 1 else Group(tuple(members)) if members else None


# --- lines ---------------------------------------------------------------------------------------------------


def _line(line: str) -> Filter:
    """One line: conditions joined by and / or. A joining word counts only where a condition follows it."""
    pieces, joins, start = [], [], 0
    for match in _JOIN.finditer(line):
        if _outside_quotes(line, match.start()) and _LINE.match(line[match.end() :]) and _LINE.match(line[start : match.start()]):
            pieces.append(line[start : match.start()])
            joins.append(match.group(1).lower() in ("or", "o"))
            start = match.end()
    pieces.append(line[start:])
    alternatives: list[list[Filter]] = [[_condition(pieces[0])]]
    for is_or, piece in zip(joins, pieces[1:], strict=True):
        if is_or:
            alternatives.append([])
        alternatives[-1].append(_condition(piece))
    either = tuple(_all(members) for members in alternatives)
    return either[0] if len(either) == 1 else Group(either, any=True)


def _outside_quotes(text: str, position: int) -> bool:
    before = text[:position]
    return before.count('"') % 2 == 0 and before.count("'") % 2 == 0 and before.count("`") % 2 == 0


def _condition(piece: str) -> Condition:
    match = _LINE.match(piece)
    if not match:
        raise InputError(f"The filter line '{piece.strip()[:80]}' cannot be read.", _HELP)
    name = match["name"].strip().strip("`")
    if match["empty"]:
        return Condition(name, _operator(" ".join(match["empty"].lower().split())))
    if match["sign"]:
        operator, text = _operator(match["sign"]), match["value"].strip()
    else:
        operator, text = _operator(" ".join(match["word"].lower().split())), match["list"].strip()
    values = tuple(_split(text)) if operator in ("in", "not in") else (_unquoted(text),)
    if not values or values == ("",):
        raise InputError(f"The filter line '{piece.strip()[:80]}' has no value.", f"Give one, or write: {name} is empty.")
    return Condition(name, operator, values)


def _split(text: str) -> Iterator[str]:
    """The items of a list: commas, outside quotation marks; brackets around it are allowed."""
    if text[:1] in "[(" and text[-1:] in "])":
        text = text[1:-1]
    for match in re.finditer(r"\s*(\"[^\"]*\"|'[^']*'|[^,]+)\s*(?:,|$)", text):
        if item := match[1].strip():
            yield _unquoted(item)


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return Quoted(text[1:-1])
    return text


# --- JSON ----------------------------------------------------------------------------------------------------


def _mapping(given: Mapping[str, Any]) -> Iterator[Filter]:
    if "property" in given and {"operator", "value", "values"} & given.keys():
        yield _made(given["property"], given.get("operator", "="), given.get("value", given.get("values")))
        return
    for name, value in given.items():
        joined = str(name).lstrip("$").lower()
        if joined in ("or", "and") and isinstance(value, Sequence) and not isinstance(value, str):
            members = tuple(part for item in value if (part := parse_filters(item)) is not None)
            if members:
                yield Group(members, any=joined == "or")
        elif isinstance(value, Mapping):
            if not value:
                raise InputError(f"The filter of '{name}' is empty.", _HELP)
            for operator, operand in value.items():
                if operand is not None or len(value) == 1:
                    yield _made(name, operator, operand)
        else:
            yield _made(name, "in" if isinstance(value, (list, tuple, set)) else "=", value)


def _made(name: Any, operator: Any, value: Any) -> Condition:
    if not isinstance(name, str) or not name.strip():
        raise InputError("A filter has no property name.", _HELP)
    op = _operator(str(operator))
    if value is None or value == "":
        if op in ("=", "empty"):
            return Condition(name.strip(), "empty")
        if op in ("<>", "not empty"):
            return Condition(name.strip(), "not empty")
        raise InputError(f"The filter of '{name}' has no value.", f'Give one, or use {{"{name}": null}} for "is empty".')
    if op in _NO_VALUE:
        wanted = value is not False and str(value).lower() not in ("false", "no")
        return Condition(name.strip(), op if wanted else "not empty" if op == "empty" else "empty")
    many = isinstance(value, (list, tuple, set))
    if op in ("=", "<>") and many:
        op = "in" if op == "=" else "not in"
    if op in ("in", "not in"):
        values = tuple(value) if many else tuple(_split(value)) if isinstance(value, str) else (value,)
    else:
        values = (value,)
    if any(isinstance(item, (Mapping, list, tuple)) for item in values):
        raise InputError(f"The value of the filter '{name}' is not a single value.", _HELP)
    return Condition(name.strip(), op, values)


def _operator(text: str) -> str:
    plain = " ".join(text.strip().lstrip("$").lower().split())
    known = _NAMES.get(plain, plain)
    if known not in OPERATORS:
        raise InputError(f"'{text}' is not an operator of filters.", f"The operators are: {', '.join(OPERATORS)}.")
    return known
