"""Where a text is divided: sections for a model's limit, passages for source chunks, and the headings above each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

# Best places to divide first: between paragraphs, lines, sentences, words.
_SEPARATORS = ["\n\n", "\n", ". ", " ", ""]
_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_TRAILING_HEADINGS = re.compile(r"(?:(?:\A|\n)#{1,6} [^\n]+\s*)+\Z")
_NUMBERED = re.compile(r"^(\d+(?:\.\d+)*)[.)]?\s+\S")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_TITLE_CHARS = 90


@dataclass(frozen=True)
class Piece:
    """A part of a text that begins at character ``start`` of it."""

    text: str
    start: int


def split_text(text: str, size: int, overlap: int = 0) -> list[Piece]:
    """Divide ``text`` into pieces of about ``size`` characters; nothing but white space at the borders is lost.

    ``overlap``: how many characters a piece repeats of the one before. A Markdown heading never ends a piece: it goes with
    the text under it, which may make that piece longer than ``size`` by the heading.
    """
    if len(text) <= size:
        return [Piece(text.strip(), len(text) - len(text.lstrip()))] if text.strip() else []
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=overlap, separators=_SEPARATORS, keep_separator="end"
    )
    borders: list[tuple[int, int]] = []
    position = 0
    for part in splitter.split_text(text):
        start = text.find(part, max(0, position - overlap))
        start = position if start < 0 else start
        position = start + len(part)
        borders.append((start, position))
    for number in range(len(borders) - 1):
        start, end = borders[number]
        if heading := _TRAILING_HEADINGS.search(text[start:end]):
            borders[number] = (start, start + heading.start())
            borders[number + 1] = (min(borders[number + 1][0], start + heading.start()), borders[number + 1][1])
    pieces = (
        Piece(text[start:end].strip(), start + len(text[start:end]) - len(text[start:end].lstrip())) for start, end in borders
    )
    return [piece for piece in pieces if piece.text]


def sections(text: str, limit: int, overlap: int) -> list[Piece]:
    """The parts for a model that reads at most ``limit`` characters: as few as possible, of about the same length."""
    if len(text) <= limit:
        return split_text(text, limit)
    count = -(-(len(text) - overlap) // (limit - overlap))
    return split_text(text, min(limit, len(text) // count + 2 * overlap), overlap)


def halves(text: str) -> list[Piece]:
    """Two parts of about the same length, divided at the best place near the middle, sharing a line of context."""
    return split_text(text, len(text) * 3 // 5, min(200, len(text) // 10))


def headings_at(text: str, positions: Sequence[int]) -> list[tuple[str, ...]]:
    """For each position the headings that stand above it, outermost first.

    A heading is a Markdown one, or, in a text without any (out of a PDF), a short line of its own without a full stop that
    begins with a capital or a number: of those only the last one counts, and the first line of the text as its title.
    """
    found: list[tuple[int, int, str]] = []  # position, level, title
    markdown = bool(re.search(r"^#{1,6}\s+\S", text, re.MULTILINE))
    offset = 0
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        stripped = line.strip()
        if markdown:
            if match := _HEADING.match(stripped):
                found.append((offset, len(match[1]), match[2]))
        elif _is_title(stripped, lines[number + 1].strip() if number + 1 < len(lines) else ""):
            found.append((offset, 2 if any(level == 1 for _, level, _ in found) else 1, stripped))
        offset += len(line)
    starts = [position for position, _, _ in found]
    paths: list[tuple[str, ...]] = []
    for position in positions:
        path: dict[int, str] = {}
        for _, level, title in found[: bisect_right(starts, position)]:
            path = {known: name for known, name in path.items() if known < level} | {level: title}
        paths.append(tuple(path.values()))
    return paths


def _is_title(line: str, following: str) -> bool:
    if not 3 <= len(line) <= _TITLE_CHARS or not following or line.endswith((".", ",", ";", ":", "-")) or "|" in line:
        return False
    first = _NUMBERED.sub("A", line)[:1]
    if re.search(r"\d", _YEAR.sub("", _NUMBERED.sub("A", line))):  # a row of a table, a reference, an amount
        return False
    # A line that was only broken is about as long as the line under it; a title is shorter than a line of the text.
    return first.isupper() and len(line) < 0.7 * max(len(following), 60) and len(line.split()) <= 10
