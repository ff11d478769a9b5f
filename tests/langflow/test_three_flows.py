"""The three flows one after the other on one server, in both orders of saving: the graph stays, the agent answers."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from langflow_server import FLOWS, ROOT
from relay import SELECTED, Relay

from lfx_neo4j_graphrag.database.reading import fetch

QUESTION = "¿Qué incidencias abiertas tiene Lucía Ortega?"
OPEN = ("INC-2608-06", "INC-2609-02", "INC-2609-05")
COUNTS = {"Incidencia": 24, "Cliente": 8, "Tecnico": 4, "Maquina": 4}


@pytest.fixture
def provider(live, monkeypatch, tmp_path):
    relay = Relay(*(ROOT / "tests" / "fixtures" / name for name in ("relay_build", "agent")))
    for name, value in (relay.environment | {"NEO4J_GRAPHRAG_HOME": str(tmp_path)}).items():
        monkeypatch.setenv(name, value)
    yield relay
    relay.close()


async def run(name: str, question: str = ""):
    from lfx.testing import AsyncLocalFlowRunner

    flow = json.loads((FLOWS / f"{name}.json").read_text(encoding="utf-8"))
    nodes = {node["id"]: node["data"]["node"].get("template", {}) for node in flow["data"]["nodes"]}
    models = {id_: {"model": SELECTED} for id_, template in nodes.items() if id_.startswith("LanguageModelComponent")}
    patient = {id_: {"query_timeout": 120} for id_, template in nodes.items() if "query_timeout" in template}  # two cores do it all
    result = await AsyncLocalFlowRunner()(flow, input_value=question, tweaks=models | patient, session_id=uuid4().hex)
    assert result.status == "success", result
    return result


async def saved(connection) -> tuple[dict[str, int], int]:
    rows = await fetch(connection, "MATCH (n) RETURN labels(n)[0] AS label, count(*) AS nodes")
    (links,) = await fetch(connection, "MATCH ()-[r]->() RETURN count(r) AS links")
    return {row["label"]: row["nodes"] for row in rows}, links["links"]


@pytest.mark.parametrize("order", [("guardar_registros", "guardar_documentos"), ("guardar_documentos", "guardar_registros")])
async def test_whatever_is_saved_first_the_graph_is_one_and_the_agent_answers_before_and_after(live, provider, order):
    for flow in order:
        await run(flow)
        assert await saved(live) == (COUNTS, 72)
        answer = (await run("agente", QUESTION)).text
        assert all(code in answer for code in OPEN), answer
    assert provider.unanswered == []
