"""Ranking of 120 Spanish documents: Vector and Hybrid beside each branch alone and plain rank fusion, on one server.

    python bench/run_quality.py --uri bolt://localhost:7687 [--split report|tune|all] [--analyzer spanish]    # wipes the database

Three kinds of questions: codes, paraphrases that share no telling word with their answer, and both at once. Then the odd
queries (blank, operators, open quotes, brackets): how many raise anything but the plain sentence for a blank question.
"""

from __future__ import annotations

import argparse
import logging
import time
from collections.abc import Callable

from neo4j import GraphDatabase
from ranking import Baselines, Ours, ask, documents, prepare, print_head, print_row, split_of

from lfx_neo4j_graphrag.errors import InputError

KINDS = ("codigo", "significado", "ambos")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--uri", required=True)
    options.add_argument("--split", default="report", choices=("report", "tune", "all"))
    options.add_argument("--analyzer", default="spanish")
    given = options.parse_args()
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    rows, questions, odd = documents()
    chosen = split_of(questions, given.split)
    with GraphDatabase.driver(given.uri) as driver:
        prepare(driver, "Documento", rows, [row["text"] for row in rows], given.analyzer)
        plain, ours = Baselines(driver), Ours(given.uri)
        contenders: dict[str, Callable[[str], list[str]]] = {
            "meaning alone": plain.meaning,
            "words alone": plain.words,
            "rank fusion, k 60": plain.rrf,
            "Vector": ours.vector,
            "Hybrid": ours.hybrid,
        }
        print_head(KINDS)
        for name, search in contenders.items():
            print_row(name, ask(search, chosen), chosen, KINDS)
        for name in ("rank fusion, k 60", "Hybrid"):
            print_odd(name, contenders[name], odd)


def print_odd(name: str, search: Callable[[str], list[str]], odd: list[dict]) -> None:
    raised, found, known, sentences = 0, 0, 0, 0
    started = time.perf_counter()
    for query in odd:
        try:
            ids = search(query["text"])
        except InputError:
            sentences += 1
            ids = []
        except Exception as error:  # what this counts
            raised += 1
            ids = []
            print(f"{name}: {query['text']!r} raised {type(error).__name__}")
        if query["relevant"]:
            known += 1
            found += any(id in query["relevant"] for id in ids[:5])
    each = (time.perf_counter() - started) / len(odd) * 1000
    print(
        f"{name}: {len(odd)} odd queries, {raised} raised, {sentences} answered by a sentence, "
        f"{found} of {known} found in five, {each:.0f} ms each"
    )


if __name__ == "__main__":
    main()
