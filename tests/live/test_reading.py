"""The bounded reading path on a real server: layers one at a time, time limits, memory, slots, metadata."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import logging
import random
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace

import psutil
import pytest
from statements import HARMLESS, HOSTILE, SEEDS, mutate

from lfx_neo4j_graphrag.cypher.plan import check_plan
from lfx_neo4j_graphrag.cypher.screen import screen
from lfx_neo4j_graphrag.database import reading, slots
from lfx_neo4j_graphrag.database.connection import Connection, driver_for
from lfx_neo4j_graphrag.database.reading import ALL_LAYERS, Limits, Origin, fetch, read
from lfx_neo4j_graphrag.defaults import CLIENT_GRACE, USER_STATEMENTS
from lfx_neo4j_graphrag.errors import ConnectionFailed, GraphRAGError, QueryFailed, QueryRefused, QueryTimeout

# Kinds that no server can stop quickly; the time limits have their own tests.
SLOW = {"ranges", "deep", "chains", "long"}
CHANGES_DATA = {"create", "merge", "insert", "set", "delete", "detach delete", "remove", "foreach", "names that hide", "conditional and next"}
NO_SCREEN = ALL_LAYERS - {"screen"}

GRAPH = """
CREATE (ana:Person {name: 'Ana', age: 30, place: point({x: 1, y: 2})})-[:KNOWS {since: date('2020-01-01')}]->(:Person {name: 'Beto', age: 40}),
       (ana)-[:WORKS_AT]->(:Company {name: 'Uno', tags: ['a', 'b']}), (:Doc {title: 'create', text: 'DELETE n', year: 2026})
