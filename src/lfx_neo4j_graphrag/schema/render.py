"""A schema as text for people and models, as a table, as JSON, and as a Mermaid picture."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from ..defaults import SHORT_TEXT
from .model import Constraint, Index, Label, Property, Schema
from .names import literal, number, pattern, shown

# How much the text tells of a property: everything, its type, its name. For graphs whose whole text is too long to read.
VALUES, TYPES, NAMES = 2, 1, 0

_UNMET = 30  # a database remembers every name that it ever had, and these would push the rest out of the token limit
_UNIQUE = ("UNIQUENESS", "NODE_PROPERTY_UNIQUENESS", "NODE_KEY")


def to_text(schema: Schema, detail: int = VALUES) -> str:
    """One line a property, each name and value ready to be copied into a statement.

    Labels and types whose properties read the same share one description. What is of a sample says so.
    """
    lines = [f"Partial: {sentence}" for sentence in schema.partial]
    empty = "The graph is empty: " if not schema.nodes and not schema.partial else ""
    lines.append(f"{empty}{schema.nodes} nodes, {schema.relationships} relationships")
    if schema.labels:
        lines += ["Nodes (how many) and their properties, texts in quotes:", *_blocks(schema.labels, detail, _counted_labels)]
    lines += _relationships(schema, detail, counted=True)
    if schema.unmet:
        names = ", ".join(map(shown, schema.unmet[:_UNMET]))
        more = f" and {len(schema.unmet) - _UNMET:,} more" if len(schema.unmet) > _UNMET else ""
        lines.append(f"Property names not met on what was read (rare, or no longer used): {names}{more}")
    if indexes := [index for index in schema.indexes if not index.constraint or index.state != "ONLINE"]:
        lines.append("Indexes (online unless said):")
        lines += [_index_line(index) for index in indexes]
    if constraints := [constraint for constraint in schema.constraints if not _is_inline(constraint)]:
        lines.append("Constraints:")
        lines += [f"{constraint.kind.lower().replace('_', ' ')} on {_place(constraint)}" for constraint in constraints]
    return "\n".join(lines)


def to_prompt(schema: Schema) -> str:
    """What a model needs to write Cypher, and nothing that it pays for in vain: no counts, keys, indexes or vectors."""
    labels = [_for_prompt(label) for label in schema.labels]
    reduced = replace(schema, types=tuple(map(_for_prompt, schema.types)))
    return "\n".join([*_blocks(labels, VALUES, _plain_labels), *_relationships(reduced, VALUES, counted=False)])


def _for_prompt(entry: Label) -> Label:
    def lean(item: Property) -> Property:
        types = ("long string",) if item.types == ("string",) and not item.kind and (item.longest or 0) > SHORT_TEXT else item.types
        return replace(item, types=types, values=item.values[:1] if item.kind == "examples" else item.values, unique=False)

    return replace(entry, properties=tuple(lean(item) for item in entry.properties if item.types != ("vector",)))


def _relationships(schema: Schema, detail: int, *, counted: bool) -> list[str]:
    lines = []
    if schema.patterns:
        lines.append("Relationships:")
        for p in schema.patterns:
            count = f" {p.count}" if counted and p.count is not None else ""
            lines.append(pattern(p.start, p.type, p.end) + count)
    described = [kind for kind in schema.types if kind.properties]
    return [*lines, "Properties of relationships:", *_blocks(described, detail, _type_heading)] if described else lines


def to_table(schema: Schema) -> list[dict[str, Any]]:
    """Rows ``kind, name, property, type, count, values``; kinds are label, relationship type, pattern, index, constraint."""
    rows: list[dict[str, Any]] = []
    for kind, entries in (("label", schema.labels), ("relationship type", schema.types)):
        for entry in entries:
            rows.append(_row(kind, entry.name, count=entry.count))
            for item in entry.properties:
                rows.append(_row(kind, entry.name, item.name, type_text(item), item.on, _value_text(item), entry.sampled))
    for p in schema.patterns:
        rows.append(_row("pattern", pattern(p.start, p.type, p.end), count=p.count))
    for index in schema.indexes:
        rows.append(_row("index", index.name, _place(index), index.kind.lower(), values=", ".join(_index_details(index))))
    for constraint in schema.constraints:
        rows.append(_row("constraint", constraint.name, _place(constraint), constraint.kind.lower().replace("_", " ")))
    return rows


def to_json(schema: Schema) -> dict[str, Any]:
    """Everything, as plain values. Numbers of nodes, then labels, types, patterns, indexes, constraints."""
    document = asdict(schema)
    for group in ("labels", "types"):
        for entry, original in zip(document[group], getattr(schema, group), strict=True):
            entry["sampled"] = original.sampled
    document["sampled"] = schema.sampled
    return _plain(document)


def to_mermaid(schema: Schema) -> str:
    """A Mermaid graph: a box per label with its number of nodes, an arrow per pattern. Valid whatever the names are."""
    names = [label.name for label in schema.labels]
    names += sorted({end for p in schema.patterns for end in (p.start, p.end)} - set(names))
    numbers = {name: position for position, name in enumerate(names)}
    counts = {label.name: label.count for label in schema.labels}
    lines = ["graph LR"]
    for name, position in numbers.items():
        count = f" {counts[name]}" if name in counts else ""
        lines.append(f'  n{position}["{_escaped(name or "(no label)")}{count}"]')
    for p in schema.patterns:
        count = f" {p.count}" if p.count is not None else ""
        lines.append(f'  n{numbers[p.start]} -->|"{_escaped(p.type)}{count}"| n{numbers[p.end]}')
    return "\n".join(lines)


def type_text(item: Property) -> str:
    """``integer``, ``list of string``, ``vector of 384``, ``integer or string``."""
    types = " or ".join(item.types)
    return f"{types} of {item.dimension}" if item.dimension else types


def _blocks(entries: Iterable[Label], detail: int, heading: Any) -> list[str]:
    """Entries with the same description are described together, in the order of the first of them."""
    blocks: dict[tuple, list[Label]] = {}
    for entry in entries:
        described = tuple(_property_line(item, entry, detail) for item in entry.properties)
        blocks.setdefault((described, entry.sampled, entry.also), []).append(entry)
    lines = []
    for (described, sampled, also), members in blocks.items():
        also_text = f", also {' '.join(f':{shown(name)}' for name in also)}" if also else ""
        line = f"{heading(members)}{also_text}{', properties of a sample' if sampled and described else ''}"
        if detail == NAMES and described:
            lines.append(f"{line}: {', '.join(described)}")
        else:
            lines += [line, *(f" {text}" for text in described)]
    return lines


def _plain_labels(labels: list[Label]) -> str:
    return ", ".join(shown(label.name) if label.name else "(no label)" for label in labels)


def _counted_labels(labels: list[Label]) -> str:
    return ", ".join(f"{_plain_labels([label])} ({label.count})" for label in labels)


def _type_heading(types: list[Label]) -> str:
    return f"[:{'|'.join(shown(kind.name) for kind in types)}]"


def _property_line(item: Property, entry: Label, detail: int) -> str:
    if detail == NAMES:
        return shown(item.name)
    parts = [_value_text(item) or _kind_text(item)] if detail == VALUES else [_kind_text(item)]
    if item.unique:
        parts.append("unique")
    if item.on < entry.read:
        parts.append("not on all" if entry.sampled else f"on {item.on}")
    return f"{shown(item.name)}: {', '.join(parts)}"


def _kind_text(item: Property) -> str:
    if item.types == ("string",) and item.longest and not item.kind:
        return f"string of up to {item.longest} characters"
    return type_text(item)


def _value_text(item: Property) -> str:
    """What is known of the values. Texts, being quoted, don't name their type; anything else does."""
    texts = item.types == ("string",)
    if item.kind == "range":
        low, high = (literal(value) if texts else number(value) for value in item.values)
        told = f"from {low} to {high}" if low != high else f"only {low}"
    elif item.kind == "one of":
        told = f"one of {', '.join(map(literal, item.values))}"
    elif item.kind == "examples":
        told = f"e.g. {', '.join(map(literal, item.values))}"
    else:
        return ""
    return told if texts else f"{type_text(item)}, {told}" if told.startswith("only") else f"{type_text(item)} {told}"


