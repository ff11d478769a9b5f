"""The neighbours of hits, read fairly and at a cost that no hub changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..cypher import neighbour_statements as statements
from ..defaults import NEIGHBOURS_PER_TYPE, SMALL_DEGREE
from ..reply.values import plain
from ..retrieval.lines import Neighbour, Neighbours, shown
from .candidates import Reader

TYPES_IN_ONE = 20
# A neighbour that is read, with its id: needed for the second hop only.
_Read = dict[str, Any]


async def neighbours_of(
    reader: Reader, ids: Sequence[str], *, hide: Sequence[str], hidden: Collection[str] = (), hops: int = 1
) -> dict[str, tuple[Neighbours, ...]]:
    """Neighbours of each of ``ids`` by relationship type and direction; with ``hops`` 2, theirs as well."""
    near = await _groups(reader, ids, hide, hidden)
    further: dict[str, list[_Read]] = {}
    if hops > 1:
        beyond = {item["id"] for groups in near.values() for group in groups for item in group["some"]} - set(ids)
        further = await _groups(reader, sorted(beyond), hide, hidden) if beyond else {}
    return {id: tuple(_neighbours(group, hidden, _without(further, id)) for group in groups) for id, groups in near.items()}


async def _groups(reader: Reader, ids: Sequence[str], hide: Sequence[str], hidden: Collection[str]) -> dict[str, list[_Read]]:
    labels = {"hidden": sorted(hidden)} if hidden else {}
    text = statements.small_nodes(hide, hidden=bool(hidden))
    rows = await reader.rows(text, ids=list(ids), small=SMALL_DEGREE, cap=NEIGHBOURS_PER_TYPE, **labels)
    found = {row["id"]: row["groups"] for row in rows}
    hubs = {row["id"]: row["degree"] for row in rows if row["degree"] > SMALL_DEGREE}
    if hubs:
        found |= await _hub_groups(reader, hubs, hide, labels)
    for id, groups in found.items():
        found[id] = [group for group in groups if group["type"] not in hidden]
    return found


# The relationship types that a database had when a hub was last met.
_types: dict[tuple[str, str | None], list[str]] = {}


async def _hub_groups(
    reader: Reader, hubs: Mapping[str, int], hide: Sequence[str], labels: Mapping[str, Any]
) -> dict[str, list[_Read]]:
    """Groups of the nodes ``hubs`` (id -> number of relationships). The types known from before are enough when the numbers
    of their relationships make up that of the node; else there is a new one."""
    key = (reader.connection.uri, reader.connection.database)
    if key in _types:
        found = await _by_types(reader, _types[key], list(hubs), hide, labels)
        if all(sum(group["total"] for group in found[id]) >= degree for id, degree in hubs.items()):
            return found
    _types[key] = (await reader.rows(statements.TYPES))[0]["types"]
    return await _by_types(reader, _types[key], list(hubs), hide, labels)


async def _by_types(
    reader: Reader, types: Sequence[str], ids: list[str], hide: Sequence[str], labels: Mapping[str, Any]
) -> dict[str, list[_Read]]:
    arms = [(name, out) for name in types for out in (True, False)]
    if len(types) > TYPES_IN_ONE:
        # So many arms take longer to plan than the nodes' own few, which the degree store knows.
        counts = [row["counts"] for row in await reader.rows(statements.degrees(types), ids=ids)]
        arms = [arm for number, arm in enumerate(arms) if any(of_one[number] for of_one in counts)]
    found: dict[str, list[_Read]] = {id: [] for id in ids}
    if arms:
        text = statements.first_neighbours(arms, hide, hidden=bool(labels))
        for row in await reader.rows(text, ids=ids, cap=NEIGHBOURS_PER_TYPE, **labels):
            name, out = arms[row["arm"]]
            if row["some"]:
                found[row["id"]].append({"type": name, "out": out, "total": row["total"], "some": row["some"]})
    return found


def _without(further: Mapping[str, list[_Read]], origin: str) -> dict[str, list[_Read]]:
    """The second hop without the way back to where it came from."""
    kept: dict[str, list[_Read]] = {}
    for id, groups in further.items():
        kept[id] = []
        for group in groups:
            some = [item for item in group["some"] if item["id"] != origin]
            total = group["total"] - (len(group["some"]) - len(some))
            if total:
                kept[id].append(group | {"some": some, "total": total})
    return kept


def _neighbours(group: _Read, hidden: Collection[str], further: Mapping[str, list[_Read]]) -> Neighbours:
    some = tuple(
        Neighbour(
            tuple(label for label in item["labels"] if label not in hidden),
            plain(shown(item["properties"], hidden, item["labels"])),
            plain(shown(item["link"], hidden, [group["type"]])),
            tuple(_neighbours(next_group, hidden, {}) for next_group in further.get(item["id"], ())),
            item["id"],
        )
        for item in group["some"]
    )
    return Neighbours(group["type"], group["out"], group["total"], some)
