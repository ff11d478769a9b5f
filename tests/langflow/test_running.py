"""The node's runs in this process, on a real Neo4j: results, tools, errors, stopping, loops and threads."""

from __future__ import annotations

import asyncio
import json
import threading
import time

import pandas as pd
import pytest
from langchain_core.documents import Document
from langflow_server import ROOT
from lfx.schema.data import Data
from lfx.schema.dataframe import DataFrame
from lfx.schema.message import Message

from lfx_neo4j_graphrag.database.reading import fetch

ROWS = json.loads((ROOT / "assets" / "incidencias.json").read_text(encoding="utf-8"))
SAVE = {
    "operation": "Add Records",
    "node_label": "Incidencia",
    "key_property": "codigo",
    "relationships": "cliente -> DE_CLIENTE -> Cliente.nombre\n"
    "tecnico -> ASIGNADA_A -> Tecnico.nombre\n"
    "modelo -> EN_MAQUINA -> Maquina.modelo (marca)",
}
OF_TECHNICIAN = (
    "MATCH (i:Incidencia {estado: $estado})-[:ASIGNADA_A]->(:Tecnico {nombre: $tecnico}), (i)-[:DE_CLIENTE]->(c) "
    "RETURN i.codigo AS codigo, c.nombre AS cliente ORDER BY codigo"
)
ASK = {"operation": "Cypher Query", "cypher": OF_TECHNICIAN, "param_estado": "abierta"}


async def counted(connection):
    row = (await fetch(connection, "RETURN COUNT { () } AS nodes, COUNT { ()-->() } AS links"))[0]
    return row["nodes"], row["links"]


async def outputs(node):
    """A run as the graph does it: both outputs."""
    results, _ = await node.build_results()
    return results["result"].text, results["table"]



@pytest.mark.parametrize(
    "data",
    [
        DataFrame(ROWS),
        [Data(data=row) for row in ROWS],
        Data(data={"value": json.dumps(ROWS)}),
        Message(text=json.dumps(ROWS, ensure_ascii=False)),
        Message(text=pd.DataFrame(ROWS).to_csv(index=False)),
        [Document(page_content=row["text"], metadata={k: v for k, v in row.items() if k != "text"}) for row in ROWS],
        [DataFrame(ROWS[:10]), [Data(data=row) for row in ROWS[10:]]],
    ],
    ids=["table", "json list", "read file of json", "message json", "message csv", "documents", "two connections"],
)
async def test_rows_from_whatever_a_connection_brings(node_class, live, data):
    node = node_class(**SAVE, data=data if isinstance(data, list) else [data])
    text, table = await outputs(node)
    assert await counted(live) == (40, 72)
    assert text.startswith("24 rows saved: 40 nodes and 72 relationships created")
    assert table.set_index("name").loc["Incidencia", "created"] == 24


async def test_two_outputs_are_one_execution(node_class, live):
    await outputs(node_class(**SAVE, data=[DataFrame(ROWS[:1])]))
    values = {"operation": "Cypher Query", "cypher": "MATCH (i:Incidencia) RETURN i.codigo AS codigo, randomUUID() AS ticket"}
    text, table = await outputs(node_class(**values))
    assert table.loc[0, "ticket"] in text, "the text and the table are of the same execution"
    _, again = await outputs(node_class(**values))
    assert again.loc[0, "ticket"] not in text, "the next run asks again"


async def test_a_fixed_question_with_values_of_fields_and_of_connections(node_class, live):
    await outputs(node_class(**SAVE, data=[DataFrame(ROWS)]))
    text, table = await outputs(node_class(**ASK, param_tecnico=Message(text="Lucía Ortega")))
    assert len(table) == 3 and list(table.columns) == ["codigo", "cliente"]
    assert all(code in text for code in table["codigo"])

    several = node_class(operation="Cypher Query", cypher="UNWIND $filas AS fila RETURN fila.codigo AS codigo", param_filas=DataFrame(ROWS[:3]))
    _, table = await outputs(several)
    assert list(table["codigo"]) == [row["codigo"] for row in ROWS[:3]]


