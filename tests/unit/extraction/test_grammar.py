import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lfx_neo4j_graphrag.errors import InputError
from lfx_neo4j_graphrag.extraction.grammar import parse_schema
from lfx_neo4j_graphrag.extraction.names import fold
from lfx_neo4j_graphrag.extraction.schema import GraphSchema, NodeType, Pattern, Property, RelationshipType, fields_of

# The machine that runs the tests may be busy.
relaxed = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])


def patterns(text):
    return [(p.start, p.type, p.end) for p in parse_schema(text).patterns]


def test_types_with_keys_declared_values_and_kinds():
    schema = parse_schema(
        node_types="Incidencia(codigo, fecha: date, estado: abierta | en curso | cerrada, codigo_error), Cliente(nombre)"
    )
    incident, client = schema.nodes
    assert incident.key == "codigo" and client.key == "nombre"
    assert incident.property("FECHA") == Property("fecha", "date")
    assert incident.property("estado").values == ("abierta", "en curso", "cerrada")
    assert schema.first_label == "Incidencia"


@pytest.mark.parametrize(
    "text",
    [
        "A(x, y), B(z)",
        "A(x,y)\nB(z)",
        "A(\n  x\n  y\n)\n\nB(z)\n",
        "- A(x, y)\n- B(z)",
        "A(x, y);B(z)",
        "A (x, y) ,\n`B`(`z`)",
    ],
)
def test_commas_and_line_breaks_separate_alike(text):
    assert parse_schema(node_types=text) == parse_schema(node_types="A(x, y), B(z)")


@pytest.mark.parametrize(
    "written, kind",
    [
        ("fecha", "date"),
        ("Date", "date"),
        ("número", "float"),
        ("int", "integer"),
        ("texto", "text"),
        ("booleano", "boolean"),
        ("lista", "list"),
    ],
)
def test_kinds_in_spanish_and_english(written, kind):
    assert parse_schema(node_types=f"A(k, p: {written})").nodes[0].property("p").type == kind


def test_names_with_accents_spaces_and_backquotes():
    schema = parse_schema("(Orden de trabajo)-[:`ES (DE)`]->(`Máq``uina`)", "Orden de trabajo(número, `precio, total`: float)")
    assert schema.nodes[0].property("precio, total").type == "float"
    assert schema.patterns == (Pattern("Orden de trabajo", "ES (DE)", "Máq`uina"),)


@pytest.mark.parametrize(
    "text",
    [
        "(A)-[:T]->(B)",
        "(A)-[T]->(B)",
        "(:A)-[:T]->(:B)",
        "(a:A)-[r:T]->(b:B)",
        "A -T-> B",
        "A -[:T]-> B",
        "A -> T -> B",
        "A → T → B",
        "A --T--> B",
        "A-[:T]->B",
        "(A)-[:T]-(B)",
        "(B)<-[:T]-(A)",
        "A T B",
        "(A, T, B)",
        '["A", "T", "B"]',
        "- (A)-[:T]->(B).",
        "`A` -`T`-> `B`",
    ],
)
def test_patterns_with_or_without_arrows_and_colons(text):
    assert patterns(text) == [("A", "T", "B")]


def test_several_patterns_in_lines_or_in_one_line():
    assert patterns("(A)-[:T]->(B)\n\nB -U-> C") == patterns("(A)-[:T]->(B), (B)-[:U]->(C)") == [("A", "T", "B"), ("B", "U", "C")]


def test_patterns_alone_imply_their_types_in_the_order_of_the_patterns():
    schema = parse_schema("(Parte)-[:DE_CLIENTE]->(Cliente)")
    assert [(n.label, n.properties) for n in schema.nodes] == [("Parte", ()), ("Cliente", ())]
    assert [r.type for r in schema.relationships] == ["DE_CLIENTE"]


