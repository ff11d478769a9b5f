"""Write Query: the user's own statement for the rows, bounded to writing data."""

from __future__ import annotations

import json

import pytest

from lfx_neo4j_graphrag.errors import QueryFailed, QueryRefused
from saving import ASSETS, Embedder, ask, save

QUERY = """MERGE (i:Incidencia {codigo: row.codigo})
SET i.fecha = date(row.fecha), i.estado = row.estado, i.text = row.text
MERGE (c:Cliente {nombre: row.cliente})
MERGE (i)-[:DE_CLIENTE]->(c)"""


async def test_write_query(connection):
    rows = json.loads((ASSETS / "incidencias.json").read_text())
    fields = {"label": "Incidencia", "write_query": QUERY, "embedder": Embedder()}
    preview = await save(connection, rows, preview=True, **fields)
    assert (preview["nodes_created"], preview["relationships_created"]) == (32, 24)
    assert await ask(connection, "MATCH (n) RETURN count(n)") == [[0]]
    report = await save(connection, rows, **fields)
    assert (report["nodes_created"], report["relationships_created"], report["embeddings"], report["not_in_load"]) == (
        32,
        24,
        24,
        0,
    )
    assert report["constraints"] == ["Incidencia.codigo"]
    assert {index["name"] for index in report["indexes"]} == {"incidencia_vector", "incidencia_text"}
    assert await ask(connection, "MATCH (i:Incidencia) WHERE i.fecha >= date('2026-09-01') RETURN count(i) > 0") == [[True]]
    again = await save(connection, rows, **fields)
    assert (again["nodes_created"], again["relationships_created"], again["embeddings"]) == (0, 0, 0)


async def test_write_query_names_the_rows_that_fail(connection):
    rows = [{"codigo": n, "fecha": "ayer" if n == 7 else "2026-01-01"} for n in range(30)]
    query = "UNWIND $rows AS r MERGE (p:Parte {codigo: r.codigo}) SET p.fecha = date(r.fecha)"
    report = await save(connection, rows, write_query=query)
    assert report["rejected_positions"] == [8] and report["nodes_created"] == 29


async def test_write_query_takes_nested_values_apart(connection):
    rows = [{"codigo": "a", "lineas": [{"ref": "x", "n": 1}, {"ref": "y", "n": 2}]}]
    query = """MERGE (p:Parte {codigo: row.codigo})
WITH p, row UNWIND row.lineas AS l MERGE (p)-[u:USA {n: l.n}]->(:Pieza {ref: l.ref})"""
    assert (await save(connection, rows, write_query=query))["relationships_created"] == 2


@pytest.mark.parametrize(
    "query",
    [
        "CREATE USER malo SET PASSWORD $rows[0].p",
        "LOAD CSV FROM 'file:///x' AS row CREATE (:A)",
        "UNWIND $rows AS row CALL db.createLabel('X') CREATE (:A)",
        "CREATE CONSTRAINT FOR (n:row) REQUIRE n.x IS UNIQUE",
    ],
)
async def test_write_query_writes_data_and_nothing_else(connection, query):
    with pytest.raises(QueryRefused):
        await save(connection, [{"codigo": 1}], write_query=query)
    assert await ask(connection, "MATCH (n) RETURN count(n)") == [[0]]


async def test_write_query_with_a_mistake_is_said_before_the_rows_go(connection):
    with pytest.raises(QueryFailed, match="not valid Cypher"):
        await save(connection, [{"codigo": 1}], write_query="MERGE (n:A {id: row.id}")
