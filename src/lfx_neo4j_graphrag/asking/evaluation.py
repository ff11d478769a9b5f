"""An evaluation file of questions, what became of each, and the reports: table, JSON, HTML, comparison."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..errors import InputError

_FIELDS = {"question", "expect", "cypher", "kind"}


@dataclass(frozen=True)
class Question:
    """``expect`` is a value or a list of rows; with ``cypher`` the gold statement gives it at run time."""

    question: str
    expect: Any = None
    cypher: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Outcome:
    """What came of one question. ``query`` is the statement that answered; ``error`` a sentence, or ''."""

    question: str
    right: bool
    expected: Any
    got: list[dict[str, Any]] = field(default_factory=list)
    query: str = ""
    error: str = ""
    kind: str = ""
    model_calls: int = 0
    seconds: float = 0.0


def parse_questions(text: str) -> list[Question]:
    """Read ``questions: [{question, expect: value or rows, or cypher}]`` from YAML or JSON.

    Raises InputError that names the entry and what was expected of it.
    """
    import yaml

    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f" in line {where.line + 1}" if where else ""
        raise InputError(f"The evaluation file is not valid YAML{line}.", "Write: questions: [{question: …, expect: …}]") from None
    entries = document.get("questions") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not entries:
        raise InputError("The evaluation file has no list of questions.", "Write: questions: [{question: …, expect: …}]")
    return [_question(number, entry) for number, entry in enumerate(entries, 1)]


def _question(number: int, entry: Any) -> Question:
    if not isinstance(entry, dict) or not str(entry.get("question") or "").strip():
        raise InputError(f"Entry {number} of the evaluation file has no question.", "Write: - question: …")
    if unknown := sorted(set(entry) - _FIELDS):
        raise InputError(f"Entry {number} has an unknown field '{unknown[0]}'.", f"Known are {', '.join(sorted(_FIELDS))}.")
    if ("expect" in entry) == bool(entry.get("cypher")):
        raise InputError(f"Entry {number} needs either expect or cypher.", "Write the expected value, or the statement that gives it.")
    return Question(str(entry["question"]).strip(), entry.get("expect"), str(entry.get("cypher") or ""), str(entry.get("kind") or ""))


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Counts of right answers, in all and by kind, calls of the model and seconds."""
    kinds: dict[str, list[int]] = {}
    for outcome in outcomes:
        right, asked = kinds.setdefault(outcome.kind or "all", [0, 0])
        kinds[outcome.kind or "all"] = [right + outcome.right, asked + 1]
    return {
        "right": sum(o.right for o in outcomes),
        "questions": len(outcomes),
        "by_kind": {k: f"{right} of {asked}" for k, (right, asked) in kinds.items()},
        "model_calls": sum(o.model_calls for o in outcomes),
        "seconds": round(sum(o.seconds for o in outcomes), 1),
    }


def to_json(outcomes: Sequence[Outcome]) -> str:
    return json.dumps({"summary": summary(outcomes), "outcomes": [asdict(o) for o in outcomes]}, ensure_ascii=False, indent=1, default=str)


def to_html(outcomes: Sequence[Outcome], title: str) -> str:
    """One self-contained page: the summary and a row for each question, misses first."""
    total = summary(outcomes)
    rows = []
    for outcome in sorted(outcomes, key=lambda o: o.right):
        cells = (
            "right" if outcome.right else "wrong",
            outcome.question,
            _short(outcome.expected),
            outcome.error or _short(outcome.got),
            outcome.query,
        )
        mark = "ok" if outcome.right else "no"
        tags = ("td", "td", "td", "td", "td class=q")
        rows.append(f"<tr class={mark}>" + "".join(f"<{t}>{html.escape(str(c))}</td>" for t, c in zip(tags, cells, strict=True)) + "</tr>")
    return f"""<!doctype html><meta charset="utf-8"><title>{html.escape(title)}</title>
<style>body{{font:15px system-ui;margin:2em;max-width:80em}}table{{border-collapse:collapse}}td,th{{border:1px solid #ccc;padding:.4em .6em;
vertical-align:top;text-align:left}}.no td:first-child{{color:#b00020;font-weight:600}}.ok td:first-child{{color:#176b36}}
.q{{font:13px ui-monospace,monospace;white-space:pre-wrap}}</style>
<h1>{html.escape(title)}</h1><p>{total["right"]} of {total["questions"]} right, {total["model_calls"]} model calls, {total["seconds"]} s</p>
<table><tr><th></th><th>Question</th><th>Expected</th><th>Got</th><th>Query</th></tr>
{chr(10).join(rows)}</table>
"""


def compare(before: str, outcomes: Sequence[Outcome]) -> list[str]:
    """Lines that say which questions changed against an earlier JSON report; raises InputError when it is not one."""
    try:
        earlier = {o["question"]: bool(o["right"]) for o in json.loads(before)["outcomes"]}
    except (ValueError, KeyError, TypeError):
        raise InputError("The file to compare with is not a JSON report of evaluate.", "Give the file that --json wrote.") from None
    lines = []
    for outcome in outcomes:
        was = earlier.get(outcome.question)
        if was is None:
            lines.append(f"new    {'right' if outcome.right else 'wrong'}  {outcome.question}")
        elif was != outcome.right:
            lines.append(f"{'better' if outcome.right else 'worse '} {outcome.question}")
    asked = {o.question for o in outcomes}
    lines += [f"gone   {question}" for question in earlier if question not in asked]
    return lines


def _short(value: Any, most: int = 400) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= most else text[:most] + "…"
