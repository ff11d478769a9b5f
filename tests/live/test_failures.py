"""Each way to fail on a real server has its own sentence, soon."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from urllib.parse import urlsplit

import neo4j  # noqa: F401 - importing the driver takes seconds on a busy machine, and is not what is measured here
import pytest

from lfx_neo4j_graphrag.database.connection import Connection, driver_for
from lfx_neo4j_graphrag.database.reading import ALL_LAYERS, Limits, fetch, read
from lfx_neo4j_graphrag.defaults import CONNECT_TIMEOUT
from lfx_neo4j_graphrag.errors import ConnectionFailed, GraphRAGError, IndexProblem, InputError, QueryFailed, QueryRefused, QueryTimeout
from lfx_neo4j_graphrag.local import server as embedded

NO_SCREEN = ALL_LAYERS - {"screen"}


async def failure(connection: Connection, cypher: str = "RETURN 1", parameters: dict | None = None, **given) -> GraphRAGError:
    with pytest.raises(GraphRAGError) as raised:
        await read(connection, cypher, parameters, **given)
    text = str(raised.value)
    assert raised.value.sentence and raised.value.advice.endswith(".")
    if connection.password:
        assert connection.password not in text
    for leak in ("java.", "org.neo4j", "Traceback", "Neo.ClientError", "gql_status", "Errno"):
        assert leak not in text
    return raised.value


@asynccontextmanager
async def listening(answer: bytes | None, *, close: bool) -> AsyncIterator[str]:
    """Something that is no Neo4j: it answers with ``answer`` and closes, or stays silent."""
    connections = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        if answer:
            await reader.read(4)
            writer.write(answer)
        if close:
            writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield "127.0.0.1:%d" % listener.sockets[0].getsockname()[1]
    finally:
        for writer in connections:
            writer.close()
        listener.close()


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
@pytest.mark.parametrize("place", ["127.0.0.1:1", "no-such-host.invalid:7687"])
async def test_nobody_there(scheme: str, place: str) -> None:
    started = time.monotonic()
    error = await failure(Connection(f"{scheme}://{place}"))
    assert isinstance(error, ConnectionFailed) and error.kind == "host" and place in error.sentence
    assert time.monotonic() - started < CONNECT_TIMEOUT + 1


@pytest.mark.parametrize("scheme", ["bolt", "neo4j", "bolt+s"])
async def test_a_silent_port(scheme: str) -> None:
    async with listening(None, close=False) as place:
        started = time.monotonic()
        error = await failure(Connection(f"{scheme}://{place}"), limits=Limits(timeout=10))
        assert isinstance(error, ConnectionFailed) and error.kind == "host"
        assert CONNECT_TIMEOUT - 1 < time.monotonic() - started < CONNECT_TIMEOUT + 1.5


@pytest.mark.parametrize("scheme", ["bolt", "neo4j", "bolt+s", "neo4j+ssc"])
async def test_a_web_server(scheme: str) -> None:
    async with listening(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", close=True) as place:
        error = await failure(Connection(f"{scheme}://{place}"))
        assert isinstance(error, ConnectionFailed) and error.kind == "scheme"


@pytest.mark.parametrize("scheme", ["bolt+s", "bolt+ssc", "neo4j+s", "neo4j+ssc"])
async def test_encryption_where_there_is_none(server: Connection, scheme: str) -> None:
    error = await failure(replace(server, uri=f"{scheme}://{urlsplit(server.uri).netloc}"))
    assert isinstance(error, ConnectionFailed) and error.kind == "scheme" and "bolt://" in error.advice


async def test_a_wrong_password_is_sent_once_however_many_statements_begin(server: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    from neo4j._async.io import AsyncBolt

    sent, kept = [], AsyncBolt.open
    monkeypatch.setattr(AsyncBolt, "open", lambda *args, **given: sent.append(args) or kept(*args, **given))
    wrong = replace(server, password="wrong-for-many")
    for _ in range(3):
        found = await asyncio.gather(*(fetch(wrong, "RETURN 1 AS x") for _ in range(4)), return_exceptions=True)
        assert [error.kind for error in found] == ["password"] * 4
    assert len(sent) == 1
    assert await fetch(server, "RETURN 1 AS x") == [{"x": 1}]


@pytest.mark.parametrize("user", [{"password": "wrong-password"}, {"username": "nobody"}, {"username": "", "password": ""}])
async def test_wrong_user_or_password(server: Connection, user: dict) -> None:
    error = await failure(replace(server, **user))
    assert isinstance(error, ConnectionFailed) and error.kind == "password"


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
@pytest.mark.parametrize("database", ["nope", "not a name"])
async def test_unknown_database(server: Connection, scheme: str, database: str) -> None:
    error = await failure(replace(server, uri=f"{scheme}://{urlsplit(server.uri).netloc}", database=database))
    assert isinstance(error, ConnectionFailed) and error.kind == "database" and database in error.sentence


async def test_the_system_database(server: Connection) -> None:
    for cypher in ("MATCH (n) RETURN n", "RETURN 1", "SHOW INDEXES"):
        assert (await failure(replace(server, database="system"), cypher)).kind == "database"


@pytest.mark.parametrize(
    ("cypher", "parameters", "kind_of_error", "kind", "part"),
    [
        ("MATCH (n) RETRUN n", {}, QueryFailed, "syntax", "RETRUN"),
        ("MATCH (n)\nRETRUN n", {}, QueryFailed, "syntax", "line 2, column 1"),
        ("RETURN 1 +", {}, QueryFailed, "syntax", "line 1, column 11"),
        ("RETURN unknown(1)", {}, QueryFailed, "unknown", "unknown"),
        ("MATCH (n) RETURN m", {}, QueryFailed, "syntax", "m"),
        ("RETURN $x", {}, InputError, "input", "x"),
        ("RETURN 1 / 0", {}, QueryFailed, "failed", "zero"),
        ("RETURN date($x)", {"x": "private value"}, QueryFailed, "failed", "Date"),
        ("RETURN 'a' =~ $x", {"x": "private value["}, QueryFailed, "failed", "Regex"),
        ("RETURN toInteger($x)", {"x": [424242]}, QueryFailed, "failed", "toInteger"),
        ("RETURN date($x)", {"x": 20260801424242}, QueryFailed, "failed", ""),
        ("CALL db.index.fulltext.queryNodes('nope', $x)", {"x": "private value"}, IndexProblem, "index", "nope"),
        ("CALL db.index.vector.queryNodes('nope', 3, [1.0])", {}, IndexProblem, "index", "nope"),
        ("RETURN $x", {"x": 2**70}, InputError, "input", "$x"),
        ("RETURN $x", {"x": object()}, InputError, "input", "$x"),
        ("RETURN $x", {"x": "private \ud800"}, InputError, "input", "$x"),
    ],
)
async def test_what_is_wrong_with_a_query(
    server: Connection, cypher: str, parameters: dict, kind_of_error: type, kind: str, part: str
) -> None:
    error = await failure(server, cypher, parameters)
    assert type(error) is kind_of_error and error.kind == kind and part in error.sentence
    assert "private" not in str(error) and "424242" not in str(error)


async def test_procedures_that_the_server_does_not_have(server: Connection) -> None:
    error = await failure(server, "CALL apoc.meta.schema()", limits=Limits(allowed_procedures=frozenset({"apoc.meta.*"})))
    assert isinstance(error, QueryFailed) and error.kind == "unknown"


async def test_writing_is_refused_by_the_server_too(server: Connection) -> None:
    for cypher in ("CREATE (n:Pwned)", "CREATE INDEX FOR (n:A) ON (n.b)", "UNWIND [1] AS n CALL (n) { RETURN 1 AS x } IN TRANSACTIONS RETURN x"):
        assert isinstance(await failure(server, cypher, layers=frozenset({"read_transaction"})), QueryRefused)


async def test_time_and_memory(server: Connection) -> None:
    started = time.monotonic()
    slow = await failure(server, "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(*)", limits=Limits(timeout=1))
    assert isinstance(slow, QueryTimeout) and slow.kind == "timeout" and "1 s" in slow.sentence and time.monotonic() - started < 4
    large = await failure(server, "UNWIND range(1, 40000000) AS x RETURN collect(x) AS l", limits=Limits(timeout=30))
    assert isinstance(large, QueryFailed) and large.kind == "memory" and time.monotonic() - started < 30


async def test_our_own_statements_fail_in_the_same_words(server: Connection) -> None:
    for cypher, kind in [("RETRUN 1", "syntax"), ("CREATE (n)", "refused"), ("CALL nope.nope()", "unknown")]:
        with pytest.raises(GraphRAGError) as raised:
            await fetch(server, cypher)
        assert raised.value.kind == kind


@pytest.fixture(scope="module")
def strict(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A server of its own, which locks users out and may be broken."""
    folder = tmp_path_factory.mktemp("strict")
    settings = {"dbms.security.auth_max_failed_attempts": "3"}
    yield embedded.start(folder, version=request.config.getoption("--neo4j"), settings=settings).connection
    embedded.stop(folder)


