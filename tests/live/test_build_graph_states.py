"""Which of two statements stands: documents in any order, older ones loaded again, graphs that others filled."""

from __future__ import annotations

import pytest
from building import TYPES, graph_of, home, incident, query, run, state  # noqa: F401


MONTHS = {
    "julio": incident("INC-1", "abierta") | {"Cliente": [{"nombre": "Ana"}]},
    "agosto": incident("INC-1", "cerrada"),
    "septiembre": incident("INC-9", "abierta", day="2026-09-29"),
}
REPORTS = [
    {"text": f"{month}", "filename": f"informe_2026_{number:02d}.pdf"}
    for month, number in (("julio", 7), ("agosto", 8), ("septiembre", 9))
]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
async def test_the_final_state_wins_whatever_the_order_of_the_documents(connection, order):
    report = await run(connection, [REPORTS[i] for i in order], MONTHS.get)
    assert await state(connection) == "cerrada"
    assert report["state_changes"] == [
        {"node": "Incidencia INC-1", "property": "estado", "from": "abierta", "to": "cerrada", "document": "informe_2026_08.pdf"}
    ]
    assert report["older_not_applied"] == []


@pytest.mark.parametrize("remembered", [True, False])
@pytest.mark.parametrize("types", [TYPES, "Incidencia(codigo, fecha, estado), Cliente(nombre), Maquina(modelo)"])
async def test_an_older_document_loaded_again_does_not_reopen(connection, remembered, types):
    more = {"node_types": types, "use_cache": remembered}
    await run(connection, REPORTS, MONTHS.get, **more)
    before = await graph_of(connection)
    report = await run(connection, REPORTS[:1], MONTHS.get, **more)
    assert await graph_of(connection) == before
    (refused,) = report["older_not_applied"]
    assert refused["node"] == "Incidencia INC-1"
    assert (refused["kept"], refused["not_applied"], refused["document"]) == ("cerrada", "abierta", "informe_2026_07.pdf")
    assert "2026-0" in refused["why"] and "cerrada kept, not abierta" in report["text"]


async def test_without_any_date_the_order_of_the_listed_values_holds(connection):
    await run(connection, ["julio", "agosto"], MONTHS.get, use_cache=False)
    assert await state(connection) == "cerrada"
    await run(connection, ["julio"], MONTHS.get, use_cache=False)
    assert await state(connection) == "cerrada"


async def test_the_memory_knows_undated_documents_and_real_reopenings(connection):
    types = {"node_types": "Incidencia(codigo, fecha, estado), Cliente(nombre), Maquina(modelo)"}
    await run(connection, ["julio", "agosto"], MONTHS.get, **types)
    await run(connection, ["julio"], MONTHS.get, **types)
    assert await state(connection) == "cerrada"
    await run(connection, ["octubre"], lambda t: incident("INC-1", "abierta"), **types)
    assert await state(connection) == "abierta"


async def test_a_newer_document_reopens(connection):
    await run(connection, REPORTS[:2], MONTHS.get)
    report = await run(connection, [{"text": "x", "filename": "informe_2026_10.pdf"}], lambda t: incident("INC-1", "abierta"))
    assert await state(connection) == "abierta" and report["older_not_applied"] == []


async def test_an_older_document_still_adds_what_is_missing(connection):
    await run(connection, REPORTS[1:], MONTHS.get)
    older = {
        "Incidencia": [
            {"codigo": "INC-1", "estado": "abierta", "EN_MAQUINA": "Brío 2G"},
            {"codigo": "INC-0", "estado": "abierta", "fecha": "2026-07-01"},
        ]
    }
    await run(connection, REPORTS[:1], lambda t: older)
    assert await state(connection) == "cerrada" and await state(connection, "INC-0") == "abierta"
    assert await query(connection, "MATCH (:Incidencia {codigo: 'INC-1'})-[:EN_MAQUINA]->(m) RETURN m.modelo") == [["Brío 2G"]]


async def test_a_list_of_pending_work_does_not_overwrite_an_allowed_value(connection):
    answers = {"julio": incident("INC-1", "abierta"), "pendientes": incident("INC-1", "pendiente")}
    report = await run(connection, ["julio", "pendientes"], answers.get)
    assert await state(connection) == "abierta" and report["dropped"] == {"value not allowed": 1}


async def test_what_is_remembered_of_an_emptied_graph_is_forgotten(connection):
    await run(connection, ["agosto", "julio"], MONTHS.get)
    assert await state(connection) == "abierta", "without dates the order given counts"
    await query(connection, "MATCH (n) DETACH DELETE n")
    await run(connection, ["julio", "agosto"], MONTHS.get)
    assert await state(connection) == "cerrada"
