"""Labels and properties that the operator hides, kept out of statements and replies.

This keeps names and values from a model's eyes; it is no access control: a statement that builds a name at run time can
still compute with a hidden value. For that, use an account that cannot read it.
"""

from __future__ import annotations

from typing import Any

from ..cypher.tokens import tokenize
from ..errors import QueryRefused
from ..schema.model import Hidden

_HIDDEN = "[hidden]"


def check_names(query: str, hidden: Hidden) -> None:
    """Raises QueryRefused when a statement names something hidden, as an identifier or as a text."""
    if not hidden.names:
        return
    named = set()
    for token in tokenize(query):
        if token.kind in ("word", "quoted"):
            named.add(token.name)
        elif token.kind == "string":
            named.add(token.text[1:-1])
    for name in hidden.names:
        if name in named or ("." in name and set(name.rsplit(".", 1)) <= named):
            raise QueryRefused("The query uses a label, type or property that is hidden here.", "Use what the schema shows.")


def without_hidden(value: Any, hidden: Hidden) -> Any:
    """``value`` (rows of plain values) without what is hidden, wherever it is in it."""
    return _without(value, hidden) if hidden.names else value


def _without(value: Any, hidden: Hidden) -> Any:
    if isinstance(value, list):
        return [_without(item, hidden) for item in value]
    if not isinstance(value, dict):
        return value
    labels = value.get("labels", value.get("type"))  # a node or a relationship
    owners = [labels] if isinstance(labels, str) else labels if isinstance(labels, list) else []
    if any(isinstance(owner, str) and hidden.label(owner) for owner in owners):
        return _HIDDEN
    kept = {key: _without(item, hidden) for key, item in value.items() if not hidden.property("", key)}
    properties = kept.get("properties")
    if isinstance(properties, dict):
        kept["properties"] = {key: item for key, item in properties.items() if not any(hidden.property(str(o), key) for o in owners)}
    return kept
