"""The relationships of a statement's patterns, to see before it runs whether the graph has them that way round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from ..cypher.tokens import Token, tokenize

NAMES = ("word", "quoted")
# A bracket after one of these words opens a pattern; after another word it is a function call.
_BEFORE_PATTERN = {"MATCH", "WHERE", "AND", "OR", "NOT", "XOR", "EXISTS", "COUNT", "COLLECT", "SHORTEST", "ALL", "ANY", "SHORTESTPATH"}


@dataclass(frozen=True)
class Hop:
    """``(:start)-[:types]->(:end)`` in the direction of its arrow; labels are empty where none is written."""

    start: frozenset[str]
    types: frozenset[str]
    end: frozenset[str]


def opens_pattern(tokens: list[Token], i: int) -> bool:
    """Whether the bracket at ``i`` opens a node pattern rather than the arguments of a function."""
    return tokens[i].text == "(" and (i == 0 or tokens[i - 1].kind not in NAMES or tokens[i - 1].upper in _BEFORE_PATTERN)


def node_head(tokens: list[Token], i: int) -> tuple[str, set[str], int]:
    """Variable and labels of ``v:Label|Other …)`` from just after its bracket, and the position behind them."""
    variable = ""
    if i < len(tokens) and tokens[i].kind in NAMES:
        variable = tokens[i].name
        i += 1
    names: set[str] = set()
    negated = False
    while i < len(tokens) and (tokens[i].text in (":", "|", "&", "!", "::") or tokens[i].kind in NAMES):
        if tokens[i].kind in NAMES:
            if tokens[i].upper == "WHERE":
                break
            if not negated:
                names.add(tokens[i].name)
            negated = False
        else:
            negated = negated or tokens[i].text == "!"
        i += 1
    return variable, names, i


def wrong_way_round(cypher: str, patterns: Iterable[tuple[str, str, str]]) -> list[str]:
    """A line for each relationship that the graph has only in the other direction.

    ``patterns`` are (start label, type, end label) of the graph. Relationships without a type, with an end whose
    label is not written, or of variable length are not judged. Raises QueryRefused for what cannot be read as Cypher.
    """
    known = set(patterns)
    lines = []
    for hop in _hops(tokenize(cypher)):
        there = {(s, t, e) for s in hop.start for t in hop.types for e in hop.end}
        back = {(e, t, s) for s, t, e in there}
        if there and not there & known and back & known:
            start, kind, end = sorted(back & known)[0]
            lines.append(f"the graph has (:{start})-[:{kind}]->(:{end}), not (:{end})-[:{kind}]->(:{start})")
    return list(dict.fromkeys(lines))


def _hops(tokens: list[Token]) -> list[Hop]:
    labels: dict[str, set[str]] = defaultdict(set)
    found: list[tuple[object, set[str], object]] = []
    for i in range(len(tokens)):
        if opens_pattern(tokens, i):
            variable, names, _ = node_head(tokens, i + 1)
            labels[variable] |= names
            after = _closing(tokens, i) + 1
            if hop := _relationship(tokens, after):
                left, types, right, node = hop
                if left != right and types:
                    other, other_names, _ = node_head(tokens, node + 1)
                    labels[other] |= other_names
                    near, far = (variable or frozenset(names)), (other or frozenset(other_names))
                    found.append((far, types, near) if left else (near, types, far))

    def resolved(end: object) -> frozenset[str]:
        return end if isinstance(end, frozenset) else frozenset(labels[end])

    return [Hop(resolved(start), frozenset(types), resolved(end)) for start, types, end in found]


def _closing(tokens: list[Token], i: int) -> int:
    depth = 0
    for j in range(i, len(tokens)):
        depth += (tokens[j].text in "([{" and tokens[j].kind == "operator") - (tokens[j].text in ")]}" and tokens[j].kind == "operator")
        if depth == 0:
            return j
    return len(tokens)


def _relationship(tokens: list[Token], i: int) -> tuple[bool, set[str], bool, int] | None:
    """``<-[r:A|B {…}]-`` or ``-[…]->`` at ``i``: arrow to the left, types, arrow to the right, position of the next node."""
    left = i < len(tokens) and tokens[i].text == "<"
    i += left
    if i + 1 >= len(tokens) or tokens[i].text != "-":
        return None
    types: set[str] = set()
    i += 1
    if tokens[i].text == "[":
        end = _closing(tokens, i)
        inside = tokens[i + 1 : end]
        if any(t.text == "*" for t in inside):
            return None
        colon = next((j for j, t in enumerate(inside) if t.text == ":"), None)
        if colon is None:
            return None
        for t in inside[colon + 1 :]:
            if t.kind in NAMES:
                types.add(t.name)
            elif t.text not in ("|", ":"):
                if t.text in ("!", "&", "%"):
                    return None
                break
        i = end + 1
    if i >= len(tokens) or tokens[i].text != "-":
        return None
    i += 1
    right = i < len(tokens) and tokens[i].text == ">"
    i += right
    if i >= len(tokens) or tokens[i].text != "(":
        return None
    return left, types, right, i
