"""Errors as a person reads them: what happened, what to do, nothing else. Each in a run of the node and in its tool."""

from __future__ import annotations

import json
import re

import pytest
from langflow_server import ROOT, only_node
from lfx.schema.dataframe import DataFrame
from lfx.schema.message import Message

from lfx_neo4j_graphrag.database.connection import driver_for
from lfx_neo4j_graphrag.local.demo import load_example

ROWS = json.loads((ROOT / "assets" / "incidencias.json").read_text(encoding="utf-8"))
SAVE = {"operation": "Add Records", "node_label": "Incidencia", "key_property": "codigo", "data": [DataFrame(ROWS[:3])]}
LOCAL = {"local_embedding": "multilingual-e5-small"}
SEARCH = {"operation": "Hybrid + Graph", "query": "pierde agua", **LOCAL}
SLOW = "UNWIND range(1, 5000000) AS a UNWIND range(1, 5000000) AS b RETURN count(*) AS n"
OF_TECHNICIAN = "MATCH (i:Incidencia {estado: $estado})-[:ASIGNADA_A]->(:Tecnico {nombre: $tecnico}) RETURN i.codigo AS codigo"
VECTORS_OF_3 = "CREATE VECTOR INDEX incidencia_vector FOR (n:Incidencia) ON n.embedding OPTIONS {indexConfig: {`vector.dimensions`: 3}}"
SECRETS = ("hunter2", "sk-proj-123456789")


class FailingModel:
    """A chat model whose provider answers with an HTTP status."""

    def __init__(self, status, text="no"):
        self.status, self.text = status, text

    async def ainvoke(self, messages):
        error = RuntimeError(f"Error code: {self.status} - {self.text} {SECRETS[1]}")
        error.status_code = self.status
        error.retry_after = 3600
        raise error


def query(cypher, **more):
    return {"operation": "Cypher Query", "cypher": cypher, **more}


def schema(**more):
    return {"operation": "Graph Schema", **more}


