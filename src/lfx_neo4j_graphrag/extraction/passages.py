"""What the model reads of one document: the whole, its sections, or its passages when they are kept as source chunks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from ..defaults import CHUNK_BEFORE, CHUNK_CHARS, CHUNK_KEPT, CHUNK_UNSPLIT, READ_CHARS, READ_OVERLAP
from .sections import Piece, headings_at, sections, split_text

Part = tuple[str, int | None]  # an incoming text and its page


@dataclass(frozen=True)
class Planned:
    """``position`` counts from 1 inside the document; ``before`` is the end of the text in front of it."""

    text: str
    position: int
    page: int | None
    headings: tuple[str, ...]
    before: str = ""


def plan_reads(parts: Sequence[Part]) -> list[Planned]:
    """One read for the whole document; sections with overlap when it is longer than a model reads well."""
    text, starts = joined(parts)
    return _planned(text, sections(text, READ_CHARS, READ_OVERLAP), parts, starts, before=0)


def plan_chunks(parts: Sequence[Part]) -> list[Planned]:
    """The passages of a document that become source chunks.

    A document that came in one piece, or page by page, is divided into passages of about ``CHUNK_CHARS`` when any of it
    is longer than ``CHUNK_UNSPLIT``. Texts that somebody divided already are kept as they are, up to ``CHUNK_KEPT``.
    """
    pages = [page for _, page in parts]
    whole = len(parts) == 1 or (None not in pages and len(set(pages)) == len(pages))
    text, starts = joined(parts)
    if whole and any(len(part) > CHUNK_UNSPLIT for part, _ in parts):
        return _planned(text, split_text(text, CHUNK_CHARS), parts, starts)
    pieces: list[Piece] = []
    for (part, _), start in zip(parts, starts, strict=True):
        if not whole and len(part) > CHUNK_KEPT:
            pieces += [Piece(piece.text, start + piece.start) for piece in split_text(part, CHUNK_CHARS)]
        elif part.strip():
            pieces.append(Piece(part, start))
    return _planned(text, pieces, parts, starts)


def joined(parts: Sequence[Part]) -> tuple[str, list[int]]:
    """The parts as one text, separated by blank lines, and where each begins in it."""
    starts, position = [], 0
    for part, _ in parts:
        starts.append(position)
        position += len(part) + 2
    return "\n\n".join(part for part, _ in parts), starts


def _planned(
    text: str, pieces: Sequence[Piece], parts: Sequence[Part], starts: Sequence[int], before: int = CHUNK_BEFORE
) -> list[Planned]:
    headings = headings_at(text, [piece.start for piece in pieces])
    return [
        Planned(
            piece.text,
            number,
            parts[bisect_right(starts, piece.start) - 1][1],
            path,
            text[max(0, piece.start - before) : piece.start].strip() if before and number > 1 else "",
        )
        for number, (piece, path) in enumerate(zip(pieces, headings, strict=True), 1)
    ]
