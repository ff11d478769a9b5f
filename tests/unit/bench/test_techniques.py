"""The answers of the table of techniques, read as rows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "bench"))

from run_techniques import as_context, rows_of, table  # noqa: E402

from lfx_neo4j_graphrag.asking.scoring import matches  # noqa: E402


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('{"answer": 3}', 3),
        ('```json\n{"answer": ["Bar La Giralda"]}\n```', ["Bar La Giralda"]),
        ('{"answer": [["Jaltec", 8], ["Vellani", 9]]}', [["Vellani", 9], ["Jaltec", 8]]),
        ('{"answer": [{"marca": "Jaltec", "total": 8}]}', [["Jaltec", 8]]),
        ('{"answer": null}', []),
        ('{"answer": []}', []),
    ],
)
def test_an_exact_answer_is_right(answer, expected):
    assert matches(expected, rows_of(answer))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [('{"answer": 4}', 3), ('{"answer": ["a", "b"]}', ["a"]), ('{"answer": [["Jaltec", 7]]}', [["Jaltec", 8]]), ('{"answer": null}', 3)],
)
def test_an_answer_that_is_not_exact_is_wrong(answer, expected):
    assert not matches(expected, rows_of(answer))


@pytest.mark.parametrize("answer", ["", "Tres.", '{"answer": 3', '{"total": 3}'])
def test_what_is_not_the_json_asked_for_is_no_answer(answer):
    assert rows_of(answer) is None


def test_a_context_has_no_scores_and_names_the_document():
    passage = {"score": 0.81, "rank_vector": 1, "labels": ["Pasaje"], "document": "guia.md", "text": "Se purga."}
    node = {"score": 0.8, "rank_vector": 2, "key": "INC-1", "neighbours": "DE_CLIENTE -> Cliente Bar"}
    assert as_context([passage, node]) == '[guia.md]\nSe purga.\n\n{"key": "INC-1", "neighbours": "DE_CLIENTE -> Cliente Bar"}'


def test_the_table_counts_right_answers_and_shows_the_middle_prompt():
    outcomes = {"one": [{"outcome": "right", "tokens": 1200}, {"outcome": "wrong", "tokens": 900}, {"outcome": "pending", "tokens": 10}]}
    assert table(outcomes).splitlines()[-1] == "| one | ✓ | ✗ | ? | 1 of 3 | 900 |"
