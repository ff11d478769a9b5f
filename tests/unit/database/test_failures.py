"""Every failure of server and driver as a sentence and advice, with messages as real servers word them."""

from __future__ import annotations

import asyncio

import pytest
from neo4j.exceptions import ConfigurationError, Neo4jError, ServiceUnavailable, SessionExpired

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.database.failures import explain, translated
from lfx_neo4j_graphrag.errors import ConnectionFailed, GraphRAGError, IndexProblem, InputError, QueryFailed, QueryRefused, QueryTimeout

HERE = Connection("bolt://db.example.internal:7688", "ana", "s3cret-password", "ventas")


def server_error(code: str, message: str = "") -> Neo4jError:
    return Neo4jError._hydrate_neo4j(code=f"Neo.{code}", message=message)


SERVER = [
    ("ClientError.Security.Unauthorized", "The client is unauthorized due to authentication failure.", ConnectionFailed, "password"),
    ("ClientError.Security.AuthenticationRateLimit", "The client has provided incorrect authentication details too many times in a row.", ConnectionFailed, "locked"),
    ("ClientError.Security.CredentialsExpired", "The credentials you provided were valid, but must be changed", ConnectionFailed, "password"),
    ("ClientError.Security.Forbidden", "Executing procedure is not allowed for user 'ana'", QueryRefused, "refused"),
    ("ClientError.Database.DatabaseNotFound", "Graph not found: ventas", ConnectionFailed, "database"),
    ("TransientError.General.DatabaseUnavailable", "Database 'ventas' is unavailable.", ConnectionFailed, "database"),
    ("ClientError.Statement.SyntaxError", "Not a recognised system command or procedure. This Cypher command can only be executed in a user database: RETURN 1", ConnectionFailed, "database"),
    ("ClientError.Transaction.TransactionTimedOut", "The transaction has been terminated.", QueryTimeout, "timeout"),
    ("ClientError.Transaction.TransactionTimedOutClientConfiguration", "The transaction has been terminated.", QueryTimeout, "timeout"),
    ("TransientError.Transaction.Terminated", "Explicitly terminated by the user.", QueryTimeout, "timeout"),
    ("TransientError.General.MemoryPoolOutOfMemoryError", "The memory pool limit was exceeded. The corresponding setting can be found in the error message", QueryFailed, "memory"),
    ("TransientError.Transaction.DeadlockDetected", "ForsetiClient can't acquire ExclusiveLock", QueryFailed, "conflict"),
    ("DatabaseError.Transaction.TransactionStartFailed", "The database has encountered a critical error, and needs to be restarted. Please see database logs for more details.", ConnectionFailed, "panic"),
    ("DatabaseError.Transaction.TransactionStartFailed", "A query with 'CALL { ... } IN TRANSACTIONS' can only be executed in an implicit transaction", QueryRefused, "refused"),
    ("DatabaseError.Transaction.TransactionCommitFailed", "Could not apply the transaction", QueryFailed, "commit"),
    ("ClientError.Statement.AccessMode", "Writing in read access mode not allowed. Attempted write to neo4j", QueryRefused, "refused"),
    ("ClientError.Statement.UnsupportedAdministrationCommand", "Unsupported administration command: SHOW ROLES", QueryRefused, "refused"),
    ("ClientError.Schema.IndexNotFound", "22N69: The index 'nope' does not exist.", IndexProblem, "index"),
    ("ClientError.Schema.IndexNotFound", "The index 'x' is not ready yet", IndexProblem, "index"),
    ("ClientError.Procedure.ProcedureCallFailed", "Failed to invoke procedure `db.index.fulltext.queryNodes`: Caused by: java.lang.IllegalArgumentException: There is no such fulltext schema index: nope", IndexProblem, "index"),
    ("ClientError.Schema.ConstraintValidationFailed", "Node(3) already exists with label `A` and property `k` = 'private value'", QueryFailed, "constraint"),
    ("ClientError.Procedure.ProcedureNotFound", "There is no procedure with the name `x.y` registered for this database instance.", QueryFailed, "unknown"),
    ("ClientError.Statement.SyntaxError", "Unknown function 'foo' (line 1, column 8 (offset: 7))", QueryFailed, "unknown"),
    ("ClientError.Statement.ParameterMissing", "Expected parameter(s): x", InputError, "input"),
    ("ClientError.Statement.SyntaxError", "Invalid input 'RETRUN': expected 'RETURN' (line 1, column 11 (offset: 10))\n\"MATCH (n) RETRUN n\"\n           ^", QueryFailed, "syntax"),
    ("ClientError.Statement.SyntaxError", "Text cannot be parsed to a DateTime\n\"private value\"\n ^", QueryFailed, "failed"),
    ("ClientError.Statement.ArithmeticError", "/ by zero", QueryFailed, "failed"),
    ("ClientError.Statement.TypeError", "Expected Long(1) to be a java.lang.String, but it was a org.neo4j.values.storable.LongValue", QueryFailed, "failed"),
    ("DatabaseError.General.UnknownError", "java.lang.StackOverflowError", QueryFailed, "failed"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "message", "kind_of_error", "kind"), SERVER)
