"""The six hard questions of the examination by eight techniques, with recorded answers of a capable model.

    python bench/run_techniques.py --uri bolt://127.0.0.1:7687 [--json FILE] [--verbose]      # wipes the database

Retrieval is real: passages of at most 800 characters of the nine example documents, and the graph of the 24 incidents, both
with local embeddings. What was found goes to the model with one neutral prompt; Text2Cypher asks in its own way. An answer
counts when it is exact (``asking.scoring``). Recordings: tests/fixtures/ask_techniques, and those of the examination.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from recorded import Pending, RecordedModel
from run_exam import ROOT, TODAY, examine
from wiping import wipe

from lfx_neo4j_graphrag.asking.evaluation import Question, parse_questions
from lfx_neo4j_graphrag.asking.scoring import matches
from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.local.demo import load_example
from lfx_neo4j_graphrag.local.embeddings import LocalEmbeddings
from lfx_neo4j_graphrag.operations.add_records import AddRecordsRequest, add_records
from lfx_neo4j_graphrag.operations.hybrid import HybridRequest, hybrid
from lfx_neo4j_graphrag.operations.vector import VectorRequest, vector
from lfx_neo4j_graphrag.reply.tokens import count_tokens

sys.path.insert(0, str(ROOT / "assets"))

KIND = "seis"
RECORDINGS = "ask_techniques"
REPORTS = 3  # the first of ``knowledge.documents``
# Text2Cypher's own prompt says the same of ties, finished actions and months: nobody is better off by knowing it.
RULES = """Answer a question from the context alone.

