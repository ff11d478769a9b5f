"""Nodes and their neighbours as lines that people and models read, in the user's own names.

::

    Incidencia INC-2608-07 (fecha: 2026-08-26, estado: abierta): La máquina mostraba E01…
      DE_CLIENTE -> Cliente Bar El Postigo
      SUSTITUYE <- Incidencia INC-2609-01 (estado: cerrada)
      EN_TALLER <- and 2995 more (3000 in all)

Values are plain (``reply.values.plain``); embeddings are taken out before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..defaults import LONG_LIST, SHORT_TEXT

NAME_PROPERTIES = ("nombre", "name", "title", "titulo", "título")
# A list of numbers under one of these names is a vector whatever its length and whether or not an index knows it.
VECTOR_NAMES = ("embedding", "embeddings", "vector")
VALUE_CHARS = 200


@dataclass(frozen=True)
class Shape:
    """How much of each result is written: neighbours per type and direction, characters of its text and of a neighbour's."""

    per_type: int
    text: int
    neighbour_text: int


# From generous to terse: the first under which all results fit the token limit is taken.
SHAPES = (Shape(5, 1000, 160), Shape(3, 500, 80), Shape(1, 300, 60))


@dataclass(frozen=True)
class Neighbour:
    """``link`` are the properties of the relationship; ``groups`` the neighbour's own neighbours (two hops)."""

    labels: tuple[str, ...]
    properties: Mapping[str, Any]
    link: Mapping[str, Any] = field(default_factory=dict)
    groups: tuple[Neighbours, ...] = ()
    id: str = ""


@dataclass(frozen=True)
class Neighbours:
    """Neighbours by one relationship type in one direction: ``total`` of them, some given."""

    type: str
    out: bool
    total: int
    some: tuple[Neighbour, ...]


def shown(properties: Mapping[str, Any], hidden: Collection[str] = (), owners: Collection[str] = ()) -> dict[str, Any]:
    """The properties without what no reader needs: empty ones, hidden ones, vectors, long lists of numbers, bytes.

    ``owners`` are the labels (or the type): ``hidden`` may name a property as ``Label.property``.
    """
    hidden_here = {name for name in properties if name in hidden or any(f"{owner}.{name}" in hidden for owner in owners)}
    return {
        name: value
        for name, value in sorted(properties.items())
        if value is not None and name not in hidden_here and not _is_vector(name, value)
    }


def _is_vector(name: str, value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        numbers = bool(value) and all(isinstance(item, (int, float)) and not isinstance(item, bool) for item in value)
        return numbers and (len(value) >= LONG_LIST or name.lower() in VECTOR_NAMES)
    # neo4j.vector.Vector is told by its name: this room does not import the driver.
    return isinstance(value, (bytes, bytearray)) or type(value).__name__ == "Vector"


def text_property(properties: Mapping[str, Any]) -> str | None:
    """``text`` when it is one, else the longest text of more than 64 characters."""
    if isinstance(properties.get("text"), str):
        return "text"
    long = [(len(value), name) for name, value in properties.items() if isinstance(value, str) and len(value) > SHORT_TEXT]
    return max(long)[1] if long else None


def key_properties(labels: Sequence[str], properties: Mapping[str, Any], keys: Mapping[str, Sequence[str]]) -> list[str]:
    """The properties that name the node: of a constraint of one of its labels, else a name, else the first short text."""
    for label in sorted(labels):
        names = keys.get(label, ())
        if names and all(properties.get(name) is not None for name in names):
            return list(names)
    for name in NAME_PROPERTIES:
        if properties.get(name) not in (None, ""):
            return [name]
    text = text_property(properties)
    texts = {name: value for name, value in properties.items() if isinstance(value, str) and name != text}
    short = [name for name, value in texts.items() if 0 < len(value) <= SHORT_TEXT]
    return sorted(short)[:1]


def key_text(labels: Sequence[str], properties: Mapping[str, Any], keys: Mapping[str, Sequence[str]]) -> str:
    return " ".join(_one_line(properties[name]) for name in key_properties(labels, properties, keys))


def node_line(labels: Sequence[str], properties: Mapping[str, Any], keys: Mapping[str, Sequence[str]], text_chars: int) -> str:
    """``Label KEY (property: value, …): text…`` on one line."""
    key, text = key_properties(labels, properties, keys), text_property(properties)
    name = ":".join(sorted(labels)) or "Node"
    line = " ".join([name, *(_one_line(properties[part]) for part in key)])
    rest = _pairs({p: v for p, v in properties.items() if p != text and p not in key})
    line += f" ({rest})" if rest else ""
    if text and text not in key and (words := _one_line(properties[text], text_chars)):
        line += f": {words}"
    return line


def neighbour_lines(groups: Sequence[Neighbours], keys: Mapping[str, Sequence[str]], shape: Shape, depth: int = 1) -> list[str]:
    """One line per neighbour, types in order, then how many of the type are left out."""
    lines, indent = [], "  " * depth
    for group in sorted(groups, key=lambda g: (g.type, not g.out)):
        arrow = f"{indent}{group.type} {'->' if group.out else '<-'}"
        found = []
        for neighbour in group.some:
            line = node_line(neighbour.labels, neighbour.properties, keys, shape.neighbour_text)
            link = _pairs(neighbour.link)
            found.append((f"{arrow} {line}" + (f" [{link}]" if link else ""), neighbour.groups))
        for line, further in sorted(found, key=lambda pair: pair[0])[: shape.per_type]:
            lines.append(line)
            lines += neighbour_lines(further, keys, replace(shape, per_type=max(1, shape.per_type // 2)), depth + 1)
        left = group.total - min(len(group.some), shape.per_type)
        if left > 0:
            lines.append(f"{arrow} and {left} more ({group.total} in all)")
    return lines


def _pairs(properties: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {_one_line(value, VALUE_CHARS)}" for name, value in properties.items())


def _one_line(value: Any, most: int | None = None) -> str:
    """A value without line breaks, so that no stored text can pass for a line of its own."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_one_line(item) for item in value[:LONG_LIST]) + "]"
    text = " ".join(str(value).split())
    return text if most is None or len(text) <= most else f"{text[: most - 1].rstrip()}…"
