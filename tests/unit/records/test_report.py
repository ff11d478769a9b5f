"""What a person and a program read after a load."""

from __future__ import annotations

import json

from lfx_neo4j_graphrag.records.report import Report
from lfx_neo4j_graphrag.records.table import Rejected


def example() -> Report:
    report = Report("Incidencia", rows=27, seconds=0.84)
    for label, count in (("Cliente", 8), ("Tecnico", 4), ("Maquina", 4), ("Incidencia", 24)):
        report.nodes(label).created = count
    for kind, label in (("DE_CLIENTE", "Cliente"), ("ASIGNADA_A", "Tecnico"), ("EN_MAQUINA", "Maquina")):
        report.relationships(kind, label).created = 24
    report.rejected = [Rejected(3, "codigo", "the key is blank"), Rejected(9, None, "Line 10 has 3 cells.")]
    report.replaced = [5]
    report.indexes = [{"name": "incidencia_text", "kind": "FULLTEXT", "state": "ONLINE", "properties": ["text", "codigo"]}]
    return report


def test_the_first_line_says_the_outcome():
    first, *rest = example().as_text().splitlines()
    assert first == "24 rows saved: 40 nodes and 72 relationships created, 0 deleted. 0.8 s."
    assert "EN_MAQUINA -> Maquina: 24 created" in rest
    assert "fulltext index incidencia_text on text, codigo: ONLINE" in rest
    assert "2 rows rejected:" in rest and "  row 3: codigo: the key is blank" in rest and "  row 9: Line 10 has 3 cells." in rest
    assert "1 row had the key of a later row, which won: 5" in rest


def test_a_second_load_says_that_everything_was_there():
    report = Report("Incidencia", rows=1)
    report.nodes("Incidencia").unchanged = 1
    assert report.as_text().startswith(
        "1 row saved: 0 nodes and 0 relationships created, 0 deleted (everything was there already)."
    )


def test_changes_removals_and_what_is_not_in_the_load():
    report = Report("Incidencia", rows=2, not_in_load=1, retries=2, vectors_removed=1)
    report.nodes("Incidencia").changed = 1
    report.relationships("ASIGNADA_A", "Tecnico").created = 1
    report.relationships("ASIGNADA_A", "Tecnico").deleted = 1
    text = report.as_text()
    assert "1 node changed, 1 relationship removed" in text.splitlines()[0]
    assert "1 node of Incidencia is not in this load and stays as before" in text
    assert "2 transactions met another one and were repeated" in text


def test_a_preview_says_that_nothing_was_written():
    report = example()
    report.preview = True
    first = report.as_text().splitlines()[0]
    assert first == "24 rows would be saved: 40 nodes and 72 relationships created, 0 deleted. Nothing was written."


def test_long_lists_are_cut_in_the_text_and_whole_in_the_report():
    report = Report("A", rows=30)
    report.rejected = [Rejected(n, "a", "x") for n in range(1, 26)]
    report.warnings = [f"w{n}" for n in range(12)]
    text = report.as_text()
    assert "  and 15 more rejected rows" in text and "Note: and 2 more notes" in text
    details = report.as_dict()
    assert (
        details["rejected_rows"] == 25 and details["rejected_positions"] == list(range(1, 26)) and len(details["warnings"]) == 12
    )


def test_the_report_is_plain_and_adds_up():
    details = example().as_dict()
    assert json.loads(json.dumps(details)) == details
    assert (details["nodes_created"], details["relationships_created"], details["nodes_deleted"], details["duplicates"]) == (
        40,
        72,
        0,
        1,
    )
    assert details["rejected"][0] == {"position": 3, "column": "codigo", "reason": "the key is blank"}
    assert {"kind": "node", "name": "Cliente", "created": 8, "changed": 0, "unchanged": 0, "deleted": 0} in details["by_kind"]
    assert example().rejected_rows()[0] == {"kind": "rejected row", "name": "3", "reason": "codigo: the key is blank"}


def test_rows_the_server_refused_stand_at_their_place():
    report = example()
    report.reject([(4, "too long")])
    assert [r.position for r in report.rejected] == [3, 4, 9]
