"""The part of a schema that a question needs: for a prompt, for linking its names, for checking a statement."""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import replace

from ..defaults import LINKING_LENGTH
from .model import Label, Schema


def text_places(schema: Schema) -> list[tuple[str, list[str], int]]:
    """``(label, properties, nodes)`` whose texts are short enough to be names, codes or states."""
    places = []
    for label in schema.labels:
        names = [p.name for p in label.properties if "string" in p.types and (p.longest or 0) <= LINKING_LENGTH]
        if label.name and names:
            places.append((label.name, names, label.count))
    return places


def known_names(schema: Schema) -> dict[str, list[str]]:
    """The names of the graph by ``label``, ``relationship type`` and ``property``."""
    properties = {p.name for entry in (*schema.labels, *schema.types) for p in entry.properties} | set(schema.unmet)
    return {
        "label": [label.name for label in schema.labels if label.name],
        "relationship type": [kind.name for kind in schema.types],
        "property": sorted(properties),
    }


def whole_labels(schema: Schema) -> dict[str, list[str]]:
    """The properties of each label of which every node was read."""
    return {label.name: [p.name for p in label.properties] for label in schema.labels if label.name and not label.sampled}


def mark(schema: Schema) -> str:
    """A short text that differs when what the graph holds has changed, as far as counts tell."""
    counts = [(entry.name, entry.count) for entry in (*schema.labels, *schema.types)]
    return hashlib.sha256(repr((counts, schema.unmet)).encode()).hexdigest()[:16]


def prompt_text(
    schema: Schema, question: str, linked: Collection[str], limit: int, render: Callable[[Schema], str], count: Callable[[str], int]
) -> str:
    """The schema as ``render`` writes it, pruned to the question when it has more than ``limit`` tokens.

    Kept are the labels that the question or its names (``linked``) speak of, those on the shortest way between
    them, then their neighbours and the largest labels as long as they fit; and every pattern between kept labels.
    Indexes and constraints are left out: a question does not need them.
    """
    schema = replace(schema, indexes=(), constraints=())
    text = render(schema)
    if count(text) <= limit:
        return text
    order = _by_need(schema, question, linked)
    size = 1
    best = render(_only(schema, set(order[:1])))
    while size < len(order):
        wider = render(_only(schema, set(order[: size + 1])))
        if count(wider) > limit:
            break
        best, size = wider, size + 1
    return f"{best.rstrip()}\n({size} of {len(schema.labels)} labels are shown: those nearest to the question.)"


def _by_need(schema: Schema, question: str, linked: Collection[str]) -> list[str]:
    stems = _stems(question)
    needed = [label.name for label in schema.labels if label.name in linked or stems & _stems(_words_of(label))]
    named = {kind.name for kind in schema.types if stems & _stems(kind.name)}
    needed += [end for p in schema.patterns if p.type in named for end in (p.start, p.end)]
    needed = sorted(dict.fromkeys(needed), key=lambda name: (name not in linked, name))
    between = _ways(schema, needed)
    near = _neighbours(schema)
    around = sorted({other for name in needed for other in near.get(name, ())})
    largest = [label.name for label in sorted(schema.labels, key=lambda label: (-label.count, label.name))]
    return list(dict.fromkeys([*needed, *between, *around, *largest]))


def _words_of(label: Label) -> str:
    values = (str(v) for p in label.properties for v in p.values)
    return " ".join([label.name, *(p.name for p in label.properties), *values])


def _stems(text: str) -> set[str]:
    split = re.sub(r"([a-z])([A-Z])", r"\1 \2", text).replace("_", " ").lower()
    return {word[:5] for word in re.findall(r"[^\W\d_]{4,}|\w*\d\w*", split)}


def _neighbours(schema: Schema) -> dict[str, list[str]]:
    near: dict[str, list[str]] = {}
    for p in schema.patterns:
        near.setdefault(p.start, []).append(p.end)
        near.setdefault(p.end, []).append(p.start)
    return near


def _ways(schema: Schema, needed: list[str]) -> list[str]:
    """Labels on a shortest way from the first needed label to each other one: without them a query cannot join the two."""
    if not needed:
        return []
    near, before = _neighbours(schema), {needed[0]: ""}
    queue = deque([needed[0]])
    while queue:
        here = queue.popleft()
        for other in near.get(here, ()):
            if other not in before:
                before[other] = here
                queue.append(other)
    between: list[str] = []
    for name in needed[1:]:
        here = before.get(name, "")
        while here:
            between.append(here)
            here = before[here]
    return between


def _only(schema: Schema, kept: set[str]) -> Schema:
    patterns = tuple(p for p in schema.patterns if p.start in kept and p.end in kept)
    types = {p.type for p in patterns}
    return replace(
        schema,
        labels=tuple(label for label in schema.labels if label.name in kept),
        types=tuple(kind for kind in schema.types if kind.name in types),
        patterns=patterns,
        unmet=(),
    )
