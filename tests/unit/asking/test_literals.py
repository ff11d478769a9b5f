import pytest
from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.asking.literals import Comparison, comparisons, property_uses
from lfx_neo4j_graphrag.errors import QueryRefused


def c(labels, prop, value):
    return Comparison(tuple(labels.split()), prop, value)


@pytest.mark.parametrize(
    ("cypher", "expected"),
    [
        ("MATCH (t:Tecnico {nombre: 'Ana Ruiz'}) RETURN t", [c("Tecnico", "nombre", "Ana Ruiz")]),
        ("MATCH (:Tecnico {nombre: 'Ana', alta: 3}) RETURN 1", [c("Tecnico", "nombre", "Ana")]),
        ("MATCH (i:A|B) WHERE i.estado = 'abierta' RETURN i", [c("A B", "estado", "abierta")]),
        ("MATCH (i:A) WHERE 'abierta' = i.estado AND i.n > 3 RETURN i", [c("A", "estado", "abierta")]),
        ("MATCH (i:A) WHERE i.e IN ['E01', \"E07\"] RETURN i", [c("A", "e", "E01"), c("A", "e", "E07")]),
        ("MATCH (i:`Avería técnica`) WHERE i.`código` = 'x' RETURN i", [Comparison(("Avería técnica",), "código", "x")]),
        ("MATCH (n) WHERE n.x = 'L\\'Hospitalet' RETURN n", [c("", "x", "L'Hospitalet")]),
        ("MATCH (i:A) WHERE toLower(i.e) = 'x' OR i.e CONTAINS 'y' OR i.e STARTS WITH 'z' RETURN i", []),
        ("MATCH (i:A) WHERE i.e = 'x' + $y RETURN i", []),
        ("MATCH (i:A) RETURN count(i) AS n, 'x' AS i", []),
        ("MATCH (i:A) WHERE NOT (i)-[:R]->(:B {k: 'v'}) RETURN i", [c("B", "k", "v")]),
        ("RETURN date('2026-01-01') AS d", []),
        ("MATCH (i:A) WHERE i.d = date('2026-01-01') RETURN i", []),
    ],
)
def test_texts_compared_for_equality(cypher, expected):
    assert comparisons(cypher) == expected


def test_what_cannot_be_read_is_refused():
    with pytest.raises(QueryRefused):
        comparisons("MATCH (n {a: 'x) RETURN n")


@given(st.text(alphabet="(){}[]:.,|&!='`$aAnN \"\\IN", max_size=60))
def test_nothing_else_is_raised(text):
    try:
        comparisons(text)
    except QueryRefused:
        pass


def test_uses_of_properties_with_the_labels_of_their_variables():
    query = "MATCH (t:Tecnico)<-[:R]-(i:A|B) WITH t, i.x AS i, t.nombre AS n WHERE t.name = 'x' RETURN i.y AS y, n.z AS z, m.w AS w"
    assert property_uses(query) == [(("Tecnico",), "nombre"), (("Tecnico",), "name")]
