"""The neighbours of hits, read fairly and at a cost that no hub changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..cypher import neighbour_statements as statements
from ..defaults import NEIGHBOURS_PER_TYPE, SMALL_DEGREE
from ..reply.values import plain
from ..retrieval.lines import Neighbour, Neighbours, shown
from .candidates import Reader

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
    hubs = [row["id"] for row in rows if row["degree"] > SMALL_DEGREE]
    if hubs:
        found |= await _hub_groups(reader, hubs, hide, labels)
    for id, groups in found.items():
        found[id] = [group for group in groups if group["type"] not in hidden]
    return found


async def _hub_groups(reader: Reader, ids: Sequence[str], hide: Sequence[str], labels: Mapping[str, Any]) -> dict[str, list[_Read]]:
    types = (await reader.rows(statements.TYPES))[0]["types"]
    counts = {row["id"]: row["counts"] for row in await reader.rows(statements.degrees(types), ids=list(ids))}
    used = [number for number in range(2 * len(types)) if any(of_one[number] for of_one in counts.values())]
    arms = [(types[number // 2], number % 2 == 0) for number in used]
    text = statements.first_neighbours(arms, hide, hidden=bool(labels))
    rows = await reader.rows(text, ids=list(ids), cap=NEIGHBOURS_PER_TYPE, **labels)
    found: dict[str, list[_Read]] = {id: [] for id in ids}
    for row in rows:
        name, out = arms[row["arm"]]
        total = counts[row["id"]][used[row["arm"]]]
        found[row["id"]].append({"type": name, "out": out, "total": total, "some": row["some"]})
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
            plain(shown(item["properties"], hidden)),
            plain(shown(item["link"], hidden)),
            tuple(_neighbours(next_group, hidden, {}) for next_group in further.get(item["id"], ())),
        )
        for item in group["some"]
    )
    return Neighbours(group["type"], group["out"], group["total"], some)