def test_server_errors(code: str, message: str, kind_of_error: type[GraphRAGError], kind: str) -> None:
    error = explain(server_error(code, message), HERE, timeout=10)
    assert type(error) is kind_of_error and error.kind == kind
    assert error.sentence.rstrip(".…)") and error.advice.endswith(".")
    text = str(error)
    for leak in ("s3cret-password", "private value", "java.", "org.neo4j", "Exception", "Traceback", "{", "\n", "Neo."):
        assert leak not in text
    assert len(text) < 500


def test_names_the_place_the_database_and_the_limit() -> None:
    assert "db.example.internal:7688" in explain(server_error("ClientError.Security.Unauthorized"), HERE).sentence
    assert "'ventas'" in explain(server_error("ClientError.Database.DatabaseNotFound"), HERE).sentence
    assert "10 s" in explain(server_error("ClientError.Transaction.TransactionTimedOut"), HERE, timeout=10.0).sentence
    assert "2.5 s" in explain(TimeoutError(), HERE, timeout=2.5).sentence
    assert ":7687" in explain(ServiceUnavailable("x"), Connection("neo4j://plain")).sentence


def caused_by(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


DRIVER = [
    (ServiceUnavailable("Couldn't connect to db:1 (reason [Errno 111] Connect call failed)"), "host"),
    (caused_by(ServiceUnavailable("Unable to retrieve routing information"), ExceptionGroup("x", [ServiceUnavailable("Couldn't connect")])), "host"),
    (ServiceUnavailable("Failed to DNS resolve address db:7687: [Errno -2] Name or service not known"), "host"),
    (ServiceUnavailable("Failed to read four byte Bolt handshake response from server"), "host"),
    (ServiceUnavailable("Cannot connect to Bolt service on db:7474 (looks like HTTP)"), "scheme"),
    (caused_by(ServiceUnavailable("Unable to retrieve routing information"), ExceptionGroup("x", [ServiceUnavailable("(looks like HTTP)")])), "scheme"),
    (ServiceUnavailable("[ConnectionResetError] Connection Failed. … that you have enabled encryption if required."), "scheme"),
    (ServiceUnavailable("[SSLCertVerificationError] Connection Failed. … that you have enabled encryption if required."), "scheme"),
    (ServiceUnavailable("[ConnectionAbortedError] Connection Failed. … that you have enabled encryption if required."), "host"),
    (ServiceUnavailable("Failed to read from defunct connection IPv4Address(('db', 7687))"), "connection"),
    (SessionExpired("Failed to obtain connection towards 'READ' server."), "connection"),
    (ConfigurationError("The config settings are not supported with this URI scheme"), "scheme"),
]  # fmt: skip


@pytest.mark.parametrize(("raised", "kind"), DRIVER)
def test_driver_errors(raised: BaseException, kind: str) -> None:
    error = explain(raised, HERE)
    assert isinstance(error, ConnectionFailed) and error.kind == kind
    assert "s3cret-password" not in str(error) and "Errno" not in str(error)


@pytest.mark.parametrize("raised", [OverflowError("Integer out of bounds"), ValueError("unsupported"), TypeError("x"), UnicodeEncodeError("utf-8", "\ud800", 0, 1, "x")])
def test_values_that_cannot_be_sent(raised: BaseException) -> None:
    assert isinstance(explain(raised, HERE), InputError)


async def test_translated_keeps_our_errors_and_cancellation() -> None:
    ours = QueryRefused("No.", "Yes.")
    with pytest.raises(QueryRefused) as raised:
        async with translated(HERE):
            raise ours
    assert raised.value is ours
    with pytest.raises(asyncio.CancelledError):
        async with translated(HERE):
            raise asyncio.CancelledError
    assert explain(ours, HERE) is ours


async def test_texts_of_parameters_never_show() -> None:
    with pytest.raises(QueryFailed) as raised:
        async with translated(HERE, 10, {"a": "private value", "b": [{"c": "deep secret"}], "d": "x"}):
            raise server_error("ClientError.Statement.ArgumentError", "Cannot use 'private value' and deep secret as x")
    assert "private" not in str(raised.value) and "deep" not in str(raised.value)
    assert raised.value.__cause__ is None  # nothing that prints the server's own text


async def test_positions_are_those_of_the_users_text() -> None:
    for message, position in [("Invalid input (line 1, column 16 (offset: 15))", "(line 1, column 8)"), ("Invalid (line 3, column 4 (offset: 40))", "(line 3, column 4)")]:
        with pytest.raises(QueryFailed) as raised:
            async with translated(HERE, prefix="EXPLAIN "):
                raise server_error("ClientError.Statement.SyntaxError", message)
        assert position in raised.value.sentence


def test_long_messages_are_cut_at_an_expectation() -> None:
    message = "Invalid input 'X': expected " + ", ".join(f"'CLAUSE {i}'" for i in range(60)) + " (line 1, column 2 (offset: 1))"
    sentence = explain(server_error("ClientError.Statement.SyntaxError", message), HERE).sentence
    assert len(sentence) < 300 and "…" in sentence and "(line 1, column 2" in sentence
