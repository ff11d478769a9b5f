import pytest

from lfx_neo4j_graphrag.extraction.grammar import parse_schema
from lfx_neo4j_graphrag.extraction.proposal import MOST_TYPES, describe, proposal_messages, read_proposal

ANSWER = """{"node_types":["Incidencia(codigo, fecha: date, estado: abierta | cerrada)","Cliente(nombre)","bad("],
"allowed_patterns":["(Incidencia)-[:DE_CLIENTE]->(Cliente)","nonsense","(Incidencia)-[:X]->(Nadie)"],
"extraction_instructions":"Sin marca."}"""


def test_a_proposal_is_read_line_by_line_and_shown_in_the_syntax_of_the_fields():
    schema, instructions = read_proposal(f"```json\n{ANSWER}\n```")
    assert [n.label for n in schema.nodes] == ["Incidencia", "Cliente"] and instructions == "Sin marca."
    shown = describe(schema, instructions)
    assert shown == {
        "allowed_patterns": "(Incidencia)-[:DE_CLIENTE]->(Cliente)",
        "node_types": "Incidencia(codigo, fecha: date, estado: abierta | cerrada),\nCliente(nombre)",
        "relationship_types": "",
        "extraction_instructions": "Sin marca.",
    }
    assert parse_schema(shown["allowed_patterns"], shown["node_types"]) == schema


@pytest.mark.parametrize(
    "answer",
    [
        '{"node_types":[{"label":"A","properties":[{"name":"k"},{"name":"x"}]},{"label":"B","properties":["n"]}],"patterns":[["A","T","B"]]}',
        '{"nodes":[{"id":"0","label":"A","properties":{"k":1,"x":2}},{"id":"1","label":"B","properties":{"n":1}}],"relationships":[{"type":"T","start":"0","end":"1"}]}',
        '{"node_types":"A(k, x), B(n)","allowed_patterns":"(A)-[:T]->(B)"}',
    ],
)
def test_other_forms_are_understood_too(answer):
    schema, _ = read_proposal(answer)
    assert {n.label for n in schema.nodes} == {"A", "B"}
    assert [(p.start, p.type, p.end) for p in schema.patterns] == [("A", "T", "B")]


@pytest.mark.parametrize("answer", ["", "No puedo.", "{}", '{"nodes":[],"relationships":[]}', '{"node_types": 3}', '[1, "x"]'])
def test_nothing_that_can_be_used(answer):
    schema, instructions = read_proposal(answer)
    assert schema.empty and instructions == ""


def test_never_more_types_than_can_be_counted():
    names = ",".join(f'"T{n}(k)"' for n in range(40))
    assert len(read_proposal(f'{{"node_types":[{names}]}}')[0].nodes) == MOST_TYPES


def test_samples_of_all_documents_in_the_given_space_and_as_they_are():
    documents = [(f"d{n}.md", f"inicio {n} {{x}} " + "a" * 50_000 + f" fin {n}") for n in range(10)]
    text = proposal_messages(documents, 20_000, "Solo {averías}.")[-1][1]
    assert len(text) < 26_000 and "Solo {averías}." in text
    for n in range(10):
        assert f"inicio {n} {{x}}" in text and f"fin {n}" in text


def test_a_short_document_is_shown_whole():
    document = 'El registro dice {"estado": {0}} y %s {nombre}.'
    assert document in proposal_messages([("d", document)], 20_000)[-1][1]
