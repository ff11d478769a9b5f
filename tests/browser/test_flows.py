"""The shipped flows in the editor: imported, looked at, run."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from canvas import TITLE
from langflow_server import FLOWS, placed
from playwright.sync_api import expect
from relay import SELECTED

from lfx_neo4j_graphrag.local.demo import load_example

TITLES = {
    "guardar_registros": "Neo4j GraphRAG · guardar registros",
    "guardar_documentos": "Neo4j GraphRAG · guardar documentos",
    "agente": "Neo4j GraphRAG · agente",
}


def imported(page, langflow, name):
    """Import the file as a person does, and open the flow."""
    langflow.upload({"data": {"nodes": [], "edges": []}})  # an empty Langflow offers no upload button
    page.goto("/flows")
    with page.expect_file_chooser() as chooser:
        page.get_by_test_id("upload-project-button").first.click()
    chooser.value.set_files(FLOWS / f"{name}.json")
    page.get_by_test_id("list-card").filter(has_text=TITLES[name]).first.get_by_test_id("list-card-open-button").click()
    flow = json.loads((FLOWS / f"{name}.json").read_text(encoding="utf-8"))["data"]
    expect(page.locator(".react-flow__node")).to_have_count(len(flow["nodes"]))
    expect(page.locator(".react-flow__edge")).to_have_count(len(flow["edges"]))
    expect(page.get_by_test_id("update-all-button")).to_have_count(0)  # the nodes are those of this version


def test_the_rows_are_saved_and_the_report_is_read(page, picture, langflow):
    imported(page, langflow, "guardar_registros")
    expect(page.get_by_text("Guardar registros en un grafo")).to_be_visible()
    picture(page, "editor_guardar_registros")
    page.get_by_test_id("playground-btn-flow-io").click()
    page.get_by_role("button", name="Run Flow").click()

    expect(page.get_by_text("24 rows saved: 40 nodes and 72 relationships created")).to_be_visible()
    expect(page.get_by_text(re.compile(r"\(:Incidencia\)-\[:EN_MAQUINA\]->\(:Maquina\) 24"))).to_be_visible()
    picture(page, "playground_guardar_registros")


def test_the_documents_flow_opens(page, picture, langflow):
    imported(page, langflow, "guardar_documentos")
    expect(page.get_by_text("Guardar documentos en un grafo")).to_be_visible()
    picture(page, "editor_guardar_documentos")


@pytest.fixture
def incidents(connection):
    """The example graph, saved before the browser's loop runs in this thread."""
    asyncio.run(load_example(connection))


def test_the_agent_answers_once_a_model_is_chosen(incidents, page, picture, langflow, relay):
    imported(page, langflow, "agente")
    for tool in ("incidencias_de_tecnico", "buscar_averias_parecidas", "consultar_servicio_tecnico", "esquema_del_grafo"):
        expect(page.get_by_test_id(f"tool_{tool}")).to_be_visible()
    expect(page.get_by_test_id("tool_buscar_en_documentos")).to_have_count(0)  # off until there are passages
    node = page.locator(".react-flow__node").filter(has=page.get_by_test_id("title-Modelo"))
    node.get_by_role("combobox", name=re.compile("Language Model")).click()
    page.get_by_role("option").first.click()
    picture(page, "editor_agente")
    page.get_by_test_id("playground-btn-flow-io").click()
    page.get_by_test_id("input-chat-playground").fill("¿Qué incidencias abiertas tiene Lucía Ortega?")
    page.keyboard.press("Enter")
    for code in ("INC-2608-06", "INC-2609-02", "INC-2609-05"):
        expect(page.get_by_text(code).last).to_be_visible()
    picture(page, "playground_agente")
    assert not relay.unanswered


def test_data_embedding_and_language_model_are_connected_by_drawing_lines_and_run(canvas, langflow, relay):
    """One report of the documents flow; the embedding model is another than the local one (Langflow's own, random numbers)."""
    flow = json.loads((FLOWS / "guardar_documentos.json").read_text(encoding="utf-8"))["data"]
    kept = {"reading": "Neo4jGraphRAG-leer", "report": "PromptTemplate-julio", "model": "LanguageModelComponent-modelo"}
    nodes = {name: next(node for node in flow["nodes"] if node["id"] == id_) for name, id_ in kept.items()}
    nodes["model"]["data"]["node"]["template"]["model"]["value"] = SELECTED
    nodes["reading"]["data"]["node"].update(display_name=TITLE)
    nodes["reading"]["data"]["node"]["template"]["local_embedding"]["value"] = "off"
    fake = langflow.http.get("/api/v1/all").json()["langchain_utilities"]["LangChainFakeEmbeddings"]
    nodes["embeddings"] = placed("LangChainFakeEmbeddings", fake, 0, 500)
    canvas.page.set_viewport_size({"width": 1600, "height": 1600})
    canvas.open({"data": {"nodes": list(nodes.values()), "edges": []}})
    lines = {
        "handle-prompt template-shownode-prompt-right": "data",
        "handle-langchainfakeembeddings-shownode-embedding model-right": "embedding",
        "handle-languagemodelcomponent-shownode-language model-right": "language model",
    }
    for number, (source, field) in enumerate(lines.items(), 1):
        canvas.connect(canvas.page.get_by_test_id(source), canvas.page.get_by_test_id(f"handle-neo4jgraphrag-shownode-{field}-left"))
        expect(canvas.page.locator(".react-flow__edge")).to_have_count(number)
    canvas.run()
    canvas.reads(re.compile("incidencia_vector"))
    assert relay.unanswered == []