def _is_inline(constraint: Constraint) -> bool:
    """Said where the property is described."""
    return constraint.entity == "NODE" and len(constraint.properties) == 1 and constraint.kind in _UNIQUE


def _index_line(index: Index) -> str:
    named = f"{shown(index.name)}: " if index.kind in ("VECTOR", "FULLTEXT") else ""
    details = [detail for detail in _index_details(index) if detail != "online"]
    return ", ".join([f"{named}{index.kind.lower()} on {_place(index)}", *details])


def _index_details(index: Index) -> list[str]:
    details = []
    if index.kind == "VECTOR":
        details += [f"{index.dimensions} dimensions"] * bool(index.dimensions) + [index.similarity] * bool(index.similarity)
        details += ["quantized"] * bool(index.quantized)
        if filters := index.properties[1:]:
            details.append(f"filters {', '.join(map(shown, filters))}")
    if index.analyzer:
        details.append(f"analyzer {index.analyzer}")
    state = index.state.lower()
    return [*details, f"{state} {number(float(index.percent))} %" if state == "populating" else state]


def _place(target: Index | Constraint) -> str:
    labels = "|".join(map(shown, target.labels))
    owner = f"[:{labels}]" if target.entity == "RELATIONSHIP" else labels
    properties = target.properties[:1] if getattr(target, "kind", "") == "VECTOR" else target.properties
    return f"{owner}.{shown(properties[0])}" if len(properties) == 1 else f"{owner}({', '.join(map(shown, properties))})"


def _row(
    kind: str, name: str, item: str = "", type: str = "", count: int | None = None, values: str = "", sampled: bool = False
) -> dict[str, Any]:
    told = f"{values} (of a sample)" if values and sampled else values
    return {"kind": kind, "name": name, "property": item, "type": type, "count": count, "values": told}


def _escaped(text: str) -> str:
    """Text inside a Mermaid string: anything but letters, digits and a few marks as a numbered entity."""
    return re.sub(r"[^\w .,\-]", lambda found: f"#{ord(found[0])};", " ".join(text.split()))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
