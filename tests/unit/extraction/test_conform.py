import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lfx_neo4j_graphrag.extraction.answer import read_answer
from lfx_neo4j_graphrag.extraction.conform import conform
from lfx_neo4j_graphrag.extraction.grammar import parse_schema
from lfx_neo4j_graphrag.extraction.schema import GraphSchema
from lfx_neo4j_graphrag.extraction.shapes import graph_document, read_shapes
from lfx_neo4j_graphrag.extraction.vocabulary import Vocabulary

# The machine that runs the tests may be busy.
relaxed = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])

SCHEMA = parse_schema("(Parte)-[:DE_CLIENTE]->(Cliente)", "Parte(codigo, estado: abierta | cerrada), Cliente(nombre)")


def read(value, schema=SCHEMA, text="", **vocabulary):
    answer = read_answer(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
    return conform(read_shapes(answer.values, schema), Vocabulary(schema, **vocabulary), text)


def entities(extraction):
    return {(e.label, e.key): e.properties for e in extraction.entities.values()}


def links(extraction):
    keys = {identity: e.key for identity, e in extraction.entities.items()}
    return {(keys[link.start], link.type, keys[link.end]) for link in extraction.links}


def reasons(extraction):
    return sorted(reason for reason, _ in extraction.dropped)


EXPECTED = {("Parte", "P-1"): {"estado": "abierta"}, ("Cliente", "Ana"): {}}
P1, ANA = {"codigo": "P-1", "estado": "abierta"}, {"nombre": "Ana"}
# The same two entities and their link, as models give them; the keys are names of the public issues the shapes come from.
SHAPES = {
    "asked for": {"Parte": [P1 | {"DE_CLIENTE": "Ana"}]},
    "asked for, with an object of its own": {"Parte": [P1 | {"DE_CLIENTE": "Ana"}], "Cliente": [ANA]},
    "asked for, one object instead of a list": {"Parte": P1 | {"DE_CLIENTE": "Ana"}, "Cliente": ["Ana"]},
    "asked for, list of targets": {"Parte": [P1 | {"DE_CLIENTE": ["Ana", None, ""]}]},
    "asked for, target by its properties": {"Parte": [P1 | {"DE_CLIENTE": {"nombre": "Ana"}}]},
    "asked for, target by its type": {"Parte": [P1 | {"DE_CLIENTE": {"Cliente": "Ana"}}]},
    "asked for, keyed by the key": {"Parte": {"P-1": {"estado": "abierta", "DE_CLIENTE": "Ana"}}},
    "asked for, other case and accents": {"PARTÉ": [{"Código": "P-1", "Estado": "ABIERTA", "de cliente": "Ana"}]},
    "asked for, from the other side": {"Parte": [P1], "Cliente": [ANA | {"DE_CLIENTE": "P-1"}]},
    "asked for, wrapped": {"result": {"Parte": [P1 | {"DE_CLIENTE": "Ana"}]}},
    "asked for, one object a line": '{"Parte": [{"codigo": "P-1", "estado": "abierta", "DE_CLIENTE": "Ana"}]}\n'
    '{"Cliente": [{"nombre": "Ana"}]}',
    "neo4j-graphrag": {
        "nodes": [{"id": "0", "label": "Parte", "properties": P1}, {"id": "1", "label": "Cliente", "properties": ANA}],
        "relationships": [{"type": "DE_CLIENTE", "start_node_id": "0", "end_node_id": "1", "properties": {}}],
    },
    "neo4j-graphrag-python#376: numbers as ids": {
        "nodes": [{"id": 0, "label": "Parte", "properties": P1}, {"id": 1, "label": "Cliente", "properties": ANA}],
        "relationships": [{"type": "DE_CLIENTE", "start_node_id": 0, "end_node_id": 1}],
    },
    "neo4j-graphrag-python#376: list around it": [
        {
            "nodes": [{"id": "0", "label": "Parte", "properties": P1}, {"id": "1", "label": "Cliente", "properties": ANA}],
            "relationships": [{"type": "DE_CLIENTE", "start_node_id": "0", "end_node_id": "1"}],
        }
    ],
    "neo4j-graphrag-python#241: no properties, type for label": {
        "nodes": [{"id": "p", "type": "Parte", **P1}, {"id": "c", "type": "Cliente", **ANA}],
        "relationships": [{"type": "DE_CLIENTE", "source": "p", "target": "c"}],
    },
    "neo4j-graphrag-python#291: idx for id": {
        "nodes": [{"idx": "0", "label": "Parte", "properties": P1}, {"idx": "1", "label": "Cliente", "properties": ANA}],
        "relationships": [{"type": "DE_CLIENTE", "start_node_id": "0", "end_node_id": "1"}],
    },
    "neo4j-graphrag-python#411: strings inside": {
        "nodes": json.dumps(
            [{"id": "0", "label": "Parte", "properties": P1}, {"id": "1", "label": "Cliente", "properties": ANA}]
        ),
        "relationships": [json.dumps({"type": "DE_CLIENTE", "start": "0", "end": "1"})],
    },
    "neo4j-graphrag-python#238: properties as text, in single quotes": {
        "nodes": [{"id": "0", "label": "Parte", "properties": str(P1)}, {"id": "1", "label": "Cliente", "properties": str(ANA)}],
        "relationships": [{"type": "DE_CLIENTE", "start_node_id": "0", "end_node_id": "1", "properties": "{}"}],
    },
    "langchain#29515: relation type as an object": {
        "nodes": [{"id": "0", "label": "Parte", "properties": P1}, {"id": "1", "label": "Cliente", "properties": ANA}],
        "relationships": [{"type": {"name": "DE_CLIENTE"}, "source": {"id": "0"}, "target": {"id": "1"}}],
    },
    "langchain#26624: properties as pairs": {
        "nodes": [
            {
                "id": "0",
                "type": "Parte",
                "properties": [{"key": "codigo", "value": "P-1"}, {"key": "estado", "value": "abierta"}],
            },
            {"id": "1", "type": "Cliente", "properties": [{"key": "nombre", "value": "Ana"}]},
        ],
        "relationships": [
            {
                "source_node_id": "0",
                "source_node_type": "Parte",
                "target_node_id": "1",
                "target_node_type": "Cliente",
                "type": "DE_CLIENTE",
            }
        ],
    },
    "llm-graph-builder#1123: labels as a list": {
        "nodes": [{"id": "0", "labels": ["Parte"], "properties": P1}, {"id": "1", "labels": ["Cliente"], "properties": ANA}],
        "relationships": [{"type": ["DE_CLIENTE"], "start": "0", "end": "1"}],
    },
    "entities and edges, objects as ends": {
        "entities": [{"label": "Parte", "properties": P1}],
        "edges": [
            {"relation": "DE_CLIENTE", "from": {"label": "Parte", "codigo": "P-1"}, "to": {"label": "Cliente", "nombre": "Ana"}}
        ],
    },
    "nodes by id": {
        "nodes": {"0": {"label": "Parte", "properties": P1}, "1": {"label": "Cliente", "properties": ANA}},
        "relationships": [["0", "DE_CLIENTE", "1"]],
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_graph_in_many_shapes(shape):
    found = read(SHAPES[shape])
    assert entities(found) == EXPECTED
    assert links(found) == {("P-1", "DE_CLIENTE", "Ana")}
    assert found.dropped == []


@pytest.mark.parametrize("wrap", [lambda item: [item], lambda item: [[item]], lambda item: {"relations": [item]}])
def test_langchain_22061_head_and_tail_in_lists_of_lists(wrap):
    item = {"head": "P-1", "head_type": "Parte", "relation": "DE_CLIENTE", "tail": "Ana", "tail_type": "Cliente"}
    found = read(wrap(item))
    assert entities(found) == {("Parte", "P-1"): {}, ("Cliente", "Ana"): {}}
    assert links(found) == {("P-1", "DE_CLIENTE", "Ana")}


def test_langchain_27100_ids_that_are_the_names():
    value = {
        "nodes": [{"id": "P-1", "type": "Parte"}, {"id": "Ana", "type": "Cliente"}],
        "relationships": [{"source": "P-1", "target": "Ana", "type": "DE_CLIENTE"}],
    }
    found = read(value, text="El parte P-1 es de Ana.")
    assert entities(found) == {("Parte", "P-1"): {}, ("Cliente", "Ana"): {}} and links(found) == {("P-1", "DE_CLIENTE", "Ana")}
    assert read(value, text="Otro texto.").entities == {}, "an id that the text doesn't have is no key"


def test_one_bad_item_never_loses_the_others():
    nodes = [
        {"id": "0", "label": "Parte", "properties": {"codigo": "P-1"}},
        {"id": "1", "label": "Cliente", "properties": {"nombre": "Ana"}},
        {"id": "2", "label": "Cliente", "properties": {"nombre": None}},
        {"id": "3", "label": "", "properties": {"nombre": "Nadie"}},
        {"id": "4", "label": "Cliente,Taller", "properties": {"nombre": "Doble"}},
        {"label": "Parte", "properties": {"codigo": "P-2"}},
        "loose text",
        None,
    ]
    ends = [("0", "1"), ("0", "99"), ("0", None), ("0", ["1", "2"]), ("1", "0")]
    value = {"nodes": nodes, "relationships": [{"type": "DE_CLIENTE", "start": a, "end": b} for a, b in ends]}
    value["relationships"] += [
        {"start": "0", "end": "1"},
        {"type": "ODIA_A", "start": "0", "end": "1"},
        {"type": "DE_CLIENTE", "start": "0"},
    ]
    found = read(value)
    assert entities(found) == {("Parte", "P-1"): {}, ("Cliente", "Ana"): {}, ("Parte", "P-2"): {}}
    assert links(found) == {("P-1", "DE_CLIENTE", "Ana")}
    assert reasons(found) == sorted(
        ["not an item"] * 2
        + ["no key", "no type", "type not in the schema"]
        + ["end not found"] * 4
        + ["no relationship type", "relationship type not in the schema"]
    )


def test_a_link_that_fits_only_when_turned_is_turned_and_one_that_fits_stays():
    schema = parse_schema("(Parte)-[:DE_CLIENTE]->(Cliente)\n(Persona)-[:ES_JEFE_DE]->(Persona)")
    value = {
        "nodes": [
            {"id": "a", "label": "Parte", "properties": {"nombre": "P-1"}},
            {"id": "b", "label": "Cliente", "properties": {"nombre": "Ana"}},
            {"id": "c", "label": "Persona", "properties": {"nombre": "Blas"}},
            {"id": "d", "label": "Persona", "properties": {"nombre": "Eva"}},
        ],
        "relationships": [
            {"type": "DE_CLIENTE", "start": "b", "end": "a"},
            {"type": "ES_JEFE_DE", "start": "d", "end": "c"},
            {"type": "DE_CLIENTE", "start": "c", "end": "d"},
            {"type": "ES_JEFE_DE", "start": "c", "end": "c"},
        ],
    }
    found = read(value, schema)
    assert links(found) == {("P-1", "DE_CLIENTE", "Ana"), ("Eva", "ES_JEFE_DE", "Blas")}
    assert reasons(found) == ["links to itself", "pattern not in the schema"]


def test_a_value_outside_the_list_loses_the_property_not_the_entity():
    found = read({"Parte": [{"codigo": "P-1", "estado": "pendiente"}, {"codigo": "P-2", "estado": "Cerrado"}]})
    assert entities(found) == {("Parte", "P-1"): {}, ("Parte", "P-2"): {"estado": "cerrada"}}
    assert found.dropped == [("value not allowed", "Parte.estado: pendiente")]


def test_values_of_declared_kinds_are_coerced_and_misfits_dropped():
    from datetime import date

    schema = parse_schema(node_types="Parte(codigo, fecha: date, precio: float, horas: integer, urgente: boolean)")
    found = read(
        {"Parte": [{"codigo": 7, "fecha": "3 de julio de 2026", "precio": "1.234,50 €", "horas": "dos", "urgente": "sí"}]}, schema
    )
    assert entities(found) == {("Parte", 7): {"fecha": date(2026, 7, 3), "precio": 1234.5, "urgente": True}}
    assert reasons(found) == ["value not of its type"]


def test_properties_outside_the_schema_are_dropped_and_counted():
    found = read({"Parte": [{"codigo": "P-1", "color": "rojo"}]})
    assert entities(found) == {("Parte", "P-1"): {}} and reasons(found) == ["property not in the schema"]


def test_properties_of_relationships():
    from datetime import date

    schema = parse_schema("(Parte)-[:ASIGNADA_A]->(Tecnico)", "Parte(codigo), Tecnico(nombre, base)", "ASIGNADA_A(desde: date)")
    found = read({"Parte": [{"codigo": "P-1", "ASIGNADA_A": {"nombre": "Eva", "base": "Norte", "desde": "2026-07-03"}}]}, schema)
    assert entities(found) == {("Parte", "P-1"): {}, ("Tecnico", "Eva"): {"base": "Norte"}}
    assert found.links[0].properties == {"desde": date(2026, 7, 3)}


def test_an_end_without_a_type_is_the_one_the_pattern_allows():
    schema = parse_schema("(Parte)-[:DE]->(Cliente)\n(Cliente)-[:DE]->(Ciudad)", "Parte(codigo), Cliente(nombre), Ciudad(nombre)")
    found = read({"Parte": [{"codigo": "P-1", "DE": "Ana"}], "Cliente": [{"nombre": "Ana", "DE": "Lugo"}]}, schema)
    assert set(entities(found)) == {("Parte", "P-1"), ("Cliente", "Ana"), ("Ciudad", "Lugo")}
    assert links(found) == {("P-1", "DE", "Ana"), ("Ana", "DE", "Lugo")}


def test_the_same_entity_twice_is_one_and_the_later_value_wins():
    found = read({"Parte": [{"codigo": "INC-1", "estado": "abierta"}, {"codigo": "inc 1", "estado": "cerrada"}]})
    assert entities(found) == {("Parte", "INC-1"): {"estado": "cerrada"}}


def test_the_key_of_an_open_type_is_settled_once_from_what_the_items_have():
    schema = parse_schema("(Parte)-[:DE]->(Cliente)")
    vocabulary = Vocabulary(schema, default_key="nombre")
    first = conform(read_shapes([{"Parte": [{"codigo": "P-1", "nota": "x"}, {"codigo": "P-2"}]}], schema), vocabulary)
    second = conform(read_shapes([{"Parte": [{"nombre": "P-3"}, {"nota": "y"}]}], schema), vocabulary)
    assert {e.key_property for e in [*first.entities.values(), *second.entities.values()]} == {"codigo"}
    assert [e.key for e in second.entities.values()] == ["P-3"] and reasons(second) == ["no key"]


def test_an_open_type_takes_the_key_that_the_graph_enforces():
    schema = parse_schema("(Parte)-[:DE]->(Cliente)")
    found = read({"Cliente": [{"nombre": "Ana", "nif": "1Z"}]}, schema, keys={"Cliente": "nif"}, default_key="nombre")
    assert [(e.key_property, e.key) for e in found.entities.values()] == [("nif", "1Z")]


def test_without_a_schema_types_are_those_of_the_answer_and_of_the_graph():
    value = {
        "maquina": [{"name": "Brío", "Está en": "x", "REPARADA_POR": {"Tecnico": ["Eva", "Luis"]}}],
        "Tecnico": [{"name": "Eva"}],
    }
    found = read(value, GraphSchema(), labels=["Máquina"])
    assert set(entities(found)) == {("Máquina", "Brío"), ("Tecnico", "Eva")} or ("Tecnico", "Luis") in entities(found)
    assert ("Brío", "REPARADA_POR", "Eva") in links(found)


def test_nested_values_become_json_text_and_are_named():
    schema = parse_schema(node_types="Parte(codigo, medidas, piezas)")
    found = read({"Parte": [{"codigo": "P-1", "medidas": {"alto": 1}, "piezas": ["a", "b"]}]}, schema)
    assert entities(found) == {("Parte", "P-1"): {"medidas": '{"alto": 1}', "piezas": ["a", "b"]}}
    assert found.nested == {"Parte.medidas"}


@pytest.mark.parametrize("value", ["ñ" * 17_000, "x" * 40_000])
def test_a_value_that_would_break_an_index_is_left_out(value):
    schema = parse_schema(node_types="Parte(codigo, nota)")
    found = read({"Parte": [{"codigo": "P-1", "nota": value}, {"codigo": value, "nota": "y"}]}, schema)
    assert entities(found) == {("Parte", "P-1"): {}}
    assert len(found.dropped) >= 2


def test_a_graph_document_needs_no_answer():
    raw = graph_document(
        [("Ana", "Person", {"age": 3}), ("Acme", "Company", {})], [(0, "WORKS_AT", 1, {"since": 2020})], GraphSchema()
    )
    found = conform(raw, Vocabulary(GraphSchema(), default_key="id"))
    assert entities(found) == {("Person", "Ana"): {"age": 3}, ("Company", "Acme"): {}}
    assert {e.key_property for e in found.entities.values()} == {"id"}
    assert [(link.type, link.properties) for link in found.links] == [("WORKS_AT", {"since": 2020})]


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["Parte", "Cliente", "P-1", "DE_CLIENTE", "0"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "nodes",
                    "relationships",
                    "Parte",
                    "Cliente",
                    "codigo",
                    "id",
                    "label",
                    "type",
                    "start",
                    "end",
                    "properties",
                    "DE_CLIENTE",
                    "x",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


@relaxed
@given(anything, st.sampled_from([SCHEMA, GraphSchema(), parse_schema("(Parte)-[:DE_CLIENTE]->(Cliente)")]))
def test_no_answer_is_too_strange_and_what_comes_out_fits_the_schema(value, schema):
    found = conform(read_shapes([value], schema), Vocabulary(schema), "text")
    for identity, entity in found.entities.items():
        assert identity == entity.identity and entity.key not in (None, "")
        assert not schema.nodes or schema.node(entity.label).label == entity.label
        assert all(isinstance(v, (str, int, float, bool, list)) for v in entity.properties.values())
    for link in found.links:
        assert link.start in found.entities and link.end in found.entities
        patterns = {(p.start, p.end) for p in schema.patterns_of(link.type)}
        assert not patterns or (link.start[0], link.end[0]) in patterns
