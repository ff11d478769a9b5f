"""What saving some rows changes: the rows beside what the database holds. Pure, so a preview is the same thing.

Comparing here, and not in the statement, keeps a second load from setting a single property, lets the report count
exactly, and finds the texts that need another vector.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..defaults import PARTS_ENDING

_REMOVED: list = []


@dataclass
class Changes:
    """``created`` are whole rows; ``updated`` and each group of ``links`` are [key, new content] of stored nodes.

    ``links_added`` and ``links_removed`` count relationships per group, those of created rows included;
    ``touched`` are the keys of stored nodes that change, ``embed`` the keys whose text is new, changed, or without a
    vector of the right size; ``stale`` counts stored vectors that are removed because their text changed.
    """

    created: list[tuple] = field(default_factory=list)
    updated: list[list] = field(default_factory=list)
    links: list[list[list]] = field(default_factory=list)
    links_added: list[int] = field(default_factory=list)
    links_removed: list[int] = field(default_factory=list)
    links_kept: list[int] = field(default_factory=list)
    properties: int = 0
    unchanged: int = 0
    touched: list[Any] = field(default_factory=list)
    embed: list[Any] = field(default_factory=list)
    stale: int = 0


@dataclass(frozen=True)
class Shape:
    """How rows and stored nodes are laid out: (key, properties…, links of each group…[, vector size])."""

    properties: tuple[str, ...]
    groups: int = 0
    clear: bool = False
    text: int | None = None  # place of the text column among the properties
    embedding: str | None = None  # property of the vector, where the text has one
    dimensions: int | None = None  # size a vector must have; None when no model is connected


def compare(rows: Sequence[tuple], found: Sequence[list], shape: Shape) -> Changes:
    """Compare rows (distinct keys) with the stored nodes ``found``; several of these may share a key.

    A blank cell (None) changes nothing, unless ``shape.clear``: then it removes the property or the links. An
    empty list of links removes them in any case.
    """
    changes = Changes(
        links=[[] for _ in range(shape.groups)],
        links_added=[0] * shape.groups,
        links_removed=[0] * shape.groups,
        links_kept=[0] * shape.groups,
    )
    known = {_ident(row[0]): row for row in rows}
    missing = dict(known)
    width = 1 + len(shape.properties)
    for node in found:
        ident = _ident(_native(node[0]))
        row = known.get(ident)
        if row is None:  # the server takes 1 and 1.0 for the same key, and so does Python; nothing else comes here
            continue
        missing.pop(ident, None)
        touched = False
        if tuple(node[1:width]) != row[1:width] or list(map(type, node[1:width])) != list(map(type, row[1:width])):
            touched = _compare_properties(row, node, shape, changes)
        else:
            _needs_vector(row, node, shape, changes)
        for group in range(shape.groups):
            links, wanted = node[width + group], row[width + group]
            if len(links) == 1 and links[0] == wanted and type(links[0]) is type(wanted):
                changes.links_kept[group] += 1
            elif _compare_links(row[0], links, wanted, group, shape, changes):
                touched = True
        if touched:
            changes.touched.append(row[0])
        else:
            changes.unchanged += 1
    changes.created = list(missing.values())
    for row in changes.created:
        changes.properties += 1 + sum(cell is not None for cell in row[1:width])
        if shape.text is not None and row[1 + shape.text] is not None:
            changes.embed.append(row[0])
        for group in range(shape.groups):
            wanted = row[width + group]
            changes.links_added[group] += len(wanted) if type(wanted) is list else wanted is not None
    return changes


def _ident(key: Any) -> Any:
    """Python takes True and 1 for the same dictionary key; Neo4j does not."""
    return ("boolean", key) if type(key) is bool else key


def _compare_properties(row: tuple, node: list, shape: Shape, changes: Changes) -> bool:
    changed: dict[str, Any] = {}
    for place, name in enumerate(shape.properties, 1):
        new, old = row[place], node[place]
        if new is None:
            if shape.clear and old is not None:
                changed[name] = None
        elif not same_value(new, old):
            changed[name] = new
    text_changed = shape.text is not None and shape.properties[shape.text] in changed
    if changed:
        changes.properties += len(changed)
        changes.updated.append([row[0], changed])
    if not text_changed:
        _needs_vector(row, node, shape, changes)
    elif shape.embedding:
        if node[-1] is not None:
            # The vectors of another text would be found by mistake.
            changed |= {shape.embedding: None, shape.embedding + PARTS_ENDING: None}
            changes.stale += 1
        if row[1 + shape.text] is not None:
            changes.embed.append(row[0])
    return bool(changed)


def _needs_vector(row: tuple, node: list, shape: Shape, changes: Changes) -> None:
    if shape.dimensions is not None and node[-1] != shape.dimensions and row[1 + shape.text] is not None:
        changes.embed.append(row[0])


def _compare_links(key: Any, links: list, wanted: Any, group: int, shape: Shape, changes: Changes) -> bool:
    if wanted is None:
        if not shape.clear or not links:
            changes.links_kept[group] += len(links)
            return False
        wanted = _REMOVED
    targets = wanted if type(wanted) is list else [wanted]
    new, old = {_typed(target) for target in targets}, [_typed(_native(link)) for link in links]
    removed = sum(link not in new for link in old)
    added = len(new - set(old))
    changes.links_kept[group] += len(old) - removed
    if not removed and not added:
        return False
    changes.links_removed[group] += removed
    changes.links_added[group] += added
    changes.links[group].append([key, targets])
    return True


def _typed(key: Any) -> tuple:
    """1 and 1.0 are the same key for Neo4j, True and 1 are not."""
    return (type(key) is bool, key)


def same_value(new: Any, old: Any) -> bool:
    """True if a stored value is the new one, kind included: 1 and 1.0 differ, a date equals the driver's date."""
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(same_value, new, old))
    if type(new) is not type(old):
        old = _native(old)
    return type(new) is type(old) and new == old


def _native(value: Any) -> Any:
    """The driver's temporal values as Python's; anything else unchanged."""
    if hasattr(value, "to_native"):
        return value.to_native()
    if type(value).__name__ == "Duration" and not value.months:
        return dt.timedelta(days=value.days, seconds=value.seconds, microseconds=value.nanoseconds / 1000)
    return value
