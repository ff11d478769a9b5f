"""get_schema and read_cypher: nothing changes, everything is bounded, every value survives."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
import yaml
from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.reply.tokens import count_tokens
from mcp_support import graphs
from mcp_support.client import in_memory

HOSTILE = {
    "CREATE": "CREATE (n:Hacked) RETURN n",
    "MERGE": "MERGE (n:Hacked {a: 1}) RETURN n",
    "DELETE": "MATCH (n:Victim) DETACH DELETE n",
    "SET": "MATCH (n:Victim) SET n.x = 1",
    "LOAD CSV file": "LOAD CSV FROM 'file:///secret.csv' AS row RETURN row",
    "CALL db.createLabel": "CALL db.createLabel('Hacked')",
    "DROP INDEX": "DROP INDEX victim_idx",
    "SHOW TRANSACTIONS": "SHOW TRANSACTIONS",
    "CALL IN TRANSACTIONS": "MATCH (n:Victim) CALL (n) { SET n.x = 2 } IN TRANSACTIONS OF 10 ROWS",
    "hidden by comments": "MATCH (n:Victim) RETURN n /* x */ UNION /* RETURN */ CREATE (n:Hacked) RETURN n",
    "INSERT": "CYPHER 25 INSERT (n:Hacked) RETURN n",
    "CALL dbms.listConfig": "CALL dbms.listConfig() YIELD name, value RETURN name, value LIMIT 3",
    "PROFILE": "PROFILE CREATE (n:Hacked) RETURN n",
    "EXPLAIN": "EXPLAIN CREATE (n:Hacked)",
    "SHOW SETTINGS": "SHOW SETTINGS YIELD name, value RETURN name, value LIMIT 3",
    "apoc.cypher.runWrite": "CALL apoc.cypher.runWrite('CREATE (n:Hacked)', {}) YIELD value RETURN value",
    "apoc.cypher.doIt": "CALL apoc.cypher.doIt('CREATE (n:Hacked)', {}) YIELD value RETURN value",
    "LOAD CSV http": "LOAD CSV FROM 'http://127.0.0.1:9/x' AS row RETURN row",
    "TERMINATE": "TERMINATE TRANSACTIONS 'neo4j-transaction-1'",
    "apoc.load.json": "CALL apoc.load.json('file:///secret.csv') YIELD value RETURN value",
    "CREATE USER": "CREATE USER hacker SET PASSWORD 'abcdefgh'",
    "escaped": "MATCH (n:Victim) \\u0053ET n.x = 1",
    "two statements": "RETURN 1; MATCH (n:Victim) DETACH DELETE n",
}


async def test_hostile_statements_change_nothing_and_tell_nothing(connection, mcp_server):
    await graphs.run(connection, "CREATE INDEX victim_idx FOR (n:Victim) ON (n.k)", "CREATE (:Victim {k: 1})-[:K {w: 1}]->(:Victim {k: 2})")
    async with in_memory(mcp_server()) as client:
        for name, query in HOSTILE.items():
            answer = await client.call("read_cypher", query=query)
            assert answer.failed, name
            assert not answer.text.startswith("Something unexpected") and "Exception" not in answer.text, (name, answer.text)
    left = await graphs.run(connection, "MATCH (n) RETURN count(n) AS n, count(n.x) AS changed, count{ MATCH (:Victim) } AS victims")
    assert left == [{"n": 2, "changed": 0, "victims": 2}]
    assert len(await graphs.run(connection, "SHOW INDEXES YIELD name WHERE name = 'victim_idx' RETURN name")) == 1
    assert await graphs.run(connection, "CALL db.labels() YIELD label WHERE label = 'Hacked' RETURN label") == []


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n:Merge) RETURN n.set AS x",
        "RETURN 'CREATE (n) DELETE n' AS x",
        "MATCH (n) WHERE n.delete > 2 AND n.`DROP` = 4 RETURN n.load AS x",
        "MATCH (n) RETURN n.code AS x // SET n.x = 1",
        "CALL db.labels() YIELD label RETURN label AS x",
        "MATCH (n) RETURN n.code AS x;",
        "SHOW INDEXES YIELD name RETURN name AS x",
    ],
)
async def test_words_of_writing_as_names_and_texts_are_no_alarm(connection, mcp_server, query):
    await graphs.run(connection, "CREATE (:Asset:Merge {code: 'A', created: 1, set: 2, `delete`: 3, `DROP`: 4, load: 5})")
    async with in_memory(mcp_server()) as client:
        answer = await client.call("read_cypher", query=query)
        assert not answer.failed and yaml.safe_load(answer.text)["rows"]


async def test_odd_values_survive(connection, mcp_server):
    await graphs.run(connection, "CREATE (:Person {name: 'Ana'})-[:KNOWS {since: date('2020-05-01'), weight: 3}]->(:Person {name: 'Blas'})")
    query = """MATCH p = (a:Person)-[r:KNOWS]->(b) RETURN date('2026-03-01') AS d, datetime('2026-03-01T10:00:00+01:00') AS dt,
    duration('P1M2DT3S') AS du, point({latitude: 40.4, longitude: -3.7}) AS pt, r AS rel, p AS path, a AS node,
    0.0/0.0 AS nan, 1.0/0.0 AS inf, [date('2026-03-02')] AS ds, {x: duration('PT1H')} AS m, '<|endoftext|>' AS special,
    [i IN range(1, 1536) | i / 1536.0] AS vector, 'ñandú ☕ 👩‍🔧' AS letters"""
    for format in ("yaml", "json"):
        async with in_memory(mcp_server(format=format)) as client:
            answer = await client.call("read_cypher", query=query)
            assert not answer.failed, answer.text
            [row] = (json.loads if format == "json" else yaml.safe_load)(answer.text)["rows"]
            json.dumps(row, allow_nan=False)
            assert (row["d"], row["du"], row["ds"], row["m"]) == ("2026-03-01", "P1M2DT3S", ["2026-03-02"], {"x": "PT1H"})
            assert row["dt"].startswith("2026-03-01T10:00:00") and row["dt"].endswith("+01:00")
            assert (row["pt"]["longitude"], row["pt"]["latitude"]) == (-3.7, 40.4)
            assert row["rel"] == {"type": "KNOWS", "properties": {"since": "2020-05-01", "weight": 3}}
            assert row["node"] == {"labels": ["Person"], "properties": {"name": "Ana"}}
            assert [part.get("type") or part["properties"]["name"] for part in row["path"]["path"]] == ["Ana", "KNOWS", "Blas"]
            assert (row["nan"], row["inf"], row["special"]) == ("NaN", "Infinity", "<|endoftext|>")
            assert row["vector"] == "[list of 1536 numbers]" and row["letters"] == "ñandú ☕ 👩‍🔧"


async def test_vectors_and_long_lists_become_markers_wherever_they_are(connection, mcp_server):
    await graphs.run(
        connection,
        """UNWIND range(1, 60) AS i CREATE (:Part {code: 'P-' + toString(i), embedding: [x IN range(1, 60) | 0.123456 + x],
        few: [x IN range(1, 51) | 'a' + toString(x)], many: [x IN range(1, 52) | 'b' + toString(x)]})""",
    )
    async with in_memory(mcp_server(token_limit=0)) as client:
        whole = await client.call("read_cypher", query="MATCH (p:Part) RETURN p ORDER BY p.code")
        nested = await client.call("read_cypher", query="MATCH (p:Part) RETURN {k: [{c: p.code, e: p.embedding}]} AS x")
        only = await client.call("read_cypher", query="MATCH (p:Part) RETURN p.embedding AS e")
        for answer in (whole, nested, only):
            assert len(yaml.safe_load(answer.text)["rows"]) == 60 and ".123456" not in answer.text
        assert "a51" in whole.text and "b52" not in whole.text
        bottomless = await client.call("read_cypher", query=f"RETURN {'[' * 60}1{']' * 60} AS deep")
        assert not bottomless.failed and "nested" in bottomless.text


async def test_long_answers_are_cut_by_whole_rows_and_say_so_first(connection, mcp_server):
    for format in ("yaml", "json"):
        for limit in (300, 2048):
            async with in_memory(mcp_server(format=format, token_limit=limit)) as client:
                query = "UNWIND range(1, 3000) AS i RETURN i, 'texto <|endoftext|> ñandú ☕ 👩‍🔧 ' + toString(i) AS t"
                answer = await client.call("read_cypher", query=query)
                reply = (json.loads if format == "json" else yaml.safe_load)(answer.text)
                assert next(iter(reply)) == "truncated" and count_tokens(answer.text) <= limit
                assert reply["rows"] == [{"i": i, "t": f"texto <|endoftext|> ñandú ☕ 👩‍🔧 {i}"} for i in range(1, len(reply["rows"]) + 1)]
                wide = await client.call("read_cypher", query="RETURN reduce(s = '', i IN range(1, 4000) | s + 'palabra ') AS t")
                assert len((json.loads if format == "json" else yaml.safe_load)(wide.text)["rows"]) == 1 and count_tokens(wide.text) <= limit


async def test_rows_are_bounded(connection, mcp_server):
    async with in_memory(mcp_server(max_rows=7, token_limit=0)) as client:
        reply = yaml.safe_load((await client.call("read_cypher", query="UNWIND range(1, 1000000) AS i RETURN i")).text)
        assert len(reply["rows"]) == 7 and reply["truncated"]["of"] == "more than 7"


@pytest.mark.parametrize(
    ("params", "expected"), [(None, None), ({}, None), ("", None), ({"a": 1}, 1), ('{"a": 1}', 1), ({"a": [1, "x"]}, [1, "x"])]
)
async def test_params_in_every_form_that_clients_send(mcp_server, params, expected):
    async with in_memory(mcp_server()) as client:
        arguments = {"query": "RETURN 1 AS x" if expected is None else "RETURN $a AS x", "params": params}
        answer = await client.call_with("read_cypher", arguments)
        assert not answer.failed and yaml.safe_load(answer.text)["rows"] == [{"x": 1 if expected is None else expected}]


async def test_params_that_cannot_be_and_missing_ones_are_named(mcp_server):
    async with in_memory(mcp_server()) as client:
        assert "no JSON" in (await client.call("read_cypher", query="RETURN $a", params="{a: 1")).text
        assert "not an object" in (await client.call("read_cypher", query="RETURN $a", params=[1])).text
        missing = await client.call("read_cypher", query="RETURN $wanted, $other")
        assert missing.failed and "$wanted" in missing.text and "ParameterMissing" not in missing.text
        assert (await client.call("read_cypher")).failed
        assert "no argument 'sql'" in (await client.call("read_cypher", query="RETURN 1", sql="x")).text


async def test_whole_numbers_stay_whole(mcp_server):
    async with in_memory(mcp_server()) as client:
        answer = await client.call("read_cypher", query="UNWIND range(1, 9) AS i RETURN i SKIP $s LIMIT $n", params={"s": 1, "n": 2})
        assert yaml.safe_load(answer.text)["rows"] == [{"i": 2}, {"i": 3}]
        answer = await client.call("read_cypher", query="RETURN $big AS x, valueType($big) AS t", params={"big": 9007199254740993})
        assert "9007199254740993" in answer.text and "INTEGER" in answer.text


async def test_errors_never_show_values_or_the_query(mcp_server):
    async with in_memory(mcp_server()) as client:
        for query in ("RETURN $secret + date('x' + $secret)", "MATCH (n {key: $secret} RETURN n", "RETURN toInteger({a: $secret})"):
            answer = await client.call("read_cypher", query=query, params={"secret": "clave-muy-secreta"})
            assert answer.failed and "clave-muy-secreta" not in answer.text


async def test_a_query_without_end_is_stopped_and_others_go_on(connection, mcp_server):
    endless = "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN count(*) AS n"
    async with in_memory(mcp_server(query_timeout=4)) as client:
        await client.call("read_cypher", query="RETURN 1")  # connected, and planned once
        started = time.monotonic()
        slow = asyncio.create_task(client.call("read_cypher", query=endless))
        await asyncio.sleep(0.3)
        assert not (await client.call("read_cypher", query="RETURN 1")).failed
        assert not slow.done()
        answer = await slow
        assert answer.failed and "4 s" in answer.text and "TransactionTimedOut" not in answer.text
        assert time.monotonic() - started < 10
    await nothing_runs(connection)


async def test_a_cancelled_call_stops_on_the_server(connection, mcp_server):
    endless = "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN count(*) AS n"
    server = mcp_server(query_timeout=60)
    call = asyncio.create_task(server.call_tool("read_cypher", {"query": endless}))
    while not await running(connection):
        await asyncio.sleep(0.1)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await nothing_runs(connection)


async def running(connection: Connection) -> int:
    query = "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery STARTS WITH 'UNWIND range(1, 1000000)' RETURN count(*) AS n"
    return (await graphs.run(connection, query))[0]["n"]


async def nothing_runs(connection: Connection) -> None:
    until = time.monotonic() + 6
    while await running(connection) and time.monotonic() < until:
        await asyncio.sleep(0.2)
    assert await running(connection) == 0


async def test_schema_of_an_empty_database_and_of_odd_data(connection, mcp_server):
    async with in_memory(mcp_server()) as client:
        assert "empty" in (await client.call("get_schema")).text.lower() or "0 nodes" in (await client.call("get_schema")).text
        await graphs.run(
            connection,
            "UNWIND range(1, 300) AS i CREATE (:Part {code: CASE WHEN i % 2 = 0 THEN i ELSE 'P-' + toString(i) END, embedding: [0.5, 0.5]})",
            "MATCH (p:Part) WITH p LIMIT 1 CREATE (p)-[:TO {since: date('2026-01-01')}]->(:Rare:Worker {name: 'Íñigo', at: point({x: 1, y: 2})})",
        )
        text = (await client.call("get_schema")).text
        assert all(word in text for word in ("Part", "Rare", "Worker", "TO", "since", "300")), text
        missing = await client.call("get_schema", labels=["Prat"])
        assert missing.failed and "Part" in missing.text
        part = (await client.call("get_schema", labels="Worker")).text
        assert "Worker" in part and "code" not in part


async def test_a_large_schema_stays_within_the_limit(connection, mcp_server):
    creates = "\n".join(f"CREATE (:Label{i} {{{', '.join(f'property_{i}_{j}: {j}' for j in range(12))}}})" for i in range(60))
    await graphs.run(connection, creates)
    async with in_memory(mcp_server(token_limit=600)) as client:
        text = (await client.call("get_schema")).text
        assert count_tokens(text) <= 600 and "get_schema with labels" in text
        assert "property_7_3" in (await client.call("get_schema", labels=["Label7"])).text


async def test_hidden_names_stay_hidden(connection, mcp_server):
    await graphs.run(connection, "CREATE (:User {name: 'Ana', password: 'geheim'})-[:HAS]->(:Secret {text: 'geheim'})")
    async with in_memory(mcp_server(hidden="password, Secret")) as client:
        schema = await client.call("get_schema")
        everything = await client.call("read_cypher", query="MATCH (n)-[r]->(m) RETURN n, r, m")
        assert "geheim" not in everything.text + schema.text and "Ana" in everything.text
        assert "password" not in schema.text and "Secret" not in schema.text
        assert (await client.call("read_cypher", query="MATCH (u:User) RETURN u.password")).failed
