"""From fields to requests, and from results to text for a chat."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
import yaml

from lfx_neo4j_graphrag.errors import InputError, ModelFailed, QueryRefused
from lfx_neo4j_graphrag.node import for_chat, run, sentence
from lfx_neo4j_graphrag.node.catalogue import OPERATIONS
from lfx_neo4j_graphrag.node.running import RUNNERS
from lfx_neo4j_graphrag.node.values import Values
from lfx_neo4j_graphrag.operations import build_graph
from lfx_neo4j_graphrag.operations.build_report import BuildReport, DocumentOutcome
from lfx_neo4j_graphrag.operations.result import Result

FILLED = {
    "data": [{"codigo": "1"}],
    "node_label": "Incidencia",
    "key_property": "codigo",
    "query": "gotea",
    "cypher": "RETURN $x",
    "param_x": "1",
    "llm": object(),
    "number_of_results": 7,
    "query_timeout": "3",
    "token_limit": 500,
    "format": "json",
    "fulltext_analyzer": "spanish",
    "filters": "estado = abierta",
    "retrieval_query": "RETURN node",
    "graph_description": "Cafeteras.",
}


def request_of(operation: str, arguments: dict[str, Any] | None = None, **values: Any) -> Any:
    return RUNNERS[operation][0](Values({"operation": operation, **FILLED, **values}), arguments or {})


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_builds_its_request(operation):
    request = request_of(operation)
    assert request.timeout == 3
    if hasattr(request, "number_of_results"):
        assert (request.number_of_results, request.token_limit, request.format) == (7, 500, "json")
    if hasattr(request, "fulltext_analyzer"):
        assert request.fulltext_analyzer == "spanish"


def test_only_plus_graph_brings_neighbours_and_runs_the_retrieval_query():
    assert (request_of("Vector").neighbours, request_of("Vector").retrieval_query) == (False, "")
    assert (request_of("Hybrid + Graph").neighbours, request_of("Hybrid + Graph").retrieval_query) == (True, "RETURN node")


def test_what_an_agent_gives_takes_the_place_of_the_fields_it_may_fill():
    assert request_of("Add Records", {"rows": [{"codigo": "2"}]}).rows == [{"codigo": "2"}]
    assert request_of("Build Graph", {"text": "Hola"}).documents == "Hola"
    assert request_of("Vector", {"query": "E07"}).query == "E07"
    assert request_of("Vector", {"query": "E07", "filters": [Condition("x")]}).filters == "estado = abierta", "a filter that was fixed stays"
    assert request_of("Cypher Query", {"x": "2"}).parameters == {"x": "1"}, "so does a value"
    assert request_of("Cypher Query", {"x": "2"}, param_x="").parameters == {"x": "2"}


@dataclass
class Condition:
    property: str


def test_the_local_model_serves_when_none_is_connected():
    connected = object()
    assert request_of("Vector", embedding=connected, local_embedding="multilingual-e5-small").embedder is connected
    assert request_of("Vector", local_embedding="multilingual-e5-small").embedder.__class__.__name__ == "LocalEmbeddings"
    assert request_of("Vector", local_embedding="off").embedder is None


@pytest.mark.parametrize("operation", [name for name, operation in OPERATIONS.items() if operation.required])
async def test_what_is_missing_is_named_before_connecting(operation):
    for name in OPERATIONS[operation].required:
        with pytest.raises(InputError, match=f"{operation.replace('+', '[+]')} needs .* Connect or fill in"):
            await run({"operation": operation, "uri": "bolt://127.0.0.1:9", **FILLED, name: " " if isinstance(FILLED[name], str) else None})


@pytest.mark.parametrize("wrong", ["pronto", 0, -1, "nan", "inf", [1]])
def test_a_number_that_is_none_is_said(wrong):
    with pytest.raises(InputError, match="Query Timeout is not a number of at least 1"):
        request_of("Graph Schema", query_timeout=wrong)
    assert request_of("Graph Schema", query_timeout=None).timeout == 10


def test_switches_of_an_api_call_count_by_their_meaning():
    assert [request_of("Add Records", preview=value).preview for value in (True, "true", "False", "", None, 0)] == [True, True, False, False, False, False]


def test_a_failure_is_its_sentence_and_a_fault_of_ours_keeps_its_text(caplog):
    assert sentence(QueryRefused("No.", "Ask otherwise.")) == "No. Ask otherwise."
    assert "(ZeroDivisionError)" in sentence(ZeroDivisionError("secret")) and "secret" not in sentence(ZeroDivisionError("secret"))
    assert "secret" in caplog.text


@pytest.mark.parametrize("read", [0, 1])
async def test_when_no_document_could_be_read_the_node_fails(monkeypatch, read):
    outcomes = [DocumentOutcome(f"{n}.md", n, reasons=[] if n < read else ["the model answered 500."]) for n in range(5)]
    report = BuildReport(outcomes)

    async def done(connection, request):
        return Result(report.as_text(), [], {"report": report.as_dict(), "status": report.status})

    monkeypatch.setattr(build_graph, "build_graph", done)
    values = {"operation": "Build Graph", "uri": "bolt://127.0.0.1:9", "data": ["x"]}
    if read:
        assert "Read 1 of 5" in (await run(values)).text
        return
    with pytest.raises(ModelFailed) as failure:
        await run(values)
    assert str(failure.value).startswith("No document could be read. 0.md: the model answered 500; 1.md: ")
    assert "2.md: the model answered 500; and 2 more. Mend that" in str(failure.value)


def test_lines_stay_lines_in_a_chat():
    assert for_chat("uno\ndos\n\ntres") == "uno  \ndos\n\ntres"
    assert for_chat("Cliente (8)\n nombre: x") == "Cliente (8)  \n\u00a0\u00a0nombre: x"
    rows = {"rows": [{"codigo": "INC-1", "text": "Gotea por debajo.\nMucho."}, {"codigo": "INC-2"}]}
    assert yaml.safe_load(for_chat(yaml.safe_dump(rows, allow_unicode=True))) == rows
    assert json.loads(for_chat(json.dumps(rows, indent=1))) == rows
    assert for_chat("graph LR\n  a --> b") == "```mermaid\ngraph LR\n  a --> b\n```"
