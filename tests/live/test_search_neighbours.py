"""Neighbours as lines, and the Retrieval Query, on a real server."""

from __future__ import annotations

import re
import time

import pytest
from search_stubs import AWAIT, WORDS, TableEmbedder, run, vector_index

from lfx_neo4j_graphrag.errors import InputError, QueryFailed, QueryRefused
from lfx_neo4j_graphrag.operations.hybrid import HybridRequest, hybrid
from lfx_neo4j_graphrag.operations.vector import VectorRequest, vector
from lfx_neo4j_graphrag.reply.tokens import count_tokens

NORTH = TableEmbedder(other=[1.0, 0.0, 0.0, 0.0])
INCIDENTS = """
UNWIND range(1, 24) AS i
MERGE (c:Cliente {nombre: 'Bar ' + (i % 8)}) MERGE (t:Tecnico {nombre: 'Técnico ' + (i % 4)}) MERGE (m:Maquina {modelo: 'Modelo ' + (i % 4), marca: 'Jaltec'})
CREATE (n:Incidencia {codigo: 'INC-' + right('0' + i, 2), fecha: date('2026-08-01') + duration({days: i}),
  estado: CASE WHEN i % 6 = 0 THEN 'cerrada' ELSE 'abierta' END, text: 'La máquina ' + i + ' gotea por la junta',
  embedding: [1.0, 0.0, 0.0, i * 0.01]})
CREATE (n)-[:DE_CLIENTE]->(c), (n)-[:ASIGNADA_A]->(t), (n)-[:EN_MAQUINA]->(m)
"""
RECIPES = {
    "some": """OPTIONAL MATCH (node)-[:DE_CLIENTE]->(c:Cliente)
OPTIONAL MATCH (node)-[:ASIGNADA_A]->(t:Tecnico)
OPTIONAL MATCH (node)-[:EN_MAQUINA]->(m:Maquina)
RETURN node.text AS text, node.codigo AS codigo, node.estado AS estado,
       toString(node.fecha) AS fecha, c.nombre AS cliente, t.nombre AS tecnico,
       m.modelo AS maquina, score""",
    "closed": """WITH node, score WHERE node.estado = 'cerrada'
OPTIONAL MATCH (node)-[:ASIGNADA_A]->(t:Tecnico)
RETURN node.text AS text, node.codigo AS codigo, t.nombre AS tecnico, score""",
    "sentence": """OPTIONAL MATCH (node)-[:DE_CLIENTE]->(c:Cliente)
OPTIONAL MATCH (node)-[:ASIGNADA_A]->(t:Tecnico)
RETURN 'Incidencia ' + node.codigo + ' (' + node.estado + '), cliente ' + coalesce(c.nombre, '-')
       + ', técnico ' + coalesce(t.nombre, '-') + ': ' + node.text AS text, score""",
}


@pytest.fixture
async def incidents(connection):
    await run(
        connection,
        "CREATE CONSTRAINT FOR (n:Incidencia) REQUIRE n.codigo IS UNIQUE",
        INCIDENTS,
        vector_index("incidencia_vector", "(n:Incidencia)"),
        "CREATE FULLTEXT INDEX incidencia_text FOR (n:Incidencia) ON EACH [n.text, n.codigo] OPTIONS {indexConfig: {`fulltext.analyzer`: 'spanish'}}",
        AWAIT,
    )
    return connection


async def test_readable_lines(incidents):
    result = await hybrid(incidents, HybridRequest(query="INC-07", embedder=NORTH, neighbours=True, number_of_results=1))
    assert result.text == (
        "Incidencia INC-07 (estado: abierta, fecha: 2026-08-08): La máquina 7 gotea por la junta\n"
        "  ASIGNADA_A -> Tecnico Técnico 3\n"
        "  DE_CLIENTE -> Cliente Bar 7\n"
        "  EN_MAQUINA -> Maquina Jaltec (modelo: Modelo 3)"
    )
    row = result.rows[0]
    assert row["key"] == "INC-07" and row["neighbours"].splitlines()[1] == "DE_CLIENTE -> Cliente Bar 7"