"""


async def write(connection: Connection, *statements: str) -> None:
    async with driver_for(connection) as driver:
        for statement in statements:
            await driver.execute_query(statement, database_=connection.database)


async def checksum(connection: Connection) -> str:
    """Of every node, relationship, index, constraint and user."""
    nodes = await fetch(connection, "MATCH (n) RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS p ORDER BY id")
    relationships = await fetch(
        connection,
        "MATCH (a)-[r]->(b) RETURN elementId(r) AS id, type(r) AS t, properties(r) AS p, elementId(a) AS a, elementId(b) AS b ORDER BY id",
    )
    schema = await fetch(connection, "SHOW INDEXES YIELD name, type, labelsOrTypes, properties RETURN * ORDER BY name")
    constraints = await fetch(connection, "SHOW CONSTRAINTS YIELD name, type RETURN * ORDER BY name")
    users = await fetch(replace(connection, database="system"), "SHOW USERS YIELD user RETURN user ORDER BY user")
    return hashlib.sha256(repr((nodes, relationships, schema, constraints, users)).encode()).hexdigest()


async def outcome(connection: Connection, cypher: str, layers: frozenset[str]) -> str:
    """refused: by the screen or the plan; stopped: by the server; ran."""
    try:
        await read(connection, cypher.replace("169.254.169.254", "127.0.0.1:1"), limits=Limits(timeout=5, max_rows=5), layers=layers)
    except QueryRefused:
        return "refused"
    except GraphRAGError:
        return "stopped"
    return "ran"


# --- layers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "layers",
    [
        frozenset({"screen"}),
        frozenset({"explain"}),
        frozenset({"read_transaction"}),
        NO_SCREEN,
        ALL_LAYERS - {"explain"},
        ALL_LAYERS - {"read_transaction"},
        ALL_LAYERS,
    ],
    ids=lambda layers: "+".join(sorted(layers)),
)
async def test_no_layer_alone_lets_anything_change(connection: Connection, layers: frozenset[str]) -> None:
    await write(connection, GRAPH, "CREATE INDEX person_name FOR (n:Person) ON (n.name)", "CALL db.awaitIndexes(60)")
    before = await checksum(connection)
    table = {}
    for kind, group in HOSTILE.items():
        if kind not in SLOW:
            table[kind] = Counter([await outcome(connection, cypher, layers) for cypher in group])
    assert await checksum(connection) == before
    print(f"\n{'+'.join(sorted(layers))}")
    for kind, counts in table.items():
        print(f"  {kind:36}" + "".join(f"{what} {counts[what]:3}  " for what in ("refused", "stopped", "ran")))
    if "screen" in layers:
        assert all(counts["refused"] == counts.total() for counts in table.values())
    for kind in CHANGES_DATA | {"in transactions", "index ddl", "constraint ddl"}:
        assert not table[kind]["ran"], kind
    if "explain" in layers:
        for kind in ("load csv", "show", "terminate", "server procedures", "writing procedures", "users and roles", "databases and servers"):
            assert not table[kind]["ran"], kind


async def test_the_read_transaction_stops_each_form_of_writing_by_itself(connection: Connection) -> None:
    await write(connection, GRAPH)
    before = await checksum(connection)
    for cypher in ["CREATE (:Pwned)", "MERGE (:Pwned)", "MATCH (n) SET n.x = 1", "MATCH (n) DETACH DELETE n", "CREATE INDEX pwned FOR (n:A) ON (n.b)",
                   "CALL db.createLabel('Pwned')", "CREATE USER pwned SET PASSWORD 'pwnedpwned'"]:  # fmt: skip
        with pytest.raises(QueryRefused, match="read-only"):
            await read(connection, cypher, layers=frozenset({"read_transaction"}))
    assert await checksum(connection) == before


async def test_what_writes_is_rolled_back_even_without_any_layer(connection: Connection) -> None:
    await write(connection, GRAPH)
    before = await checksum(connection)
    written = await read(connection, "MATCH (n:Person) SET n.pwned = true CREATE (m:Pwned) RETURN m", layers=frozenset())
    assert len(written.rows) == 2
    assert await checksum(connection) == before


async def test_mutations_of_hostile_statements_change_nothing(connection: Connection, server_version: str) -> None:
    """Spellings that the screen was not written for go to the server without it."""
    await write(connection, GRAPH)
    before = await checksum(connection)
    source = random.Random(server_version)
    refused = Counter()
    for _ in range(300):
        cypher = mutate(source.choice(SEEDS), source)
        refused[await outcome(connection, cypher, NO_SCREEN)] += 1
        assert await outcome(connection, cypher, ALL_LAYERS) != "ran"
    assert refused["refused"] > 50
    assert await checksum(connection) == before


async def test_harmless_statements_pass_all_layers(connection: Connection, server_version: str) -> None:
    new = server_version.startswith("2026")
    index = "CREATE VECTOR INDEX doc_vector FOR (n:Doc) ON (n.e) {}OPTIONS {{indexConfig: {{`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}}}"
    await write(
        connection,
        GRAPH,
        "CREATE FULLTEXT INDEX doc_text FOR (n:Doc) ON EACH [n.text]",
        "CREATE INDEX a_x FOR (n:A) ON (n.x)",
        ("CYPHER 25 " if new else "") + index.format("WITH [n.year] " if new else ""),
        "CALL db.awaitIndexes(60)",
    )
    async with driver_for(connection) as driver, driver.session(default_access_mode="READ") as session:
        for entry in HARMLESS:
            if new or not entry["only_cypher_25"]:
                summary = await (await session.run("EXPLAIN " + screen(entry["cypher"]))).consume()
                check_plan(summary.query_type, summary.plan)


async def test_reads_rows_in_order_and_says_when_there_are_more(connection: Connection) -> None:
    result = await read(connection, "UNWIND range(1, 50) AS x RETURN x, $p AS p, null AS n", {"p": {"a": [1]}}, limits=Limits(max_rows=10))
    assert result.columns == ["x", "p", "n"]
    assert result.rows == [[x, {"a": [1]}, None] for x in range(1, 11)]
    assert result.more and result.milliseconds > 0
    assert not (await read(connection, "UNWIND range(1, 10) AS x RETURN x", limits=Limits(max_rows=10))).more
    assert (await read(connection, "MATCH (n:Nobody) RETURN n")).rows == []
    assert "Nobody" in str((await read(connection, "MATCH (n:Nobody) RETURN n")).notifications)


# --- time ------------------------------------------------------------------------------------------------------------

UNSTOPPABLE = "RETURN reduce(s = 0, x IN range(1, {}) | s + x) AS x"  # the server ends it when it is done, not before
ENDLESS = {
    "a deep sum that the server may never answer": "RETURN " + "+".join(["1"] * 3000) + " AS x",
    "deep brackets": "RETURN " + "(" * 900 + "1" + ")" * 900 + " AS x",
    "deep lists": "RETURN " + "[" * 300 + "1" + "]" * 300 + " AS x",
    "a cartesian product": "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(*) AS c",
    "a plan that takes long to make": "MATCH " + "-->".join(f"(n{i})" for i in range(60)) + " RETURN n0",
    "a list that outgrows the memory": "UNWIND range(1, 200000000) AS x RETURN collect(x) AS l",
}


@pytest.fixture
async def unstoppable(connection: Connection) -> AsyncIterator[str]:
    """A statement that keeps one core of this machine, as busy as it is now, for about six seconds."""
    await fetch(connection, UNSTOPPABLE.format(2_000_000))
    started = time.monotonic()
    await fetch(connection, UNSTOPPABLE.format(10_000_000))
    yield UNSTOPPABLE.format(int(10_000_000 * 6 / (time.monotonic() - started)))
    await _quiet(connection)


async def _quiet(connection: Connection) -> None:
    """Wait until nothing of ours runs any more; the slots need not be asked then."""
    async with asyncio.timeout(120):
        while await fetch(connection, "SHOW TRANSACTIONS YIELD metaData WHERE metaData.statement IS NOT NULL RETURN 1 AS x"):
            await asyncio.sleep(0.2)
    slots._slots.clear()


async def test_a_reduce_ignores_the_servers_timeout_and_not_ours(connection: Connection, unstoppable: str) -> None:
    started = time.monotonic()
    with pytest.raises(QueryTimeout):
        await read(connection, unstoppable, limits=Limits(timeout=0.5), layers=NO_SCREEN)
    assert 0.5 + CLIENT_GRACE - 0.1 < time.monotonic() - started < 0.5 + 3
    assert (await read(connection, "RETURN 1 AS x")).rows == [[1]]


@pytest.mark.parametrize("cypher", ENDLESS.values(), ids=ENDLESS.keys())
async def test_whatever_the_server_does_the_caller_hears_in_time(connection: Connection, cypher: str) -> None:
    started = time.monotonic()
    try:
        await read(connection, cypher, limits=Limits(timeout=1), layers=NO_SCREEN)
    except (QueryTimeout, QueryFailed) as error:
        assert error.kind in ("timeout", "memory", "failed")
    assert time.monotonic() - started < 1 + 3
    started = time.monotonic()
    assert (await read(connection, "RETURN 1 AS x")).rows == [[1]]
    assert time.monotonic() - started < 1.5
    await _quiet(connection)


async def test_our_own_statements_are_bounded_too(connection: Connection) -> None:
    started = time.monotonic()
    with pytest.raises(QueryTimeout):
        await fetch(connection, "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(*) AS c", timeout=0.5)
    assert time.monotonic() - started < 0.5 + CLIENT_GRACE + 1
    assert await fetch(connection, "RETURN $x AS x", {"x": 1}) == [{"x": 1}]


async def test_a_caller_that_gives_up_leaves_a_usable_connection(connection: Connection) -> None:
    for cypher in ["UNWIND range(1, 10000000000) AS x RETURN count(x) AS c", ENDLESS["a cartesian product"]]:
        task = asyncio.create_task(read(connection, cypher))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        started = time.monotonic()
        assert (await read(connection, "RETURN 1 AS x")).rows == [[1]]
        assert time.monotonic() - started < 1
    await _quiet(connection)


# --- slots -----------------------------------------------------------------------------------------------------------


async def test_statements_that_were_given_up_on_count_until_they_have_ended(connection: Connection, unstoppable: str) -> None:
    given = await asyncio.gather(
        *(read(connection, unstoppable, limits=Limits(timeout=0.2), layers=NO_SCREEN) for _ in range(USER_STATEMENTS)), return_exceptions=True
    )
    assert all(isinstance(error, QueryTimeout) for error in given)
    started = time.monotonic()
    with pytest.raises(QueryTimeout, match="still running") as raised:
        await read(connection, "RETURN 1 AS x")
    assert raised.value.kind == "busy" and time.monotonic() - started < 4
    assert await fetch(connection, "RETURN 1 AS x") == [{"x": 1}]  # our own statements are not users'
    async with asyncio.timeout(90):
        while True:
            try:
                assert (await read(connection, "RETURN 1 AS x")).rows == [[1]]
                break
            except QueryTimeout:
                await asyncio.sleep(0.5)


async def test_many_at_once_all_get_their_turn(connection: Connection) -> None:
    results = await asyncio.gather(*(read(connection, "RETURN $x AS x", {"x": x}) for x in range(50)))
    assert [result.rows for result in results] == [[[x]] for x in range(50)]
    assert not slots._slots


def test_loops_and_threads(server: Connection) -> None:
    failures: list[BaseException] = []

    async def several(first: int) -> None:
        for x in range(first, first + 5):
            assert (await read(server, "RETURN $x AS x", {"x": x})).rows == [[x]]
            assert await fetch(server, "RETURN $x AS x", {"x": x}) == [{"x": x}]

    def work(first: int) -> None:
        try:
            for _ in range(3):
                asyncio.run(several(first))
        except BaseException as error:  # noqa: BLE001 - reported below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number * 5,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures and not slots._slots


# --- memory and load -------------------------------------------------------------------------------------------------


async def test_ten_million_rows_cost_little_and_return_at_once(connection: Connection) -> None:
    await read(connection, "UNWIND range(1, 1000) AS x RETURN x, toString(x) AS t")
    gc.collect()
    process = psutil.Process()
    before = process.memory_info().rss
    started = time.monotonic()
    result = await read(connection, "UNWIND range(1, 10000000) AS x RETURN x, toString(x) AS t")
    assert time.monotonic() - started < 1
    assert result.more and len(result.rows) == 100
    assert process.memory_info().rss - before < 50 * 1024 * 1024
    assert not await fetch(connection, "SHOW TRANSACTIONS YIELD metaData WHERE metaData.statement IS NOT NULL RETURN 1 AS x")


# --- what was checked before, metadata, log --------------------------------------------------------------------------


async def test_a_verdict_is_remembered_for_text_database_and_permissions_only(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []
    monkeypatch.setattr(reading, "check_plan", lambda *args, **given: looked_at.append(args[0]) or check_plan(*args, **given))
    reading._verdicts.clear()
    for _ in range(3):
        assert (await read(connection, "RETURN $x AS x", {"x": 1})).rows == [[1]]
    assert len(looked_at) == 1
    await read(connection, "RETURN $x AS x ", {"x": 2})  # the same text once it is stripped
    assert len(looked_at) == 1
    await read(connection, "RETURN $x  AS x", {"x": 2})
    await read(connection, "RETURN $x AS x", {"x": 2}, limits=Limits(allowed_procedures=frozenset({"a.b"})))
    await read(replace(connection, database="neo4j"), "RETURN $x AS x", {"x": 2})
    assert len(looked_at) == 4
    for _ in range(2):
        with pytest.raises(QueryRefused):
            await read(connection, "CALL dbms.listConfig() YIELD name RETURN name", layers=NO_SCREEN)
    assert len(looked_at) == 6  # refusals are not remembered


async def test_the_operator_can_allow_more(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    cypher = "CALL db.info() YIELD name RETURN name"
    with pytest.raises(QueryRefused):
        await read(connection, cypher)
    monkeypatch.setenv("NEO4J_GRAPHRAG_PROCEDURES", "apoc.meta.*, db.Info")
    assert (await read(connection, cypher)).rows
    assert (await read(connection, cypher, limits=Limits(allowed_procedures=frozenset({"db.info"})))).rows
    with pytest.raises(QueryRefused):
        await read(connection, "CALL dbms.info()")


async def test_statements_can_be_found_in_the_servers_list(connection: Connection) -> None:
    task = asyncio.create_task(
        read(connection, ENDLESS["a cartesian product"], limits=Limits(timeout=2), origin=Origin("text2cypher", "langflow"))
    )
    found: list[dict] = []
    async with asyncio.timeout(2):
        while not found:
            rows = await fetch(connection, "SHOW TRANSACTIONS YIELD metaData RETURN metaData AS m", origin=Origin("doctor"))
            found = [row["m"] for row in rows if row["m"].get("operation") == "text2cypher"]
    assert any(row["m"].get("operation") == "doctor" and row["m"].get("client") == "engine" for row in rows)
    assert found[0]["app"].startswith("lfx-neo4j-graphrag/") and found[0]["client"] == "langflow" and found[0]["statement"]
    with pytest.raises(QueryTimeout):
        await task


async def test_one_log_line_per_statement_without_values(connection: Connection, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "lfx_neo4j_graphrag")
    await read(connection, "RETURN 'literal' AS x, $x AS y", {"x": "private value"}, origin=Origin("cypher_query", "mcp"))
    with pytest.raises(QueryRefused):
        await read(connection, "CREATE (:Pwned {p: 'literal'})", {"x": "private value"})
    with pytest.raises(QueryFailed):
        await read(connection, "RETURN date($x) AS y", {"x": "private value"})
    await fetch(connection, "RETURN 1 AS x", origin=Origin("graph_schema"))
    lines = [record.getMessage() for record in caplog.records if record.name == "lfx_neo4j_graphrag"]
    assert [line.split(" ms=")[0] for line in lines] == [
        "operation=cypher_query client=mcp rows=1",
        "operation=cypher_query client=engine rows=0",
        "operation=cypher_query client=engine rows=0",
        "operation=graph_schema client=engine rows=1",
    ]
    assert [line.split("outcome=")[1] for line in lines] == ["ok", "refused", "failed", "ok"]
    assert "private" not in caplog.text and "literal" not in caplog.text


async def test_connections_that_fail_hold_no_slot() -> None:
    nowhere = Connection("bolt://127.0.0.1:1")
    for _ in range(USER_STATEMENTS + 2):
        with pytest.raises(ConnectionFailed):
            await read(nowhere, "RETURN 1")
    assert not slots._slots
