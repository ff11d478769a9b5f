"""The texts that a statement compares properties with: each can be looked up before the statement runs."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from ..cypher.tokens import Token, tokenize
from .hops import NAMES as _NAMES
from .hops import node_head, opens_pattern


@dataclass(frozen=True)
class Comparison:
    """``label.property`` is compared for equality with the text ``value``; ``labels`` is empty where none is written."""

    labels: tuple[str, ...]
    property: str
    value: str


def comparisons(cypher: str) -> list[Comparison]:
    """Equalities with a literal text in ``{p: 'x'}`` of node patterns, ``v.p = 'x'`` and ``v.p IN ['x', 'y']``.

    A comparison inside a function such as toLower(v.p) is not one of them: it says nothing of the stored spelling.
    Raises QueryRefused for text that cannot be read as Cypher.
    """
    tokens = tokenize(cypher)
    labels: dict[str, set[str]] = defaultdict(set)
    found: list[tuple[str | frozenset, str, str]] = []
    for i, token in enumerate(tokens):
        if opens_pattern(tokens, i):
            _pattern(tokens, i + 1, labels, found)
        elif token.text == "." and _is_property(tokens, i):
            _compared(tokens, i, found)
    out = []
    for owner, name, value in found:
        names = owner if isinstance(owner, frozenset) else labels.get(owner, ())
        out.append(Comparison(tuple(sorted(names)), name, value))
    return list(dict.fromkeys(out))


def property_uses(cypher: str) -> list[tuple[tuple[str, ...], str]]:
    """``(labels, property)`` of each ``v.property`` whose variable has labels in a pattern and is no alias of something else.

    Raises QueryRefused for text that cannot be read as Cypher.
    """
    tokens = tokenize(cypher)
    labels: dict[str, set[str]] = defaultdict(set)
    aliases = {after.name for token, after in zip(tokens, tokens[1:], strict=False) if token.upper == "AS"}
    for i in range(len(tokens)):
        if opens_pattern(tokens, i):
            variable, names, _ = node_head(tokens, i + 1)
            labels[variable] |= names
    found = []
    for i, token in enumerate(tokens):
        if token.text == "." and _is_property(tokens, i) and tokens[i - 1].name not in aliases:
            if names := labels.get(tokens[i - 1].name):
                found.append((tuple(sorted(names)), tokens[i + 1].name))
    return list(dict.fromkeys(found))


def _pattern(tokens: list[Token], i: int, labels: dict[str, set[str]], found: list) -> None:
    """Read ``v:Label|Other {p: 'x'})`` from just after its bracket."""
    variable, names, i = node_head(tokens, i)
    if variable:
        labels[variable] |= names
    if i < len(tokens) and tokens[i].text == "{":
        i += 1
        while i + 2 < len(tokens) and tokens[i].kind in _NAMES and tokens[i + 1].text == ":":
            if tokens[i + 2].kind == "string" and tokens[i + 3 : i + 4] and tokens[i + 3].text in (",", "}"):
                found.append((variable if variable else frozenset(names), tokens[i].name, _text(tokens[i + 2])))
            i += 2
            depth = 0
            while i < len(tokens) and not (depth == 0 and tokens[i].text in (",", "}")):
                depth += (tokens[i].text in "([{") - (tokens[i].text in ")]}")
                i += 1
            if i >= len(tokens) or tokens[i].text == "}":
                break
            i += 1


def _is_property(tokens: list[Token], i: int) -> bool:
    return (
        0 < i < len(tokens) - 1
        and tokens[i - 1].kind in _NAMES
        and tokens[i + 1].kind in _NAMES
        and (i < 2 or tokens[i - 2].text != ".")
        and (i + 2 >= len(tokens) or tokens[i + 2].text not in (".", "("))
    )


def _compared(tokens: list[Token], i: int, found: list) -> None:
    variable, name = tokens[i - 1].name, tokens[i + 1].name
    after = tokens[i + 2 : i + 4]
    if len(after) == 2 and after[0].text == "=" and after[1].kind == "string" and _ends(tokens, i + 4):
        found.append((variable, name, _text(after[1])))
    elif len(after) == 2 and after[0].upper == "IN" and after[1].text == "[":
        j = i + 4
        while j < len(tokens) and tokens[j].kind == "string":
            found.append((variable, name, _text(tokens[j])))
            j += 2 if j + 1 < len(tokens) and tokens[j + 1].text == "," else 1
    if i >= 3 and tokens[i - 2].text == "=" and tokens[i - 3].kind == "string" and (i < 4 or tokens[i - 4].text not in ("+", "||")):
        found.append((variable, name, _text(tokens[i - 3])))


def _ends(tokens: list[Token], i: int) -> bool:
    return i >= len(tokens) or tokens[i].text not in ("+", "||", "[")


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def _text(token: Token) -> str:
    def decode(match: re.Match) -> str:
        escaped = match.group(1)
        return chr(int(escaped[1:], 16)) if len(escaped) == 5 else _ESCAPES.get(escaped, escaped)

    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", decode, token.text[1:-1], flags=re.S)
