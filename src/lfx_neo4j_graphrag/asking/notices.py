"""What the server says of a statement before it runs: labels, types and properties that it does not know."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .linking import quoted
from .names import nearest

# The server's codes, alike in 5.26 and 2026, and the kind of name each is about.
_KINDS = {
    "UnknownLabelWarning": "label",
    "UnknownRelationshipTypeWarning": "relationship type",
    "UnknownPropertyKeyWarning": "property",
}
# "… (the missing label name is: Nope)": the name ends with the description, whatever it holds.
_NAME = re.compile(r"\(the missing [a-z ]+ is: (.+)\)\Z", re.S)


def unknown_names(notifications: Sequence[Mapping[str, Any]], known: Mapping[str, Sequence[str]]) -> list[str]:
    """A line for each name that the graph does not have, with the nearest that it has.

    ``known`` maps ``label``, ``relationship type`` and ``property`` to the names of the graph.
    """
    lines = []
    for notification in notifications:
        code = str(notification.get("code", "")).rsplit(".", 1)[-1]
        kind = _KINDS.get(code)
        if kind is None:
            continue
        match = _NAME.search(str(notification.get("description", "")))
        name = match.group(1) if match else ""
        if not name or name in known[kind]:
            continue
        near = ", ".join(nearest(name, known[kind]))
        lines.append(f"there is no {kind} {quoted(name)}" + (f"; nearest are {near}" if near else ""))
    return list(dict.fromkeys(lines))


def misplaced_properties(uses: Sequence[tuple[Sequence[str], str]], known: Mapping[str, Sequence[str]]) -> list[str]:
    """A line for each property that none of the labels has, though the database knows its name from elsewhere.

    ``known`` maps the labels whose every property is known to these; a use with another label is not judged.
    """
    lines = []
    for labels, name in uses:
        if all(label in known for label in labels) and not any(name in known[label] for label in labels):
            near = nearest(name, [p for label in labels for p in known[label]])
            lines.append(f"{'|'.join(labels)} has no property {quoted(name)}" + (f"; nearest are {', '.join(near)}" if near else ""))
    return list(dict.fromkeys(lines))