# what is there before, the fields, what happened, what to do
CASES = {
    "no data": ("", {"operation": "Add Records"}, "Add Records needs Data.", "Connect"),
    "no label": ("", SAVE | {"node_label": " "}, "Add Records needs Node Label.", "fill in Node Label"),
    "no model for Build Graph": ("", {"operation": "Build Graph", "data": [Message(text="x")]}, "No language model is connected.", "Connect a Language Model"),
    "no question": ("", {"operation": "Vector"}, "Vector needs Query.", "fill in Query"),
    "no embedding model": ("", {"operation": "Vector", "query": "x"}, "embedding", "Local Embedding"),
    "no model for Text2Cypher": ("", {"operation": "Text2Cypher", "query": "x"}, "Text2Cypher needs Language Model.", "Connect"),
    "no query": ("", query(""), "Cypher Query needs Cypher.", "fill in Cypher"),
    "no value for a parameter": ("", query(OF_TECHNICIAN), "no value for $estado, $tecnico", "its field below Cypher"),
    "an unknown operation": ("", {"operation": "Dance"}, "There is no operation 'Dance'.", "Choose one of: Add Records,"),
    "a timeout that is no number": ("", query("RETURN 1", query_timeout="pronto"), "Query Timeout is not a number", "such as 10"),
    "text that is no rows": ("", SAVE | {"data": [Message(text="Hola")]}, "neither JSON nor a table", "Build Graph"),
    "a line of Relationships": ("", SAVE | {"relationships": "cliente DE_CLIENTE"}, "DE_CLIENTE", "->"),
    "a column that is not there": ("", SAVE | {"relationships": "bar -> DE -> Bar.nombre"}, "no row has the column bar", "codigo"),
    "a type of Column Types": ("", SAVE | {"column_types": "fecha: dia"}, "'dia' (of column fecha) is not a type", "date"),
    "a filter": ("incidents", SEARCH | {"filters": "estado abierta"}, "'estado abierta' cannot be read", "estado = abierta"),
    "a property to filter by": ("incidents", SEARCH | {"filters": "color = rojo"}, "There is no property 'color'", "codigo_error"),
    "examples": (
        "rows", {"operation": "Text2Cypher", "query": "x", "llm": FailingModel(401), "examples": "MATCH (n) RETURN n"},
        "which is not a question", "Pregunta:",
    ),
    "no index": ("", SEARCH, "no index that this search could use", "Add Records"),
    "an index of another name": ("incidents", SEARCH | {"vector_index": "averias"}, "no vector index called 'averias'", "incidencia_vector"),
    "two numbers of dimensions, searching": ("3 numbers", SEARCH, "of 3 numbers", "384"),
    "two numbers of dimensions, saving": ("3 numbers", SAVE | LOCAL, "of 3 numbers", "DROP INDEX `incidencia_vector`"),
    "no server": ("", schema(uri="bolt://127.0.0.1:9"), "No Neo4j answers at 127.0.0.1:9.", "Check host and port"),
    "no Neo4j address": ("", schema(uri="http://localhost:7474"), "is not a Neo4j address", "bolt://"),
    "a scheme that the server does not speak": ("", schema(uri="bolt+s://SERVER"), "does not speak what bolt+s:// expects", "Try bolt://"),
    "a wrong password": (
        "", schema(uri="bolt://SERVER", username="neo4j", password=SECRETS[0]), "refused the user name or the password", "Check",
    ),
    "a password without an address": ("", schema(password=SECRETS[0]), "without a Neo4j URI", "Fill in Neo4j URI"),
    "a password in the address": ("", schema(uri=f"bolt://neo4j:{SECRETS[0]}@SERVER"), "holds a user name or a password", "Neo4j Password"),
    "a stranger's server in the clear": (
        "", schema(uri="bolt://neo4j.example.org:7687", username="neo4j", password=SECRETS[0]), "neo4j.example.org would send the password unencrypted", "NEO4J_GRAPHRAG_HOSTS",
    ),
    "an unknown database": ("", schema(database="ningunabase"), "no database 'ningunabase'", "Check Neo4j Database"),
    "a query that writes": ("", query("MATCH (n) DETACH DELETE n"), "would write (DETACH", "MATCH and RETURN"),
    "a procedure": ("", query("CALL dbms.listConfig() YIELD name RETURN name"), "procedure dbms.listconfig is not allowed", "operator"),
    "a file": ("", query("LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row"), "LOAD CSV", "MATCH and RETURN"),
    "a slip of the pen": ("", query("MATCH (n) RETRUN n"), "not valid Cypher", "line 1, column 11"),
    "too slow": ("", query(SLOW, query_timeout=1), "longer than the query timeout of 1 s", "raise Query Timeout"),
    "the model's key": ("rows", {"operation": "Text2Cypher", "query": "x", "llm": FailingModel(401)}, "refused the key (401)", "API key"),
    "a busy model": ("rows", {"operation": "Text2Cypher", "query": "x", "llm": FailingModel(429)}, "429, too many requests", "later"),
    "a model that is not there": ("rows", {"operation": "Text2Cypher", "query": "x", "llm": FailingModel(404)}, "doesn't know the model", "name"),
    "a model that reads less": (
        "rows", {"operation": "Text2Cypher", "query": "x", "llm": FailingModel(400, "maximum context length is 8192")},
        "longer than the model reads", "reads more",
    ),
}  # fmt: skip


# What the agent fills in, or what there is no tool without.
THE_AGENTS = ("no question", "no query", "no value for a parameter", "a filter")


async def prepare(connection, before):
    if before == "incidents":
        await load_example(connection)
    elif before:
        async with driver_for(connection) as driver:
            await driver.execute_query(VECTORS_OF_3 if before == "3 numbers" else "CREATE (:Incidencia {codigo: 'INC-1', estado: 'abierta'})")
            await driver.execute_query("CALL db.awaitIndexes(30)")