async def test_locked_after_wrong_passwords(strict: Connection) -> None:
    kinds = [(await failure(replace(strict, password=f"wrong-{number}"))).kind for number in range(5)]
    assert kinds[:3] == ["password"] * 3 and kinds[-1] == "locked"
    assert (await failure(strict)).kind == "locked"  # the right password too
    async with asyncio.timeout(20):
        while True:
            try:
                assert await fetch(strict, "RETURN 1 AS x") == [{"x": 1}]
                break
            except ConnectionFailed as error:
                assert error.kind == "locked"
                await asyncio.sleep(1)


async def test_a_broken_database_is_named(strict: Connection) -> None:
    """On 2026.08.1 one long value in a filterable property of a vector index stops the database until it is restarted."""
    version = (await fetch(strict, "CALL dbms.components() YIELD versions RETURN versions[0] AS v"))[0]["v"]
    if not version.startswith("2026"):
        return  # 5.26 has no such properties
    async with driver_for(strict) as driver:
        await driver.execute_query(
            "CYPHER 25 CREATE VECTOR INDEX v FOR (n:A) ON n.e WITH [n.x] "
            "OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'cosine'}}"
        )
        await driver.execute_query("CALL db.awaitIndexes(60)")
        with pytest.raises(Exception, match="TransactionCommitFailed"):
            await driver.execute_query("CREATE (:A {e: [1.0, 2.0], x: $x})", x="x" * 40_000)
    error = await failure(strict)
    assert isinstance(error, ConnectionFailed) and error.kind == "panic" and "estart" in error.advice
