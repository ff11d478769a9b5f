"""Filters on a real server: every operator and type, each rung of the ladder, both branches, beside plain Python."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta

import pytest
from search_stubs import AWAIT, HashEmbedder, TableEmbedder, run, vector_index

from lfx_neo4j_graphrag.cypher.names import quote
from lfx_neo4j_graphrag.database.capabilities import capabilities
from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.errors import InputError
from lfx_neo4j_graphrag.operations import candidates
from lfx_neo4j_graphrag.operations.hybrid import HybridRequest, hybrid
from lfx_neo4j_graphrag.operations.vector import VectorRequest, vector

EMBEDDER = HashEmbedder()
STATES = ["abierta", "cerrada", "pendiente", None]
START = datetime(2026, 8, 1, tzinfo=UTC)
FILTERABLE = ("estado", "pct", "precio", "activa", "fecha", "creada", "hora")


def rows(count: int) -> list[dict]:
    rng = random.Random(3)
    found = []
    for i in range(count):
        moment = START + timedelta(hours=7 * i)
        row = {
            "codigo": f"P-{i:04d}",
            "text": f"pieza {i} " + ("goteo lento" if i % 5 == 0 else "Ruido"),
            "estado": STATES[i % 4],
            "pct": i % 100,
            "precio": rng.choice([1.5, 2.5, 10.0]),
            "activa": i % 3 == 0,
            "fecha": moment.date(),
            "creada": moment,
            "hora": moment.replace(tzinfo=None),
            "tags": ["urgente", "garantía"] if i % 10 == 0 else ["normal"],
            "mezcla": i if i % 2 else str(i),
            "marca": "Jaltec" if i % 4 == 0 else "Vellani",
            "embedding": EMBEDDER.embed_query(f"pieza {i}"),
        }
        found.append({name: value for name, value in row.items() if value is not None})
    return found


ROWS = rows(400)


@pytest.fixture
async def parts(connection: Connection) -> Connection:
    can = await capabilities(connection)
    listed = f"WITH [{', '.join('n.' + name for name in FILTERABLE)}]" if can.filter_in_index else ""
    await run(
        connection,
        "UNWIND $rows AS row CREATE (p:Parte) SET p = row REMOVE p.marca "
        "MERGE (m:Maquina {marca: row.marca}) CREATE (p)-[:EN_MAQUINA]->(m)",
        "CREATE CONSTRAINT FOR (n:Parte) REQUIRE n.codigo IS UNIQUE",
        vector_index("parte_vector", size=16, extra=listed, prefix="CYPHER 25 " if listed else ""),
        "CREATE FULLTEXT INDEX parte_text FOR (n:Parte) ON EACH [n.text] OPTIONS {indexConfig: {`fulltext.analyzer`: 'spanish'}}",
        AWAIT,
        rows=ROWS,
    )
    return connection


def similarity(row: dict, question: str) -> float:
    return sum(a * b for a, b in zip(row["embedding"], EMBEDDER.embed_query(question), strict=True))


def truth(condition, question: str, count: int) -> list[str]:
    holding = [row for row in ROWS if condition(row)]
    return [row["codigo"] for row in sorted(holding, key=lambda row: -similarity(row, question))[:count]]


def value(row, name):
    return row.get(name)


CASES = [
    ("estado = abierta", lambda r: value(r, "estado") == "abierta"),
    ("estado = Abierta", lambda r: value(r, "estado") == "abierta"),
    ("estado <> abierta", lambda r: value(r, "estado") not in ("abierta", None)),
    ("estado in abierta, cerrada", lambda r: value(r, "estado") in ("abierta", "cerrada")),
    ("estado not in abierta, cerrada", lambda r: value(r, "estado") == "pendiente"),
    ("estado is empty", lambda r: value(r, "estado") is None),
    ("estado is not empty", lambda r: value(r, "estado") is not None),
    ("estado = abierta or estado = cerrada", lambda r: value(r, "estado") in ("abierta", "cerrada")),
    ("estado >= c", lambda r: (value(r, "estado") or "") >= "c"),
    ("estado contains ABIERT", lambda r: value(r, "estado") == "abierta"),
    ("pct < 3", lambda r: r["pct"] < 3),
    ("pct >= 10\npct <= 12", lambda r: 10 <= r["pct"] <= 12),
    ("pct = 50", lambda r: r["pct"] == 50),
    ("pct = 1,5", lambda r: False),
    ("precio > 2", lambda r: r["precio"] > 2),
    ("precio = 10", lambda r: r["precio"] == 10),
    ("activa = sí", lambda r: r["activa"]),
    ("activa <> true", lambda r: not r["activa"]),
    ("fecha = 2026-08-26", lambda r: r["fecha"] == date(2026, 8, 26)),
    ("fecha > 2026-08-26", lambda r: r["fecha"] > date(2026, 8, 26)),
    ("fecha = 2026-09", lambda r: (r["fecha"].year, r["fecha"].month) == (2026, 9)),
    ("fecha <> 2026-09", lambda r: (r["fecha"].year, r["fecha"].month) != (2026, 9)),
    ("fecha in 2026-08-02, 2026-08-03", lambda r: r["fecha"] in (date(2026, 8, 2), date(2026, 8, 3))),
    ("creada >= 2026-09-01T12:00+02:00", lambda r: r["creada"] >= datetime(2026, 9, 1, 10, tzinfo=UTC)),
    ("creada = 2026-08-03", lambda r: r["creada"].date() == date(2026, 8, 3)),
    ("creada = 2026-08-01T07:00Z", lambda r: r["codigo"] == "P-0001"),
    ("creada = 2026-08-01T09:00+02:00", lambda r: r["codigo"] == "P-0001"),
    ("hora <= 2026-08-02", lambda r: r["hora"].date() <= date(2026, 8, 2)),
    ("tags = urgente", lambda r: "urgente" in r["tags"]),
    ("tags contains garant", lambda r: "urgente" in r["tags"]),
    ("tags <> urgente", lambda r: "urgente" not in r["tags"]),
    ("mezcla = 27", lambda r: r["codigo"] == "P-0027"),
    ("mezcla in 27, 28", lambda r: r["codigo"] in ("P-0027", "P-0028")),
    ("mezcla = '28'", lambda r: r["codigo"] == "P-0028"),
    ("text contains GOTEO", lambda r: "goteo" in r["text"]),
    ("Maquina.marca = Jaltec", lambda r: r["marca"] == "Jaltec"),
    ("Maquina.marca = jaltec\npct < 50", lambda r: r["marca"] == "Jaltec" and r["pct"] < 50),
    ("Maquina.marca is empty", lambda r: False),
    ({"estado": "abierta", "pct": {"min": 20, "max": 40}}, lambda r: value(r, "estado") == "abierta" and 20 <= r["pct"] <= 40),
    ({"fecha": {"min": "2026-08-26"}}, lambda r: r["fecha"] >= date(2026, 8, 26)),
    ({"or": [{"pct": {"max": 2}}, {"pct": {"min": 98}}]}, lambda r: r["pct"] <= 2 or r["pct"] >= 98),
    ({"activa": True, "estado": {"<>": "abierta"}}, lambda r: r["activa"] and value(r, "estado") not in ("abierta", None)),
]


async def test_every_operator_and_type(parts):
    """One database for all of them: loading it takes longer than a search."""
    wrong = []
    for filters, condition in CASES:
        request = VectorRequest(query="pieza 7", embedder=EMBEDDER, filters=filters, number_of_results=10)
        result = await vector(parts, request)
        expected = truth(condition, "pieza 7", 10)
        if [row["codigo"] for row in result.rows] != expected:
            wrong.append((filters, result.details["filter_mode"], [row["codigo"] for row in result.rows], expected))
        assert result.details["filter_mode"] in ("index", "exact") and result.details["complete"], filters
    assert wrong == []


async def test_filters_hold_in_the_word_branch_too(parts):
    for filters, condition in CASES:
        result = await hybrid(parts, HybridRequest(query="goteo pieza 5", embedder=EMBEDDER, filters=filters, number_of_results=20))
        held = {row["codigo"] for row in ROWS if condition(row)}
        assert {row["codigo"] for row in result.rows} <= held, filters
        assert len(result.rows) == min(20, len(held)), filters


async def test_inside_the_index_where_the_server_can(parts):
    can = await capabilities(parts)
    for filters in ("estado = abierta", "pct >= 10\npct < 60\nactiva = true", "fecha = 2026-09", "estado in abierta, cerrada"):
        result = await vector(parts, VectorRequest(query="pieza 7", embedder=EMBEDDER, filters=filters))
        inside = can.filter_in_index and ("in " not in filters or can.in_operator)
        assert result.details["filter_mode"] == ("index" if inside else "exact"), filters
        assert f"filter_mode: {result.details['filter_mode']}" in result.text and "complete: true" in result.text
    unfiltered = await vector(parts, VectorRequest(query="pieza 7", embedder=EMBEDDER))
    assert unfiltered.details["filter_mode"] is None and "filter_mode" not in unfiltered.text


@pytest.mark.parametrize(("filters", "condition"), [CASES[2], CASES[28], CASES[35], ("tags = normal\npct < 90", lambda r: "normal" in r["tags"] and r["pct"] < 90)])
async def test_growing_over_fetch_when_the_set_is_large(parts, monkeypatch, filters, condition):
    monkeypatch.setattr(candidates, "EXACT_MEMBERS", 5)
    monkeypatch.setattr(candidates, "OVERFETCH_STEPS", (20, 400))
    result = await vector(parts, VectorRequest(query="pieza 7", embedder=EMBEDDER, filters=filters, number_of_results=5))
    assert result.details["filter_mode"] == "overfetch" and result.details["complete"]
    assert [row["codigo"] for row in result.rows] == truth(condition, "pieza 7", 5)


async def test_what_matches_is_far_from_the_question(parts, monkeypatch):
    """Over-fetching a fixed multiple and filtering afterwards finds nothing here."""
    monkeypatch.setattr(candidates, "EXACT_MEMBERS", 1)
    monkeypatch.setattr(candidates, "OVERFETCH_STEPS", (10, 20))
    monkeypatch.setattr(candidates, "CANDIDATES", 10)
    monkeypatch.setattr(candidates, "QUANTIZED_CANDIDATES", 10)
    far = sorted(ROWS, key=lambda row: similarity(row, "pieza 7"))[:3]
    filters = {"or": [{"codigo": row["codigo"]} for row in far]}
    result = await vector(parts, VectorRequest(query="pieza 7", embedder=EMBEDDER, filters=filters, number_of_results=2))
    assert [row["codigo"] for row in result.rows] == [far[2]["codigo"], far[1]["codigo"]]
    assert result.details["filter_mode"] == "exact" and result.details["complete"]
    monkeypatch.setattr(candidates, "EXACT_MOST", 1)
    given_up = await vector(parts, VectorRequest(query="pieza 7", embedder=EMBEDDER, filters=filters, number_of_results=2))
    assert given_up.details["filter_mode"] == "overfetch" and not given_up.details["complete"] and "complete: false" in given_up.text


async def test_an_unknown_property_lists_the_filterable_ones(parts):
    for search, request in ((vector, VectorRequest), (hybrid, HybridRequest)):
        with pytest.raises(InputError) as caught:
            await search(parts, request(query="x", embedder=EMBEDDER, filters="color = rojo"))
        said = str(caught.value)
        assert "color" in said and "estado" in said and "fecha" in said and "embedding" not in said
    with pytest.raises(InputError, match="Cliente.nombre"):
        await vector(parts, VectorRequest(query="x", embedder=EMBEDDER, filters="Cliente.nombre = Ana"))
    hidden = VectorRequest(query="x", embedder=EMBEDDER, filters="estado = abierta", hidden=frozenset({"estado"}))
    with pytest.raises(InputError) as caught:
        await vector(parts, hidden)
    assert "pct" in str(caught.value) and "Filterable are: estado" not in str(caught.value)


async def test_a_property_in_another_case_is_the_same(parts):
    result = await vector(parts, VectorRequest(query="pieza 7", embedder=EMBEDDER, filters="Estado = abierta"))
    assert {row["estado"] for row in result.rows} == {"abierta"}


async def test_a_value_of_another_type_is_an_error_not_silence(parts):
    for filters, said in (("pct = muchos", "whole numbers"), ("fecha > ayer", "dates"), ({"creada": {"min": 3}}, "dates")):
        with pytest.raises(InputError, match=said):
            await vector(parts, VectorRequest(query="x", embedder=EMBEDDER, filters=filters))


async def test_five_nearer_nodes_that_do_not_match_hide_nothing(connection):
    await run(
        connection,
        "UNWIND range(1, 200) AS i CREATE (:Parte {codigo: 'a' + i, zona: 'norte', embedding: [1.0, 0.0, 0.0, 0.001 * i]})",
        "UNWIND range(1, 10) AS i CREATE (:Parte {codigo: 'b' + i, zona: 'sur', embedding: [0.0, 1.0, 0.0, 0.001 * i]})",
        vector_index("parte_vector"),
        AWAIT,
    )
    embedder = TableEmbedder({"x": [1.0, 0.0, 0.0, 0.0]})
    result = await vector(connection, VectorRequest(query="x", embedder=embedder, filters="zona = sur"))
    assert len(result.rows) == 5 and {row["zona"] for row in result.rows} == {"sur"}


async def test_stored_vectors_that_cannot_be_compared_do_no_harm(connection):
    """One of another length, or a zero vector, fails a whole comparison on the server."""
    await run(
        connection,
        "CREATE (:Parte {codigo: 'corto', zona: 'sur', embedding: [1.0]}), (:Parte {codigo: 'cero', zona: 'sur', embedding: [0.0, 0.0, 0.0, 0.0]}),"
        "(:Parte {codigo: 'bien', zona: 'sur', embedding: [0.0, 0.0, 0.0, 1.0]}), (:Parte {codigo: 'sin', zona: 'sur'})",
        vector_index("parte_vector"),
        AWAIT,
    )
    result = await vector(connection, VectorRequest(query="x", embedder=TableEmbedder(), filters="zona <> norte"))
    assert [row["codigo"] for row in result.rows] == ["bien"] and result.details["filter_mode"] == "exact"


async def test_names_that_need_quoting(connection):
    label = quote("Avería `técnica` \\u0060")
    await run(
        connection,
        f"CREATE (:{label} {{`código de error`: 'E-07', `a.b`: 3, embedding: [0.0, 0.0, 0.0, 1.0]}})-[:`EN A`]->(:`Máquina nueva` {{`año`: 2020}})",
        vector_index("averia_vector", f"(n:{label})"),
        AWAIT,
    )
    for filters in ("código de error = E-07", "a.b = 3", "Máquina nueva.año = 2020", "código de error contains e-0"):
        result = await vector(connection, VectorRequest(query="x", embedder=TableEmbedder(), filters=filters))
        assert len(result.rows) == 1, filters
