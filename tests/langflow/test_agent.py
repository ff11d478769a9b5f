"""The agent flow in the runtime, on the example graph, with the recorded answers of a capable model.

What the model is told and what the tools find is live: a tool that answers otherwise is a request without a recording.
"""

from __future__ import annotations

import asyncio
import json
import re
from datetime import date
from uuid import uuid4

import pytest
from langflow_server import FLOWS
from relay import SELECTED, Relay
from saving import wipe

from lfx_neo4j_graphrag.local.demo import load_example
from lfx_neo4j_graphrag.operations import text2cypher, value_linking

RECORDINGS = FLOWS.parent / "tests" / "fixtures" / "agent"
FIXED, SIMILAR, ASKED, SCHEMA = "incidencias_de_tecnico", "buscar_averias_parecidas", "consultar_servicio_tecnico", "esquema_del_grafo"
TOOLS = [FIXED, SIMILAR, ASKED, SCHEMA]  # the fifth is off as imported
NODES = ("tecnico", "averias", "consultar", "esquema")
OF_LUCIA = [
    ("INC-2608-06", "Bar La Alameda", "Mistral 1G"),
    ("INC-2609-02", "Bar Los Naranjos", "Aurora 3G"),
    ("INC-2609-05", "Bar La Giralda", "M64 OD"),
]
BRANDS = [("Vellani", 9), ("Jaltec", 8), ("Molinar", 7)]


@pytest.fixture(scope="module")
def incidents(server):
    """The example graph, as `make editor` loads it."""
    asyncio.run(wipe(server))
    asyncio.run(load_example(server))
    return server


@pytest.fixture
def model(incidents, monkeypatch, tmp_path):
    """The recorded model; the node finds the example graph, on the day on which the answers were recorded."""

    class Day(date):
        @classmethod
        def today(cls):
            return cls(2026, 10, 1)

    monkeypatch.setattr(text2cypher, "date", Day)
    monkeypatch.setattr(value_linking, "LINKING_SECONDS", 60)  # on a busy machine the names of a question would be left out
    names = {"NEO4J_URI": incidents.uri, "NEO4J_USERNAME": incidents.username, "NEO4J_PASSWORD": incidents.password}
    relay = Relay(RECORDINGS)
    # A home of its own: the types of filters that earlier searches have shown are part of a tool's description.
    for name, value in (names | relay.environment | {"NEO4J_GRAPHRAG_HOME": str(tmp_path)}).items():
        monkeypatch.setenv(name, value)
    yield relay
    relay.close()


class Conversation:
    """``answer`` of the agent, ``calls`` as (tool, arguments), ``results`` by tool."""

    def __init__(self, result, requests):
        assert result.status == "success", result
        self.answer = result.text
        messages = [each for each in requests if each.get("tools")][-1]["messages"]
        self.offered = [tool["function"]["name"] for tool in requests[0]["tools"]]
        called = [(call["id"], call["function"]) for message in messages for call in message.get("tool_calls") or []]
        self.calls = [(call["name"], json.loads(call["arguments"])) for _, call in called]
        replies = {message["tool_call_id"]: message["content"] for message in messages if message["role"] == "tool"}
        self.results = {}
        for id_, call in called:
            self.results[call["name"]] = self.results.get(call["name"], "") + replies[id_]

    def arguments(self, tool):
        return [arguments for name, arguments in self.calls if name == tool]


async def run(question, **tweaks):
    from lfx.testing import AsyncLocalFlowRunner

    flow = json.loads((FLOWS / "agente.json").read_text(encoding="utf-8"))
    chosen = {"LanguageModelComponent-modelo": {"model": SELECTED}}  # all that a person has to do
    patient = {f"Neo4jGraphRAG-{tool}": {"query_timeout": 120} for tool in NODES}  # tests share their machine with others
    tweaks = chosen | {node: fields | tweaks.get(node, {}) for node, fields in patient.items()}
    return await AsyncLocalFlowRunner()(flow, input_value=question, tweaks=tweaks, session_id=uuid4().hex)


async def ask(model, question, **tweaks):
    return Conversation(await run(question, **tweaks), model.requests)


def test_as_imported_only_the_model_is_missing():
    data = json.loads((FLOWS / "agente.json").read_text(encoding="utf-8"))["data"]
    nodes = {node["id"]: node["data"]["node"] for node in data["nodes"]}
    fed = {(edge["source"], edge["target"]) for edge in data["edges"] if edge["data"]["sourceHandle"]["output_types"] == ["LanguageModel"]}
    assert fed == {("LanguageModelComponent-modelo", "Agent-agente"), ("LanguageModelComponent-modelo", "Neo4jGraphRAG-consultar")}
    assert nodes["LanguageModelComponent-modelo"]["template"]["model"]["value"] == ""
    tools = {}
    for edge in data["edges"]:
        if edge["targetHandle"].count("œtoolsœ"):
            template = nodes[edge["source"]]["template"]
            (tool,) = template["tools_metadata"]["value"]
            tools[tool["name"]] = template
            assert re.fullmatch(r"[a-z_]{1,64}", tool["name"])
            assert tool["approval_actions"] == [] and len(tool["description"]) > 60
            assert tool["status"] is (tool["name"] in TOOLS)
    assert list(tools) == [*TOOLS, "buscar_en_documentos"]
    indexes = {SIMILAR: ("incidencia_vector", "incidencia_text"), "buscar_en_documentos": ("chunk_vector", "chunk_text")}
    for name, expected in indexes.items():
        fields = {field: tools[name][field]["value"] for field in ("operation", "vector_index", "fulltext_index", "local_embedding", "retrieval_query")}
        assert tuple(fields.values()) == ("Hybrid + Graph", *expected, "multilingual-e5-small", "")
    assert set(tools[FIXED]["tools_metadata"]["value"][0]["args"]) == {"estado", "tecnico"}
    assert tools[ASKED]["examples"]["value"].count("Pregunta:") == 2


