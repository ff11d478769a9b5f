"""Statements that the reading path must refuse, by kind, statements that it must let through, and other spellings of them."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

HOSTILE: dict[str, list[str]] = json.loads((Path(__file__).parent / "hostile.json").read_text())
HARMLESS: list[dict] = json.loads((Path(__file__).parent / "harmless.json").read_text())

# Texts whose hostility does not hang on one exact spelling: every mutation of them must be refused too.
SEEDS = [
    cypher
    for kind in sorted(HOSTILE)
    if kind not in {"unterminated", "empty", "long", "deep", "chains", "unicode escapes", "comments between", "invisible characters", "ranges"}
    for cypher in HOSTILE[kind]
    if "//" not in cypher
]
PIECE = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\w+|\s+|.", re.S)
SPACES = [" ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\u3000", "\u2028", "\x0b", "\x1c", "/**/", "/* ' */", "/*\u2028*/", "// \" x\n", "//\r", " /* SET */ "]
FULL_WIDTH = {chr(c): chr(c + 0xFEE0) for c in range(0x41, 0x7B) if chr(c).isalpha()}


def mutate(cypher: str, source: random.Random) -> str:
    """Another spelling of ``cypher`` that the server might read in the same way."""
    pieces = PIECE.findall(cypher)
    ways = source.sample(["case", "spaces", "width", "escape", "prefix", "semicolon"], k=source.randint(1, 3))
    result = []
    for piece in pieces:
        quoted = piece[:1] in "'\"`"
        if "case" in ways and not quoted:
            piece = "".join(source.choice((c.upper(), c.lower())) if c.isascii() else c for c in piece)
        if "width" in ways and piece.isalpha() and source.random() < 0.3:
            piece = "".join(FULL_WIDTH.get(c, c) if source.random() < 0.7 else c for c in piece)
        if "escape" in ways and piece.isalnum() and source.random() < 0.3:
            at = source.randrange(len(piece))
            piece = f"{piece[:at]}\\u{ord(piece[at]):04x}{piece[at + 1:]}" if ord(piece[at]) < 0x10000 else piece
        if "spaces" in ways and (piece.isspace() or (piece in "(){}[],;" and source.random() < 0.3)):
            piece = piece.replace(" ", "") + source.choice(SPACES) if piece.isspace() else source.choice(SPACES) + piece
        result.append(piece)
    text = "".join(result)
    if "prefix" in ways:
        text = source.choice(["CYPHER 5 ", "CYPHER 25\n", "cypher/**/25 ", "EXPLAIN ", "PROFILE ", "\n\n", "/* read */ ", ""]) + text
    return text + source.choice(["", ";", " ;\n", "// end"]) if "semicolon" in ways else text
