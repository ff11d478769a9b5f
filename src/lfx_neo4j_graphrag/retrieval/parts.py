"""Vectors of the parts of a long text: one sentence of it may be the answer, and the vector of the whole blurs it.

A part is a pair of neighbouring sentences; measured in docs/benchmarks.md. The vectors of all parts are kept beside that of the
whole as bytes, one for each number: lists of floats take eight times the room, and a search of 50 candidates 17 ms more.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

# A shorter text is about one thing.
LONG_TEXT = 600
MAX_PARTS = 32
_LEAST_SENTENCE, _LONGEST_SENTENCE = 15, 300
# A blank line, or the start of a list's item, of a table's line or of a heading.
_BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*•|#]|\d+[.)]\s))")
_HEADING = re.compile(r"^\s*#+ ", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?:;…])\s+")


def parts(text: str) -> list[str]:
    """The parts of a long text in order, at most MAX_PARTS; none of a text that is short or has fewer than three sentences."""
    if len(text) < LONG_TEXT:
        return []
    found = sentences(text)
    step = max(1, math.ceil((len(found) - 1) / MAX_PARTS))
    return [" ".join(found[start : start + step + 1]) for start in range(0, len(found) - 1, step)] if len(found) > 2 else []


def sentences(text: str) -> list[str]:
    """Sentences, without Markdown's heading marks; a very short one goes with the next, a very long one is cut at a blank."""
    found = [""]
    for block in _BLOCK.split(text):
        for sentence in _SENTENCE.split(" ".join(_HEADING.sub("", block).split())):
            for piece in _cut(sentence):
                if len(found[-1]) > _LEAST_SENTENCE:
                    found.append(piece)
                else:
                    found[-1] = f"{found[-1]} {piece}".strip()
    return [sentence for sentence in found if sentence]


def _cut(sentence: str) -> list[str]:
    pieces = []
    while len(sentence) > _LONGEST_SENTENCE:
        blank = sentence.rfind(" ", _LONGEST_SENTENCE // 2, _LONGEST_SENTENCE)
        end = blank if blank > 0 else _LONGEST_SENTENCE
        pieces.append(sentence[:end])
        sentence = sentence[end:].strip()
    return [*pieces, sentence]


def packed(vectors: Sequence[Sequence[float]]) -> bytes:
    """The directions of the vectors, a signed byte for each number."""
    import numpy

    matrix = numpy.asarray(vectors, dtype=numpy.float32)
    largest = numpy.abs(matrix).max(axis=1, keepdims=True)
    return numpy.rint(matrix * (127 / largest)).astype(numpy.int8).tobytes()


def rescored(hits: Sequence[dict[str, Any]], question: Sequence[float]) -> list[dict[str, Any]]:
    """Hits of a cosine index (``score``, ``tie``, ``parts``: what ``packed`` gave, or None) with ``parts`` taken off, best first.

    A hit with parts scores the mean of the whole and of its nearest part, on the index's scale of 0 to 1.
    """
    import numpy

    direction = numpy.asarray(question, dtype=numpy.float32)
    direction = direction / numpy.linalg.norm(direction)

    def one(hit: dict[str, Any]) -> dict[str, Any]:
        rest = {name: value for name, value in hit.items() if name != "parts"}
        kept = hit["parts"]
        # Anything else under this name is somebody else's.
        if not isinstance(kept, (bytes, bytearray)) or not kept or len(kept) % len(direction):
            return rest
        matrix = numpy.frombuffer(kept, dtype=numpy.int8).reshape(-1, len(direction)).astype(numpy.float32)
        nearest = float((matrix @ direction / numpy.maximum(numpy.linalg.norm(matrix, axis=1), 1)).max())
        return rest | {"score": (hit["score"] + (1 + nearest) / 2) / 2}

    return sorted(map(one, hits), key=lambda hit: -hit["score"])
