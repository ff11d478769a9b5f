r"""Cypher text as tokens, read as the server reads it. Linear in the length of the text.

What was tried on live servers (5.26.30, and 2026.08.1 with Cypher 5 and 25) and decides here:

- ``\uXXXX`` becomes the character *before* tokens are read, everywhere, so ``\u0027`` ends a string and
  ``\u000a`` a comment; a doubled backslash is none (``'\\u0027'`` is plain text).
- White space is Python's ``\s`` but U+0085, which is white space in Cypher 25 and part of a name in Cypher 5,
  as zero-width and control characters are: such characters outside strings and quoted names are refused.
- A ``//`` comment ends at line feed or carriage return only; ``/* */`` does not nest.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from ..errors import QueryRefused

_TOKEN = re.compile(
    r"""(?P<space>\s++ | //[^\r\n]*+ | /\*.*?\*/)
    |(?P<string>'(?:[^'\\]|\\.)*+' | "(?:[^"\\]|\\.)*+")
    |(?P<quoted>`(?:[^`]|``)*+`)
    |(?P<parameter>\$(?:\w++ | `(?:[^`]|``)*+`))
    |(?P<number>(?:\d\w*+(?:(?<=[eE])[+-]\d\w*+)?(?:\.\d\w*+(?:(?<=[eE])[+-]\d\w*+)?)? | \.\d\w*+(?:(?<=[eE])[+-]\d\w*+)?))
    |(?P<word>[^\W\d]\w*+)
    |(?P<operator>\.\.|::|<=|>=|<>|=~|\+=|\|\||.)""",
    re.X | re.S,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})?|.|\Z)", re.S)
_INVISIBLE = {"Cc", "Cf", "Cn", "Co", "Cs"}


class Token(NamedTuple):
    """``kind``: string, quoted, parameter, number, word, operator. ``upper``: the word as keywords are compared, else ""."""

    kind: str
    text: str
    upper: str = ""

    @property
    def name(self) -> str:
        """The identifier that a word or a quoted name stands for."""
        return self.text[1:-1].replace("``", "`") if self.kind == "quoted" else self.text


def tokenize(cypher: str) -> list[Token]:
    """Tokens of ``cypher`` without white space and comments; raises QueryRefused for what could be read in two ways."""
    escapes = "\\u" in cypher
    tokens = []
    for match in _TOKEN.finditer(cypher):
        kind, text = match.lastgroup, match.group()
        if escapes and "\\" in text:
            _check_escapes(kind, text)
        if kind == "space":
            if not text.isascii():
                _check_space(text)
            continue
        if kind == "word":
            tokens.append(Token(kind, text, text.upper() if text.isascii() else keyword(text)))
            continue
        if kind == "operator":
            _check_operator(text, cypher, match.start())
        tokens.append(Token(kind, text))
    return tokens


def keyword(word: str) -> str:
    """``word`` as a keyword in disguise would be compared: full-width and other letters folded, in upper case."""
    return unicodedata.normalize("NFKC", word).casefold().upper()


def _check_operator(text: str, cypher: str, position: int) -> None:
    if text in "'\"":
        raise QueryRefused("A string of the query is not closed.", f"Close it with {text}; inside it, write a quote as \\{text}.")
    if text == "`":
        raise QueryRefused("A quoted name of the query is not closed.", "Close it with a backtick; one inside it is doubled.")
    if text == "/" and cypher.startswith("/*", position):
        raise QueryRefused("A comment of the query is not closed.", "Close it with */.")
    if text == "\\":
        raise QueryRefused(
            "The query has a backslash outside of strings.",
            r"Write the character itself instead of a \u escape, or pass the text as a parameter.",
        )
    if (text < " " or text > "~") and unicodedata.category(text) in _INVISIBLE:
        raise QueryRefused(f"The query has an invisible character (U+{ord(text):04X}) outside of strings.", "Remove it.")


def _check_space(text: str) -> None:
    if text[0] != "/" and "\x85" in text:
        raise QueryRefused("The query has an invisible character (U+0085) outside of strings.", "Remove it.")


def _check_escapes(kind: str | None, text: str) -> None:
    r"""A ``\u`` escape must not be able to end or begin anything: what it stands for may not be a quote, a line end…"""
    for match in _ESCAPE.finditer(text):
        if not match.group().startswith("\\u"):
            continue
        digits = match[1]
        character = chr(int(digits, 16)) if digits else ""
        control = not character or unicodedata.category(character) in ("Cc", "Zl", "Zp")
        if kind == "string":
            bad = control or character in "'\"\\`"
        elif kind == "quoted":
            bad = character != "\\"
        else:
            bad = control or character in "*/\\"
        if bad:
            raise QueryRefused(
                rf"The query has a \u escape ({match.group()}) that could hide another statement.",
                "Write the character itself, or pass the text as a parameter.",
            )
