"""From what an answer holds to what the schema allows, item by item: matched, turned, coerced, or dropped with a reason."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from ..defaults import MAX_KEY_BYTES
from .coerce import Unfit, coerce, is_nested
from .names import fold, fold_key
from .schema import Property
from .shapes import End, Raw, RawLink
from .vocabulary import Vocabulary

Identity = tuple[str, str]  # label, folded key

# An id that only numbers the items of an answer (0, n1, node_3) says nothing about the entity.
_MERE_ID = re.compile(r"(?:n|e|node|entity|id)?[_ -]?\d+", re.IGNORECASE)


@dataclass
class Entity:
    """``properties`` without the key; ``key`` as the text spells it."""

    label: str
    key_property: str
    key: Any
    properties: dict[str, Any] = field(default_factory=dict)

    @property
    def identity(self) -> Identity:
        return (self.label, fold_key(self.key))


@dataclass
class Link:
    type: str
    start: Identity
    end: Identity
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass
class Extraction:
    """``dropped`` holds (reason, item); ``nested`` the properties of which a value became JSON text (``Label.name``)."""

    entities: dict[Identity, Entity] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    dropped: list[tuple[str, str]] = field(default_factory=list)
    nested: set[str] = field(default_factory=set)

    def drop(self, reason: str, item: Any) -> None:
        text = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False, default=str)
        self.dropped.append((reason, " ".join(text.split())[:80]))


def conform(raw: Raw, vocabulary: Vocabulary, text: str = "") -> Extraction:
    """Apply the schema to one answer. ``text`` is what the model read: an id is taken as a key only if it occurs in it."""
    return _Conforming(raw, vocabulary, text).run()


class _Conforming:
    def __init__(self, raw: Raw, vocabulary: Vocabulary, text: str) -> None:
        self.raw, self.vocabulary, self.text = raw, vocabulary, text
        self.out = Extraction()
        self.by_index: dict[int, Identity] = {}
        self.by_id: dict[str, Identity] = {}

    def run(self) -> Extraction:
        for item in self.raw.junk:
            self.out.drop("not an item", item)
        labels = [self._label(entity.label, entity.properties) for entity in self.raw.entities]
        for label in dict.fromkeys(label for label in labels if label and not self.vocabulary.key(label)):
            items = [entity.properties for entity, own in zip(self.raw.entities, labels, strict=True) if own == label]
            self.vocabulary.settle_key(label, items)
        for index, (entity, label) in enumerate(zip(self.raw.entities, labels, strict=True)):
            if label and (identity := self._entity(label, entity.properties, entity.id)):
                self.by_index[index] = identity
                if entity.id is not None:
                    self.by_id.setdefault(str(entity.id), identity)
        for link in self.raw.links:
            self._link(link)
        return self.out

    def _label(self, name: str | None, item: Any) -> str | None:
        if not name or not name.strip():
            self.out.drop("no type", item)
            return None
        label = self.vocabulary.label(name)
        if label is None:
            self.out.drop("type not in the schema", {name: item})
        return label

    # ------------------------------------------------------------------------------------------------- entities

    def _entity(self, label: str, given: dict[str, Any], id_: Any = None) -> Identity | None:
        key_property = self.vocabulary.settle_key(label, [given])
        properties: dict[str, Any] = {}
        bare_key = None
        for name, value in given.items():
            found = self.vocabulary.property(label, name)
            if name == "key" and (found is None or found[1] is None):
                bare_key = value
            elif found is None:
                self.out.drop("property not in the schema", f"{label}.{name}")
            else:
                self._set(properties, label, found, value)
        key = self._key(label, key_property, properties, bare_key, id_)
        if key is None:
            self.out.drop("no key", {label: given})
            return None
        if isinstance(key, str) and len(key.encode()) > MAX_KEY_BYTES:
            self.out.drop("key too long", {label: key[:40]})
            return None
        entity = Entity(label, key_property, key, properties)
        known = self.out.entities.setdefault(entity.identity, entity)
        known.properties |= properties  # the same entity twice in one answer: what comes later in the text wins
        return entity.identity

    def _set(self, properties: dict[str, Any], owner: str, found: tuple[str, Property | None], value: Any) -> None:
        name, declared = found
        try:
            stored = coerce(value, declared)
        except Unfit as unfit:
            self.out.drop(unfit.reason, f"{owner}.{name}: {value}")
            return
        if stored is None:
            return
        if is_nested(value) and not (declared and (declared.type or declared.values)):
            self.out.nested.add(f"{owner}.{name}")
        properties[name] = stored

    def _key(self, label: str, key_property: str, properties: dict[str, Any], bare: Any, id_: Any) -> Any:
        key = properties.pop(key_property, None)
        declared = self.vocabulary.property(label, key_property)
        if key is None and bare is not None:
            holder: dict[str, Any] = {}
            self._set(holder, label, declared or (key_property, None), bare)
            key = holder.get(key_property)
        node = self.vocabulary.schema.node(label)
        if key is None and not (node and node.properties):
            key = self.vocabulary.other_key(properties)
        if key is None and isinstance(id_, str) and not _MERE_ID.fullmatch(id_) and id_.casefold() in self.text.casefold():
            key = id_.strip()
        if isinstance(key, list):
            key = key[0] if len(key) == 1 else None
        return None if isinstance(key, bool) or (isinstance(key, str) and not fold(key)) else key

    # ---------------------------------------------------------------------------------------------------- links

    def _link(self, link: RawLink) -> None:
        shown = {"type": link.type, "start": _shown(link.start), "end": _shown(link.end)}
        if not isinstance(link.type, str) or not link.type.strip():
            return self.out.drop("no relationship type", shown)
        kind = self.vocabulary.type(link.type)
        if kind is None:
            return self.out.drop("relationship type not in the schema", shown)
        start = self._end(link.start, self._possible(kind, self._known_label(link.end)))
        end = self._end(link.end, self._possible(kind, start[0] if start else None))
        if not start or not end:
            return self.out.drop("end not found", shown)
        if start == end:
            return self.out.drop("links to itself", shown)
        patterns = self.vocabulary.schema.patterns_of(kind)
        pairs = {(pattern.start, pattern.end) for pattern in patterns}
        if pairs and (start[0], end[0]) not in pairs:
            if (end[0], start[0]) not in pairs:
                return self.out.drop("pattern not in the schema", shown)
            start, end = end, start
        properties: dict[str, Any] = {}
        declared = self.vocabulary.schema.relationship(kind)
        for name, value in link.properties.items():
            own = declared.property(name) if declared else None
            if declared and not own:
                self.out.drop("property not in the schema", f"{kind}.{name}")
            else:
                self._set(properties, kind, (own.name if own else name, own), value)
        self.out.links.append(Link(kind, start, end, properties))
        return None

    def _known_label(self, end: End) -> str | None:
        if end.entity is not None:
            return self.by_index[end.entity][0] if end.entity in self.by_index else None
        if end.label:
            return self.vocabulary.label(end.label)
        identity = self.by_id.get(str(end.value))
        return identity[0] if identity else None

    def _possible(self, kind: str, other: str | None) -> list[str]:
        """The labels that one end can have, given the label of the other; the one in the pattern's direction first."""
        patterns = self.vocabulary.schema.patterns_of(kind)
        forward = [p.end for p in patterns if other in (None, p.start)]
        backward = [p.start for p in patterns if other in (None, p.end)]
        if not patterns:
            forward = [node.label for node in self.vocabulary.schema.nodes]
        return list(dict.fromkeys([*forward, *backward]))

    def _end(self, end: End, possible: list[str]) -> Identity | None:
        if end.entity is not None:
            return self.by_index.get(end.entity)
        if end.value is not None and not end.properties and (identity := self.by_id.get(str(end.value))):
            return identity
        label = self.vocabulary.label(end.label) if end.label else None
        if end.label and not label:
            return None
        labels = [label] if label else possible
        if end.properties and not end.value:
            return self._described(end, labels)
        if isinstance(end.value, bool) or not isinstance(end.value, (str, int, float)) or not fold(str(end.value)):
            return None
        folded = fold_key(end.value)
        known = [identity for identity in self.out.entities if identity[1] == folded and (not labels or identity[0] in labels)]
        if known:
            return min(known, key=lambda identity: labels.index(identity[0]) if labels else 0)
        if end.named and labels:
            return self._entity(labels[0], {"key": end.value})
        return None

    def _described(self, end: End, labels: list[str]) -> Identity | None:
        """An end given by properties: of the type whose key is among them, else of the only type it can be."""
        for label in labels:
            key = self.vocabulary.key(label)
            if key and any(fold(name) == fold(key) for name in end.properties):
                return self._entity(label, end.properties)
        return self._entity(labels[0], end.properties) if len(labels) == 1 else None


def _shown(end: End) -> Any:
    return end.value if end.value is not None else end.properties or end.entity
