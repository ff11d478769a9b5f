"""write_cypher: only where it is allowed, bounded, and harmless to the database."""

from __future__ import annotations

import asyncio

import pytest
import yaml
from lfx_neo4j_graphrag.database.capabilities import capabilities
from mcp_support import graphs
from mcp_support.client import in_memory

LONG = 40_000


async def test_it_is_not_there_unless_allowed(connection, mcp_server):
    async with in_memory(mcp_server()) as client:
        tools = await client.tools()
        assert not any("write" in name for name in tools) and all(tool["reads"] for tool in tools.values())
        assert (await client.call("write_cypher", query="CREATE (:Intruder)")).failed
    assert await graphs.run(connection, "MATCH (n) RETURN count(n) AS n") == [{"n": 0}]


async def test_changes_are_counted_and_rows_returned(connection, mcp_server):
    async with in_memory(mcp_server(allow_writes=True)) as client:
        assert not (await client.tools())["write_cypher"]["reads"]
        answer = await client.call("write_cypher", query="CREATE (p:Person {name: $name})-[:LIKES]->(:City {name: 'Lugo'}) RETURN p.name AS name", params={"name": "Ana"})
        reply = yaml.safe_load(answer.text)
        assert reply["rows"] == [{"name": "Ana"}]
        assert reply["changed"] == {"nodes_created": 2, "relationships_created": 1, "properties_set": 2, "labels_added": 2}
        reply = yaml.safe_load((await client.call("write_cypher", query="MATCH (p:Person) SET p.name = 'Eva'")).text)
        assert reply["changed"] == {"properties_set": 1} and reply["rows"] == []
        assert yaml.safe_load((await client.call("write_cypher", query="MATCH (p:Nobody) DELETE p")).text)["changed"] == {}
    assert await graphs.run(connection, "MATCH (p:Person) RETURN p.name AS name") == [{"name": "Eva"}]


@pytest.mark.parametrize(
    "query",
    [
        "CREATE INDEX i FOR (n:A) ON (n.b)",
        "CREATE CONSTRAINT c FOR (n:A) REQUIRE n.b IS UNIQUE",
        "CREATE USER x SET PASSWORD 'abcdefgh'",
        "DROP INDEX kept",
        "LOAD CSV FROM 'file:///a.csv' AS row CREATE (:A)",
        "CALL apoc.periodic.iterate('a', 'b', {})",
        "CALL db.createLabel('A')",
        "MATCH (n) CALL (n) { SET n.x = 2 } IN TRANSACTIONS OF 10 ROWS",
        "CREATE (:A); CREATE (:B)",
        "USE system CREATE (:A)",
        "EXPLAIN CREATE (:A)",
        "SHOW TRANSACTIONS",
    ],
)
async def test_only_data_may_be_written(connection, mcp_server, query):
    await graphs.run(connection, "CREATE INDEX kept FOR (n:K) ON (n.k)")
    server = mcp_server(allow_writes=True)
    assert (await server.call_tool("write_cypher", {"query": query})).failed
    assert await graphs.run(connection, "MATCH (n) RETURN count(n) AS n") == [{"n": 0}]
    assert [r["name"] for r in await graphs.run(connection, "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name")] == ["kept"]


async def test_too_many_changes_are_rolled_back(connection, mcp_server):
    server = mcp_server(allow_writes=True, max_writes=100)
    reply = await server.call_tool("write_cypher", {"query": "UNWIND range(1, 500) AS i CREATE (:N {i: i})"})
    assert reply.failed and "1,500 changes" in reply.text and "MAX_WRITES" in reply.text
    assert await graphs.run(connection, "MATCH (n) RETURN count(n) AS n") == [{"n": 0}]
    assert not (await server.call_tool("write_cypher", {"query": "UNWIND range(1, 30) AS i CREATE (:N {i: i})"})).failed


