"""Our MCP server as a tool box of Langflow's own MCP Tools node: registered by the user, started by Langflow."""

from __future__ import annotations

import sys

import pytest
from langflow_server import FLOWS, texts
from lfx.components.input_output import ChatOutput
from lfx.components.models_and_agents.mcp_component import MCPToolsComponent

from lfx_neo4j_graphrag.operations.add_records import AddRecordsRequest, add_records

sys.path.insert(0, str(FLOWS))

from editor import Editor  # noqa: E402

NAME = "neo4j_del_taller"


@pytest.fixture
def registered(langflow, connection):
    """The server among Langflow's MCP servers, by the command that the documentation gives."""
    login = {"NEO4J_URI": connection.uri, "NEO4J_USERNAME": connection.username, "NEO4J_PASSWORD": connection.password}
    config = {"command": "python", "args": ["-m", "lfx_neo4j_graphrag", "mcp"], "env": login}
    answer = langflow.http.post(f"/api/v2/mcp/servers/{NAME}", json=config)
    assert answer.status_code == 200, answer.text
    yield {"name": NAME, "config": config}
    langflow.http.delete(f"/api/v2/mcp/servers/{NAME}")


def flow_with(langflow, registered, tool: str, **arguments) -> dict:
    editor = Editor()
    node = editor.stock(MCPToolsComponent, "grafo", 0, 0, "MCP Tools", "El grafo")
    described = node["data"]["node"]
    for field, value in (("mcp_server", registered), ("tool", tool)):
        answer = langflow.refresh(described, field, value)
        assert answer.status_code == 200, answer.text
        described["template"] = answer.json()["template"]
        described["template"][field]["value"] = value
    for name, value in arguments.items():
        described["template"][name]["value"] = value
    shown = editor.stock(ChatOutput, "respuesta", 400, 0, "Respuesta", "")
    editor.connect(node, "response", shown, "input_value")
    return {"description": "", "data": {"nodes": editor.nodes, "edges": editor.edges}}, described


async def test_its_tools_are_offered_and_answer(langflow, registered, connection):
    await add_records(connection, AddRecordsRequest([{"codigo": f"P-{n}", "estado": "abierta"} for n in range(3)], "Parte", "codigo"))
    flow, described = flow_with(
        langflow, registered, "read_cypher", query="MATCH (p:Parte {estado: 'abierta'}) RETURN count(p) AS abiertas"
    )
    assert {"get_schema", "read_cypher"} <= set(described["template"]["tool"]["options"])
    (said,) = texts(langflow.run(langflow.upload(flow), input_value="")).values()
    assert "abiertas: 3" in said


async def test_a_refused_query_is_told_in_our_sentence(langflow, registered):
    flow, _ = flow_with(langflow, registered, "read_cypher", query="CREATE (n:Parte) RETURN n")
    answer = langflow.run(langflow.upload(flow), input_value="")
    assert answer.status_code == 500
    assert "The query would write (CREATE). Ask for data with MATCH and RETURN; nothing is changed here." in answer.text
