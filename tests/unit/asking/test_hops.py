import pytest
from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.asking.hops import wrong_way_round
from lfx_neo4j_graphrag.errors import QueryRefused

KNOWN = [("Incidencia", "ASIGNADA_A", "Tecnico"), ("Incidencia", "EN_MAQUINA", "Maquina"), ("Persona", "CONOCE", "Persona")]
TURNED = ["the graph has (:Incidencia)-[:ASIGNADA_A]->(:Tecnico), not (:Tecnico)-[:ASIGNADA_A]->(:Incidencia)"]


@pytest.mark.parametrize(
    "cypher",
    [
        "MATCH (t:Tecnico)-[:ASIGNADA_A]->(i:Incidencia) RETURN t",
        "MATCH (i:Incidencia)<-[r:ASIGNADA_A {x: 1}]-(t:Tecnico) RETURN t",
        "MATCH (i:Incidencia) MATCH (t:Tecnico) WHERE (t)-[:ASIGNADA_A]->(i) RETURN t",
        "MATCH (m:Maquina)<-[:EN_MAQUINA]-(i:Incidencia)<-[:ASIGNADA_A]-(t:Tecnico) RETURN t",
        "MATCH (t:Tecnico {nombre: 'a)-['})-[:ASIGNADA_A]->(:Incidencia) RETURN t",
        "MATCH (t:Tecnico) WHERE NOT EXISTS { (t)-[:ASIGNADA_A]->(:Incidencia) } RETURN t",
    ],
)
def test_a_turned_relationship_is_named_with_the_right_one(cypher):
    assert wrong_way_round(cypher, KNOWN) == TURNED


@pytest.mark.parametrize(
    "cypher",
    [
        "MATCH (i:Incidencia)-[:ASIGNADA_A]->(t:Tecnico) RETURN t",
        "MATCH (t:Tecnico)<-[:ASIGNADA_A]-(i:Incidencia)-[:EN_MAQUINA]->(m:Maquina) RETURN t",
        "MATCH (t:Tecnico)-[:ASIGNADA_A]-(i:Incidencia) RETURN t",
        "MATCH (t:Tecnico)-[:ASIGNADA_A]->(i) RETURN t",
        "MATCH (t:Tecnico)-[:ASIGNADA_A|EN_MAQUINA*1..2]->(i:Incidencia) RETURN t",
        "MATCH (a:Persona)-[:CONOCE]->(b:Persona) RETURN a",
        "MATCH (t:Tecnico)-->(i:Incidencia) RETURN t",
        "MATCH (t:Tecnico)-[:NUEVA]->(i:Incidencia) RETURN t",
        "RETURN count(1) - (2) AS n, '(t:Tecnico)-[:ASIGNADA_A]->(i:Incidencia)' AS t",
    ],
)
def test_what_is_right_or_cannot_be_judged_is_left(cypher):
    assert wrong_way_round(cypher, KNOWN) == []


@given(st.text(alphabet="(){}[]:.,|-<>*!=`aA' ", max_size=60))
def test_nothing_else_is_raised(text):
    try:
        wrong_way_round(text, KNOWN)
    except QueryRefused:
        pass
