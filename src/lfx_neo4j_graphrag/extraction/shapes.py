"""Entities and links of an answer, in the shape that is asked for or in one of the shapes that models know from elsewhere.

Asked for: ``{"Incidencia": [{"codigo": "INC-1", "DE_CLIENTE": "Bar Sol"}], "Maquina": [{"modelo": "Brío 2G"}]}``.
Also read: ``{"nodes": [{"id", "label", "properties"}], "relationships": [{"type", "start", "end"}]}`` with its many spellings
(entities/edges, source/target, start_node_id/end_node_id, from/to …), lists of ``{"head", "head_type", "relation", "tail",
"tail_type"}``, lists around all that, and JSON inside strings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .answer import repaired
from .schema import GraphSchema

_NODES = ("nodes", "entities", "vertices", "nodos", "entidades")
_LINKS = ("relationships", "relations", "edges", "links", "triples", "relaciones")
_WRAPPERS = ("graph", "result", "output", "answer", "response", "data", "knowledge_graph", "extraction", "grafo", "properties")
_LABEL = ("label", "labels", "type", "entity_type", "node_type", "category", "tipo", "etiqueta")
_ID = ("id", "idx", "node_id", "identifier")
_PROPERTIES = ("properties", "attributes", "props", "propiedades", "atributos")
_TYPE = ("type", "relation", "relationship", "relationship_type", "rel_type", "label", "predicate", "tipo", "relacion")
_START = (
    "start", "start_node_id", "source", "from", "head", "subject", "start_id", "source_id", "source_node_id", "startNode",
    "start_node", "origen",
)  # fmt: skip
_END = (
    "end", "end_node_id", "target", "to", "tail", "object", "end_id", "target_id", "target_node_id", "endNode", "end_node",
    "destino",
)  # fmt: skip
_START_LABEL = ("head_type", "source_type", "start_label", "start_type", "source_label", "source_node_type", "subject_type")
_END_LABEL = ("tail_type", "target_type", "end_label", "end_type", "target_label", "target_node_type", "object_type")


@dataclass(frozen=True)
class RawEntity:
    """``label`` None: the item had none. ``id`` is the name the answer gives it for its own links, if any."""

    label: str | None
    properties: dict[str, Any]
    id: Any = None


@dataclass(frozen=True)
class End:
    """One end of a link: an entity of the answer (``entity``: its index), an id or a key (``value``), perhaps with its label.

    ``named``: the value is a key by itself, so an end that no item describes is an entity all the same.
    """

    entity: int | None = None
    value: Any = None
    label: str | None = None
    named: bool = False
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RawLink:
    type: Any
    start: End
    end: End
    properties: dict[str, Any]


@dataclass
class Raw:
    """What an answer holds before the schema is applied; ``junk`` are items that are neither entity nor link."""

    entities: list[RawEntity] = field(default_factory=list)
    links: list[RawLink] = field(default_factory=list)
    junk: list[Any] = field(default_factory=list)
    recognised: bool = False  # a shape was found, even when it is empty: "nothing in this text" is an answer


def read_shapes(values: list[Any], schema: GraphSchema) -> Raw:
    """Everything in the JSON values of one answer that looks like an entity or a link."""
    raw = Raw()
    for value in values:
        _value(value, schema, raw)
    return raw


def graph_document(
    nodes: Sequence[tuple[Any, str, dict[str, Any]]], links: Sequence[tuple[int, str, int, dict[str, Any]]], schema: GraphSchema
) -> Raw:
    """A graph document: nodes (id, type, properties), links (index, type, index, properties). A node's id is its key.

    It goes into the declared key, unless the properties give that; for a type that is not declared, into ``id``.
    """
    raw = Raw(recognised=True)
    for id_, label, properties in nodes:
        node = schema.node(label)
        if not (node and node.properties):
            properties = properties | {"id": id_}
        elif not any(node.property(name) is node.properties[0] for name in properties):
            properties = properties | {"key": id_}
        raw.entities.append(RawEntity(label, properties))
    raw.links = [RawLink(kind, End(entity=start), End(entity=end), properties) for start, kind, end, properties in links]
    return raw


def _value(value: Any, schema: GraphSchema, raw: Raw) -> None:
    value = _unwrapped(value)
    if isinstance(value, list):
        for item in value:
            _value(item, schema, raw)
        raw.recognised = raw.recognised or not value
    elif not isinstance(value, dict):
        raw.junk.append(value)
    elif _first(value, _START) is not None and _first(value, _END) is not None and not any(map(schema.node, value)):
        _link(value, raw)
    elif any(key in value and not schema.node(key) for key in (*_NODES, *_LINKS)):
        _graph(value, raw, schema)
    elif len(value) == 1 and (name := next(iter(value))) in _WRAPPERS and not schema.node(name):
        _value(value[name], schema, raw)
    elif isinstance(_first(value, _LABEL), (str, list)) and not any(map(schema.node, value)):
        _node(value, raw, schema)
    else:
        _by_type(value, schema, raw)


# ---------------------------------------------------------------------------------------------- the shape asked for


def _by_type(value: dict, schema: GraphSchema, raw: Raw) -> None:
    raw.recognised = raw.recognised or all(isinstance(item, (list, dict)) for item in value.values())
    for label, items in value.items():
        items = _unwrapped(items)
        if isinstance(items, dict) and items and all(isinstance(item, dict) for item in items.values()) and schema.node(label):
            items = [{"key": key} | item for key, item in items.items()]  # {"Cliente": {"Bar Sol": {…}}}
        for item in items if isinstance(items, list) else [items]:
            item = _unwrapped(item)
            if isinstance(item, dict):
                _entity(label, item, schema, raw)
            elif isinstance(item, (str, int, float)) and not isinstance(item, bool) and isinstance(items, list):
                raw.entities.append(RawEntity(label, {"key": item}))
            else:
                raw.junk.append(item)


def _entity(label: str, item: dict, schema: GraphSchema, raw: Raw) -> None:
    index = len(raw.entities)
    properties: dict[str, Any] = {}
    raw.entities.append(RawEntity(label, properties))
    for name, value in item.items():
        kind = schema.relationship(name)
        node = schema.node(label)
        if kind and not (node and node.property(name)):
            kind_name = kind.type
        elif not schema.relationships and name.isupper() and len(name) > 1 and isinstance(value, (dict, list)) and value:
            kind_name = name
        else:
            properties[name] = value
            continue
        for target in value if isinstance(value, list) else [value]:
            target = _unwrapped(target)
            if target is None or target == "":
                continue
            for end, own in _targets(target, kind_name, schema):
                raw.links.append(RawLink(kind_name, End(entity=index), end, own))


def _targets(target: Any, kind: str, schema: GraphSchema) -> Iterator[tuple[End, dict[str, Any]]]:
    """The ends that a value of a relationship names, each with the properties of the relationship itself."""
    if not isinstance(target, dict):
        yield End(value=target, named=True), {}
        return
    declared = schema.relationship(kind)
    own = {name: value for name, value in target.items() if declared and declared.property(name)}
    rest = {name: value for name, value in target.items() if name not in own}
    labelled = {name: value for name, value in rest.items() if schema.node(name) or (not schema.nodes and name[:1].isupper())}
    if labelled and len(labelled) == len(rest):
        for label, values in labelled.items():
            for value in values if isinstance(values, list) else [values]:
                yield (
                    (
                        End(label=label, named=True, properties=value)
                        if isinstance(value, dict)
                        else End(value=value, label=label, named=True)
                    ),
                    own,
                )
    elif rest:
        label = _first(rest, ("label", "type"))
        if isinstance(label, str) and schema.node(label):
            rest = {name: value for name, value in rest.items() if value != label}
            yield End(label=label, named=True, properties=rest), own
        else:
            yield End(named=True, properties=rest), own


# ------------------------------------------------------------------------------------------ nodes and relationships


def _graph(value: dict, raw: Raw, schema: GraphSchema) -> None:
    raw.recognised = True
    for name in _NODES:
        for item in _items(value.get(name)):
            item = _unwrapped(item)
            if isinstance(item, dict):
                _node(item, raw, schema)
            else:
                raw.junk.append(item)
    for name in _LINKS:
        for item in _items(value.get(name)):
            item = _unwrapped(item)
            if isinstance(item, list) and len(item) == 3 and all(isinstance(part, str) for part in item):
                item = dict(zip(("source", "type", "target"), item, strict=True))
            if isinstance(item, dict):
                _link(item, raw)
            else:
                raw.junk.append(item)


def _items(value: Any) -> list[Any]:
    value = _unwrapped(value)
    if isinstance(value, dict):  # {"0": {…}, "1": {…}}
        return [{"id": key} | item if isinstance(item, dict) else item for key, item in value.items()]
    return value if isinstance(value, list) else [] if value is None else [value]


def _node(item: dict, raw: Raw, schema: GraphSchema) -> None:
    label = _first(item, _LABEL)
    if isinstance(label, list):
        label = next((part for part in label if isinstance(part, str)), None)
    properties = _properties(item)
    if properties is None:
        named = next((name for name in _LABEL if item.get(name) is not None), None)
        properties = {name: value for name, value in item.items() if name != named and name not in _ID}
    raw.recognised = True
    raw.entities.append(RawEntity(label if isinstance(label, str) and label.strip() else None, properties, _first(item, _ID)))


def _link(item: dict, raw: Raw) -> None:
    raw.recognised = True
    kind = _first(item, _TYPE)
    if isinstance(kind, dict):
        kind = _first(kind, ("type", "name", "label"))
    if isinstance(kind, list):
        kind = next((part for part in kind if isinstance(part, str)), None)
    properties = _properties(item) or {}
    for start in _ends(_first(item, _START), _first(item, _START_LABEL)):
        for end in _ends(_first(item, _END), _first(item, _END_LABEL)):
            raw.links.append(RawLink(kind, start, end, properties))


def _ends(value: Any, label: Any) -> list[End]:
    label = label if isinstance(label, str) and label.strip() else None
    values = value if isinstance(value, list) and value else [value]
    ends: list[End] = []
    for one in values:
        one = _unwrapped(one)
        if isinstance(one, dict):
            own = _first(one, _LABEL)
            inner = _properties(one) or {name: entry for name, entry in one.items() if name not in (*_ID, "label", "type")}
            found = own if isinstance(own, str) else label
            ends.append(End(value=_first(one, _ID), label=found, named=found is not None, properties=inner))
        elif isinstance(one, (str, int, float)):
            ends.append(End(value=one, label=label, named=label is not None))
        else:
            ends.append(End())
    return ends


def _properties(item: dict) -> dict[str, Any] | None:
    value = _unwrapped(_first(item, _PROPERTIES))
    if isinstance(value, list):  # [{"key": "nombre", "value": "Ana"}]
        pairs = [entry for entry in value if isinstance(entry, dict) and "key" in entry]
        return {str(entry["key"]): entry.get("value") for entry in pairs}
    return value if isinstance(value, dict) else None


def _first(item: dict, names: tuple[str, ...]) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), None)


def _unwrapped(value: Any) -> Any:
    """JSON that was written as a string inside the JSON, in whatever quotes."""
    if isinstance(value, str) and value.strip()[:1] in ("{", "[") and value.strip()[-1:] in ("}", "]"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            inner = repaired(value)
            return inner if isinstance(inner, (dict, list)) else value
    return value
