"""When two names are the same name: whatever their case, accents, spaces and hyphens."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any

_RUNS = re.compile(r"\d+|[^\d]+")
# Marks that people leave out or change without meaning another thing. Others (+, #, &, /, %) are part of a name:
# C, C++ and C# are three languages.
_SEPARATORS = re.compile(r"[\s\-_.,;:'\"`´’‘“”«»()\[\]{}\u2010-\u2015\u2212]+")


@lru_cache(maxsize=100_000)
def fold(name: str) -> str:
    """The form under which names are compared; empty only for an empty name.

    Letters lose case and accents (Latin and Greek ones; ñ is a letter of its own, and other scripts keep their
    marks), separators go, but two numbers stay two: ``INC-2607-01`` = ``inc 2607 01`` = ``INC2607-01``, while
    ``A-11-1`` and ``A-1-11`` differ.
    """
    letters: list[str] = []
    base = ""
    for char in unicodedata.normalize("NFKD", name):
        if not unicodedata.combining(char):
            base = char
        elif base < "\u0400" and not (base in "nN" and char == "\u0303"):
            continue
        letters.append(char)
    plain = unicodedata.normalize("NFC", "".join(letters).casefold())
    folded = ""
    for part in _SEPARATORS.split(plain):
        for run in _RUNS.findall(part):
            folded += "-" + run if folded[-1:].isdigit() and run[:1].isdigit() else run
    return folded or " ".join(plain.split()) or name.strip().casefold()


def fold_key(value: Any) -> str:
    """The folded form of a key value; a number and its text are the same key (``101``, ``101.0``, ``"101"``)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return fold(str(value))
    return str(int(value)) if float(value).is_integer() else str(value)
