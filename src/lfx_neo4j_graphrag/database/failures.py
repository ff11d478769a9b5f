"""What the driver or the server raised, as one sentence and one piece of advice.

Decided by the server's ``code``: Neo4j 5.26 gives most errors the same GQL status (50N42).
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from ..errors import ConnectionFailed, GraphRAGError, IndexProblem, InputError, QueryFailed, QueryRefused, QueryTimeout
from .connection import Connection

_SIMPLER = "Make it do less (a narrower MATCH, a LIMIT before the expensive part, an index), or raise Query Timeout."
_CORRECT = "Correct the query; Graph Schema shows what the graph has."
_READ_ONLY = "Ask for data with MATCH and RETURN; nothing is changed here."

# Start of the code without "Neo.", a pattern found in the message, and what becomes of it; the first that fits counts.
# {place}, {database}, {limit} and {message} are filled in.
_SERVER: list[tuple[str, str, type[GraphRAGError], str, str, str]] = [
    # code, message, class, kind, sentence, advice
    (
        "ClientError.Security.AuthenticationRateLimit", "", ConnectionFailed, "locked",
        "Neo4j at {place} does not let this user log in for some seconds, after too many wrong passwords.",
        "Check Neo4j Username and Neo4j Password, wait ten seconds and try again.",
    ),
    (
        "ClientError.Security.CredentialsExpired", "", ConnectionFailed, "password",
        "Neo4j at {place} asks for a new password before anything else.",
        "Log in once with Neo4j Browser or cypher-shell and change it, then enter the new one.",
    ),
    (
        "ClientError.Security.Forbidden", "", QueryRefused, "refused",
        "Neo4j at {place} does not let this user run that.", "Ask its administrator, or connect as another user.",
    ),
    (
        "ClientError.Security.", "", ConnectionFailed, "password",
        "Neo4j at {place} refused the user name or the password.", "Check Neo4j Username and Neo4j Password.",
    ),
    (
        "ClientError.Database.", "", ConnectionFailed, "database",
        "There is no database {database} on {place}.", "Check Neo4j Database; left empty, it is the home database.",
    ),
    (
        "ClientError.Statement.", "executed in a user database|unsupported clauses were used|not allowed on a system database",
        ConnectionFailed, "database",
        "The database 'system' holds no data.", "Check Neo4j Database; left empty, it is the home database.",
    ),
    (
        "TransientError.General.DatabaseUnavailable", "", ConnectionFailed, "database",
        "The database {database} on {place} is not available now.", "Wait until it has started, and try again.",
    ),
    (
        "ClientError.Transaction.TransactionTimedOut", "", QueryTimeout, "timeout",
        "The query took longer than {limit} and was stopped.", _SIMPLER,
    ),
    (
        "ClientError.Transaction.Terminated", "", QueryTimeout, "timeout",
        "The query was stopped on the server before it ended.", "Try again; if it happens again, make it do less.",
    ),
    (
        "TransientError.General.MemoryPoolOutOfMemory", "", QueryFailed, "memory",
        "The query needs more memory than the server gives to one statement.",
        "Make it collect or sort less, or put a LIMIT before the expensive part.",
    ),
    (
        "TransientError.General.", "OutOfMemory|out of memory", QueryFailed, "memory",
        "The server ran out of memory.", "Make the query collect or sort less; give the server more memory.",
    ),
    (
        "TransientError.Transaction.", "", QueryFailed, "conflict",
        "Another transaction held the same data for too long.", "Try again in a moment.",
    ),
    (
        "DatabaseError.Transaction.TransactionStartFailed", "IN TRANSACTIONS", QueryRefused, "refused",
        "CALL … IN TRANSACTIONS is not allowed here.", _READ_ONLY,
    ),
    (
        "DatabaseError.Transaction.TransactionStartFailed", "", ConnectionFailed, "panic",
        "The database {database} on {place} has stopped after a critical error.",
        "Restart the Neo4j server (the embedded one with: neo4j-graphrag down, then up); its log says why; a full disk does this.",
    ),
    (
        "DatabaseError.Transaction.TransactionCommitFailed", "", QueryFailed, "commit",
        "The server could not store the change.",
        "A value may be too long for an index (over 32,766 bytes). If everything fails now, restart the server.",
    ),
    (
        "ClientError.Statement.AccessMode", "", QueryRefused, "refused",
        "The query would write, and it runs read-only.", _READ_ONLY,
    ),
    (
        "ClientError.Statement.UnsupportedAdministrationCommand", "", QueryRefused, "refused",
        "The server does not support this administration command.", _READ_ONLY,
    ),
    (
        "ClientError.Schema.IndexNotFound", "not ready", IndexProblem, "index",
        "An index that the query uses is still being built.", "Try again in a moment; Graph Schema shows its progress.",
    ),
    (
        "ClientError.Schema.IndexNotFound", "", IndexProblem, "index",
        "An index of the query does not exist: {message}", "Graph Schema lists the indexes.",
    ),
    (
        "ClientError.Procedure.ProcedureCallFailed", "schema index", IndexProblem, "index",
        "An index of the query does not exist: {message}", "Graph Schema lists the indexes.",
    ),
    (
        "ClientError.Schema.ConstraintValidationFailed", "", QueryFailed, "constraint",
        "The data breaks a constraint of the database (most often: a value that must be unique is there twice).",
        "Change the value, or the node that has it already; Graph Schema lists the constraints.",
    ),
    (
        "ClientError.Procedure.ProcedureNotFound", "", QueryFailed, "unknown",
        "The server does not have this procedure: {message}", _CORRECT,
    ),
    (
        "ClientError.Statement.SyntaxError", "Unknown function", QueryFailed, "unknown",
        "The server does not have this function: {message}", _CORRECT,
    ),
    (
        "ClientError.Statement.ParameterMissing", "", InputError, "input",
        "The query needs parameters that were not given: {message}", "Give each $name a value.",
    ),
    (
        "ClientError.Statement.SyntaxError", "cannot be parsed", QueryFailed, "failed",
        "The server could not run the query: {message}", _CORRECT,
    ),
    ("ClientError.Statement.SyntaxError", "", QueryFailed, "syntax", "The query is not valid Cypher: {message}", _CORRECT),
    ("ClientError.", "", QueryFailed, "failed", "The server could not run the query: {message}", _CORRECT),
    (
        "", "", QueryFailed, "failed",
        "The server failed on the query: {message}", "Try again; if it happens again, the server's log says why.",
    ),
]

_JAVA = re.compile(r"(?:Caused by:?\s*)?\b(?:[a-z][\w$]*\.){2,}[A-Z][\w$]*(?:Exception|Error)?:?\s*")
_POSITION = re.compile(r"\(line (\d+), column (\d+) \(offset: \d+\)\)")
# The server prints values as `Long(5)`, `String("…")`, `Map{a -> …}`; they may be a parameter's.
_VALUE = re.compile(
    r"\b(?:Long|Double|Integer|Float|Boolean|String|UTF8\w*|List|Map|Date\w*|Time|Local\w+|Zoned\w+|Duration|Point)"
    r"\s*[({].*[)}]"
)
_MESSAGE_CHARS = 200


@asynccontextmanager
async def translated(
    connection: Connection, timeout: float | None = None, parameters: Mapping[str, Any] | None = None, *, prefix: str = ""
) -> AsyncIterator[None]:
    """Raise whatever fails inside as one of our errors. Texts of ``parameters`` never reach the sentence.

    ``prefix`` stands before the user's text in what was sent, and is taken off the positions that the server names.
    A cancelled task stays cancelled; an error that is ours already passes unchanged.
    """
    try:
        yield
    except GraphRAGError:
        raise
    except Exception as error:
        known = explain(error, connection, timeout=timeout)
        sentence = _POSITION.sub(lambda found: _place_in_text(found, len(prefix)), known.sentence)
        raise type(known)(_without_texts(sentence, parameters or {}), known.advice, kind=known.kind) from None


def explain(error: BaseException, connection: Connection, *, timeout: float | None = None) -> GraphRAGError:
    """Our error for ``error``: kind, sentence, advice. No Java class, trace or password."""
    if isinstance(error, GraphRAGError):
        return error
    if isinstance(error, TimeoutError):
        return QueryTimeout(f"The query took longer than {_limit(timeout)} and was given up on.", _SIMPLER)
    code = getattr(error, "code", None)
    if isinstance(code, str) and code.startswith("Neo."):
        return _server_error(code.removeprefix("Neo."), str(getattr(error, "message", "") or ""), connection, timeout)
    return _driver_error(error, connection)


def _server_error(code: str, message: str, connection: Connection, timeout: float | None) -> GraphRAGError:
    known, kind, sentence, advice = next(rule[2:] for rule in _SERVER if code.startswith(rule[0]) and re.search(rule[1], message))
    filled = {
        "place": _place(connection),
        "database": f"'{connection.database}'" if connection.database else "(the home database)",
        "limit": _limit(timeout),
        "message": _short(message),
    }
    sentence = sentence.format(**filled)
    return known(sentence if sentence.endswith((".", "…")) else f"{sentence}.", advice, kind=kind)


def _driver_error(error: BaseException, connection: Connection) -> GraphRAGError:
    place, scheme = _place(connection), urlsplit(connection.uri).scheme
    if isinstance(error, (OverflowError, ValueError, TypeError, UnicodeError)):
        return InputError(
            "A parameter's value cannot be sent to Neo4j.", "Use text, numbers, booleans, dates, lists and maps of them."
        )
    chain = _chain(error)
    if "Failed to read from" in chain or "SessionExpired" in chain or "defunct connection" in chain:
        return ConnectionFailed(
            f"The connection to Neo4j at {place} was lost.",
            "Check that the server is still running, and try again.",
            kind="connection",
        )
    if "ConfigurationError" in chain:
        return ConnectionFailed(f"Neo4j at {place} cannot be reached as the URI asks for.", "Check Neo4j URI.", kind="scheme")
    mismatch = any(word in chain for word in ("SSL", "looks like HTTP", "enabled encryption", "certificate"))
    if mismatch and "ConnectionAbortedError" not in chain:  # aborted: our side gave up on a silent port
        return ConnectionFailed(
            f"What answers at {place} does not speak what {scheme}:// expects.",
            "Try bolt:// or neo4j:// for a server without TLS, bolt+s:// or neo4j+s:// for one with it (+ssc when it signed its "
            "certificate itself), and the Bolt port, usually 7687.",
            kind="scheme",
        )
    return ConnectionFailed(
        f"No Neo4j answers at {place}.", "Check host and port in Neo4j URI, and that the server is running.", kind="host"
    )


def _limit(timeout: float | None) -> str:
    return f"the query timeout of {timeout:g} s" if timeout else "the query timeout"


def _place(connection: Connection) -> str:
    parts = urlsplit(connection.uri)
    return f"{parts.hostname}:{parts.port or 7687}"


def _short(message: str) -> str:
    """The first line of the server's message, without Java classes and printed values; long lists of expectations are cut."""
    line = _JAVA.sub("", message.strip().split("\n", 1)[0]).strip()
    position = _POSITION.search(line)
    line = _VALUE.sub("…", _POSITION.sub("", line)).strip()
    if len(line) > _MESSAGE_CHARS:
        line = line[:_MESSAGE_CHARS].rsplit(",", 1)[0] + ", …"
    return f"{line} {position.group()}" if position else line


def _place_in_text(found: re.Match[str], prefix: int) -> str:
    line, column = int(found[1]), int(found[2])
    return f"(line {line}, column {max(1, column - prefix) if line == 1 else column})"


def _without_texts(sentence: str, value: Any, depth: int = 3) -> str:
    if isinstance(value, str) and len(value) >= 3:
        return sentence.replace(value, "…")
    if depth and isinstance(value, (Mapping, list, tuple)):
        for item in list(value.values() if isinstance(value, Mapping) else value)[:50]:
            sentence = _without_texts(sentence, item, depth - 1)
    return sentence


def _chain(error: BaseException) -> str:
    """Texts of an error and of what caused it, groups included."""
    texts: list[str] = []
    waiting: list[BaseException | None] = [error]
    while waiting and len(texts) < 20:
        current = waiting.pop()
        if current is not None:
            texts.append(f"{type(current).__name__} {current}")
            waiting += [current.__cause__, *getattr(current, "exceptions", ())]
    return " ".join(texts)