async def test_graph_schema_as_text_and_table(node_class, live):
    await outputs(node_class(**SAVE, data=[DataFrame(ROWS)]))
    text, table = await outputs(node_class(operation="Graph Schema", format="text"))
    for expected in ("Incidencia", "Tecnico", "DE_CLIENTE", "24", "abierta"):
        assert expected in text
    assert len(table) > 0
    mermaid, _ = await outputs(node_class(operation="Graph Schema", format="mermaid"))
    assert "DE_CLIENTE" in mermaid


async def test_searches_by_meaning_and_by_words_with_the_local_model(node_class, live):
    local = {"local_embedding": "multilingual-e5-small"}
    await outputs(node_class(**SAVE, **local, data=[DataFrame(ROWS)], fulltext_analyzer="spanish"))
    for operation in ("Vector", "Hybrid", "Vector + Graph", "Hybrid + Graph"):
        node = node_class(operation=operation, query="Una Aurora no dosifica y marca E07", filters="codigo_error = E07", **local)
        text, table = await outputs(node)
        assert "VL-1180" in text, operation
        assert set(table["codigo_error"]) == {"E07"}
        if "Graph" in operation:
            assert "ASIGNADA_A -> Tecnico Rocío Benítez" in text
    (tool,) = await node_class(operation="Hybrid + Graph", **local).to_toolkit()
    schema = tool.tool_call_schema.model_json_schema()["$defs"]["Filters"]["properties"]
    assert schema["estado"]["type"] == "string" and "anyOf" in schema["fecha"], "typed from what the searches saw"
    answer = await tool.ainvoke({"query": "no dosifica", "filters": {"estado": "cerrada", "Maquina.marca": "Vellani"}})
    assert "estado: cerrada" in answer and "estado: abierta" not in answer


async def test_as_tools(node_class, live):
    (saver,) = await node_class(**SAVE).to_toolkit()
    assert "24 rows saved" in await saver.ainvoke({"rows": ROWS})
    assert await counted(live) == (40, 72)
    (asker,) = await node_class(**ASK).to_toolkit()
    assert set(asker.args) == {"tecnico"}
    answers = await asyncio.gather(*(asker.ainvoke({"tecnico": name}) for name in ("Lucía Ortega", "Nadie", "Javier Ruiz")))
    assert answers[0].count("codigo:") == 3
    assert "codigo:" not in answers[1], "calls at the same time do not mix"
    refused = await asker.ainvoke({"tecnico": "x", "estado": "cerrada"})
    assert "do not fit" in refused, "what the user fixed is not the agent's"


async def test_stop_frees_the_caller_at_once(node_class, live):
    slow = node_class(operation="Cypher Query", cypher="UNWIND range(1, 100000000000) AS i RETURN count(i) AS n", query_timeout=60)
    task = asyncio.create_task(slow.build_results())
    await asyncio.sleep(1)
    task.cancel()
    started = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - started < 1
    text, _ = await outputs(node_class(operation="Cypher Query", cypher="RETURN 'libre' AS dicho"))
    assert "libre" in text, "the node works after a stop"


def test_event_loops_and_threads(node_class, server):
    """Langflow runs flows in the loops of several threads, and `lfx run` closes its loop after each."""
    failures = []

    def run_often():
        values = {"uri": server.uri, "username": server.username, "password": server.password}
        for _ in range(3):
            try:
                node = node_class(operation="Cypher Query", cypher="UNWIND $lista AS x RETURN sum(x) AS suma", param_lista=[1, 2, 3], **values)
                results, _ = asyncio.run(node.build_results())
                assert results["table"].loc[0, "suma"] == 6
            except Exception as error:  # collected: an assertion in a thread is lost
                failures.append(error)

    threads = [threading.Thread(target=run_often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
