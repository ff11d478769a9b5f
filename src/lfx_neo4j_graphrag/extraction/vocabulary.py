"""One spelling for each name of a run, and the key of each type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from .names import fold
from .schema import GraphSchema, Property

# Which property says best what an entity is, when no field tells: the first of these that most items have.
_KEY_NAMES = (
    "nombre", "name", "codigo", "code", "id", "identificador", "identifier", "titulo", "title", "numero", "number",
    "referencia", "reference", "ref", "matricula", "modelo", "model", "email", "url",
)  # fmt: skip
_LONGEST_NAME = 200


class Vocabulary:
    """Names as the schema spells them; without a schema, as the graph or the first document spelled them.

    ``keys`` are the key properties that the graph already enforces, by label: an open type takes them over, so that documents
    join what other loads saved. ``labels`` are the labels of the graph, for runs without a schema.
    """

    def __init__(
        self, schema: GraphSchema, *, keys: Mapping[str, str] | None = None, labels: Iterable[str] = (), default_key: str = "name"
    ) -> None:
        self.schema = schema
        self.default_key = default_key
        self._keys = {fold(label): key for label, key in (keys or {}).items()}
        self._labels = {fold(label): label for label in labels}
        self._types: dict[str, str] = {}
        self._properties: dict[tuple[str, str], str] = {}

    def label(self, name: str) -> str | None:
        """The label that ``name`` means; None when the schema doesn't have it or it is no name."""
        if self.schema.nodes:
            node = self.schema.node(name)
            return node.label if node else None
        name = " ".join(name.split())
        return (
            self._labels.setdefault(fold(name), name) if fold(name) and len(name) <= _LONGEST_NAME and "\0" not in name else None
        )

    def type(self, name: str) -> str | None:
        """The relationship type that ``name`` means; without a schema in capitals with underscores."""
        if self.schema.relationships:
            kind = self.schema.relationship(name)
            return kind.type if kind else None
        name = " ".join(name.split())
        if not fold(name) or len(name) > _LONGEST_NAME or "\0" in name:
            return None
        written = re.sub(r"[\s-]+", "_", re.sub(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])", "_", name)).upper()
        return self._types.setdefault(fold(name), written)

    def property(self, label: str, name: str) -> tuple[str, Property | None] | None:
        """The spelling and the declaration of a property; None when the type is declared without it."""
        node = self.schema.node(label)
        if node and node.properties:
            declared = node.property(name)
            return (declared.name, declared) if declared else None
        name = " ".join(name.split())
        if not fold(name) or len(name) > _LONGEST_NAME or "\0" in name:
            return None
        key = self._keys.get(fold(label))
        first = key if key and fold(key) == fold(name) else name
        return self._properties.setdefault((fold(label), fold(name)), first), None

    def key(self, label: str) -> str | None:
        """The key property; None while an open type has shown nothing yet."""
        node = self.schema.node(label)
        return (node.key if node else None) or self._keys.get(fold(label))

    def settle_key(self, label: str, items: Iterable[Mapping[str, Any]]) -> str:
        """Choose the key of an open type from the properties of its first items, once for the run."""
        if known := self.key(label):
            return known
        seen: Counter[str] = Counter()
        spelled: dict[str, str] = {}
        for item in items:
            for name, value in item.items():
                if isinstance(value, (str, int, float)) and not isinstance(value, bool) and value != "":
                    spelled.setdefault(fold(name), name)
                    seen[fold(name)] += 1
        order = [fold(name) for name in (self.default_key, *_KEY_NAMES)]
        ranked = sorted((name for name in order if name in seen), key=lambda name: (-seen[name], order.index(name)))
        chosen = ranked[0] if ranked else next(iter(seen), None)
        key = spelled[chosen] if chosen else self.default_key
        found = self.property(label, key)
        self._keys[fold(label)] = found[0] if found else self.default_key
        return self._keys[fold(label)]

    def other_key(self, properties: Mapping[str, Any]) -> Any:
        """For an item of an open type without its key: the value that another item would have as key."""
        folded = {fold(name): value for name, value in properties.items()}
        return next((folded[fold(name)] for name in _KEY_NAMES if folded.get(fold(name)) not in (None, "")), None)
