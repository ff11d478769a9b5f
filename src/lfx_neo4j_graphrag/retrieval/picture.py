"""Hits and their neighbours as nodes and links, for a drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .lines import Neighbours, key_text


def graph_of(
    hits: Sequence[Mapping[str, Any]], groups: Mapping[str, Sequence[Neighbours]], keys: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """``nodes``: id -> ``label``, ``name``, ``properties``, ``hit``; ``links``: (start id, type, end id), each once.

    ``hits`` have id, labels and plain properties; a hit that is a relationship has ``ends`` and is drawn as a node.
    """
    nodes: dict[str, dict[str, Any]] = {}
    links: dict[tuple[str, str, str], None] = {}

    def add(id: str, labels: Sequence[str], properties: Mapping[str, Any], hit: bool) -> None:
        if id not in nodes or hit:
            label = "|".join(labels)
            name = key_text(labels, properties, keys) or label
            nodes[id] = {"label": label, "name": name, "properties": dict(properties), "hit": hit}

    def around(id: str, found: Sequence[Neighbours]) -> None:
        for group in found:
            for other in group.some:
                add(other.id, other.labels, other.properties, False)
                links.setdefault((id, group.type, other.id) if group.out else (other.id, group.type, id))
                around(other.id, other.groups)

    for hit in hits:
        add(hit["id"], hit["labels"], hit["properties"], True)
    for hit in hits:
        around(hit["id"], groups.get(hit["id"], ()))
    return {"nodes": nodes, "links": list(links)}