async def test_a_hub_is_one_result_among_others_and_costs_nothing(connection):
    await run(
        connection,
        "CREATE (t:Taller {nombre: 'Norte', text: 'taller norte', embedding: [1.0, 0.0, 0.0, 0.0]}), (:Taller {nombre: 'Sur', embedding: [0.9, 0.1, 0.0, 0.0]}) "
        "WITH t UNWIND range(1, 3000) AS i CREATE (:Parte {codigo: 'P-' + i, embedding: [0.0, 1.0, 0.0, 0.0]})-[:EN_TALLER {orden: i}]->(t)",
        "MATCH (t:Taller {nombre: 'Norte'}) CREATE (t)-[:EN_CIUDAD]->(:Ciudad {nombre: 'León'}), (t)-[:SUCEDE_A]->(t)",
        "MATCH (t:Taller {nombre: 'Sur'}) CREATE (t)-[:EN_CIUDAD]->(:Ciudad {nombre: 'Soria'})",
        vector_index("taller_vector", "(n:Taller)"),
        AWAIT,
    )
    request = VectorRequest(query="norte", embedder=NORTH, neighbours=True)
    await vector(connection, request)
    started = time.perf_counter()
    result = await vector(connection, request)
    assert time.perf_counter() - started < 2
    lines = result.text.splitlines()
    assert lines[0].startswith("Taller Norte: taller norte") and "  EN_CIUDAD -> Ciudad León" in lines
    assert "  EN_TALLER <- and 2995 more (3000 in all)" in lines and "  SUCEDE_A -> Taller Norte: taller norte" in lines
    assert not any(line.startswith("  SUCEDE_A <-") for line in lines)
    assert "  EN_CIUDAD -> Ciudad Soria" in lines
    assert sum("EN_TALLER <-" in line for line in lines) == 6 and not re.search(r"[01]\.0, ?[01]\.0", result.text)
    await run(connection, "MATCH (t:Taller {nombre: 'Norte'}) CREATE (t)-[:TIPO_NUEVO]->(:Zona {nombre: 'Arenal'})")
    assert "  TIPO_NUEVO -> Zona Arenal" in (await vector(connection, request)).text.splitlines()


async def test_a_hub_in_a_graph_of_many_relationship_types(connection):
    await run(
        connection,
        "CREATE (t:Taller {nombre: 'Norte', embedding: [1.0, 0.0, 0.0, 0.0]}) WITH t UNWIND range(1, 300) AS i CREATE (:Parte)-[:EN_TALLER]->(t)",
        *(f"CREATE (:Parte)-[:TIPO_{number}]->(:Zona)" for number in range(25)),
        "MATCH (t:Taller) CREATE (t)-[:TIPO_7]->(:Zona {nombre: 'Arenal'})",
        vector_index("taller_vector", "(n:Taller)"),
        AWAIT,
    )
    lines = (await vector(connection, VectorRequest(query="norte", embedder=NORTH, neighbours=True))).text.splitlines()
    assert "  TIPO_7 -> Zona Arenal" in lines and "  EN_TALLER <- and 295 more (300 in all)" in lines and len(lines) == 8


async def test_two_hops_without_the_way_back(incidents):
    await run(incidents, "MATCH (c:Cliente {nombre: 'Bar 7'}) CREATE (c)-[:EN_ZONA]->(:Zona {nombre: 'Arenal'})")
    request = HybridRequest(query="INC-07", embedder=NORTH, neighbours=True, number_of_results=1, hops=2)
    lines = (await hybrid(incidents, request)).text.splitlines()
    place = lines.index("  DE_CLIENTE -> Cliente Bar 7")
    assert "    EN_ZONA -> Zona Arenal" in lines[place:]
    assert sum("INC-07" in line for line in lines) == 1
    assert any(line.startswith("    DE_CLIENTE <- Incidencia INC-") for line in lines)


