"""The lines of the field Relationships: ``column -> TYPE -> Label.property (extra, extra)``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import InputError

# A name is either backquoted (a backquote inside is doubled, as in Cypher) or written as it is.
_QUOTED = r"`((?:[^`]|``)+)`"
_COLUMN = re.compile(rf"\s*(?:{_QUOTED}|([^`]*?))\s*(?:->|→)\s*", re.S)
_TYPE = re.compile(rf"(?:{_QUOTED}|(.*?))\s*(?:->|→)\s*", re.S)
_TARGET = re.compile(
    rf"(?:{_QUOTED}|([^`.(]+?))\s*\.\s*(?:{_QUOTED}|([^`(]+?))\s*(?:\(\s*(.*?)\s*\))?\s*\Z",
    re.S,
)
_EXTRA = re.compile(rf"\s*(?:{_QUOTED}|([^`,]+?))\s*(?:,|\Z)", re.S)
_EXPECTED = (
    "Write column -> TYPE -> Label.property, and columns of the linked node in parentheses: "
    "modelo -> EN_MAQUINA -> Maquina.modelo (marca). Names with such signs go in backquotes."
)


@dataclass(frozen=True)
class RelationshipRule:
    """The value of ``column`` is ``property`` of a node ``label``, to which the row's node is linked by ``type``.

    ``extras`` are columns that are stored on the linked node.
    """

    column: str
    type: str
    label: str
    property: str
    extras: tuple[str, ...] = ()


def parse_relationships(lines: str | Iterable[str | RelationshipRule] | None) -> list[RelationshipRule]:
    """One rule per line that is not blank. Names with ``->``, ``.``, ``(``, ``,`` or a backquote go in backquotes.

    Raises InputError that names the line and says what was expected; also for two lines that link the same type
    to the same label by different properties, because each would delete what the other links.
    """
    pieces = lines.splitlines() if isinstance(lines, str) else lines or ()
    rules = [
        piece if isinstance(piece, RelationshipRule) else _parse(piece, number)
        for number, piece in enumerate(pieces, 1)
        if isinstance(piece, RelationshipRule) or piece.strip()
    ]
    keys: dict[tuple[str, str], RelationshipRule] = {}
    for rule in rules:
        first = keys.setdefault((rule.type, rule.label), rule)
        if first.property != rule.property:
            raise InputError(
                f"Two relationship lines link {rule.type} to {rule.label}, one by {first.property}, one by {rule.property}.",
                "Use the same property in both, or another relationship type in one of them.",
            )
    return list(dict.fromkeys(rules))


def _parse(line: str, number: int) -> RelationshipRule:
    column = _COLUMN.match(line)
    kind = column and _TYPE.match(line, column.end())
    target = kind and _TARGET.match(line, kind.end())
    parts = [_name(match) for match in (column, kind) if match]
    if not target or not all(parts) or "->" in (target[2] or "") + (target[4] or ""):
        raise _malformed(line, number, column, kind)
    label, prop = _name(target, 1), _name(target, 3)
    extras = []
    position, text = 0, target[5] or ""
    while position < len(text):
        extra = _EXTRA.match(text, position)
        if not extra or extra.end() == position:
            raise _malformed(line, number, column, kind)
        extras.append(_name(extra))
        position = extra.end()
    return RelationshipRule(parts[0], parts[1], label, prop, tuple(dict.fromkeys(extras)))


def _name(match: re.Match, group: int = 1) -> str:
    return match[group].replace("``", "`") if match[group] else match[group + 1].strip()


def _malformed(line: str, number: int, column: re.Match | None, kind: re.Match | None) -> InputError:
    if not column:
        missing = "there is no arrow ->"
    elif not kind:
        missing = "there must be two arrows ->, one before and one after the type"
    else:
        missing = "after the second arrow comes Label.property"
    return InputError(f"Relationships, line {number}: '{line.strip()[:120]}' was not understood: {missing}.", _EXPECTED)
