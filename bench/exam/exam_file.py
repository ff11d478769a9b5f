"""Writes an examination: questions as ``neo4j-graphrag evaluate`` reads them, and the two Examples of its second round."""

from __future__ import annotations

from pathlib import Path

import yaml


class _Dumper(yaml.SafeDumper):
    """Texts of several lines stand as they are."""


_Dumper.add_representer(
    str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)
)


def write(path: Path, examples: str, questions: list[tuple[str, str, object]]) -> None:
    """``questions`` are (kind, question, expected answer)."""
    document = {"examples": examples, "questions": [{"kind": k, "question": q, "expect": e} for k, q, e in questions]}
    path.write_text(yaml.dump(document, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=140), encoding="utf-8")
    print(len(questions), "questions")
