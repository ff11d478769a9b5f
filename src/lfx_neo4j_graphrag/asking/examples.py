"""The user's Examples of Text2Cypher: reading them, and choosing the likest when there are many."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import InputError
from .names import fold

MOST_EXAMPLES = 8  # more of them cost tokens and distract: the likest are chosen

_QUESTION = re.compile(r"^\s*(?:pregunta|question|q)\s*:\s*", re.I | re.M)
_CYPHER = re.compile(r"^\s*(?:cypher|consulta|query|a)\s*:\s*", re.I | re.M)


@dataclass(frozen=True)
class Example:
    question: str
    cypher: str


def parse_examples(text: str) -> list[Example]:
    """Read ``Pregunta: … / Cypher: …`` or ``Question: … / Cypher: …`` pairs, each over one or more lines.

    Raises InputError that names the pair which lacks its question or its Cypher.
    """
    text = (text or "").strip()
    if not text:
        return []
    starts = list(_QUESTION.finditer(text))
    if not starts or text[: starts[0].start()].strip():
        first = text.split("\n", 1)[0][:80]
        raise InputError(
            f"Examples start with '{first}', which is not a question.",
            "Write pairs of lines: 'Pregunta: …' (or 'Question: …') and below it 'Cypher: …'.",
        )
    examples = []
    for number, start in enumerate(starts, 1):
        end = starts[number].start() if number < len(starts) else len(text)
        block = text[start.end() : end]
        parts = _CYPHER.split(block, maxsplit=1)
        question, cypher = parts[0].strip(), (parts[1].strip() if len(parts) == 2 else "")
        if not question or not cypher:
            raise InputError(
                f"Example {number} ('{question[:60]}') has no {'Cypher' if question else 'question'}.",
                "Write 'Pregunta: …' and below it 'Cypher: …'.",
            )
        examples.append(Example(question, _unfenced(cypher)))
    return examples


def choose_examples(examples: list[Example], question: str, most: int = MOST_EXAMPLES) -> list[Example]:
    """The ``most`` examples whose questions share the rarest words with ``question``, in their own order."""
    if len(examples) <= most:
        return examples
    words = [_words(e.question) for e in examples]
    asked = _words(question)

    def likeness(i: int) -> float:
        shared = asked & words[i]
        return sum(1.0 / sum(w in other for other in words) for w in shared) / (1 + len(words[i]) ** 0.5)

    best = sorted(range(len(examples)), key=lambda i: (-likeness(i), i))[:most]
    return [examples[i] for i in sorted(best)]


def _words(text: str) -> set[str]:
    return {w[:6] for w in re.findall(r"\w{3,}", fold(text))}


def _unfenced(cypher: str) -> str:
    match = re.fullmatch(r"```\w*\s*(.*?)\s*```", cypher, re.S)
    return (match.group(1) if match else cypher).rstrip("; \n")
