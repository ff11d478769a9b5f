import json

import pytest

from lfx_neo4j_graphrag.asking.evaluation import Outcome, Question, compare, parse_questions, summary, to_html, to_json
from lfx_neo4j_graphrag.errors import InputError

OUTCOMES = [
    Outcome("¿Cuántas?", True, 3, [{"total": 3}], "RETURN 3 AS total", kind="contar", model_calls=1, seconds=1.25),
    Outcome("<b>¿Quién?</b>", False, "Ana", [], "MATCH (n) RETURN n", kind="listas", model_calls=2, seconds=1.0),
]


def test_questions_with_a_value_rows_or_a_gold_statement():
    text = "questions:\n- {question: a, expect: 3}\n- {question: b, expect: [[x, 1]], kind: k}\n- {question: c, cypher: RETURN 1}\n"
    assert parse_questions(text) == [Question("a", 3), Question("b", [["x", 1]], kind="k"), Question("c", cypher="RETURN 1")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("questions: [", "line"),
        ("[]", "no list"),
        ("questions: []", "no list"),
        ("questions: [{expect: 1}]", "Entry 1 .* no question"),
        ("questions: [{question: a, expect: 1}, {question: b}]", "Entry 2 needs"),
        ("questions: [{question: a, expect: 1, cypher: RETURN 1}]", "Entry 1 needs"),
        ("questions: [{question: a, expected: 1}]", "unknown field 'expected'"),
    ],
)
def test_a_broken_file_says_where(text, words):
    with pytest.raises(InputError, match=words):
        parse_questions(text)


def test_an_expected_nothing_is_an_expectation():
    assert parse_questions("questions: [{question: a, expect: []}]")[0].expect == []


def test_summary_by_kind():
    assert summary(OUTCOMES) == {
        "right": 1,
        "questions": 2,
        "by_kind": {"contar": "1 of 1", "listas": "0 of 1"},
        "model_calls": 3,
        "seconds": 2.2,
    }


def test_the_page_shows_misses_first_and_escapes():
    page = to_html(OUTCOMES, "Examen")
    assert page.index("wrong") < page.index("right</td>")
    assert "&lt;b&gt;" in page and "<b>" not in page
    assert "1 of 2 right" in page


def test_two_runs_are_compared():
    before = to_json([OUTCOMES[0], Outcome("<b>¿Quién?</b>", True, "Ana"), Outcome("old", True, 1)])
    assert compare(before, OUTCOMES) == ["worse  <b>¿Quién?</b>", "gone   old"]
    assert json.loads(before)["summary"]["right"] == 3
    with pytest.raises(InputError):
        compare("{}", OUTCOMES)
