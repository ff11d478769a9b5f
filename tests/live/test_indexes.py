"""Abilities, constraints and indexes of real servers, and making what a load needs."""

from __future__ import annotations

import asyncio

import pytest

from lfx_neo4j_graphrag.database.capabilities import capabilities
from lfx_neo4j_graphrag.database.indexes import (
    FulltextWish,
    VectorWish,
    await_indexes,
    check_analyzer,
    ensure_key,
    list_constraints,
    list_indexes,
    make_index,
    plan_fulltext_index,
    plan_vector_index,
)
from lfx_neo4j_graphrag.database.writing import run_schema, write, write_batches
from lfx_neo4j_graphrag.errors import IndexProblem, InputError, QueryFailed
from saving import Embedder, ask, changed_nothing, save


async def vector_index(connection, wish):
    can = await capabilities(connection)
    existing = await list_indexes(connection)
    await make_index(connection, plan_vector_index(existing, wish, filters=can.filter_in_index, cypher25=can.cypher25))


async def fulltext_index(connection, wish):
    await make_index(connection, plan_fulltext_index(await list_indexes(connection), wish))


async def test_capabilities(connection, server_version):
    can = await capabilities(connection)
    new = server_version.startswith("2026")
    assert can.version == server_version and not can.enterprise
    assert can.search_clause == can.filter_in_index == can.cypher25 == can.vector_type_over_bolt == new
    assert can.in_operator == can.quantization_type == (server_version == "2026.08.1")
    assert await capabilities(connection) is can


async def test_listing(connection, server_version):
    assert await list_indexes(connection) == [] and await list_constraints(connection) == []
    await ensure_key(connection, "A", "id")
    await vector_index(connection, VectorWish("a_v", "A", 4, ("x", "y z")))
    await fulltext_index(connection, FulltextWish("a_t", "A", ("text", "x"), "spanish"))
    await ask(connection, "CREATE VECTOR INDEX r_v FOR ()-[r:T]-() ON (r.e) OPTIONS {indexConfig: {`vector.dimensions`: 8}}")
    await await_indexes(connection, ["a_v", "a_t", "r_v"], 30)
    found = {index.name: index for index in await list_indexes(connection)}
    text, vector, relation = found.pop("a_t"), found.pop("a_v"), found.pop("r_v")
    [key] = found.values()
    filters = ("x", "y z") if server_version.startswith("2026") else ()
    assert (key.labels, key.properties, bool(key.constraint), key.state, key.percent) == (("A",), ("id",), True, "ONLINE", 100.0)
    assert (text.properties, text.analyzer, text.constraint, text.dimensions) == (("text", "x"), "spanish", None, None)
    assert (vector.properties, vector.dimensions, vector.similarity, vector.quantized) == (
        ("embedding", *filters),
        4,
        "cosine",
        False,
    )
    assert (relation.entity, relation.labels, relation.quantized) == ("RELATIONSHIP", ("T",), True)
    [constraint] = await list_constraints(connection)
    assert (constraint.labels, constraint.properties, constraint.name) == (("A",), ("id",), key.constraint)


async def test_a_key_is_made_once(connection):
    assert (await ensure_key(connection, "A", "id")).created
    again = await ensure_key(connection, "A", "id")
    assert again.constraint and not again.created and again.warning is None


async def test_a_key_that_duplicates_or_a_plain_index_forbid(connection):
    await ask(connection, "UNWIND [1, 1, 'b'] AS k CREATE (:A {id: k})")
    result = await ensure_key(connection, "A", "id")
    assert not result.constraint and "'1' (2 nodes)" in result.warning
    assert [index.properties for index in await list_indexes(connection)] == [("id",)]
    await ask(connection, "CREATE INDEX a_mano FOR (n:B) ON (n.id)")
    blocked = await ensure_key(connection, "B", "id")
    assert not blocked.constraint and "DROP INDEX a_mano" in blocked.warning
    await save(connection, [{"id": 1}], "B", "id")
    assert changed_nothing(await save(connection, [{"id": 1}], "B", "id"))


async def test_ten_loads_make_the_same_things_at_once(connection):
    keys = await asyncio.gather(*(ensure_key(connection, "A", "id") for _ in range(10)))
    assert all(key.constraint for key in keys)
    await asyncio.gather(*(vector_index(connection, VectorWish("a_v", "A", 4, ("x",))) for _ in range(10)))
    await asyncio.gather(*(fulltext_index(connection, FulltextWish("a_t", "A", ("x",), "spanish")) for _ in range(10)))
    assert sorted(index.kind for index in await list_indexes(connection)) == ["FULLTEXT", "RANGE", "VECTOR"]


async def test_an_index_that_differs_is_not_hidden(connection):
    await vector_index(connection, VectorWish("a_v", "A", 4))
    with pytest.raises(IndexProblem, match="4 numbers.*gives 8"):
        await vector_index(connection, VectorWish("a_v", "A", 8))
    with pytest.raises(IndexProblem, match="taken"):
        await fulltext_index(connection, FulltextWish("a_v", "B", ("x",), "spanish"))


