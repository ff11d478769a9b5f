"""The runner itself: what it does not know is an error, what it cannot evaluate fails."""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).parent))

from adapter import Outcome  # noqa: E402
from notation import CaseError, load  # noqa: E402
from run import Case  # noqa: E402

CASE = {
    "id": "T01",
    "title": "One row",
    "input": {"rows": [{"codigo": "A"}]},
    "calls": [{"op": "add_records", "as": "r1", "args": {"rows": "$rows", "node_label": "Parte", "key_property": "codigo"}}],
    "checks": [
        {"python": "r1.error is None and r1.report.nodes_created == 1"},
        {"cypher": "MATCH (p:Parte) RETURN p.codigo", "expect": [["A"]]},
    ],
}


def changed(**parts):
    return copy.deepcopy(CASE) | parts


def with_check(**check):
    return changed(checks=[*CASE["checks"], check])


@pytest.mark.parametrize(
    "case",
    [
        changed(colour="red"),
        changed(calls=[CASE["calls"][0] | {"retry": 3}]),
        with_check(python="True", unless="never"),
    ],
    ids=["case", "call", "check"],
)
def test_an_unknown_field_is_an_error(tmp_path, case):
    file = tmp_path / "cases.yaml"
    file.write_text(yaml.safe_dump({"cases": [CASE, case]}))
    with pytest.raises(CaseError, match="unknown field"):
        load(file)


async def test_a_good_case_passes(connection):
    assert await Case(CASE, connection).run() == []


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (with_check(python="r1.report.no_such_number == 0"), "the report has no no_such_number"),
        (with_check(python="r2.error is None"), "cannot evaluate"),
        (with_check(python="the graph looks fine"), "no check in words"),
        (with_check(python="1 / 0 == 0"), "cannot evaluate"),
        (with_check(python="import os"), "cannot evaluate"),
        (with_check(python="r1.report.nodes_created == 2"), "false"),
        (with_check(cypher="MATCH (p:Parte) RETURN count(p)"), "without expect"),
        (with_check(cypher="MATCH (p:Parte) RETURN count(p)", expect=[[2]]), "got [[1]]"),
        (changed(checks=[]), "no check"),
        (with_check(**{"for": "never_called", "python": "True"}), "never evaluated"),
        (changed(calls=[{"op": "paint_it_black", "as": "r1"}]), "there is no operation"),
        (changed(calls=[CASE["calls"][0] | {"args": CASE["calls"][0]["args"] | {"colour": "red"}}]), "has no argument colour"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_cannot_be_evaluated_or_is_false_fails(connection, case, said):
    failures = await Case(case, connection).run()
    assert any(said in failure for failure in failures), failures


def test_the_body_of_an_answer_is_its_rows():
    assert Outcome(text="truncated:\n shown: 2\nrows:\n- a: 1\n- b: 2\nquery: X\n# more rows\n").body == "- a: 1\n- b: 2\n"
    assert Outcome(text="notes:\n- nothing\nrows: []\n").body == "[]" and Outcome(text="Parte P-1").body == "Parte P-1"
