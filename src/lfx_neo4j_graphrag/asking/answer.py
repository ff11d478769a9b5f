"""Reading what a language model answered when it was asked for one Cypher statement.

The statement is taken out of its wrapping as it was written and never rewritten: a wrong statement is
shown to the model again with the server's own message instead.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

NO_QUERY = "NO_QUERY"  # what the prompt asks a model to write when the graph cannot answer

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.S | re.I)
_UNOPENED_THINKING = re.compile(r"\A.*?</(think|thinking|reasoning)>", re.S | re.I)
_END_MARK = re.compile(r"<\|[a-z_]+\|>|</?s>|<end_of_turn>|\[/?INST\]", re.I)
_FENCE = re.compile(r"(?P<mark>```+|~~~+)[ \t]*(?P<tag>[\w+-]*)[ \t]*\n?(?P<body>.*?)(?:(?P=mark)|\Z)", re.S)
_TAG = re.compile(r"\A(?:cypher|opencypher|sql)\s*[:\n]\s*|\A(?:cypher query|query|answer|respuesta|consulta)\s*:\s*", re.I)
# A clause that can open a statement. Writing ones and SQL's are listed so that the reading path can say what is wrong with them.
_OPENING = re.compile(
    r"(?:OPTIONAL\s+MATCH|MATCH|WITH|UNWIND|RETURN|CALL|SHOW|WHEN|LET|FILTER|CYPHER\s+\d+|CYPHER\s+\w+\s*=|EXPLAIN|PROFILE|USE|LOAD\s+CSV|"
    r"CREATE|MERGE|INSERT|DELETE|DETACH|SET|REMOVE|FOREACH|DROP|ALTER|TERMINATE|SELECT)(?=[\s({\[*/]|$)",
    re.I,
)
_PROSE_END = re.compile(r"\n[ \t]*\n(?=[ \t]*[^\W\d_][^\n]*)")


@dataclass(frozen=True)
class ModelAnswer:
    """Either a ``query`` to check and run, or a ``refusal`` to show; one of them is empty."""

    query: str = ""
    refusal: str = ""


def read_answer(text: str) -> ModelAnswer:
    """Take the statement out of a model's answer.

    Of several fenced statements the last counts: models think aloud first and correct themselves after.
    Text without a statement is a refusal; an empty answer is an empty refusal.
    """
    text = _without_thinking(text or "")
    text = _END_MARK.sub("\n", text).strip()
    if not text:
        return ModelAnswer()
    if text.lstrip("`*_ ").upper().startswith(NO_QUERY):
        return ModelAnswer(refusal=text.lstrip("`*_ ")[len(NO_QUERY) :].strip(" :.-`*\n"))
    if from_json := _from_json(text):
        return ModelAnswer(query=_trimmed(from_json))
    fenced = [_trimmed(m["body"]) for m in _FENCE.finditer(text)]
    statements = [body for body in fenced if _OPENING.match(_without_comments(body))]
    if statements:
        return ModelAnswer(query=statements[-1])
    for body in reversed(fenced):
        if inner := _from_json(body):
            return ModelAnswer(query=_trimmed(inner))
    unfenced = _trimmed(text)
    if _looks_like_statement(_without_comments(unfenced)):
        return ModelAnswer(query=_before_prose(unfenced))
    for line in re.finditer(r"(?m)^[ \t>*-]*`?(?=\S)", text):
        rest = text[line.end() :]
        if _looks_like_statement(rest):
            return ModelAnswer(query=_before_prose(_trimmed(rest)))
    return ModelAnswer(refusal=text)


def _without_thinking(text: str) -> str:
    stripped = _THINKING.sub("\n", text)
    return _UNOPENED_THINKING.sub("\n", stripped)


def _without_comments(text: str) -> str:
    return re.sub(r"\A(?:\s|//[^\n]*\n|/\*.*?\*/)+", "", text, flags=re.S)


def _trimmed(text: str) -> str:
    text = text.strip()
    if text.startswith("`") and text.endswith("`") and text.count("`") == 2:
        text = text[1:-1].strip()
    text = _TAG.sub("", text, count=1).strip()
    return text.rstrip("; \n\t")


def _looks_like_statement(text: str) -> bool:
    """A line of prose may start with 'With' or 'Return': a statement also has brackets, a dot or an equals sign."""
    match = _OPENING.match(text)
    if not match:
        return False
    line = text.split("\n", 1)[0]
    return match.group().isupper() or bool(re.search(r"[(\[{=]", line))


def _before_prose(text: str) -> str:
    """Cut off an explanation that follows the statement after an empty line."""
    for gap in _PROSE_END.finditer(text):
        rest = text[gap.end() :].lstrip()
        if not _CONTINUES.match(rest):
            return text[: gap.start()].rstrip("; \n\t")
    return text.rstrip("; \n\t`")


_CONTINUES = re.compile(
    r"(?:OPTIONAL|MATCH|WHERE|WITH|UNWIND|RETURN|CALL|ORDER\s+BY|SKIP|LIMIT|OFFSET|UNION|YIELD|AND|OR|NOT|SET|CREATE|MERGE|DELETE|DETACH|"
    r"REMOVE|FOREACH|ON\s|SEARCH|NEXT|WHEN|THEN|ELSE|END|CASE|FILTER|LET|FINISH|IN\s)\b(?![ ]+[a-záéíóúñ]+[ ]+[a-záéíóúñ]+[ ]+[a-záéíóúñ]+[ .,])",
    re.I,
)


def _from_json(text: str) -> str:
    """The statement of an answer such as ``{"query": "MATCH …"}``, or ''."""
    if not text.lstrip().startswith("{"):
        return ""
    try:
        value = json.loads(text)
    except ValueError:
        return ""
    if isinstance(value, dict):
        for name in ("query", "cypher", "statement", "cypher_query"):
            if isinstance(value.get(name), str) and value[name].strip():
                return value[name]
    return ""
