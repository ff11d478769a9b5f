"""Consultation questions on the 80 passages of the knowledge base: what each step of the search gains.

    python bench/run_knowledge.py --uri bolt://localhost:7687 [--split report|tune|all]      # wipes the database

Steps: each branch alone, plain rank fusion, Hybrid without the vectors of a passage's parts, Vector and Hybrid with them, and both
with passages that were embedded under their document's title and section ("Manual de mantenimiento. Descalcificar. Solo la hace
el técnico…", without Markdown marks and line breaks).
"""

from __future__ import annotations

import argparse
import logging
import re

from neo4j import GraphDatabase
from ranking import Baselines, Ours, ask, knowledge, prepare, print_head, print_row, split_of

KINDS = ("consulta", "codigo", "significado", "ambos")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--uri", required=True)
    options.add_argument("--split", default="report", choices=("report", "tune", "all"))
    given = options.parse_args()
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    rows, questions = knowledge()
    chosen = split_of(questions, given.split)
    with GraphDatabase.driver(given.uri) as driver:
        plain, ours = Baselines(driver), Ours(given.uri)
        print_head(KINDS)
        steps = {"Vector": ours.vector, "Hybrid": ours.hybrid}
        bare = {
            "meaning alone": plain.meaning,
            "words alone": plain.words,
            "rank fusion": plain.rrf,
            "Hybrid without parts": ours.hybrid,
        }
        texts = [row["text"] for row in rows]
        for searches, what, parts, more in (
            (bare, texts, False, ""),
            (steps, texts, True, ""),
            (steps, under_titles(rows), True, ", title and section embedded"),
        ):
            prepare(driver, "Passage", rows, what, parts=parts)
            for name, search in searches.items():
                print_row(name + more, ask(search, chosen), chosen, KINDS)


def under_titles(rows: list[dict]) -> list[str]:
    """The text of each passage after the title of its document and the sections it touches."""
    texts, title, section = [], "", ""
    for row in rows:
        text = row["text"]
        if row["position"] == 0:
            found = re.search(r"^# (.*)$", text, re.MULTILINE)
            title, section = found[1] if found else text.strip().splitlines()[0][:80], ""
        inside = re.findall(r"^## (.*)$", text, re.MULTILINE)
        sections = ([] if re.match(r"\s*##+ ", text) or not section else [section]) + inside
        section = inside[-1] if inside else section
        body = " ".join(re.sub(r"^#+ .*$", "", text, flags=re.MULTILINE).split())
        texts.append(". ".join([title, *sections, body]))
    return texts


if __name__ == "__main__":
    main()
