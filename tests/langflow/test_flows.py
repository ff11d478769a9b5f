"""The flows as they are shipped: in step with the node, and running."""

from __future__ import annotations

import copy
import importlib.util
import json
import subprocess
import sys

import pandas as pd
import pytest
from langflow_server import FLOWS, ROOT, environment, texts

from lfx_neo4j_graphrag.database.reading import fetch

sys.path.insert(0, str(FLOWS))
from editor import Editor  # noqa: E402

SAVE_ROWS = FLOWS / "guardar_registros.json"
INCIDENTS = ROOT / "assets" / "incidencias.json"
OURS = "Neo4jGraphRAG"
COUNTS = {"Incidencia": 24, "Cliente": 8, "Tecnico": 4, "Maquina": 4, "relationships": 72}


async def counts(connection):
    rows = await fetch(connection, "MATCH (n) RETURN labels(n)[0] AS label, count(*) AS nodes")
    links = await fetch(connection, "MATCH ()-[r]->() RETURN count(r) AS links")
    return {row["label"]: row["nodes"] for row in rows} | {"relationships": links[0]["links"]}


def flow_of(path):
    return json.loads(path.read_text(encoding="utf-8"))


def ours(flow):
    return [node for node in flow["data"]["nodes"] if node["data"]["type"] == OURS]


def test_the_flows_are_what_the_live_components_give(tmp_path):
    spec = importlib.util.spec_from_file_location("build_flows", FLOWS / "build.py")
    builder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(builder)
    builder.build(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in FLOWS.glob("*.json"))
    for built in tmp_path.iterdir():
        assert built.read_text(encoding="utf-8") == (FLOWS / built.name).read_text(encoding="utf-8"), f"{built.name} is stale: run make flows"


@pytest.mark.parametrize("path", sorted(FLOWS.glob("*.json")), ids=lambda path: path.stem)
def test_a_flow_names_the_node_in_every_way_it_can_be_loaded_and_holds_no_secret(path):
    flow = flow_of(path)
    nodes = ours(flow)
    assert nodes
    for node in nodes:
        template = node["data"]["node"]["template"]
        assert all(template[name]["value"] == "" for name in ("uri", "username", "password", "database"))
    for edge in flow["data"]["edges"]:
        assert not edge["data"]["sourceHandle"]["dataType"].startswith("ext:")
    text = path.read_text(encoding="utf-8")
    assert str(ROOT) not in text and "sk-" not in text


async def test_the_rows_are_saved_by_the_runner_of_flows_and_again(live):
    from lfx.testing import AsyncLocalFlowRunner

    runner = AsyncLocalFlowRunner()
    for _ in range(2):
        result = await runner(SAVE_ROWS)
        assert result.status == "success", result
        assert await counts(live) == COUNTS


async def test_a_flow_saved_before_a_field_was_added_and_one_saved_after(live):
    from lfx.testing import AsyncLocalFlowRunner

    flow = flow_of(SAVE_ROWS)
    older = copy.deepcopy(flow)
    for node in ours(older):  # today's saved flow, run by tomorrow's code
        code = node["data"]["node"]["template"]["code"]
        code["value"] = code["value"].replace("    inputs = [\n", '    inputs = [\n        _line("of_tomorrow", "Of Tomorrow", "New.", value="x"),\n', 1)
        assert "of_tomorrow" in code["value"]
    newer = copy.deepcopy(flow)
    for node in ours(newer):  # a flow of tomorrow, run by today's code
        template = node["data"]["node"]["template"]
        template["of_tomorrow"] = template["node_label"] | {"name": "of_tomorrow", "show": True, "value": "x"}
    for each in (older, newer):
        result = await AsyncLocalFlowRunner()(each)
        assert result.status == "success", result
        assert await counts(live) == COUNTS


async def test_the_lfx_command_runs_a_flow(live, tmp_path):
    command = [sys.executable, "-m", "lfx", "run", str(SAVE_ROWS), "--format", "text"]
    run = subprocess.run(command, env=environment(tmp_path, live), cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert run.returncode == 0, run.stderr[-2000:]
    assert await counts(live) == COUNTS


async def test_as_imported_it_shows_its_report_and_then_the_schema(langflow, connection):
    flow_id = langflow.upload(SAVE_ROWS)
    said = texts(langflow.run(flow_id))
    assert "24 rows saved: 40 nodes and 72 relationships created" in said["ChatOutput-informe"]
    for fact in ("Incidencia", "24", "Tecnico", "EN_MAQUINA", "incidencia_vector", "spanish"):
        assert fact in said["ChatOutput-grafo"], "the schema is read after the load"
    assert await counts(connection) == COUNTS
    again = texts(langflow.run(flow_id))["ChatOutput-informe"]
    assert "0 nodes and 0 relationships created, 0 deleted" in again


@pytest.mark.parametrize("ending", ["json", "csv", "xlsx"])
async def test_ones_own_file_takes_the_place_of_the_example(langflow, connection, tmp_path, ending):
    path = tmp_path / f"incidencias.{ending}"
    rows = json.loads(INCIDENTS.read_text(encoding="utf-8"))
    if ending == "json":
        path.write_bytes(INCIDENTS.read_bytes())
    elif ending == "csv":
        pd.DataFrame(rows).to_csv(path, index=False)
    else:
        pd.DataFrame(rows).to_excel(path, index=False)

    flow = flow_of(SAVE_ROWS)
    flow["data"]["nodes"] = [node for node in flow["data"]["nodes"] if node["id"] != "PromptTemplate-filas"]
    flow["data"]["edges"] = [edge for edge in flow["data"]["edges"] if edge["source"] != "PromptTemplate-filas"]
    reader = langflow.http.get("/api/v1/all").json()["files_and_knowledge"]["File"]
    reader["template"]["path"].update(file_path=[langflow.upload_file(path)], value=[path.name])
    answer = langflow.refresh(reader, "path", [path.name])
    assert answer.status_code == 200, answer.text
    reader.update({name: answer.json()[name] for name in ("template", "outputs")})
    reader["template"]["path"].update(file_path=reader["template"]["path"]["file_path"], value=[path.name])
    placed = {"id": "File-datos", "type": "genericNode", "position": {"x": 0, "y": 0}, "data": {"id": "File-datos", "type": "File", "node": reader}}

    editor = Editor()
    editor.nodes, editor.edges = [*flow["data"]["nodes"], placed], flow["data"]["edges"]
    (save,) = [node for node in editor.nodes if node["id"].endswith("-guardar")]
    editor.connect(placed, "path" if ending == "xlsx" else reader["outputs"][0]["name"], save, "data")  # as the note says
    flow["data"].update(nodes=editor.nodes, edges=editor.edges)

    said = texts(langflow.run(langflow.upload(flow)))
    assert "24 rows saved: 40 nodes and 72 relationships created" in said["ChatOutput-informe"]
    assert await counts(connection) == COUNTS