- Answer with JSON alone: {"answer": …}. A question for a number gets the number. A question for things gets the list of their \
names or codes, written as in the context. A question for several facts of each thing gets a list of lists, \
such as [["name", 2], ["other name", 1]].
- "The most" is all that tie for it.
- A verb of a finished action (repaired, solved) counts only what has reached that state; to have, to attend or to work on \
counts everything.
- A month without a year is of the years that the context covers.
- If the context does not say, answer {"answer": null}."""
Technique = Callable[[Question], Awaitable[str]]  # gives the context


def messages(question: str, context: str) -> list[Any]:
    """What the model reads."""
    from langchain_core.messages import HumanMessage, SystemMessage

    asked = f"# Context\n{context}\n\nToday is {TODAY.isoformat()}.\n\n# Question\n{question}"
    return [SystemMessage(RULES), HumanMessage(asked)]


def rows_of(answer: str) -> list[dict[str, Any]] | None:
    """The rows that a JSON answer stands for, as ``asking.scoring`` compares them; None when it is not JSON."""
    found = re.search(r"\{.*\}", answer, re.DOTALL)
    try:
        value = json.loads(found[0])["answer"] if found else None
    except (ValueError, KeyError):
        return None
    if not found or value is None:
        return [] if found else None
    items = value if isinstance(value, list) else [value]
    return [
        item if isinstance(item, dict) else {str(i): v for i, v in enumerate(item if isinstance(item, list) else [item])} for item in items
    ]


def as_context(rows: Sequence[dict[str, Any]]) -> str:
    """What a search found, best first: a passage under the name of its document, a node with its neighbours as JSON.

    Without scores: their last digits are the processor's, and the recordings must hold on every machine.
    """
    parts = []
    for row in rows:
        if "document" in row:
            parts.append(f"[{row['document']}]\n{row['text']}")
        else:
            kept = {name: value for name, value in row.items() if name not in ("score", "rank_vector", "rank_text")}
            parts.append(json.dumps(kept, ensure_ascii=False, default=str))
    return "\n\n".join(parts)


async def save_passages(connection: Connection) -> None:
    from knowledge import passages

    rows = [{"id": f"{p.document}#{p.position:02d}", "document": p.document, "text": p.text} for p in passages()]
    request = AddRecordsRequest(rows, "Pasaje", "id", embedder=LocalEmbeddings(), text_column="text", fulltext_analyzer="spanish")
    await add_records(connection, request)


def searches(connection: Connection) -> dict[str, Technique]:
    """The techniques that search passages."""
    model = LocalEmbeddings()

    async def by_vector(question: Question) -> str:
        request = VectorRequest(question.question, model, number_of_results=5, token_limit=0)
        return as_context((await vector(connection, request)).rows)

    def by_hybrid(count: int) -> Technique:
        async def search(question: Question) -> str:
            request = HybridRequest(question.question, model, number_of_results=count, token_limit=0)
            return as_context((await hybrid(connection, request)).rows)

        return search

    return {
        "passages by Vector, 5 results": by_vector,
        "passages by Hybrid, 5 results": by_hybrid(5),
        "passages by Hybrid, 10 results": by_hybrid(10),
    }


async def whole_reports(question: Question) -> str:
    from knowledge import documents

    return as_context([{"document": name, "text": text} for name, text in list(documents().items())[:REPORTS]])


def with_graph(connection: Connection) -> Technique:
    async def search(question: Question) -> str:
        request = VectorRequest(question.question, LocalEmbeddings(), number_of_results=10, neighbours=True, token_limit=0)
        return as_context((await vector(connection, request)).rows)

    return search


async def ask(technique: Technique, questions: Sequence[Question]) -> list[dict]:
    """One outcome a question: outcome (right, wrong, pending), question, expected, answer, tokens of the prompt."""
    model, outcomes = RecordedModel(ROOT / "tests" / "fixtures" / RECORDINGS), []
    for question in questions:
        sent = messages(question.question, await technique(question))
        entry = {
            "question": question.question,
            "expected": question.expect,
            "tokens": sum(count_tokens(str(m.content)) for m in sent),
        }
        try:
            answer = str((await model.ainvoke(sent)).content)
        except Pending:
            outcomes.append(entry | {"outcome": "pending"})
            continue
        rows = rows_of(answer)
        right = rows is not None and matches(question.expect, rows)
        outcomes.append(entry | {"outcome": "right" if right else "wrong", "answer": answer})
    return outcomes


async def measure(connection: Connection) -> dict[str, list[dict]]:
    """Technique -> its outcomes. The passages stand alone in the database while they are searched, then the graph does."""
    from neo4j import GraphDatabase

    text = (ROOT / "bench" / "exam" / "incidencias.yaml").read_text(encoding="utf-8")
    questions = [question for question in parse_questions(text) if question.kind == KIND]
    auth = (connection.username, connection.password) if connection.password else None
    outcomes: dict[str, list[dict]] = {}
    with GraphDatabase.driver(connection.uri, auth=auth) as driver:
        wipe(driver)
        await save_passages(connection)
        for name, technique in searches(connection).items():
            outcomes[name] = await ask(technique, questions)
        outcomes["the three reports in the prompt"] = await ask(whole_reports, questions)
        wipe(driver)
    await load_example(connection)
    outcomes["Vector + Graph, 10 results"] = await ask(with_graph(connection), questions)
    outcomes["Text2Cypher without values or Examples"] = await examine(
        connection, "incidencias", values=False, kind=KIND, recordings=RECORDINGS
    )
    outcomes["Text2Cypher without Examples"] = await examine(connection, "incidencias", kind=KIND)
    outcomes["Text2Cypher with two Examples"] = await examine(connection, "incidencias", True, kind=KIND)
    return outcomes


def table(outcomes: dict[str, list[dict]]) -> str:
    """Markdown: a row a technique, a column a question, and the sum."""
    count = max(len(each) for each in outcomes.values())
    heads = ["technique", *(str(n) for n in range(1, count + 1)), "right", "tokens of a prompt"]
    marks = {"right": "✓", "wrong": "✗", "pending": "?", "error": "!"}
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for name, each in outcomes.items():
        tokens = sorted(o["tokens"] for o in each if o.get("tokens"))
        cells = [name, *(marks[o["outcome"]] for o in each), f"{sum(o['outcome'] == 'right' for o in each)} of {len(each)}"]
        lines.append("| " + " | ".join([*cells, f"{tokens[len(tokens) // 2]:,}" if tokens else "-"]) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--username", default="")
    parser.add_argument("--password", default="")
    parser.add_argument("--json", type=Path, help="write every question, its answer and what was expected here")
    parser.add_argument("--verbose", action="store_true", help="print the wrong answers")
    args = parser.parse_args()
    outcomes = asyncio.run(measure(Connection(args.uri, args.username, args.password)))
    for number, outcome in enumerate(next(iter(outcomes.values())), 1):
        print(f"{number}. {outcome['question']}")
    print("\n" + table(outcomes))
    if args.verbose:
        for name, each in outcomes.items():
            for o in each:
                if o["outcome"] != "right":
                    print(f"\n{name}, {o['outcome']}: {o['question']}\n  expected {o['expected']}\n  got {o.get('answer') or o.get('rows')}\n  {o.get('query', '')}")
    if args.json:
        args.json.write_text(json.dumps(outcomes, ensure_ascii=False, indent=1, default=str), encoding="utf-8")


if __name__ == "__main__":
    main()
