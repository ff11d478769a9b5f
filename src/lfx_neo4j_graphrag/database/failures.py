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

_JAVA = re.compile(r"(?:Caused by: )?\b(?:[a-z][\w$]*\.){2,}[A-Z][\w$]*:?\s*")
_MESSAGE_CHARS = 300


@asynccontextmanager
async def translated(
    connection: Connection, timeout: float | None = None, parameters: Mapping[str, Any] | None = None
) -> AsyncIterator[None]:
    """Raise whatever fails inside as one of our errors. Values of ``parameters`` never reach the sentence.

    A cancelled task stays cancelled; an error that is ours already passes unchanged.
    """
    try:
        yield
    except GraphRAGError:
        raise
    except Exception as error:
        known = explain(error, connection, timeout=timeout)
        raise _without_values(known, parameters or {}) from None


def explain(error: BaseException, connection: Connection, *, timeout: float | None = None) -> GraphRAGError:
    """Our error for ``error``: kind, sentence, advice. No Java class, trace, password or parameter value."""
    if isinstance(error, GraphRAGError):
        return error
    if isinstance(error, TimeoutError):
        return _timed_out(timeout)
    code = getattr(error, "code", None)
    if isinstance(code, str) and code.startswith("Neo."):
        return _server_error(code, _message(error), connection, timeout)
    return _driver_error(error, connection)


def _timed_out(timeout: float | None) -> QueryTimeout:
    limit = f"the query timeout of {timeout:g} s" if timeout else "the query timeout"
    return QueryTimeout(
        f"The query took longer than {limit} and was stopped.",
        "Make it do less (a narrower MATCH, a LIMIT before the expensive part, an index), or raise Query Timeout.",
    )


def _message(error: BaseException) -> str:
    """The server's first line, without Java classes, shortened."""
    text = str(getattr(error, "message", "") or "").strip()
    text = _JAVA.sub("", text.splitlines()[0] if text else "").strip()
    return text if len(text) <= _MESSAGE_CHARS else text[: _MESSAGE_CHARS - 1] + "…"


def _without_values(error: GraphRAGError, parameters: Mapping[str, Any]) -> GraphRAGError:
    sentence = error.sentence
    for value in _texts(parameters):
        if len(value) >= 3:
            sentence = sentence.replace(value, "…")
    return error if sentence == error.sentence else type(error)(sentence, error.advice, kind=error.kind)


def _texts(value: Any, depth: int = 3) -> list[str]:
    if isinstance(value, str):
        return [value]
    if depth and isinstance(value, Mapping):
        return [text for item in value.values() for text in _texts(item, depth - 1)]
    if depth and isinstance(value, (list, tuple)):
        return [text for item in value[:50] for text in _texts(item, depth - 1)]
    return []


def _place(connection: Connection) -> str:
    parts = urlsplit(connection.uri)
    return f"{parts.hostname}:{parts.port or 7687}"


def _server_error(code: str, message: str, connection: Connection, timeout: float | None) -> GraphRAGError:
    name = code.split(".", 2)[2]
    place = _place(connection)
    database = f"'{connection.database}'" if connection.database else "the home database"
    if name in ("Security.Unauthorized", "Security.CredentialsExpired", "Security.TokenExpired"):
        return ConnectionFailed(
            f"Neo4j at {place} refused the user name or the password.", "Check Neo4j Username and Neo4j Password.", kind="password"
        )
    if name == "Security.AuthenticationRateLimit":
        return ConnectionFailed(
            f"Neo4j at {place} is locked for this user for some seconds after too many wrong passwords.",
            "Check Neo4j Username and Neo4j Password, wait ten seconds and try again.",
            kind="locked",
        )
    if name in ("Database.DatabaseNotFound", "Database.UnableToSelect", "Database.IllegalDatabaseName"):
        return ConnectionFailed(
            f"There is no database {database} on {place}.",
            "Check Neo4j Database; left empty, it is the home database.",
            kind="database",
        )
    if name.startswith("Transaction.TransactionTimedOut"):
        return _timed_out(timeout)
    if "MemoryPool" in name or name in ("General.OutOfMemoryError", "General.TransactionOutOfMemoryError"):
        return QueryFailed(
            "The query needed more memory than the server gives to one transaction.",
            "Make it collect or sort less, or put a LIMIT before the expensive part.",
            kind="memory",
        )
    if name == "Statement.AccessMode":
        return QueryRefused(
            "The server refused the query: it would write, and it runs read-only.", "Ask for data with MATCH and RETURN."
        )
    if name == "Security.Forbidden":
        return QueryRefused("The server does not let this user run that.", "Ask its administrator, or connect as another user.")
    if name.startswith("Schema.IndexNotFound") or "no such fulltext schema index" in message or "no such vector schema index" in message:
        return IndexProblem(f"An index that the query names is missing or not ready: {message}", "Graph Schema lists the indexes.")
    if name == "Schema.ConstraintValidationFailed":
        return QueryFailed(
            "The data breaks a constraint of the database (a value that must be unique is there twice).",
            "Change the value, or the row that holds it already.",
            kind="constraint",
        )
    return QueryFailed(f"The server could not run the query: {message}", "Correct the query; Graph Schema shows what the graph has.")


def _driver_error(error: BaseException, connection: Connection) -> GraphRAGError:
    place = _place(connection)
    if isinstance(error, (OverflowError, ValueError, TypeError, UnicodeError)):
        return InputError("A parameter value cannot be sent to Neo4j.", "Use text, numbers, booleans, dates, lists and maps of them.")
    chain = _chain_text(error)
    if any(word in chain for word in ("SSL", "looks like HTTP", "enabled encryption", "certificate")):
        return ConnectionFailed(
            f"Neo4j at {place} does not speak what {urlsplit(connection.uri).scheme}:// expects.",
            "Try bolt:// or neo4j:// for a server without TLS, bolt+s:// or neo4j+s:// for one with it, and the Bolt port (7687).",
            kind="scheme",
        )
    return ConnectionFailed(
        f"No Neo4j answers at {place}.", "Check host and port in Neo4j URI, and that the server is running.", kind="host"
    )


def _chain_text(error: BaseException | None) -> str:
    """Texts of an error and of what caused it, groups included."""
    texts: list[str] = []
    waiting = [error]
    while waiting and len(texts) < 20:
        current = waiting.pop()
        if current is None:
            continue
        texts.append(f"{type(current).__name__} {current}")
        waiting += [current.__cause__, *getattr(current, "exceptions", ())]
    return " ".join(texts)
