"""Whether vectors of sentences would find what the vector of a whole text misses: Hybrid over both sets, ranked again.

    python bench/run_sentences.py --uri bolt://localhost:7687      # wipes the database

Not a part of the product: the candidates by meaning are put in another order before they are fused. ``averaged``: the vector of the
text averaged with those of its sentences and pairs of sentences; ``pairs``: likeness to the text plus to its nearest pair of
sentences; ``parts``: the same with whole sentences up to 250 characters. All questions of both halves.
"""

from __future__ import annotations

import argparse
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy
from neo4j import GraphDatabase
from ranking import Ours, ask, documents, knowledge, prepare, print_head, print_row

from lfx_neo4j_graphrag.operations import hybrid as operation

PART_CHARACTERS = 250
KINDS = ("consulta", "codigo", "significado", "ambos")


def sentences(text: str) -> list[str]:
    """Sentences of more than 15 characters, without Markdown's marks; the whole text when it has none."""
    flat = " ".join(re.sub(r"^#+ ", "", text, flags=re.MULTILINE).split())
    return [each for each in re.split(r"(?<=[.!?:;])\s+", flat) if len(each) > 15] or [flat]


def pairs(text: str) -> list[str]:
    each = sentences(text)
    return [" ".join(two) for two in zip(each, each[1:], strict=False)] or each


def parts(text: str) -> list[str]:
    found = [""]
    for sentence in sentences(text):
        if found[-1] and len(found[-1]) + len(sentence) > PART_CHARACTERS:
            found.append(sentence)
        else:
            found[-1] = f"{found[-1]} {sentence}".strip()
    return found


class Rescored:
    """The branch by meaning with another likeness: ``scores(question, whole, pieces)`` of a text's vector and its pieces'."""

    def __init__(self, rows: Sequence[dict], model: Any, split: Callable[[str], list[str]], scores: Callable[..., float]) -> None:
        self.scores, self.pieces = scores, 0
        self.vectors = {}
        for row in rows:
            whole, *rest = numpy.array(model.embed_documents([row["text"], *split(row["text"])]))
            self.vectors[row["id"]] = whole, numpy.array(rest)
            self.pieces += len(rest)

    async def candidates(self, reader: Any, index: Any, vector: Sequence[float], *rest: Any) -> Any:
        found = await real(reader, index, vector, *rest)
        question = numpy.array(vector)
        hits = [hit | {"score": float(self.scores(question, *self.vectors[hit["tie"][0]]))} for hit in found.hits]
        return replace(found, hits=sorted(hits, key=lambda hit: -hit["score"]))


real = operation.vector_candidates


def averaged(question: Any, whole: Any, pieces: Any) -> float:
    mean = pieces.mean(0)
    both = whole + mean / numpy.linalg.norm(mean)
    return question @ both / numpy.linalg.norm(both)


def nearest(question: Any, whole: Any, pieces: Any) -> float:
    return question @ whole + (pieces @ question).max()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--uri", required=True)
    given = options.parse_args()
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    steps = {
        "averaged": (lambda text: sentences(text) + pairs(text), averaged),
        "pairs": (pairs, nearest),
        "parts": (parts, nearest),
    }
    with GraphDatabase.driver(given.uri) as driver:
        ours = Ours(given.uri)
        for title, (rows, questions) in {"passages": knowledge(), "documents": documents()[:2]}.items():
            prepare(driver, "Texto", rows, [row["text"] for row in rows])
            print(f"\n{title}")
            print_head(KINDS)
            print_row("Hybrid", ask(ours.hybrid, questions), questions, KINDS)
            for name, (split, scores) in steps.items():
                other = Rescored(rows, ours.model, split, scores)
                operation.vector_candidates = other.candidates
                label = f"{name}, {other.pieces / len(rows):.1f} more vectors a text"
                print_row(label, ask(ours.hybrid, questions), questions, KINDS)
                operation.vector_candidates = real


if __name__ == "__main__":
    main()
