"""Long operations: counted lines in the node's log while they run, and a Stop that works at once and says how far it got."""

from __future__ import annotations

import asyncio
import json
import re
import time

import pytest
from langchain_core.messages import AIMessage
from langflow_server import only_node, with_rows
from lfx.schema.dataframe import DataFrame
from lfx.schema.message import Message

from lfx_neo4j_graphrag.database.reading import fetch
from lfx_neo4j_graphrag.defaults import WRITE_BATCH

MANY = 200_000
SAVE = {"operation": "Add Records", "node_label": "Fila", "key_property": "codigo", "relationships": "grupo -> EN -> Grupo.numero"}
READ = {"operation": "Build Graph", "allowed_patterns": "(Incidencia)-[:EN]->(Maquina)", "node_types": "Incidencia(codigo), Maquina(modelo)"}


class SlowModel:
    """Reads a document in the time that a real one takes; the answer names the document's own incident."""

    model_name = "slow"  # answers are remembered by the name of the model

    def __init__(self, seconds):
        self.seconds, self.asked = seconds, 0

    async def ainvoke(self, messages):
        self.asked += 1
        await asyncio.sleep(self.seconds)
        code = re.findall(r"INC-\d+", str(messages[-1].content))[-1]
        return AIMessage(json.dumps({"Incidencia": [{"codigo": code}]}))


async def count(connection, label):
    return (await fetch(connection, f"MATCH (n:{label}) RETURN count(n) AS n"))[0]["n"]


def logged(node):
    """The lines that the node writes into its log from now on."""
    lines = []
    node.log = lambda message, name=None: lines.append(message)
    return lines


async def stopped(task, lines, enough):
    """Press Stop once ``enough`` lines are there; how long it took."""
    while len(lines) < enough:
        assert not task.done(), "it ended before it could be stopped"
        await asyncio.sleep(0.02)
    task.cancel()
    started = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await task
    return time.monotonic() - started


async def test_a_load_counts_its_rows_and_stops_between_batches(node_class, live):
    rows = [{"codigo": i, "texto": "x" * 40, "grupo": i % 50} for i in range(MANY)]
    load = node_class(**SAVE, data=[DataFrame(rows)])
    lines = logged(load)
    assert await stopped(asyncio.create_task(load.build_results()), lines, 2) < 1
    counted = [int(re.fullmatch(r"([\d,]+) of 200,000 rows", line)[1].replace(",", "")) for line in lines[:-1]]
    assert counted == sorted(set(counted)) and counted[-1] < MANY
    said = re.fullmatch(r"Stopped after ([\d,]+) of 200,000 rows\. What was saved stays; running it again goes on from there\.", lines[-1])
    done = int(said[1].replace(",", ""))
    await asyncio.sleep(1)
    saved = await count(live, "Fila")
    assert done <= saved <= done + 8 * WRITE_BATCH, "a batch that was on its way may have arrived"
    await asyncio.sleep(1)
    assert await count(live, "Fila") == saved, "nothing goes on in the background"

    again = node_class(**SAVE, data=[DataFrame(rows[: saved + 1000])])
    results, _ = await again.build_results()
    assert await count(live, "Fila") >= saved, results["result"].text


async def test_an_extraction_counts_its_documents_and_stops(node_class, live, monkeypatch, tmp_path):
    monkeypatch.setenv("NEO4J_GRAPHRAG_HOME", str(tmp_path))  # where the answers are remembered
    documents = [Message(text=f"Parte INC-{i}: sin novedad.") for i in range(1, 41)]
    model = SlowModel(0.4)
    reading = node_class(**READ, data=documents, llm=model)
    lines = logged(reading)
    assert await stopped(asyncio.create_task(reading.build_results()), lines, 3) < 1
    assert all(re.fullmatch(r"\d+ of 40 documents read: \d+ entities, 0 failed", line) for line in lines[:-1]), lines
    assert re.match(r"Stopped after \d+ of 40 documents read: \d+ entities, 0 failed\. What was saved stays", lines[-1])
    saved, asked = await count(live, "Incidencia"), model.asked
    assert 0 < saved < 40
    await asyncio.sleep(1)
    assert (await count(live, "Incidencia"), model.asked) == (saved, asked), "no document is read after Stop"

    rest = node_class(**READ, data=documents, llm=model)
    await rest.build_results()
    assert await count(live, "Incidencia") == 40
    assert model.asked < 40 + 8, "what was read before is not asked again"


async def test_the_lines_reach_the_editor_while_it_runs(langflow, connection):
    """The events of a build are what the editor shows: the log of the node, line by line."""
    flow, node_id = only_node(langflow, **SAVE)
    flow = with_rows(flow, node_id, 60_000)
    flow_id = langflow.upload(flow)
    job = langflow.http.post(f"/api/v1/build/{flow_id}/flow", params={"event_delivery": "streaming"}, json={"stop_component_id": node_id}).json()["job_id"]
    seen, ended = [], None
    with langflow.http.stream("GET", f"/api/v1/build/{job}/events", params={"event_delivery": "streaming"}) as events:
        for line in events.iter_lines():
            if not line:
                continue
            event = json.loads(line)
            if event["event"] == "log":
                seen.append((time.monotonic(), event["data"]["message"]))
            if event["event"] == "end_vertex" and event["data"]["build_data"]["id"] == node_id:
                ended = time.monotonic()
    counted = [at for at, message in seen if re.match(r"[\d,]+ of 60,000 rows", str(message))]
    assert len(counted) >= 2, seen
    assert ended and counted[0] < ended - 0.5, "while it ran, not when it had ended"
    assert await count(connection, "Fila") == 60_000
