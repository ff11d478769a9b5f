"""From the node's fields to an operation and its result."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import logging
import re
import time
from collections.abc import Callable
from typing import Any

from ..database.connection import resolve
from ..defaults import FULLTEXT_ANALYZER, NUMBER_OF_RESULTS, QUERY_TIMEOUT, TOKEN_LIMIT
from ..errors import GraphRAGError, InputError, ModelFailed
from ..operations.result import Result
from . import filters
from .catalogue import CONNECTION, operation_named
from .holes import holes_of
from .uploads import opened
from .values import Values

LOCAL_EMBEDDING_OFF = "off"
CLIENT = "langflow"  # in the transaction metadata, for the operator's query log
LOG_EVERY = 0.5  # seconds between progress lines: a line for each batch would flood the node's log
_REASONS = 3  # documents named in an error; a run in which one was read has them all in its report
_log = logging.getLogger(__name__)

TITLES = {
    "data": "Data",
    "llm": "Language Model",
    "node_label": "Node Label",
    "key_property": "Key Property",
    "query": "Query",
    "cypher": "Cypher",
}


async def run(values: dict[str, Any], arguments: dict[str, Any] | None = None, log: Callable[[str], None] | None = None) -> Result:
    """Run the operation of the node once.

    ``values`` are its fields, ``arguments`` what an agent filled in (None outside of a tool), ``log`` gets lines
    of progress. Raises GraphRAGError; a cancelled run stops at the next batch or query.
    """
    fields = Values(values)
    name = fields.text("operation")
    operation = operation_named(name)
    for required in operation.required:
        if not (arguments is not None and required in operation.agent) and fields.is_empty(required):
            raise InputError(f"{name} needs {TITLES[required]}.", f"Connect or fill in {TITLES[required]} in the node.")
    if name == "Add Records":
        fields = Values(values | {"data": await asyncio.to_thread(opened, fields.raw("data"))})
    build, module, function = RUNNERS[name]
    request = build(fields, arguments or {})
    connection = resolve(*(fields.text(part) for part in CONNECTION))
    room = importlib.import_module(f"..operations.{module}", __package__)
    call = getattr(room, function)
    if log is None or "progress" not in inspect.signature(call).parameters:
        result = await call(connection, request)
    else:
        progress = _Progress(log)
        try:
            result = await call(connection, request, progress=progress)
        except asyncio.CancelledError:
            progress.stopped()
            raise
    if result.details.get("status") == "failed":
        raise ModelFailed(*_nothing_read(result.details["report"]))
    if "filters" in operation.fields:
        filters.remember(fields, result.rows)
    return result


def sentence(error: BaseException) -> str:
    """What a person or a model reads of a failure. A fault of ours goes to the log whole and is shown without its text."""
    if isinstance(error, GraphRAGError):
        return str(error)
    _log.error("Unexpected failure in the node", exc_info=error)
    return (
        f"The operation failed in an unforeseen way ({type(error).__name__}). "
        "Try again; if it stays, the log of Langflow has the details for a report."
    )


def _nothing_read(report: dict[str, Any]) -> tuple[str, str]:
    """What to say when Build Graph read none of its documents: in the editor, a node that failed must not look done."""
    failed = report["failed_documents"]
    reasons = "; ".join(f"{document['document']}: {document['reason'].rstrip('.')}" for document in failed[:_REASONS])
    more = f"; and {len(failed) - _REASONS} more" if len(failed) > _REASONS else ""
    return f"No document could be read. {reasons}{more}.", "Mend that and run it again: only what is missing is read."


def for_chat(text: str) -> str:
    """Text for the Playground, which reads Markdown: each line stays a line, indented as it is.

    YAML and JSON stay readable for a program that calls the flow; a Mermaid picture is fenced as code.
    """
    if text.startswith("graph "):
        return f"```mermaid\n{text}\n```"
    if not re.search(r"(?m)^(- |\{)", text):
        text = re.sub(r"(?m)^ +", lambda indent: "\u00a0\u00a0" * len(indent[0]), text)
    return re.sub(r"(?<=\S)\n(?=[^\n])", "  \n", text)


class _Progress:
    """Counted lines for the node's log while an operation runs, and one when it is stopped."""

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log, self._logged, self._line = log, 0.0, ""

    def __call__(self, done: int, total: int, what: str) -> None:
        self._line = f"{done:,} of {total:,} {what}"
        if done >= total or time.monotonic() - self._logged >= LOG_EVERY:
            self._logged = time.monotonic()
            self._log(self._line)

    def stopped(self) -> None:
        if self._line:
            self._log(f"Stopped after {self._line}. What was saved stays; running it again goes on from there.")


def _request(module: str, name: str, **fields: Any) -> Any:
    return getattr(importlib.import_module(f"..operations.{module}", __package__), name)(**fields)


def _timeout(fields: Values) -> float:
    return fields.number("query_timeout", "Query Timeout", QUERY_TIMEOUT)


def _answer(fields: Values) -> dict[str, Any]:
    return {
        "timeout": _timeout(fields),
        "token_limit": fields.whole("token_limit", "Token Limit", TOKEN_LIMIT),
        "format": fields.text("format", "yaml"),
    }


