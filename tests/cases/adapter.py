"""From the neutral operations and results of the cases to this product."""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import re
import time
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from notation import CaseError

from lfx_neo4j_graphrag.cypher.parameters import find_parameters
from lfx_neo4j_graphrag.database import connection as connections
from lfx_neo4j_graphrag.database.connection import Connection, resolve
from lfx_neo4j_graphrag.errors import GraphRAGError
from lfx_neo4j_graphrag.records.rows import rows_from

SEARCHES = {"vector": False, "hybrid": False, "vector_graph": True, "hybrid_graph": True}
ARGUMENTS = {
    "add_records": {
        "rows", "node_label", "key_property", "relationships", "write_query", "embedding", "text_column", "column_types", "empty_cells",
        "preview", "vector_index", "fulltext_index", "fulltext_analyzer", "timeout",
    },
    "build_graph": {
        "documents", "model", "node_types", "allowed_patterns", "relationship_types", "extraction_instructions", "save_source_chunks",
        "embedding", "vector_index", "fulltext_index", "fulltext_analyzer", "timeout",
    },
    "search": {"query", "embedding", "vector_index", "fulltext_index", "number_of_results", "filters", "retrieval_query", "params", "timeout"},
    "text2cypher": {"question", "query", "model", "examples", "graph_description", "number_of_results", "timeout"},
    "cypher_query": {"query", "params", "number_of_results", "timeout"},
    "graph_schema": {"timeout"},
}  # fmt: skip


class Missing(Exception):
    """A check asks for a field of the report that there is none of."""


class Report:
    """The report of a save, with the names of the notation."""

    def __init__(self, report: dict[str, Any]) -> None:
        self._report = report

    def __getattr__(self, name: str) -> Any:
        report = self._report
        if name == "failed_documents":
            return [failed["position"] for failed in report["failed_documents"]]
        if name == "failures":
            return [failed["reason"] for failed in report["failed_documents"]]
        if name == "dropped":
            return sum(report["dropped"].values())
        if name not in report:
            raise Missing(f"the report has no {name}")
        return report[name]


class Hit(SimpleNamespace):
    """A search hit: its properties as attributes, ``score`` among them; a property that it lacks is None."""

    def __getattr__(self, name: str) -> Any:
        return None


@dataclass
class Outcome:
    """What a call gave, with the names of the notation."""

    error: str | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)
    text: str = ""
    query: str = ""
    report: Report | None = None
    elapsed: float = 0.0
    model: Any = None
    transactions: int = 0
    queries: int = 0
    logs: str = ""
    databases: list[Any] = field(default_factory=list)
    is_error: bool = False

    @property
    def results(self) -> list[Hit]:
        return [Hit(**{k: v for k, v in row.items() if k.isidentifier()}) for row in self.rows]

    @property
    def body(self) -> str:
        return self.text

    @property
    def model_calls(self) -> int:
        return self.model.calls if self.model else 0

    @property
    def status(self) -> str:
        failed = self.report._report.get("failed_documents") or self.report._report.get("rejected_rows") if self.report else None
        return "failed" if self.error else "partial" if failed else "ok"


class Spy:
    """Counts what goes to the server and keeps the database that each session names.

    ``as_default`` is the database that statements are really sent to (for a name that this server does not have).
    """

    def __init__(self, elsewhere: bool = False) -> None:
        self.elsewhere = elsewhere
        self.transactions = self.statements = 0
        self.databases: list[Any] = []

    @contextlib.contextmanager
    def watching(self) -> Any:
        from neo4j import AsyncDriver, AsyncSession, AsyncTransaction

        spy, kept = self, (AsyncDriver.session, AsyncSession.run, AsyncSession._open_transaction, AsyncTransaction.run)

        def session(driver: Any, **config: Any) -> Any:
            spy.databases.append(config.get("database"))
            return kept[0](driver, **(config | {"database": None} if spy.elsewhere else config))

        async def run(session: Any, *args: Any, **kwargs: Any) -> Any:
            spy.transactions += 1
            spy.statements += 1
            return await kept[1](session, *args, **kwargs)

        async def begin(session: Any, *args: Any, **kwargs: Any) -> Any:
            spy.transactions += 1
            return await kept[2](session, *args, **kwargs)

        async def inside(transaction: Any, *args: Any, **kwargs: Any) -> Any:
            spy.statements += 1
            return await kept[3](transaction, *args, **kwargs)

        AsyncDriver.session, AsyncSession.run, AsyncSession._open_transaction, AsyncTransaction.run = session, run, begin, inside
        try:
            yield self
        finally:
            AsyncDriver.session, AsyncSession.run, AsyncSession._open_transaction, AsyncTransaction.run = kept


