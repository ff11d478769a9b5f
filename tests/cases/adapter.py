"""From the neutral operations and results of the cases to this product."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import io
import logging
import re
import time
from dataclasses import dataclass, field, fields
from types import SimpleNamespace
from typing import Any

from notation import CaseError

from lfx_neo4j_graphrag.cypher.parameters import find_parameters
from lfx_neo4j_graphrag.database import connection as connections
from lfx_neo4j_graphrag.database.connection import Connection, resolve
from lfx_neo4j_graphrag.errors import GraphRAGError
from lfx_neo4j_graphrag.records.rows import rows_from

# operation -> module, and what its request is called with besides the arguments of the case
OPERATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "add_records": ("add_records", {}),
    # One call at a time: the stand-in gives its answers in the order of the documents.
    "build_graph": ("build_graph", {"concurrency": 1, "use_cache": False}),
    "vector": ("vector", {"neighbours": False}),
    "hybrid": ("hybrid", {"neighbours": False}),
    "vector_graph": ("vector", {"neighbours": True}),
    "hybrid_graph": ("hybrid", {"neighbours": True}),
    "text2cypher": ("text2cypher", {}),
    "cypher_query": ("cypher_query", {}),
    # What is read in time has tests of its own; here the machine may be busy.
    "graph_schema": ("graph_schema", {"timeout": 15}),
}
# the names of the notation where the engine has others
_RENAMED = {
    "add_records": {"embedding": "embedder", "data": "rows"},
    "build_graph": {"embedding": "embedder", "data": "documents"},
    "text2cypher": {"question": "query"},
    "cypher_query": {"query": "cypher", "params": "parameters"},
} | dict.fromkeys(
    ("vector", "hybrid", "vector_graph", "hybrid_graph"), {"embedding": "embedder", "params": "retrieval_parameters"}
)


class Missing(Exception):
    """A check asks for a field of the report that there is none of."""


class Report:
    """The report of a save, with the names of the notation."""

    def __init__(self, report: dict[str, Any]) -> None:
        self._report = report

    def __getattr__(self, name: str) -> Any:
        given = self._report.get("failed_documents" if name == "failures" else name, Missing)
        if given is Missing:
            raise Missing(f"the report has no {name}")
        if name in ("failed_documents", "failures"):
            return [failed["position" if name == "failed_documents" else "reason"] for failed in given]
        return sum(given.values()) if name == "dropped" else given


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
        """The rows alone where the text is a document that holds rows, else the text."""
        found = re.search(r"^rows:(?: (\[\])\n|\n((?:[- ].*\n)+))", self.text, re.M)
        return (found[1] or found[2]) if found else self.text

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
                function, request = self._work(op, arguments)
                started = time.perf_counter()
                result = await function(connection, request)
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
    def _work(op: str, arguments: dict[str, Any]) -> tuple[Any, Any]:
        """The function of the engine and its request. None means the default; an unknown argument is a CaseError."""
        name, more = OPERATIONS[op]
        module = importlib.import_module(f"lfx_neo4j_graphrag.operations.{name}")
        request = next(kind for kind_name, kind in vars(module).items() if kind_name.lower() == f"{name.replace('_', '')}request")
        known = {field.name for field in fields(request)}
        renamed = {_RENAMED.get(op, {}).get(key, key): value for key, value in arguments.items()}
        if unknown := set(renamed) - known:
            raise CaseError(f"{op} has no argument {', '.join(sorted(unknown))}")
        given = {key: value for key, value in renamed.items() if value is not None or key in ("embedder", "model")}
        if name == "add_records":
            lines = given.pop("relationships", "")
            given |= {"rows": rows_from(given["rows"]), "relationships": "\n".join(lines) if isinstance(lines, list) else lines}
        return getattr(module, name), request(**more | given)


def list_holes(query: str) -> list[str]:
    return find_parameters(query)


async def forget_drivers() -> None:
    """Close the drivers of this loop, so that a case starts as a new process would."""
    table = connections._loops.get(asyncio.get_running_loop(), {})
    while table:
        await table.popitem()[1][2].aclose()
