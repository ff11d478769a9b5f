"""Cypher Query on a real server: typed-in values against stored types, the cap, the reply, empty answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from lfx_neo4j_graphrag.database.connection import Connection, driver_for
from lfx_neo4j_graphrag.errors import IndexProblem, InputError, QueryFailed, QueryRefused, QueryTimeout
from lfx_neo4j_graphrag.operations import cypher_query as operation
from lfx_neo4j_graphrag.operations.cypher_query import CypherQueryRequest, cypher_query
from lfx_neo4j_graphrag.operations.result import Result

GRAPH = """
UNWIND range(1, 30) AS i
CREATE (n:Incidencia {
  codigo: 'INC-' + i, n: i, precio: i * 1.5, abierta: i % 2 = 0, year: toString(2000 + i), tags: ['a', 'b' + i], nums: [i, i + 1],
  fecha: date('2026-08-01') + duration({days: i - 1}), hora: localtime('10:00') + duration({minutes: i}),
  cuando: datetime('2026-08-01T10:00Z') + duration({days: i - 1}), local: localdatetime('2026-08-01T10:00') + duration({days: i - 1})
})-[:DE {peso: i}]->(:Cliente {nombre: 'Bar ' + i})
"""


@pytest.fixture
async def incidents(connection: Connection) -> Connection:
    operation._stored.clear()
    async with driver_for(connection) as driver:
        await driver.execute_query(GRAPH)
    return connection


async def ask(connection: Connection, cypher: str, parameters: dict | None = None, **given: Any) -> Result:
    return await cypher_query(connection, CypherQueryRequest(cypher, parameters or {}, **given))


@pytest.mark.parametrize(
    ("where", "value", "found"),
    [
        ("i.fecha >= $x", "2026-08-20", 11),
        ("i.fecha = $x", "2026-08-20", 1),
        ("$x <= i.fecha", "2026-08-20", 11),
        ("i.fecha IN $x", "2026-08-01, 2026-08-02", 2),
        ("i.cuando >= $x", "2026-08-20T10:00", 11),
        ("i.cuando >= $x", "2026-08-20T12:00+02:00", 11),
        ("i.local >= $x", "2026-08-20", 11),
        ("i.hora <= $x", "10:05", 5),
        ("i.n = $x", "7", 1),
        ("i.n > $x", "28.5", 2),
        ("i.precio >= $x", "42", 3),
        ("i.precio >= $x", "43,5", 2),
        ("i.abierta = $x", "sí", 15),
        ("i.abierta = $x", "false", 15),
        ("i.codigo = $x", "INC-7", 1),
        ("i.codigo IN $x", "INC-7\nINC-8", 2),
        ("i.codigo IN $x", '["INC-7", "INC-8"]', 2),
        ("i.codigo IN $x", "INC-7", 1),
        ("i.year = $x", "2007", 1),
        ("$x IN i.tags", "b7", 1),
        ("$x IN i.nums", "7", 2),
        ("r.peso >= $x", "25", 6),
        ("size(i.codigo) = $x", "5", 9),
        ("date(i.cuando) = $x", "2026-08-20", 1),
        ("i.fecha = date($x)", "2026-08-20", 1),
        ("toLower(i.codigo) = toLower($x)", "inc-7", 1),
    ],
)
async def test_text_finds_what_is_stored(incidents: Connection, where: str, value: str, found: int) -> None:
    cypher = f"MATCH (i:Incidencia)-[r:DE]->() WHERE {where} RETURN i.codigo"
    result = await ask(incidents, cypher, {"x": value}, max_rows=100)
    assert len(result.rows) == found


async def test_patterns_columns_and_counts(incidents: Connection) -> None:
    for cypher, value, first in [
        ("MATCH (i:Incidencia {n: $x}) RETURN i.codigo AS v", "7", "INC-7"),
        ("MATCH (:Cliente {nombre: $x})<-[:DE]-(i) RETURN i.n AS v", "Bar 7", 7),
        ("MATCH (i:Incidencia) WITH i.precio AS p WHERE p > $x RETURN count(*) AS v", "30", 10),
        ("MATCH (i:Incidencia) RETURN i.n AS v ORDER BY v SKIP $x LIMIT 1", "4", 5),
        ("MATCH (i:Incidencia) WHERE i.fecha > date('2026-08-10') - duration({days: $x}) RETURN count(*) AS v", "9", 29),
        ("UNWIND $x AS row RETURN row.a AS v", '[{"a": 1}, {"a": 2}]', 1),
        ("RETURN $x.a.b AS v", '{"a": {"b": 3}}', 3),
        ("RETURN toInteger($x) + 1 AS v", "4", 5),
        ("RETURN $x AS v", "4", "4"),
        ("MATCH (i) WHERE i.n = $x RETURN i.codigo AS v", "7", "INC-7"),
    ]:
        assert (await ask(incidents, cypher, {"x": value})).rows[0]["v"] == first, cypher


async def test_a_value_that_fits_nothing_is_an_input_error(incidents: Connection) -> None:
    with pytest.raises(InputError, match=r"\$desde.*Incidencia\.fecha") as raised:
        await ask(incidents, "MATCH (i:Incidencia) WHERE i.fecha > $desde RETURN i", {"desde": "ayer"})
    assert "ayer" not in str(raised.value)


async def test_one_row_more_than_the_cap_is_known_of(incidents: Connection) -> None:
    result = await ask(incidents, "MATCH (i:Incidencia) RETURN i.n AS n ORDER BY n", number_of_results=1, token_limit=0)
    assert [row["n"] for row in result.rows] == list(range(1, 21)) and result.details["more"]
    document = yaml.safe_load(result.text)
    assert next(iter(document)) == "truncated" and len(document["rows"]) == 20
    everything = await ask(incidents, "MATCH (i:Incidencia) RETURN i.n AS n", number_of_results=2)
    assert len(everything.rows) == 30 and not everything.details["more"]


async def test_the_reply_in_each_format(incidents: Connection) -> None:
    cypher = "MATCH (i:Incidencia {codigo: 'INC-7'}) RETURN i.codigo AS codigo, i.fecha AS fecha, i AS nodo"
    result = await ask(incidents, cypher, format="json")
    row = json.loads(result.text)["rows"][0]
    assert row == result.rows[0] and row["fecha"] == "2026-08-07" and row["nodo"]["labels"] == ["Incidencia"]
    assert yaml.safe_load((await ask(incidents, cypher)).text)["rows"] == result.rows
    assert "INC-7" in (await ask(incidents, cypher, format="table")).text


async def test_an_empty_answer_names_what_the_graph_does_not_have(incidents: Connection) -> None:
    result = await ask(incidents, "MATCH (i:Incidenca)-[:DEE]->(n {nombr: 'x'}) RETURN i")
    assert set(result.details["hints"]) == {
        "The graph has no label 'Incidenca'.",
        "The graph has no relationship type 'DEE'.",
        "The graph has no property 'nombr'.",
    }
    assert yaml.safe_load(result.text)["rows"] == []
    found = await ask(incidents, "MATCH (i:Incidencia) WHERE i.codigo = 'nothing' RETURN i")
    assert found.details["hints"] == [] and found.rows == []


async def test_what_goes_wrong_is_said(incidents: Connection) -> None:
    for cypher, kind in [
        ("MATCH (i) DETACH DELETE i", QueryRefused),
        ("MATCH (i) RETRUN i", QueryFailed),
        ("CALL db.index.vector.queryNodes('none', 3, [1.0]) YIELD node RETURN node", IndexProblem),
        ("RETURN $x", InputError),
    ]:
        with pytest.raises(kind):
            await ask(incidents, cypher)
    with pytest.raises(QueryTimeout):
        await ask(incidents, "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(*)", timeout=0.5)
    assert (await ask(incidents, "MATCH (n) RETURN count(n) AS c")).rows == [{"c": 60}]