def _results(fields: Values) -> dict[str, Any]:
    return {"number_of_results": fields.whole("number_of_results", "Number of Results", NUMBER_OF_RESULTS)}


def _embedder(fields: Values) -> Any:
    """The connected model, else the local one when it is switched on, else None."""
    if connected := fields.raw("embedding"):
        return connected
    if fields.text("local_embedding", LOCAL_EMBEDDING_OFF) == LOCAL_EMBEDDING_OFF:
        return None
    from ..local.embeddings import LocalEmbeddings

    return LocalEmbeddings()


def _saving(fields: Values) -> dict[str, Any]:
    return {
        "embedder": _embedder(fields),
        "vector_index": fields.text("vector_index"),
        "fulltext_index": fields.text("fulltext_index"),
        "fulltext_analyzer": fields.text("fulltext_analyzer", FULLTEXT_ANALYZER),
        "timeout": _timeout(fields),
    }


def _add_records(fields: Values, arguments: dict[str, Any]) -> Any:
    return _request(
        "add_records",
        "AddRecordsRequest",
        rows=arguments.get("rows", fields.raw("data")),
        node_label=fields.text("node_label"),
        key_property=fields.text("key_property"),
        relationships=fields.text("relationships"),
        write_query=fields.text("write_query"),
        text_column=fields.text("text_column"),
        column_types=fields.text("column_types"),
        empty_cells=fields.text("empty_cells", "keep"),
        preview=fields.flag("preview"),
        **_saving(fields),
    )


def _build_graph(fields: Values, arguments: dict[str, Any]) -> Any:
    return _request(
        "build_graph",
        "BuildGraphRequest",
        documents=arguments.get("text", fields.raw("data")),
        model=fields.raw("llm") or None,
        allowed_patterns=fields.text("allowed_patterns"),
        node_types=fields.text("node_types"),
        relationship_types=fields.text("relationship_types"),
        extraction_instructions=fields.text("extraction_instructions"),
        save_source_chunks=fields.flag("save_source_chunks"),
        **_saving(fields),
    )


def _search(module: str, request: str) -> Callable[[Values, dict[str, Any]], Any]:
    def build(fields: Values, arguments: dict[str, Any]) -> Any:
        graph = fields.text("operation").endswith("+ Graph")
        words = {"fulltext_index": fields.text("fulltext_index")} if module == "hybrid" else {}
        return _request(
            module,
            request,
            query=arguments.get("query") or fields.text("query"),
            embedder=_embedder(fields),
            filters=fields.text("filters") or filters.plain(arguments.get("filters")),
            vector_index=fields.text("vector_index"),
            neighbours=graph,
            retrieval_query=fields.text("retrieval_query") if graph else "",
            client=CLIENT,
            **words,
            **_results(fields),
            **_answer(fields),
        )

    return build


def _text2cypher(fields: Values, arguments: dict[str, Any]) -> Any:
    return _request(
        "text2cypher",
        "Text2CypherRequest",
        query=arguments.get("query") or fields.text("query"),
        model=fields.raw("llm"),
        examples=fields.text("examples"),
        graph_description=fields.text("graph_description"),
        client=CLIENT,
        **_results(fields),
        **_answer(fields),
    )


def _cypher_query(fields: Values, arguments: dict[str, Any]) -> Any:
    cypher = fields.text("cypher")
    parameters, missing = {}, []
    for hole in holes_of(cypher):
        if not fields.is_empty(hole.key):
            parameters[hole.name] = fields.parameter(hole.key)
        elif hole.argument in arguments:
            parameters[hole.name] = arguments[hole.argument]
        else:
            missing.append(f"${hole.name}")
    if missing:
        raise InputError(f"The query has no value for {', '.join(missing)}.", "Fill in its field below Cypher.")
    return _request("cypher_query", "CypherQueryRequest", cypher=cypher, parameters=parameters, client=CLIENT, **_results(fields), **_answer(fields))


def _graph_schema(fields: Values, arguments: dict[str, Any]) -> Any:
    return _request("graph_schema", "GraphSchemaRequest", **(_answer(fields) | {"format": fields.text("format", "text")}))


# operation -> (fields and arguments to its request, room, function)
RUNNERS: dict[str, tuple[Callable[[Values, dict[str, Any]], Any], str, str]] = {
    "Add Records": (_add_records, "add_records", "add_records"),
    "Build Graph": (_build_graph, "build_graph", "build_graph"),
    "Vector": (_search("vector", "VectorRequest"), "vector", "vector"),
    "Hybrid": (_search("hybrid", "HybridRequest"), "hybrid", "hybrid"),
    "Vector + Graph": (_search("vector", "VectorRequest"), "vector", "vector"),
    "Hybrid + Graph": (_search("hybrid", "HybridRequest"), "hybrid", "hybrid"),
    "Text2Cypher": (_text2cypher, "text2cypher", "text2cypher"),
    "Cypher Query": (_cypher_query, "cypher_query", "cypher_query"),
    "Graph Schema": (_graph_schema, "graph_schema", "graph_schema"),
}
