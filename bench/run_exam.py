"""The examinations of Text2Cypher, with recorded answers of a capable model.

    python bench/run_exam.py --uri bolt://127.0.0.1:7687 [--examples] [--exam incidencias|star_wars] [--no-values]

The graph must be there: ``make demo`` saves the incidents, ``exam/build_star_wars.py`` the other one. A question without
a recorded answer is counted as pending and written to ``asked`` in the folder of the recordings.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from datetime import date
from pathlib import Path

import yaml
from recorded import Pending, RecordedModel

from lfx_neo4j_graphrag.asking.evaluation import parse_questions
from lfx_neo4j_graphrag.asking.scoring import matches
from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.errors import GraphRAGError
from lfx_neo4j_graphrag.operations.text2cypher import Text2CypherRequest, text2cypher
from lfx_neo4j_graphrag.reply.tokens import count_tokens

ROOT = Path(__file__).parents[1]
TODAY = date(2026, 10, 1)  # the prompt holds the day: a fixed one keeps the recordings valid
RECORDINGS = {"incidencias": "ask", "star_wars": "ask_star_wars"}  # the folder of each examination in tests/fixtures


async def examine(
    connection: Connection, exam: str, with_examples: bool = False, values: bool = True, *, kind: str = "", recordings: str = ""
) -> list[dict]:
    """One dict per question: kind, question, outcome (right, wrong, pending, error), rows, query, revised, tokens of the last prompt.

    ``kind``: only the questions of it. ``recordings``: the folder in tests/fixtures, for a graph that was made in another way.
    """
    model = RecordedModel(ROOT / "tests" / "fixtures" / (recordings or RECORDINGS[exam]))
    text = (ROOT / "bench" / "exam" / f"{exam}.yaml").read_text(encoding="utf-8")
    examples = yaml.safe_load(text)["examples"] if with_examples else ""
    outcomes = []
    for question in parse_questions(text):
        if kind and question.kind != kind:
            continue
        request = Text2CypherRequest(question.question, model, examples=examples, today=TODAY, token_limit=0, sample_values=values)
        entry = {"kind": question.kind, "question": question.question, "expected": question.expect}
        try:
            result = await text2cypher(connection, request)
            right = matches(question.expect, result.rows) and not result.details["refused"]
            outcomes.append(
                entry | {"outcome": "right" if right else "wrong", "rows": result.rows, "query": result.details["query"]}
                | {"revised": result.details["revised"], "refused": result.details["refused"], "text": result.text}
                | {"tokens": sum(count_tokens(message["content"]) for message in model.sent)}
            )  # fmt: skip
        except GraphRAGError as error:
            pending = isinstance(error.__cause__, Pending)
            outcomes.append(entry | {"outcome": "pending" if pending else "error", "text": str(error)})
    return outcomes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--uri", default="bolt://127.0.0.1:7687")
    parser.add_argument("--username", default="")
    parser.add_argument("--password", default="")
    parser.add_argument("--exam", choices=sorted(RECORDINGS), default="incidencias")
    parser.add_argument("--examples", action="store_true")
    parser.add_argument("--no-values", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    connection = Connection(args.uri, args.username, args.password)
    outcomes = asyncio.run(examine(connection, args.exam, args.examples, not args.no_values))
    for o in outcomes:
        if o["outcome"] != "right" and (args.verbose or o["outcome"] != "pending"):
            print(json.dumps(o, ensure_ascii=False, indent=1, default=str))
    print(Counter(o["outcome"] for o in outcomes), Counter(o["kind"] for o in outcomes if o["outcome"] == "right"))


if __name__ == "__main__":
    main()
