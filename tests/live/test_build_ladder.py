"""The nine documents read with ever more fields filled in, with the recorded answers of a capable model.

The model saw the prompts alone. What is right is computed from ``assets/incidencias.json``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from recorded import RecordedModel  # noqa: E402
from run_build_ladder import run  # noqa: E402
from run_exam import examine  # noqa: E402

RECORDINGS = ROOT / "tests" / "fixtures" / "relay_build"
TOTALS = {"Incidencia": 24, "Cliente": 8, "Tecnico": 4, "Maquina": 4}


async def climb(connection, rung: int, chunks: bool = False) -> dict:
    outcome = await run(connection, RecordedModel(RECORDINGS), rung, chunks)
    assert outcome["pending"] == 0
    return outcome


def assert_everything_is_there(outcome: dict) -> None:
    assert {kind: n["right"] for kind, n in outcome["nodes"].items()} == TOTALS
    assert outcome["links"]["right"] == 72 and not outcome["links"]["wrong"]
    assert outcome["values"]["estado"] == outcome["values"]["fecha"] == 24


def assert_nothing_else_is_there(outcome: dict) -> None:
    assert {kind: n["total"] for kind, n in outcome["nodes"].items()} == TOTALS and not outcome["others"]
    assert outcome["links"]["total"] == 72 and not outcome["misses"]


async def test_without_a_schema_one_is_proposed_and_holds_all(connection):
    outcome = await climb(connection, 1)
    assert_everything_is_there(outcome)
    assert outcome["types"] <= 8
    assert "Incidencia" in outcome["report"]["proposal"]["node_types"]


@pytest.mark.parametrize("rung", [2, 3])
async def test_half_names_are_entities_of_their_own_and_reported(connection, rung):
    outcome = await climb(connection, rung)
    assert_everything_is_there(outcome)
    wrong = {name for n in outcome["nodes"].values() for name in n["wrong"]}
    assert "Mistral" in wrong
    named = [set(candidate["names"]) for candidate in outcome["report"]["candidates"]]
    assert {"Mistral", "Mistral 1G"} in named and {"Manuel", "Manuel Campos"} in named


async def test_the_top_is_the_graph_of_the_records_and_answers_the_six_questions(connection):
    for rung in (4, 5):
        outcome = await climb(connection, rung)
        assert_everything_is_there(outcome)
        assert_nothing_else_is_there(outcome)
    answers = await examine(connection, "incidencias", kind="seis", recordings="relay_build")
    assert [(a["question"], a["outcome"], a["text"]) for a in answers if a["outcome"] != "right"] == []
    assert len(answers) == 6


async def test_by_passages_it_is_the_same_graph_with_eighty_chunks(connection):
    outcome = await climb(connection, 5, chunks=True)
    assert_everything_is_there(outcome)
    assert_nothing_else_is_there(outcome)
    assert outcome["chunks"] == 80