def is_for_people(text, connection):
    for never in ("Traceback", "org.neo4j", "java", "Neo.ClientError", "lfx_neo4j_graphrag", "Exception", connection.password, *SECRETS):
        assert never not in text, text
    prose = re.sub(r"`[^`]*`|'[^']*'|“[^”]*”|\([^)]*\)", "x", text)
    sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z])", prose.strip())
    assert 2 <= len(sentences) <= 4, f"what happened and what to do: {text}"
    assert len(text) < 600, text


@pytest.mark.parametrize("case", CASES)
async def test_an_error_of_the_node_and_of_its_tool(node_class, live, case):
    before, values, happened, advice = CASES[case]
    await prepare(live, before)
    place = live.uri.split("://")[1]
    values = {name: value.replace("SERVER", place) if isinstance(value, str) else value for name, value in values.items()}

    with pytest.raises(ValueError) as failure:
        await node_class(**values).build_results()
    text = str(failure.value)
    assert happened in text and advice in text, text
    is_for_people(text, live)
    assert failure.value.__cause__ is None and failure.value.__suppress_context__, "nobody is shown where it came from"

    if values["operation"] in ("Add Records", "Build Graph", "Dance") or case in THE_AGENTS:
        return
    (tool,) = await node_class(**values).to_toolkit()
    arguments = {"query": values["query"]} if "query" in tool.args else {}
    said = await tool.ainvoke(arguments)
    assert happened in said and advice in said, said
    is_for_people(said, live)


OVER_THE_API = {
    "no server": schema(uri="bolt://127.0.0.1:9"),
    "no Neo4j address": schema(uri="http://localhost:7474"),
    "a wrong password": schema(uri="SERVER", username="neo4j", password=SECRETS[0]),
    "an unknown database": schema(database="ningunabase"),
    "no index": SEARCH,
    "too slow": query(SLOW, query_timeout=1),
    "a query that writes": query("MATCH (n) DETACH DELETE n"),
    "no query": query(" "),
}


@pytest.mark.parametrize("case", OVER_THE_API)
async def test_an_error_in_the_answer_of_the_api(langflow, connection, case):
    values = {name: value.replace("SERVER", connection.uri) if isinstance(value, str) else value for name, value in OVER_THE_API[case].items()}
    flow, _ = only_node(langflow, **values)
    answer = langflow.run(langflow.upload(flow))
    assert answer.status_code == 500
    _, _, happened, advice = CASES[case]
    text = answer.json()["detail"]
    text = json.loads(text)["message"] if text.startswith("{") else text
    assert happened in text and advice in text, text
    is_for_people(text.split("\n\n", 1)[-1], connection)


async def test_a_fault_of_ours_is_not_shown(node_class, live, monkeypatch, caplog):
    from lfx_neo4j_graphrag.operations import graph_schema

    async def broken(connection, request):
        raise KeyError("secret internals")

    monkeypatch.setattr(graph_schema, "graph_schema", broken)
    with pytest.raises(ValueError, match="unforeseen way \\(KeyError\\)") as failure:
        await node_class(operation="Graph Schema").build_results()
    assert "secret internals" not in str(failure.value)
    assert "secret internals" in caplog.text


async def test_a_row_that_the_index_cannot_take_is_named_and_the_others_are_saved(node_class, live):
    """A text of more than 32,766 bytes in a property that an index can filter by would stop the whole database."""
    await node_class(**SAVE | LOCAL).build_results()
    rows = [{**ROWS[3], "estado": "x" * 40_000}, ROWS[4]]
    results, _ = await node_class(**SAVE | LOCAL | {"data": [DataFrame(rows)]}).build_results()
    text = results["result"].text
    assert text.startswith("1 row saved"), text
    assert re.search(r"row 1\b.*estado.*32,?766", text, re.IGNORECASE | re.DOTALL), text
