"""The links of rows: rules of one type and label together, and the nodes they link to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from .relationships import RelationshipRule

# (label, property) of linked nodes -> their extra columns, and {key: extra values}
LinkedNodes = dict[tuple[str, str], tuple[tuple[str, ...], dict[Any, tuple]]]


@dataclass(frozen=True)
class LinkGroup:
    """All rules of one relationship type and one linked label: a row's links are what all of them say together."""

    type: str
    label: str
    property: str
    rules: tuple[RelationshipRule, ...]


def group_rules(rules: Sequence[RelationshipRule]) -> tuple[LinkGroup, ...]:
    together: dict[tuple[str, str, str], list[RelationshipRule]] = {}
    for rule in rules:
        together.setdefault((rule.type, rule.label, rule.property), []).append(rule)
    return tuple(LinkGroup(*names, tuple(members)) for names, members in together.items())


def group_links(group: LinkGroup, values: Callable[[str], list[Any]]) -> list[Any]:
    """The links of each row: None (blank), one key, or a list. Of several columns, those that are not blank together."""
    columns = [values(rule.column) for rule in group.rules]
    if len(columns) == 1:
        return columns[0]
    joined = []
    for cells in zip(*columns):
        keys = [key for cell in cells for key in _each(cell)]
        joined.append(list(dict.fromkeys(keys)) if keys or [] in cells else None)
    return joined


def _each(cell: Any) -> Sequence[Any]:
    return cell if type(cell) is list else () if cell is None else (cell,)


def linked_nodes(groups: Sequence[LinkGroup], values: Callable[[str], list[Any]], warnings: list[str]) -> LinkedNodes:
    """The linked nodes of each (label, property); of several values of an extra the last that is not blank holds."""
    rules: dict[tuple[str, str], list[RelationshipRule]] = {}
    for group in groups:
        rules.setdefault((group.label, group.property), []).extend(group.rules)
    linked: LinkedNodes = {}
    for place, members in rules.items():
        extras = tuple(dict.fromkeys(extra for rule in members for extra in rule.extras))
        if not extras and not any(list in map(type, values(rule.column)) for rule in members):
            keys = dict.fromkeys(chain.from_iterable(values(rule.column) for rule in members))
            keys.pop(None, None)
            linked[place] = (), dict.fromkeys(keys, ())
            continue
        nodes, conflicts = _with_extras(members, extras, values)
        linked[place] = extras, nodes
        for extra, keys in conflicts.items():
            nodes_have = "node has" if len(keys) == 1 else "nodes have"
            warnings.append(
                f"Column {extra}: {len(keys)} linked {place[0]} {nodes_have} several values here; the last one was kept."
            )
    return linked


def _with_extras(
    members: Sequence[RelationshipRule], extras: tuple[str, ...], values: Callable[[str], list[Any]]
) -> tuple[dict[Any, tuple], dict[str, set]]:
    """{key: extra values}, and {extra: keys for which the rows disagree}."""
    nodes: dict[Any, list] = {}
    conflicts: dict[str, set] = {}
    for rule in members:
        slots = [extras.index(extra) for extra in rule.extras]
        for cell, *extra_cells in _last_first(zip(values(rule.column), *map(values, rule.extras))):
            for key in _each(cell):
                node = nodes.setdefault(key, [None] * len(extras))
                for slot, value in zip(slots, extra_cells):
                    if node[slot] is None:
                        node[slot] = value
                    elif value is not None and value != node[slot]:
                        conflicts.setdefault(extras[slot], set()).add(key)
    return {key: tuple(cells) for key, cells in nodes.items()}, conflicts


def _last_first(cells: Iterable[tuple]) -> list[tuple]:
    """Distinct tuples, the last of the load first."""
    backwards = list(cells)[::-1]
    try:
        return list(dict.fromkeys(backwards))
    except TypeError:  # cells that are lists
        return backwards