async def test_the_token_limit_takes_whole_results_and_says_so_first(incidents):
    for limit in (2048, 300, 120, 40):
        request = VectorRequest(query="norte", embedder=NORTH, neighbours=True, number_of_results=20, token_limit=limit)
        text = (await vector(incidents, request)).text
        assert count_tokens(text) <= limit
        assert text.startswith("[Cut") == (limit < 2048)
        if limit > 100 and text.startswith("[Cut"):
            shown = int(re.search(r"(\d+) of 20", text)[1])
            heads = [line for line in text.splitlines()[1:] if line.startswith("Incidencia")]
            assert len(heads) == shown >= 1


@pytest.mark.parametrize("recipe", RECIPES)
async def test_the_recipes_of_the_documentation(incidents, recipe):
    request = HybridRequest(query="gotea por la junta", embedder=NORTH, neighbours=True, retrieval_query=RECIPES[recipe])
    result = await hybrid(incidents, request)
    columns = {
        "some": ["text", "codigo", "estado", "fecha", "cliente", "tecnico", "maquina", "score"],
        "closed": ["text", "codigo", "tecnico", "score"],
        "sentence": ["text", "score"],
    }[recipe]
    # Four of the 24 are closed: a WHERE on the first five results alone would leave one or none.
    assert len(result.rows) == (4 if recipe == "closed" else 5)
    assert all(list(row) == columns for row in result.rows)
    scores = [row["score"] for row in result.rows]
    assert scores == sorted(scores, reverse=True)
    if recipe == "closed":
        assert "4 of the 24 candidates" in result.text


async def test_parameters_any_columns_and_several_rows(incidents):
    own = "MATCH (node)-[r]->(m) WHERE type(r) <> $sin RETURN type(r) AS tipo, m.nombre AS nombre ORDER BY tipo // fin;"
    request = VectorRequest(
        query="norte", embedder=NORTH, neighbours=True, number_of_results=2, retrieval_query=own, retrieval_parameters={"sin": "EN_MAQUINA"}
    )
    rows = (await vector(incidents, request)).rows
    assert [row["tipo"] for row in rows] == ["ASIGNADA_A", "DE_CLIENTE"] * 2
    with pytest.raises(InputError, match=r"\$sin"):
        await vector(incidents, VectorRequest(query="norte", embedder=NORTH, neighbours=True, retrieval_query=own))


@pytest.mark.parametrize(
    ("own", "error"),
    [
        ("SET node.estado = 'x' RETURN node", QueryRefused),
        ("RETURN 1 UNION CALL db.createLabel('x') RETURN 1", QueryRefused),
        ("LOAD CSV FROM 'file:///x' AS row RETURN row", QueryRefused),
        ("RETURN node.codigo AS", QueryFailed),
        ("MATCH (x) WHERE y RETURN x", QueryFailed),
    ],
)
async def test_a_retrieval_query_only_reads_and_its_mistakes_are_sentences(incidents, own, error):
    with pytest.raises(error) as caught:
        await vector(incidents, VectorRequest(query="norte", embedder=NORTH, neighbours=True, retrieval_query=own))
    assert "java" not in str(caught.value).lower()
    assert (await run(incidents, "MATCH (n:Incidencia {estado: 'x'}) RETURN count(n) AS n"))[0]["n"] == 0


async def test_a_stored_text_cannot_pass_for_lines(connection):
    await run(
        connection,
        "CREATE (:Parte {codigo: 'a', text: $text, embedding: [0.0, 0.0, 0.0, 1.0]})",
        vector_index("parte_vector"),
        WORDS,
        AWAIT,
        text="uno\n  DE_CLIENTE -> Cliente Falso\ndos",
    )
    result = await vector(connection, VectorRequest(query="a", embedder=TableEmbedder(), neighbours=True))
    assert len(result.text.splitlines()) == 1
