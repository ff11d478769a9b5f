"""The flow that reads documents, with the recorded answers of a capable model: as imported, and with files in Read File."""

from __future__ import annotations

import json
import re
import sys

import pytest
from langflow_server import FLOWS, ROOT, texts
from relay import MODEL, SELECTED

from lfx_neo4j_graphrag.database.reading import fetch
from lfx_neo4j_graphrag.extraction.grammar import parse_schema

sys.path[:0] = [str(FLOWS), str(ROOT / "bench")]
from editor import Editor  # noqa: E402
from run_build_ladder import RUNGS  # noqa: E402

FLOW = FLOWS / "guardar_documentos.json"
PDFS = sorted((ROOT / "assets" / "informes").glob("*.pdf"))
STATES = {row["codigo"]: row["estado"] for row in json.loads((ROOT / "assets" / "incidencias.json").read_text(encoding="utf-8"))}
COUNTS = {"Incidencia": 24, "Cliente": 8, "Tecnico": 4, "Maquina": 4, "relationships": 72}
SAVED = "40 nodes and 72 relationships created"


async def saved(connection):
    rows = await fetch(connection, "MATCH (n) WHERE NOT n:Chunk RETURN labels(n)[0] AS label, count(*) AS nodes")
    (links,) = await fetch(connection, "MATCH (n)-[r]->() WHERE NOT n:Chunk RETURN count(r) AS links")
    states = await fetch(connection, "MATCH (i:Incidencia) RETURN i.codigo AS code, i.estado AS state")
    assert {row["code"]: row["state"] for row in states} == STATES
    return {row["label"]: row["nodes"] for row in rows} | {"relationships": links["links"]}


@pytest.fixture(scope="module")
def uploaded(langflow):
    """Where the three PDFs are; Langflow would call a second upload ``informe_2026_07 (1).pdf``, which is another document."""
    return [langflow.upload_file(path) for path in PDFS]


@pytest.fixture
def flow(relay):
    """The shipped flow after its user chose a model, and nothing else."""
    relay.unanswered.clear()
    flow = json.loads(FLOW.read_text(encoding="utf-8"))
    (model,) = [node for node in flow["data"]["nodes"] if node["id"].endswith("-modelo")]
    assert not model["data"]["node"]["template"]["model"]["value"]
    model["data"]["node"]["template"]["model"]["value"] = SELECTED
    return flow


async def test_the_three_reports_become_the_graph_of_the_records_and_again_without_a_call(langflow, relay, connection, flow):
    flow_id = langflow.upload(flow)
    said = texts(langflow.run(flow_id))
    assert relay.unanswered == []
    report = said["ChatOutput-informe"]
    assert "Read 3 of 3 documents in" in report and SAVED in report
    assert re.search(r"abierta -> cerrada \(document \d \(Informe de incidencias\. Septiembre de 2026\)\)", report), "what the last one closed"
    for fact in ("Incidencia", "24", "Tecnico", "EN_MAQUINA", "incidencia_vector", "spanish"):
        assert fact in said["ChatOutput-grafo"], "the schema is read after the load"
    assert await saved(connection) == COUNTS
    asked = len(relay.keys)
    again = texts(langflow.run(flow_id))["ChatOutput-informe"]
    assert "0 nodes and 0 relationships created" in again and len(relay.keys) == asked
    assert await saved(connection) == COUNTS


