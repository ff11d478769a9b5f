"""The examination of Text2Cypher with the recorded answers of a capable model: prompts, checks, revisions and rows are live."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from run_exam import examine  # noqa: E402

from lfx_neo4j_graphrag.operations.add_records import AddRecordsRequest, add_records  # noqa: E402

LINES = (
    "cliente -> DE_CLIENTE -> Cliente.nombre\ntecnico -> ASIGNADA_A -> Tecnico.nombre\nmodelo -> EN_MAQUINA -> Maquina.modelo (marca)"
)


@pytest.mark.parametrize("with_examples", [False, True], ids=["without examples", "with two examples"])
async def test_at_least_95_percent_are_right_and_all_six_of_the_hard_kind(connection, with_examples):
    rows = json.loads((ROOT / "assets" / "incidencias.json").read_text(encoding="utf-8"))
    await add_records(connection, AddRecordsRequest(rows=rows, node_label="Incidencia", key_property="codigo", relationships=LINES))
    outcomes = await examine(connection, "incidencias", with_examples)
    wrong = [(o["question"], o["outcome"]) for o in outcomes if o["outcome"] != "right"]
    assert len(outcomes) == 66 and len(wrong) <= 3, wrong
    assert not [o["question"] for o in outcomes if o["kind"] == "seis" and o["outcome"] != "right"]
