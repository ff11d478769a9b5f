"""Which ``$parameters`` a Cypher text has. Pure text: the server is not asked."""

from __future__ import annotations

import re

# Whatever may hold a `$` that is no parameter is matched first and skipped: comments, strings, backquoted names.
_PIECES = re.compile(
    r"""//[^\r\n]*
    |/\*.*?(?:\*/|\Z)
    |'(?:[^'\\]|\\.)*(?:'|\Z)
    |"(?:[^"\\]|\\.)*(?:"|\Z)
    |\$(?P<name>\w+)
    |\$`(?P<quoted>(?:[^`]|``)+)`
    |`(?:[^`]|``)*(?:`|\Z)""",
    re.X | re.S,
)


def find_parameters(cypher: str) -> list[str]:
    """Names of the ``$parameters`` of ``cypher``, in order of appearance, each once.

    A name in a string, a comment or a backquoted identifier is none. A half-written text (the user is
    still typing) gives what can be seen so far; nothing raises.
    """
    names: dict[str, None] = {}
    for piece in _PIECES.finditer(cypher):
        if name := piece["name"] or (piece["quoted"] or "").replace("``", "`"):
            names.setdefault(name)
    return list(names)
