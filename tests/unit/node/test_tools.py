"""The node as a tool: its arguments, its texts, its failures."""

from __future__ import annotations

import pytest

from lfx_neo4j_graphrag.errors import QueryRefused
from lfx_neo4j_graphrag.node import filters, make_tool
from lfx_neo4j_graphrag.node.catalogue import OPERATIONS
from lfx_neo4j_graphrag.node.tools import TOOL_TAG
from lfx_neo4j_graphrag.node.values import Values

CYPHER = "MATCH (t {nombre: $tecnico}) WHERE t.estado = $estado AND t.config = $config RETURN t"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("NEO4J_GRAPHRAG_HOME", str(tmp_path))
    monkeypatch.setenv("NEO4J_URI", "bolt://localhost:1")


def tool(operation, call=None, **values):
    async def echo(arguments):
        return repr(arguments)

    return make_tool({"operation": operation, **values}, call or echo, {"display_name": "Neo4j GraphRAG", "source_id": "x"})


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("Add Records", {"rows"}),
        ("Build Graph", {"text"}),
        ("Vector", {"query", "filters"}),
        ("Hybrid", {"query", "filters"}),
        ("Vector + Graph", {"query", "filters"}),
        ("Hybrid + Graph", {"query", "filters"}),
        ("Text2Cypher", {"query"}),
        ("Cypher Query", {"tecnico", "estado", "config_value"}),
        ("Graph Schema", set()),
    ],
)
def test_each_operation_gives_one_tool_with_its_arguments(operation, arguments):
    made = tool(operation, cypher=CYPHER)
    assert set(made.args) == arguments
    assert made.name == OPERATIONS[operation].tool_name
    assert made.tags == [TOOL_TAG] == ["neo4j_graphrag"]
    assert made.metadata["approval_actions"] == (["approve", "reject"] if operation in ("Add Records", "Build Graph") else [])


def test_what_is_filled_in_is_hidden_from_the_agent():
    made = tool("Cypher Query", cypher=CYPHER, param_estado="abierta", param_con_fig=" ")
    assert set(made.args) == {"tecnico", "config_value"}
    assert set(tool("Hybrid", filters="estado = abierta").args) == {"query"}


async def test_arguments_reach_the_operation_as_they_were_given():
    seen = {}

    async def call(arguments):
        seen.update(arguments)
        return "ok"

    made = tool("Cypher Query", call, cypher=CYPHER)
    assert await made.ainvoke({"tecnico": "Lucía Ortega", "estado": ["abierta", "cerrada"], "config_value": 7}) == "ok"
    assert seen == {"tecnico": "Lucía Ortega", "estado": ["abierta", "cerrada"], "config_value": 7}


async def test_a_failure_is_text_for_the_agent():
    async def refuse(arguments):
        raise QueryRefused("The query would delete data.", "Ask for data only.")

    assert await tool("Graph Schema", refuse).ainvoke({}) == "The query would delete data. Ask for data only."


def test_the_rows_of_add_records_say_which_columns_count():
    lines = "cliente -> DE_CLIENTE -> Cliente.nombre\nmodelo -> EN_MAQUINA -> Maquina.modelo (marca)"
    about = tool("Add Records", key_property="codigo", relationships=lines).args["rows"]["description"]
    for column in ("codigo", "cliente", "modelo", "marca"):
        assert column in about
    assert "rows" in tool("Add Records", relationships="half ->").args


def test_filters_are_conditions_until_a_search_has_told_the_types():
    fields = {"operation": "Hybrid", "vector_index": "incidencia_vector"}
    before = tool(**fields).args["filters"]
    assert before["anyOf"][0]["type"] == "array"
    rows = [
        {"score": 0.9, "labels": ["Incidencia"], "key": "INC-1", "estado": "abierta", "fecha": "2026-08-26", "text": "Gotea. " * 20},
        {"score": 0.8, "labels": ["Incidencia"], "estado": "cerrada", "precio €": 12.5, "text": "", "dos\nlíneas": 1, "lista": [1]},
    ]
    filters.remember(Values(fields), rows)
    typed = tool(**fields).tool_call_schema.model_json_schema()
    properties = typed["$defs"]["Filters"]["properties"]
    assert set(properties) == {"estado", "fecha", "precio €"}
    assert properties["estado"]["type"] == "string"
    assert properties["precio €"]["anyOf"][1]["properties"]["min"] == {"type": "number"}
    other_index = tool(**(fields | {"vector_index": "otro"})).args["filters"]
    assert other_index["anyOf"][0]["type"] == "array"


async def test_typed_filters_arrive_under_the_names_of_the_properties():
    fields = {"operation": "Hybrid", "vector_index": "incidencia_vector"}
    filters.remember(Values(fields), [{"estado": "cerrada", "fecha": "2026-08-26", "puntos": 3}])
    given = {"estado": "abierta", "fecha": {"min": "2026-08-01", "max": "2026-08-31"}, "puntos": 0}
    assert await filters_given(fields, given) == given
    linked = {"Maquina.marca": "Vellani", "estado": "abierta"}
    assert await filters_given(fields, linked) == linked, "what was not in a result can be asked for as well"


async def test_untyped_filters_arrive_as_conditions():
    given = [{"property": "codigo_error", "operator": "in", "value": ["E01", "E07"]}, {"property": "estado", "value": "abierta"}]
    given_back = await filters_given({"operation": "Vector"}, given)
    assert given_back == [given[0], {"property": "estado", "operator": "=", "value": "abierta"}]
    assert filters.plain(None) is None


async def filters_given(fields, given):
    """What reaches the operation, else what the agent reads."""
    seen = []

    async def call(arguments):
        seen.append(filters.plain(arguments["filters"]))
        return ""

    text = await tool(**fields, call=call).ainvoke({"query": "gotea", "filters": given})
    return seen[0] if seen else text


async def test_arguments_that_do_not_fit_are_text_for_the_agent():
    assert "rows" in await tool("Add Records").ainvoke({"rows": []})
    assert "label" in await tool("Add Records").ainvoke({"rows": [{"a": 1}], "label": "Otra"})


def test_the_kept_types_hold_no_values_and_no_address(tmp_path):
    fields = Values({"operation": "Hybrid", "uri": "bolt://secret-host:7687", "password": "pw", "vector_index": "i"})
    filters.remember(fields, [{"estado": "abierta", "codigo": "1"}])
    filters.remember(fields, [{"codigo": 2, "abierta": True}])
    (kept,) = (tmp_path / "filters").iterdir()
    assert not any(word in kept.name + kept.read_text() for word in ("secret", "pw", '"abierta",'))
    assert filters.recall(fields) == {"estado": "text", "codigo": "text", "abierta": "boolean"}
