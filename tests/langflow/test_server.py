"""The node in a real Langflow server, with custom components disallowed."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest
from langflow_server import only_node

from lfx_neo4j_graphrag.database.reading import fetch

SLOW = "UNWIND range(1, 100000000000) AS i RETURN count(i) AS n"


def test_the_sidebar_has_the_node_and_finds_it(langflow):
    node = langflow.node()["node"]
    assert node["display_name"] == "Neo4j GraphRAG"
    assert node["icon"] == "Waypoints"
    searched = " ".join([node["display_name"], node["description"], *node["metadata"]["keywords"]]).lower()
    assert all(word in searched for word in ("neo4j", "graph", "cypher"))
    assert not (node["beta"] or node["legacy"])


def test_a_parameter_appears_by_a_refresh_and_no_database_is_asked(langflow):
    node = langflow.node()["node"]
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        nobody.settimeout(0.2)
        node["template"]["uri"]["value"] = f"bolt://127.0.0.1:{nobody.getsockname()[1]}"
        for field, value in (("operation", "Cypher Query"), ("cypher", "RETURN $tecnico AS t"), ("tool_mode", True), ("operation", "Hybrid")):
            answer = langflow.refresh(node, field, value, tool_mode="tools_metadata" in node["template"] or field == "tool_mode")
            assert answer.status_code == 200, answer.text
            node["template"] = answer.json()["template"]
            if field == "cypher":
                assert node["template"]["param_tecnico"]["show"] is True
            if field in node["template"]:
                node["template"][field]["value"] = value
        assert set(node["template"]["tools_metadata"]["value"][0]["args"]) == {"query", "filters"}
        with pytest.raises(TimeoutError):
            nobody.accept()


async def test_stop_ends_the_run_and_the_query(langflow, connection):
    flow, node_id = only_node(langflow, operation="Cypher Query", cypher=SLOW, query_timeout=120)
    flow_id = langflow.upload(flow)
    job = langflow.http.post(f"/api/v1/build/{flow_id}/flow", json={"stop_component_id": node_id}).json()["job_id"]
    assert await until(lambda: running(connection), 30), "the query never started"
    stopped = langflow.http.post(f"/api/v1/build/{job}/cancel")
    assert stopped.status_code == 200 and stopped.json()["success"], stopped.text
    assert await until(lambda: nothing_running(connection), 5), "the query went on after Stop"


async def running(connection):
    rows = await fetch(connection, "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery STARTS WITH 'UNWIND range' RETURN count(*) AS n")
    return rows[0]["n"] > 0


async def nothing_running(connection):
    return not await running(connection)


async def until(test, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if await test():
            return True
        await asyncio.sleep(0.1)
    return False