async def test_analyzers(connection):
    await check_analyzer(connection, "spanish")
    with pytest.raises(InputError) as caught:
        await check_analyzer(connection, "español")
    assert "español" in caught.value.sentence and "spanish" in caught.value.advice and "standard-folding" in caught.value.advice


async def test_waiting_ends_with_the_state_there_is(connection):
    await ask(connection, "UNWIND range(1, 3000) AS i CREATE (:A {x: 'texto ' + i})")
    await fulltext_index(connection, FulltextWish("a_t", "A", ("x",), "spanish"))
    [index] = await await_indexes(connection, ["a_t"], 30)
    assert (index.state, index.percent) == ("ONLINE", 100.0)
    assert await await_indexes(connection, [], 1) == []


async def test_an_index_that_fails_is_a_warning_and_the_rows_are_saved(connection):
    rows = [{"codigo": n, "text": "x" * (40_000 if n == 3 else 10)} for n in range(5)]
    report = await save(connection, rows, fulltext_analyzer="keyword")
    assert report["nodes_created"] == 5 and report["indexes"][0]["state"] == "FAILED"
    assert any("FAILED" in warning and "DROP INDEX `parte_text`" in warning for warning in report["warnings"])


async def test_an_index_of_somebody_else_is_used_as_it_is(connection):
    await ask(
        connection, "CREATE VECTOR INDEX a_mano FOR (n:Parte) ON (n.embedding) OPTIONS {indexConfig: {`vector.dimensions`: 4}}"
    )
    await ask(
        connection,
        "CREATE FULLTEXT INDEX texto FOR (n:Parte) ON EACH [n.text] OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}",
    )
    report = await save(connection, [{"codigo": 1, "text": "t"}], embedder=Embedder(), fulltext_analyzer="spanish")
    assert {index["name"] for index in report["indexes"]} == {"a_mano", "texto"}
    assert any("english" in warning and "spanish" in warning for warning in report["warnings"])


async def test_a_transaction_of_several_statements_is_one(connection):
    await ensure_key(connection, "A", "id")
    with pytest.raises(QueryFailed) as caught:
        await write(connection, [("CREATE (:A {id: 1})", {}), ("UNWIND $rows AS r CREATE (:A {id: r})", {"rows": [2, 1]})])
    assert caught.value.kind == "constraint" and await ask(connection, "MATCH (n) RETURN n") == []
    counted = await write(connection, [("CREATE (:A {id: 1})", {}), ("CREATE (:A {id: 2})-[:T]->(:B)", {})])
    assert (counted.nodes_created, counted.relationships_created, counted.properties_set) == (3, 1, 2)
    undone = await write(connection, "MATCH (n) DETACH DELETE n", undo=True)
    assert (undone.nodes_deleted, undone.relationships_deleted) == (3, 1) and await ask(
        connection, "MATCH (n) RETURN count(n)"
    ) == [[3]]


async def test_batches_and_progress(connection):
    seen = []
    counted = await write_batches(
        connection,
        "UNWIND $rows AS r CREATE (:A {id: r})",
        list(range(25)),
        batch=10,
        streams=2,
        progress=lambda *args: seen.append(args),
    )
    assert counted.nodes_created == 25 and seen[-1] == (25, 25, "rows") and len(seen) == 3


async def test_deadlocks_are_repeated_and_counted(connection, caplog):
    await ask(connection, "CREATE (:A {id: 1, x: 0}), (:A {id: 2, x: 0})")
    text = (
        "MATCH (n:A {id: $first}) SET n.x = n.x + 1 WITH n UNWIND range(1, 2000000) AS i WITH n, count(i) AS slow "
        "MATCH (m:A {id: $second}) SET m.x = m.x + 1"
    )
    pairs = [{"first": 1, "second": 2}, {"first": 2, "second": 1}]
    total = await asyncio.gather(*(write(connection, text, pair) for pair in pairs))
    assert await ask(connection, "MATCH (n:A) RETURN DISTINCT n.x") == [[2]]
    assert sum(counted.retries for counted in total) >= 1
    assert not [record for record in caplog.records if record.name.startswith("neo4j")]


async def test_schema_outcomes(connection):
    assert await run_schema(connection, "CREATE INDEX i FOR (n:A) ON (n.x)") == "made"
    assert await run_schema(connection, "CREATE INDEX i FOR (n:A) ON (n.x)") == "exists"
    assert await run_schema(connection, "CREATE INDEX i FOR (n:B) ON (n.x)") == "exists"
    assert await run_schema(connection, "CREATE CONSTRAINT FOR (n:A) REQUIRE n.x IS UNIQUE") == "blocked"
    await ask(connection, "CREATE (:C {x: 1}), (:C {x: 1})")
    assert await run_schema(connection, "CREATE CONSTRAINT FOR (n:C) REQUIRE n.x IS UNIQUE") == "duplicates"
    with pytest.raises(QueryFailed):
        await run_schema(connection, "CREATE NONSENSE")
