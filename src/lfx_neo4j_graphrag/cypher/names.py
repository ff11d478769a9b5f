"""Quoting of identifiers: the only place. Every name of a label, type, property or index passes here."""

from __future__ import annotations

from ..errors import InputError


def quote(name: str) -> str:
    r"""Return ``name`` as a backquoted Cypher identifier.

    Cypher decodes ``\uXXXX`` before it reads tokens, inside backquotes too, so doubling backticks
    alone is an injection: a backslash is written as its own escape first.

    Raises InputError for an empty name or one that holds a NUL character.
    """
    if not name or "\0" in name:
        raise InputError("A name of a label, type, property or index is empty or holds a NUL character.", "Give it a name.")
    return "`" + name.replace("\\", "\\u005c").replace("`", "``") + "`"