def test_a_pattern_takes_the_spelling_of_the_declaration():
    schema = parse_schema(
        "(incidencia)-[:en maquina]->(MAQUINA)", "Incidencia(codigo), Máquina(modelo)", "EN_MAQUINA(desde: date)"
    )
    assert schema.patterns == (Pattern("Incidencia", "EN_MAQUINA", "Máquina"),)
    assert len(schema.nodes) == 2 and schema.relationships[0].property("desde").type == "date"


@pytest.mark.parametrize(
    "fields, place, expected",
    [
        ({"node_types": "A(b, c"}, "Node Types, line 1", "Expected a name and its properties"),
        ({"node_types": "A(x)\nB(y\nC(z)"}, "Node Types, line 2", "Expected a name"),
        ({"node_types": "A(x)\n\nB(y: fech)"}, "Node Types, line 3", "Expected one of text, date"),
        ({"node_types": "A(x,\n  y: a b)"}, "Node Types, line 2", "separated by |"),
        ({"node_types": "A{x}"}, "Node Types, line 1", "Expected a name"),
        ({"node_types": "A(x) y"}, "Node Types, line 1", "Expected a name"),
        ({"node_types": "A(x), a(y)"}, "Node Types, line 1", "Keep one"),
        ({"node_types": "A(x, X)"}, "Node Types, line 1", "Keep one"),
        ({"node_types": "A(x: s | S)"}, "Node Types, line 1", "each allowed value once"),
        ({"node_types": "(x)"}, "Node Types, line 1", "Expected a name"),
        ({"relationship_types": "T -> U"}, "Relationship Types, line 1", "DE_CLIENTE"),
        ({"allowed_patterns": "(A)-[:T]->(B)\n(A)->(B)"}, "Allowed Patterns, line 2", "(Incidencia)-[:DE_CLIENTE]->(Cliente)"),
        ({"allowed_patterns": "A T"}, "Allowed Patterns, line 1", "(Incidencia)-[:DE_CLIENTE]->(Cliente)"),
        ({"allowed_patterns": "(A)-[:T]->(B"}, "Allowed Patterns, line 1", "one pattern a line"),
    ],
)
def test_an_error_names_the_line_and_what_was_expected(fields, place, expected):
    with pytest.raises(InputError) as caught:
        parse_schema(**fields)
    assert place in caught.value.sentence
    assert expected in caught.value.advice


names = st.text(min_size=1, max_size=12).filter(
    lambda text: fold(text).isalnum() and "\0" not in text and text == " ".join(text.split())
)
properties = st.builds(Property, names, st.sampled_from(["", "date", "float", "integer", "boolean", "text"])) | st.builds(
    Property, names, st.just(""), st.lists(names, min_size=1, max_size=3, unique_by=fold).map(tuple)
)


@st.composite
def schemas(draw):
    labels = draw(st.lists(names, min_size=1, max_size=4, unique_by=fold))
    nodes = tuple(
        NodeType(label, tuple(draw(st.lists(properties, max_size=3, unique_by=lambda p: fold(p.name))))) for label in labels
    )
    types = draw(st.lists(names, max_size=3, unique_by=fold))
    kinds = tuple(
        RelationshipType(t, tuple(draw(st.lists(properties, max_size=2, unique_by=lambda p: fold(p.name))))) for t in types
    )
    ends = st.sampled_from(labels)
    found = draw(st.lists(st.builds(Pattern, ends, st.sampled_from(types), ends), max_size=4, unique=True)) if types else []
    return GraphSchema(nodes, kinds, tuple(found))


@relaxed
@given(schemas())
def test_what_is_shown_in_the_syntax_of_the_fields_reads_back_as_the_same_schema(schema):
    again = parse_schema(**fields_of(schema))
    assert again.nodes == schema.nodes
    assert set(again.patterns) == set(schema.patterns)
    assert {r.type: r.properties for r in again.relationships} == {r.type: r.properties for r in schema.relationships}


@relaxed
@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_understood_or_refused_with_a_line(one, two, three):
    try:
        parse_schema(one, two, three)
    except InputError as error:
        assert ", line " in error.sentence and error.advice
