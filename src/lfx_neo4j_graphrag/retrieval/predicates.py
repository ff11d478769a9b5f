"""Typed filters as Cypher: what a vector index can test itself, and the rest as an ordinary WHERE."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from ..cypher.names import quote
from .filters import Group
from .typed_filters import Comparison, Comparisons

_LOWER, _UPPER = (">", ">="), ("<", "<=")
_INDEX_KINDS = ("STRING", "INTEGER", "FLOAT", "BOOLEAN", "DATE", "LOCAL DATETIME", "ZONED DATETIME", "LOCAL TIME", "ZONED TIME")


def split_for_index(
    tree: Comparisons | None, filterable: Collection[str], in_operator: bool
) -> tuple[Comparisons | None, Comparisons | None]:
    """(what SEARCH … WHERE can test, what it cannot), each None when empty; both must hold.

    Inside an index only AND of comparisons of listed properties is allowed, one per direction and property.
    """
    inner, outer = [], []
    taken: dict[str, set[str]] = {}
    for test in _conjuncts(tree):
        direction = _direction(test, in_operator) if isinstance(test, Comparison) and test.label is None else None
        used = taken.setdefault(test.property, set()) if direction and test.property in filterable else None
        clash = used is not None and used and (direction == "point" or "point" in used or direction in used)
        if used is None or clash:
            outer.append(test)
        else:
            used.add(direction)
            inner.append(test)
    return _conjunction(inner), _conjunction(outer)


def where(tree: Comparisons, variable: str = "n", *, relationship: bool = False, prefix: str = "f") -> tuple[str, dict[str, Any]]:
    """The predicate over ``variable`` and its parameters ``$f0``…; every property name is quoted, every value bound."""
    parameters: dict[str, Any] = {}
    return _rendered(tree, variable, relationship, prefix, parameters), parameters


def _conjuncts(tree: Comparisons | None) -> list[Comparisons]:
    if tree is None:
        return []
    if isinstance(tree, Group) and not tree.any:
        return [part for member in tree.members for part in _conjuncts(member)]
    return [tree]


def _conjunction(members: list[Comparisons]) -> Comparisons | None:
    return members[0] if len(members) == 1 else Group(tuple(members)) if members else None


def _direction(test: Comparison, in_operator: bool) -> str | None:
    """``point``, ``lower`` or ``upper``: how the index reads the test; None when it cannot."""
    if test.operator in ("empty", "not empty"):
        # A blank text counts as empty, which the index cannot say.
        return None if test.kind == "STRING" or str(test.kind).startswith("LIST") else "point"
    if test.kind not in _INDEX_KINDS:
        return None
    if test.operator == "=" or (test.operator == "in" and in_operator):
        return "point"
    return "lower" if test.operator in _LOWER else "upper" if test.operator in _UPPER else None


def _rendered(tree: Comparisons, variable: str, relationship: bool, prefix: str, parameters: dict[str, Any]) -> str:
    if label := _only_label(tree):
        return _linked(tree, label, variable, relationship, prefix, parameters)
    if isinstance(tree, Comparison):
        return _test(tree, variable, prefix, parameters)
    members = tree.members if tree.any else _by_label(tree.members)
    parts = [_rendered(member, variable, relationship, prefix, parameters) for member in members]
    return f"({(' OR ' if tree.any else ' AND ').join(parts)})"


def _only_label(tree: Comparisons) -> str | None:
    """The label when all comparisons are of the same kind of linked node: they are then of the same node."""
    if isinstance(tree, Comparison):
        return tree.label
    labels = {_only_label(member) for member in tree.members}
    absent = any(isinstance(member, Comparison) and member.operator == "empty" for member in tree.members)
    return labels.pop() if len(labels) == 1 and not absent else None


def _by_label(members: tuple[Comparisons, ...]) -> list[Comparisons]:
    """Members of an AND, those of one linked label (but for ``empty``) put together."""
    together: dict[str, list[Comparisons]] = {}
    rest: list[Comparisons] = []
    for member in members:
        label = _only_label(member)
        if label and not (isinstance(member, Comparison) and member.operator == "empty"):
            together.setdefault(label, []).append(member)
        else:
            rest.append(member)
    return rest + [found[0] if len(found) == 1 else Group(tuple(found)) for found in together.values()]


def _linked(
    tree: Comparisons, label: str, variable: str, relationship: bool, prefix: str, parameters: dict[str, Any]
) -> str:
    empty = isinstance(tree, Comparison) and tree.operator == "empty"
    if empty:
        tree = replace(tree, operator="not empty")
    test = _rendered(_without_label(tree), "m", False, prefix, parameters)
    if relationship:
        found = f"any(m IN [startNode({variable}), endNode({variable})] WHERE m:{quote(label)} AND {test})"
    else:
        found = f"EXISTS {{ ({variable})--(m:{quote(label)}) WHERE {test} }}"
    return f"NOT {found}" if empty else found


def _without_label(tree: Comparisons) -> Comparisons:
    if isinstance(tree, Comparison):
        return replace(tree, label=None)
    return replace(tree, members=tuple(_without_label(member) for member in tree.members))


def _test(test: Comparison, variable: str, prefix: str, parameters: dict[str, Any]) -> str:
    place = f"{variable}.{quote(test.property)}"
    if test.operator == "empty":
        return f"({place} IS NULL OR {place} = '')" if test.kind == "STRING" else f"{place} IS NULL"
    if test.operator == "not empty":
        return f"({place} IS NOT NULL AND {place} <> '')" if test.kind == "STRING" else f"{place} IS NOT NULL"
    name = f"{prefix}{len(parameters)}"
    parameters[name] = test.value
    match test.operator:
        case "in":
            return f"{place} IN ${name}"
        case "not in":
            return f"NOT {place} IN ${name}"
        case "has":
            return f"${name} IN {place}"
        case "has not":
            return f"NOT ${name} IN {place}"
        case "contains" if test.kind == "LIST":
            return f"any(item IN {place} WHERE toLower(toStringOrNull(item)) CONTAINS toLower(${name}))"
        case "contains":
            return f"toLower(toStringOrNull({place})) CONTAINS toLower(${name})"
        case operator:
            return f"{place} {operator} ${name}"