async def test_all_changes_happen_though_few_rows_are_shown(connection, mcp_server):
    server = mcp_server(allow_writes=True, max_rows=3)
    reply = yaml.safe_load((await server.call_tool("write_cypher", {"query": "UNWIND range(1, 50) AS i CREATE (n:N {i: i}) RETURN n.i AS i"})).text)
    assert len(reply["rows"]) == 3 and reply["truncated"] and reply["changed"]["nodes_created"] == 50
    assert await graphs.run(connection, "MATCH (n) RETURN count(n) AS n") == [{"n": 50}]


async def test_a_write_that_takes_too_long_is_stopped_and_undone(connection, mcp_server):
    server = mcp_server(allow_writes=True, query_timeout=1)
    query = "CREATE (:Begun) WITH 1 AS x UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b WITH count(*) AS n CREATE (:Done)"
    reply = await server.call_tool("write_cypher", {"query": query})
    assert reply.failed and "1 s" in reply.text
    await asyncio.sleep(1)
    assert await graphs.run(connection, "MATCH (n) RETURN count(n) AS n") == [{"n": 0}]


async def test_errors_of_the_data_are_sentences(connection, mcp_server):
    await graphs.run(connection, "CREATE CONSTRAINT k FOR (n:K) REQUIRE n.k IS UNIQUE", "CREATE (:K {k: 'clave-secreta'})")
    server = mcp_server(allow_writes=True)
    reply = await server.call_tool("write_cypher", {"query": "CREATE (:K {k: $k})", "params": {"k": "clave-secreta"}})
    assert reply.failed and "constraint" in reply.text and "clave-secreta" not in reply.text


@pytest.mark.parametrize(
    ("query", "harm"),
    [
        ("MATCH (n:Doc {code: 'a'}) SET n.state = $long", True),
        ("MATCH (n:Doc {code: 'a'}) SET n += $map", True),
        ("MATCH (n:Doc {code: 'a'}) SET n.state = reduce(s = 'x', i IN range(1, 16) | s + s)", True),
        ("MATCH (n:Doc {code: 'a'}) SET n.state = n.body", True),
        ("MATCH (n:Doc {code: 'a'}), (o:Other) SET n = properties(o)", True),
        ("MATCH (o:Other) SET o:Doc", True),
        ("MATCH (n:Doc {code: 'bare'}) SET n.embedding = [1.0, 0.0, 0.0, 0.0]", True),
        ("CREATE (:Doc {code: 'new', state: $long, embedding: [1.0, 0.0, 0.0, 0.0]})", True),
        ("MATCH (n:Doc {code: 'a'}) SET n.state = $accents", True),
        ("MATCH (n:Doc {code: 'a'}) SET n.body = $long", False),
        ("MATCH (n:Doc {code: 'a'}) SET n.state = $exact", False),
        ("CREATE (:Doc {code: 'no vector', state: $long})", False),
        ("CREATE (:Elsewhere {state: $long})", False),
    ],
)
async def test_a_text_that_would_stop_the_database_is_not_committed(connection, mcp_server, query, harm):
    if not (await capabilities(connection)).filter_in_index:
        return  # such an index cannot be made here
    long = "x" * LONG
    await graphs.run(
        connection,
        "CREATE (:Doc {code: 'a', state: 'new', body: $long, embedding: [1.0, 0.0, 0.0, 0.0]}), (:Doc {code: 'bare', state: $long}), "
        "(:Other {state: $long, embedding: [1.0, 0.0, 0.0, 0.0]})",
        long=long,
    )
    await graphs.vector_index(connection, "docs", "Doc", ["state", "code"], 4)
    params = {"long": long, "map": {"state": long}, "accents": "ñ" * 17_000, "exact": "x" * 32_766}
    used = {name: value for name, value in params.items() if f"${name}" in query}
    reply = await mcp_server(allow_writes=True).call_tool("write_cypher", {"query": query, "params": used})
    assert reply.failed is harm, reply.text
    if harm:
        assert "32,766" in reply.text and "docs" in reply.text
    await asyncio.sleep(0.3)  # a panic would come after the commit
    assert await graphs.run(connection, "RETURN 1 AS x") == [{"x": 1}]