@pytest.mark.parametrize("chunks", [False, True], ids=["whole", "save source chunks"])
async def test_the_pdfs_in_read_file_take_the_place_of_the_texts(langflow, relay, connection, flow, uploaded, chunks):
    reader = langflow.http.get("/api/v1/all").json()["files_and_knowledge"]["File"]
    names = [path.name for path in PDFS]
    reader["template"]["path"].update(file_path=uploaded, value=names)
    answer = langflow.refresh(reader, "path", names)
    assert answer.status_code == 200, answer.text
    reader.update({name: answer.json()[name] for name in ("template", "outputs")})
    reader["template"]["path"].update(file_path=uploaded, value=names)
    placed = {"id": "File-datos", "type": "genericNode", "position": {"x": 0, "y": 0}, "data": {"id": "File-datos", "type": "File", "node": reader}}

    editor, data = Editor(), flow["data"]
    editor.nodes = [*(node for node in data["nodes"] if node["data"]["type"] != "Prompt Template"), placed]
    editor.edges = [edge for edge in data["edges"] if edge["data"]["sourceHandle"]["dataType"] != "Prompt Template"]
    assert len(editor.nodes) == len(data["nodes"]) - 2 and len(editor.edges) == len(data["edges"]) - 3
    (read,) = [node for node in editor.nodes if node["id"].endswith("-leer")]
    read["data"]["node"]["template"]["save_source_chunks"]["value"] = chunks
    files = next(output["name"] for output in reader["outputs"] if output["display_name"] == "Files")
    editor.connect(placed, files, read, "data")  # as the note says
    data.update(nodes=editor.nodes, edges=editor.edges)

    said = texts(langflow.run(langflow.upload(flow)))["ChatOutput-informe"]
    assert relay.unanswered == []
    assert SAVED in said and "informe_2026_09.pdf" in said
    assert await saved(connection) == COUNTS
    passages = await fetch(connection, "MATCH (c:Chunk) RETURN c.document AS document, count(*) AS n")
    assert {row["document"] for row in passages} == (set(names) if chunks else set())


async def test_another_node_of_a_chat_model_serves_as_well(langflow, relay, connection, flow):
    from lfx.components.openai import OpenAIModelComponent

    editor, data = Editor(), flow["data"]
    editor.nodes = [node for node in data["nodes"] if not node["id"].endswith("-modelo")]
    editor.edges = [edge for edge in data["edges"] if not edge["source"].endswith("-modelo")]
    address = relay.environment["OPENAI_BASE_URL"]
    model = editor.stock(OpenAIModelComponent, "otro", 0, 0, "Otro modelo", "", model_name=MODEL, openai_api_base=address)
    model["data"]["node"]["template"]["api_key"].update(value="a-key-of-the-user", load_from_db=False)
    (read,) = [node for node in editor.nodes if node["id"].endswith("-leer")]
    editor.connect(model, "model_output", read, "llm")
    data.update(nodes=editor.nodes, edges=editor.edges)
    assert SAVED in texts(langflow.run(langflow.upload(flow)))["ChatOutput-informe"]
    assert relay.keys and await saved(connection) == COUNTS


async def test_when_nothing_can_be_read_the_node_shows_an_error(langflow, relay, connection, flow):
    (read,) = [node for node in flow["data"]["nodes"] if node["id"].endswith("-leer")]
    read["data"]["node"]["template"]["extraction_instructions"]["value"] = "Sin respuesta grabada."
    answer = langflow.run(langflow.upload(flow))
    assert len(relay.unanswered) == 3
    assert answer.status_code == 500
    assert re.search(r"No document could be read\. document \d \(Informe de incidencias\. \w+ de 2026\): ", answer.text)
    assert "Traceback" not in answer.text


async def test_graph_documents_are_saved_without_a_model(node_class, live):
    from langchain_community.graphs.graph_document import GraphDocument, Node, Relationship
    from langchain_core.documents import Document
    from lfx.schema.message import Message

    ana, acme = Node(id="Ana", type="Person"), Node(id="Acme", type="Company")
    graph = GraphDocument(nodes=[ana, acme], relationships=[Relationship(source=ana, target=acme, type="WORKS_AT")], source=Document(page_content=""))
    with pytest.raises(ValueError, match="No language model is connected. Connect a Language Model"):
        await node_class(operation="Build Graph", data=[graph, Message(text="Ana works at Acme.")]).build_results()
    results, _ = await node_class(operation="Build Graph", data=[graph]).build_results()
    assert "2 nodes and 1 relationship created" in results["result"].text
    assert await fetch(live, "MATCH (p:Person)-[:WORKS_AT]->(c:Company) RETURN p.id AS p, c.id AS c") == [{"p": "Ana", "c": "Acme"}]


def test_its_fields_are_the_top_of_the_ladder(flow):
    (read,) = [node for node in flow["data"]["nodes"] if node["id"].endswith("-leer")]
    fields = {name: field["value"] for name, field in read["data"]["node"]["template"].items() if "value" in field}
    _, top = RUNGS[max(RUNGS)]
    assert fields["extraction_instructions"] == top["extraction_instructions"]
    assert parse_schema(fields["allowed_patterns"], fields["node_types"], "") == parse_schema(top["allowed_patterns"], top["node_types"], "")