@pytest.mark.parametrize(
    "question",
    [
        "¿Qué incidencias abiertas tiene Lucía Ortega?",
        "¿Qué le queda pendiente a Lucía?",
        "Dime los partes sin cerrar de Lucía Ortega, en qué bar y en qué máquina.",
    ],
)
async def test_the_open_incidents_of_a_technician(model, question):
    said = await ask(model, question)
    assert sorted(said.offered) == sorted(TOOLS)
    (arguments,) = said.arguments(FIXED)
    assert arguments["estado"] == "abierta" and arguments["tecnico"] in ("Lucía Ortega", "Lucía")
    assert said.results[FIXED].count("codigo:") == 3
    for incident in OF_LUCIA:
        assert all(fact in said.results[FIXED] for fact in incident)
        assert all(fact in said.answer for fact in incident)
    assert len(set(re.findall(r"INC-\d{4}-\d{2}", said.answer))) == 3, said.answer


@pytest.mark.parametrize(
    "question",
    [
        "Una Aurora no dosifica y marca E07: ¿ha pasado antes y quién lo arregló?",
        "¿Alguien ha arreglado ya una Aurora que echa agua sin parar y saca el E07?",
        "Tengo una Vellani que no corta el agua, con E07. ¿Qué pieza se cambió las otras veces y quién fue?",
    ],
)
async def test_the_cases_like_one_that_is_described(model, question):
    said = await ask(model, question)
    assert said.arguments(SIMILAR)
    found = said.results[SIMILAR]
    for fact in ("INC-2607-04", "INC-2608-04", "ASIGNADA_A -> Tecnico Javier Ruiz", "ASIGNADA_A -> Tecnico Rocío Benítez", "VL-1180"):
        assert fact in found
    for fact in ("Javier Ruiz", "Rocío Benítez", "VL-1180", "INC-2607-04", "INC-2608-04"):
        assert fact in said.answer
    assert len(set(re.findall(r"INC-\d{4}-\d{2}", said.answer))) == 2, said.answer


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuántas incidencias ha tenido cada marca?",
        "Reparte las incidencias por fabricante de la máquina.",
        "¿De qué marca nos avisan más y cuántas son de cada una?",
    ],
)
async def test_a_count_over_all_of_the_graph(model, question):
    said = await ask(model, question)
    (arguments,) = said.arguments(ASKED)
    assert "marca" in arguments["query"] or "fabricante" in arguments["query"]
    rows = said.results[ASKED]
    assert "MATCH" in rows, "the statement that was written is in the reply"
    for brand, number in BRANDS:
        assert re.search(rf"{brand}\W+\w+\W+{number}\b", rows), rows
        assert re.search(rf"{brand}\D{{0,40}}{number}\b|\b{number}\D{{0,25}}{brand}", said.answer), said.answer


@pytest.mark.parametrize("question", ["¿Cuánto cobra Javier Ruiz por hora?", "¿Va a llover mañana en Sevilla?"])
async def test_what_no_tool_answers_is_said_to_be_missing(model, question):
    said = await ask(model, question)
    assert re.search(r"\bno\b", said.answer, re.IGNORECASE)
    assert re.search(r"en los datos del servicio no está", said.answer, re.IGNORECASE), said.answer
    assert not re.search(r"\d+ ?(€|euros)|\d ?%", said.answer)


async def test_an_agent_goes_on_after_an_error_of_a_tool(model):
    said = await ask(
        model,
        "Una Aurora no dosifica y marca E07: ¿ha pasado antes y quién lo arregló?",
        **{"Neo4jGraphRAG-averias": {"vector_index": "averias_vector"}},
    )
    failure = said.results[SIMILAR]
    assert "averias_vector" in failure and "incidencia_vector" in failure, "the error says what there is instead"
    assert not re.search(r"Traceback|Neo\.|org\.neo4j|password", failure)
    assert len([name for name, _ in said.calls if name != SIMILAR]) >= 1, "it asked another tool"
    for fact in ("Javier Ruiz", "Rocío Benítez"):
        assert fact in said.answer


async def test_an_agent_whose_database_is_down_says_so(model):
    down = {f"Neo4jGraphRAG-{tool}": {"uri": "bolt://127.0.0.1:9"} for tool in NODES}
    said = await ask(model, "¿Qué incidencias abiertas tiene Lucía Ortega?", **down)
    assert "No Neo4j answers at 127.0.0.1:9." in said.results[FIXED]
    assert not re.search(r"INC-\d", said.answer), "nothing is made up"