class Adapter:
    """Runs the operations of the engine on one server."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    async def call(self, op: str, arguments: dict[str, Any], *, recording: bool = False) -> Outcome:
        """Run an operation; whatever it raises as a sentence for its user is the outcome's error."""
        arguments = dict(arguments)
        outcome, spy = Outcome(model=arguments.get("model")), Spy(elsewhere=recording)
        connection = self._connection(arguments)
        started = time.perf_counter()
        logged = io.StringIO()
        handler = logging.StreamHandler(logged)
        logging.getLogger().addHandler(handler)
        try:
            with spy.watching(), contextlib.redirect_stderr(logged), contextlib.redirect_stdout(logged):
                connection = connection if isinstance(connection, Connection) else resolve(*connection)
                result = await getattr(self, f"_{'search' if op in SEARCHES else op}")(connection, op, arguments)
            outcome.rows, outcome.text = result.rows, result.text
            outcome.query = result.details.get("query", "")
            if result.details.get("refused"):
                outcome.error = f"The model gave no query: {result.details['refused']}"
            if report := result.details.get("report"):
                outcome.report = Report(report)
        except GraphRAGError as error:
            outcome.error = outcome.text = str(error)
        finally:
            logging.getLogger().removeHandler(handler)
        outcome.elapsed = time.perf_counter() - started
        outcome.transactions, outcome.queries, outcome.databases = spy.transactions, spy.statements, spy.databases
        outcome.logs = logged.getvalue()
        return outcome

    def _connection(self, arguments: dict[str, Any]) -> Any:
        if given := arguments.pop("connection", None):
            return (given[0].replace(":7687", f":{self.connection.uri.rsplit(':', 1)[1]}"), given[1], given[2])
        database = arguments.pop("database", None)
        one = self.connection
        return Connection(one.uri, one.username, one.password, database or None)

    @staticmethod
    def _taken(op: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if unknown := set(arguments) - ARGUMENTS["search" if op in SEARCHES else op]:
            raise CaseError(f"{op} has no argument {', '.join(sorted(unknown))}")
        renamed = {"embedding": "embedder", "params": "parameters", "question": "query"}
        given = {renamed.get(k, k): v for k, v in arguments.items()}
        return {k: v for k, v in given.items() if v is not None or k in ("embedder", "model")}

    async def _add_records(self, connection: Connection, op: str, arguments: dict[str, Any]) -> Any:
        from lfx_neo4j_graphrag.operations.add_records import AddRecordsRequest, add_records

        given = self._taken(op, arguments)
        lines = given.pop("relationships", "")
        request = AddRecordsRequest(
            **given | {"rows": rows_from(given["rows"]), "relationships": "\n".join(lines) if isinstance(lines, list) else lines}
        )
        return await add_records(connection, request)

    async def _build_graph(self, connection: Connection, op: str, arguments: dict[str, Any]) -> Any:
        from lfx_neo4j_graphrag.operations.build_graph import BuildGraphRequest, build_graph

        # One call at a time: the stand-in gives its answers in the order of the documents.
        return await build_graph(connection, BuildGraphRequest(**self._taken(op, arguments), concurrency=1, use_cache=False))

    async def _search(self, connection: Connection, op: str, arguments: dict[str, Any]) -> Any:
        from lfx_neo4j_graphrag.operations.hybrid import HybridRequest, hybrid
        from lfx_neo4j_graphrag.operations.vector import VectorRequest, vector

        given = self._taken(op, arguments) | {"neighbours": SEARCHES[op]}
        if "parameters" in given:
            given["retrieval_parameters"] = given.pop("parameters")
        if op.startswith("vector"):
            return await vector(connection, VectorRequest(**given))
        return await hybrid(connection, HybridRequest(**given))

    async def _text2cypher(self, connection: Connection, op: str, arguments: dict[str, Any]) -> Any:
        from lfx_neo4j_graphrag.operations.text2cypher import Text2CypherRequest, text2cypher

        return await text2cypher(connection, Text2CypherRequest(**self._taken(op, arguments)))

    async def _cypher_query(self, connection: Connection, op: str, arguments: dict[str, Any]) -> Any:
        from lfx_neo4j_graphrag.operations.cypher_query import CypherQueryRequest, cypher_query

        given = self._taken(op, arguments)
        # The rows of the table are what a case counts; the text that an agent reads is cut all the same.
        return await cypher_query(connection, CypherQueryRequest(cypher=given.pop("query"), **given))

    async def _graph_schema(self, connection: Connection, op: str, arguments: dict[str, Any]) -> Any:
        from lfx_neo4j_graphrag.operations.graph_schema import GraphSchemaRequest, graph_schema

        return await graph_schema(connection, GraphSchemaRequest(**self._taken(op, arguments)))


def list_holes(query: str) -> list[str]:
    return find_parameters(query)


async def forget_drivers() -> None:
    """Close the drivers of this loop, so that a case starts as a new process would."""
    table = connections._loops.get(asyncio.get_running_loop(), {})
    while table:
        await table.popitem()[1][2].aclose()


def plain_text(text: str) -> str:
    return re.sub(r"\s+", " ", text)
