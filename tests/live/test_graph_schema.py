"""Graph Schema on real servers: what is there is said, what is hidden or was not read isn't."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
import yaml

from lfx_neo4j_graphrag import defaults
from lfx_neo4j_graphrag.cypher import schema_statements
from lfx_neo4j_graphrag.cypher.names import quote
from lfx_neo4j_graphrag.database.connection import driver_for
from lfx_neo4j_graphrag.errors import InputError, QueryTimeout
from lfx_neo4j_graphrag.operations import graph_schema as operation
from lfx_neo4j_graphrag.operations import schema_reading
from lfx_neo4j_graphrag.operations.graph_schema import GraphSchemaRequest
from lfx_neo4j_graphrag.reply.tokens import count_tokens
from lfx_neo4j_graphrag.schema.render import to_text

INCIDENTS = """
UNWIND range(1, 24) AS n
MERGE (c:Cliente {nombre: 'Bar ' + (n % 8)})
MERGE (t:Tecnico {nombre: ['Lucía Ortega', 'Javier Ruiz', 'Rocío Benítez', 'Manuel Campos'][n % 4]})
MERGE (m:Maquina {modelo: 'M' + (n % 4), marca: ['Vellani', 'Jaltec', 'Molinar'][n % 3]})
CREATE (i:Incidencia {codigo: 'INC-' + (100 + n), fecha: toString(date('2026-07-03') + duration({days: n})), abierta_en: date('2026-07-03'),
    estado: CASE WHEN n % 3 = 0 THEN 'abierta' ELSE 'cerrada' END, importe: n * 1.5, urgente: n % 2 = 0,
    text: 'SECRETO ' + reduce(s = '', x IN range(1, 20) | s + 'palabra '), embedding: [x IN range(1, 64) | x / 64.0], etiquetas: ['a', 'b']})
FOREACH (x IN CASE WHEN n % 4 = 0 THEN [1] ELSE [] END | SET i.codigo_error = 'E07')
CREATE (i)-[:DE_CLIENTE]->(c), (i)-[:ASIGNADA_A {desde: date('2026-07-03'), horas: n}]->(t), (i)-[:EN_MAQUINA]->(m)
"""


# Generous: the server of a test has just started, and shares its processors with others.
TIMEOUT = 60.0


async def graph_schema(connection, format="text", *, timeout=TIMEOUT, **options):
    return await operation.graph_schema(connection, GraphSchemaRequest(format, timeout, **options))


async def read_schema(connection, *, fresh=True, **options):
    return await operation.read_schema(connection, timeout=TIMEOUT, fresh=fresh, **options)


async def run(connection, *texts, **parameters):
    async with driver_for(connection) as driver:
        for text in texts:
            await driver.execute_query(text, parameters)


@pytest.fixture
async def incidents(connection):
    await run(
        connection,
        "CREATE CONSTRAINT FOR (n:Incidencia) REQUIRE n.codigo IS UNIQUE",
        "CREATE FULLTEXT INDEX incidencia_text FOR (n:Incidencia) ON EACH [n.text, n.codigo] OPTIONS {indexConfig: {`fulltext.analyzer`: 'spanish'}}",
        "CREATE VECTOR INDEX incidencia_vector FOR (n:Incidencia) ON (n.embedding) "
        "OPTIONS {indexConfig: {`vector.dimensions`: 64, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}",
        "CREATE INDEX cliente_nombre FOR (n:Cliente) ON (n.nombre)",
        INCIDENTS,
        "CALL db.awaitIndexes(60)",
    )
    return connection


def described(schema, label):
    return {item.name: item for item in schema.label(label).properties}


async def test_text_says_what_the_graph_holds(incidents):
    text = (await graph_schema(incidents)).text
    for line in (
        "Incidencia (24)",
        "Cliente (8)",
        " abierta_en: date, only 2026-07-03",
        " codigo: e.g. 'INC-101', 'INC-124', unique",
        " codigo_error: one of 'E07', on 6",
        " embedding: vector of 64",
        " estado: one of 'abierta', 'cerrada'",
        " etiquetas: list of string e.g. 'a'",
        " fecha: from '2026-07-04' to '2026-07-27'",
        " importe: float from 1.5 to 36",
        " urgente: boolean",
        " nombre: one of 'Javier Ruiz', 'Lucía Ortega', 'Manuel Campos', 'Rocío Benítez'",
        "(:Incidencia)-[:ASIGNADA_A]->(:Tecnico) 24",
        "(:Incidencia)-[:DE_CLIENTE]->(:Cliente) 24",
        "[:ASIGNADA_A]",
        " horas: integer from 1 to 24",
        "incidencia_text: fulltext on Incidencia(text, codigo), analyzer spanish",
        "incidencia_vector: vector on Incidencia.embedding, 64 dimensions, cosine",
        "range on Cliente.nombre",
    ):
        assert line in text.split("\n"), line
    assert re.search(r"^ text: string of up to \d+ characters$", text, re.MULTILINE)
    assert "SECRETO" not in text and "sample" not in text and "Partial" not in text and "Constraints" not in text


async def test_every_format_and_ten_calls_give_the_same(incidents):
    results = [await graph_schema(incidents) for _ in range(10)]
    assert len({result.text for result in results}) == 1
    assert len({json.dumps(result.details) for result in results}) == 1
    schema = results[0].details["schema"]
    assert json.loads((await graph_schema(incidents, "json", token_limit=0)).text) == schema
    assert yaml.safe_load((await graph_schema(incidents, "yaml", token_limit=0)).text) == schema
    assert (await graph_schema(incidents, "mermaid")).text == results[0].details["mermaid"]
    assert (await graph_schema(incidents, "table", token_limit=0)).text.startswith("| kind | name |")
    assert {"kind": "pattern", "name": "(:Incidencia)-[:EN_MAQUINA]->(:Maquina)", "property": "", "type": "", "count": 24, "values": ""} in results[0].rows
    assert schema["nodes"] == 48 and schema["relationships"] == 72
    with pytest.raises(InputError, match="text, table, json, yaml, mermaid"):
        await graph_schema(incidents, "xml")


@pytest.mark.parametrize("limit", [64, 128, 256, 512])
async def test_every_format_keeps_the_token_limit(incidents, limit):
    for format in operation.FORMATS:
        text = (await graph_schema(incidents, format, token_limit=limit)).text
        assert count_tokens(text) <= limit
        if format in ("json", "yaml"):
            document = json.loads(text) if format == "json" else yaml.safe_load(text)
            assert document["truncated"]["shown"] == len(document["rows"])
        if format == "mermaid" and limit == 64:
            assert text.startswith("%% Cut: ") and text.split("\n")[1] == "graph LR"
    if limit == 256:
        assert (await graph_schema(incidents, token_limit=limit)).text.startswith("Values ")


async def test_an_empty_graph(connection):
    result = await graph_schema(connection)
    assert result.text == "The graph is empty: 0 nodes, 0 relationships" and result.rows == []


async def test_nodes_of_several_labels_and_of_none(connection):
    await run(
        connection,
        "UNWIND range(1, 5) AS n CREATE (:Persona:Actor {nombre: 'a' + n})-[:ACTUA_EN]->(:Pelicula {titulo: 't' + n})",
        "CREATE (:Persona {nombre: 'x'})-[:ACTUA_EN]->(:Pelicula {titulo: 't'}), ({suelto: 1})-[:RARA]->({suelto: 2}), ()",
    )
    schema = await read_schema(connection)
    assert {label.name: label.count for label in schema.labels} == {"": 3, "Actor": 5, "Pelicula": 6, "Persona": 6}
    assert schema.label("Actor").also == ("Persona",) and schema.label("Persona").also == ()
    assert {(p.start, p.type, p.end): p.count for p in schema.patterns} == {
        ("Actor", "ACTUA_EN", "Pelicula"): 5,
        ("Persona", "ACTUA_EN", "Pelicula"): 6,
        ("", "RARA", ""): 1,
    }
    assert described(schema, "")["suelto"].values == (1, 2) and described(schema, "")["suelto"].on == 2
    assert "()-[:RARA]->() 1" in to_text(schema) and "(no label) (3)" in to_text(schema)


async def test_nodes_without_a_label_in_a_large_store(connection, monkeypatch):
    """There they are at least as many as the labels leave over; their properties come from the sample."""
    monkeypatch.setattr(defaults, "SCHEMA_LISTED", 0)
    monkeypatch.setattr(defaults, "SCHEMA_SPREAD", 1_000_000)  # every id, wherever the server put these few
    await run(connection, "UNWIND range(1, 30) AS n CREATE (:A {n: n}), ({suelto: n}), (:B {n: n})")
    schema = await read_schema(connection)
    assert {label.name: label.count for label in schema.labels} == {"": 30, "A": 30, "B": 30}
    assert described(schema, "")["suelto"].types == ("integer",)


MIXED = [
    "UNWIND range(1, 6) AS n CREATE (:A)-[:T]->(:C), (:B)-[:T]->(:D)",
    "CREATE (:A)-[:T]->(:D), (:A:B)-[:T]->(:E), (:A)-[:T]->(), (:A)-[:U]->(:A), (:B)-[:U]->(:B)",
]
MIXED_PATTERNS = {
    ("A", "T", "C"): 6, ("B", "T", "D"): 6, ("A", "T", "D"): 1, ("A", "T", "E"): 1, ("B", "T", "E"): 1, ("A", "T", ""): 1,
    ("A", "U", "A"): 1, ("B", "U", "B"): 1,
}  # fmt: skip


@pytest.mark.parametrize("listed", [0, 20_000])
async def test_patterns_that_the_counts_leave_open_are_counted(connection, monkeypatch, listed):
    monkeypatch.setattr(defaults, "SCHEMA_LISTED", listed)
    await run(connection, *MIXED)
    schema = await read_schema(connection)
    assert {(p.start, p.type, p.end): p.count for p in schema.patterns} == MIXED_PATTERNS and not schema.partial


@pytest.mark.parametrize("most", [0, 10])
async def test_patterns_of_large_types_are_found_one_by_one(connection, monkeypatch, most):
    monkeypatch.setattr(defaults, "SCHEMA_ENDS", most)
    monkeypatch.setattr(defaults, "SCHEMA_LISTED", 0)
    monkeypatch.setattr(defaults, "SCHEMA_WHOLE", 1)
    monkeypatch.setattr(defaults, "SCHEMA_EDGE", 1)
    monkeypatch.setattr(defaults, "SCHEMA_SPREAD", 1)
    await run(connection, *MIXED)
    schema = await read_schema(connection)
    assert {(p.start, p.type, p.end) for p in schema.patterns} == set(MIXED_PATTERNS) and not schema.partial
    assert all(p.count in (None, MIXED_PATTERNS[p.start, p.type, p.end]) for p in schema.patterns)


async def test_an_account_without_the_privilege_gets_the_same(incidents, monkeypatch):
    await run(incidents, *MIXED)
    before = await graph_schema(incidents)
    monkeypatch.setattr(schema_statements, "GRAPH_COUNTS", "CALL db.stats.nobodyMay() YIELD data RETURN data")
    assert (await graph_schema(incidents)).text == before.text


@pytest.fixture(params=[0, 20_000], ids=["spread", "listed"])
async def large(connection, monkeypatch, request):
    """A label too large to be read whole: values and properties at its ends, one property in the middle, one indexed there."""
    monkeypatch.setattr(defaults, "SCHEMA_LISTED", request.param)
    monkeypatch.setattr(defaults, "SCHEMA_WHOLE", 100)
    monkeypatch.setattr(defaults, "SCHEMA_EDGE", 20)
    monkeypatch.setattr(defaults, "SCHEMA_SPREAD", 30)
    monkeypatch.setattr(defaults, "SCHEMA_SEARCHED", 0)
    await run(
        connection,
        "CREATE INDEX FOR (n:Grande) ON (n.indexada)",
        "UNWIND range(1, 3000) AS n CREATE (:Grande)",
        # numbered in the order of the store, which reuses the places of what earlier tests deleted
        "CYPHER 5 MATCH (g:Grande) WITH g ORDER BY id(g) WITH collect(g) AS all UNWIND range(1, 3000) AS n WITH n, all[n - 1] AS g "
        "SET g.n = n, g.estado = ['a', 'b'][n % 2] "
        "FOREACH (x IN CASE WHEN n > 2990 THEN [1] ELSE [] END | SET g.tardia = 'si') "
        "FOREACH (x IN CASE WHEN n = 1555 THEN [1] ELSE [] END | SET g.central = 1, g.indexada = 'x') "
        "CREATE (g)-[:T {k: n}]->(:Chica)",
        "MATCH (c:Chica) WITH c SKIP 5 DETACH DELETE c",
        "MATCH (c:Chica) SET c.x = 1",
        "CALL db.awaitIndexes(60)",
    )
    return connection


async def test_a_large_label_is_sampled_and_says_so(large):
    schema = await read_schema(large)
    properties = described(schema, "Grande")
    assert properties["n"].values == (1, 3000) and properties["estado"].values == ("a", "b")
    assert properties["tardia"].kind == "one of" and properties["indexada"].values == ("x",)
    # First and last 20; how many of those in between are met depends on what the store held before.
    assert schema.label("Grande").count == 3000 and 40 <= schema.label("Grande").read < 100
    assert "central" in schema.unmet and schema.sampled and not schema.label("Chica").sampled
    text = to_text(schema)
    assert "Grande (3000), properties of a sample\n" in text and " tardia: one of 'si', not on all" in text
    assert "Property names not met on what was read (rare, or no longer used): " in text
    assert text == to_text(await read_schema(large))


async def test_a_rare_name_is_found_and_one_no_longer_used_is_not_named(large, monkeypatch):
    monkeypatch.setattr(defaults, "SCHEMA_SEARCHED", 10_000)
    many = "MATCH (g:Grande) CREATE (g)-[u:U]->(g) SET u.escasa = CASE g.n WHEN 1444 THEN 7 END"
    await run(large, many, "CREATE (x:Borrada {sobra_nodo: 1})", "MATCH (x:Borrada) DELETE x")
    schema = await read_schema(large)
    central = described(schema, "Grande")["central"]
    escasa = next(item for kind in schema.types for item in kind.properties if item.name == "escasa")
    assert central.types == ("integer",) and central.values == (1, 1) and escasa.values == (7, 7)
    assert schema.unmet == () and "sobra_nodo" not in to_text(schema)
    hidden = await read_schema(large, hidden=frozenset({"Grande"}))
    assert "central" not in to_text(hidden) and hidden.unmet == ()


async def test_hidden_things_never_appear(incidents, monkeypatch):
    hidden = frozenset({"Tecnico", "Incidencia.codigo"})
    monkeypatch.setenv("NEO4J_GRAPHRAG_HIDDEN", "marca, EN_MAQUINA")
    for format in operation.FORMATS:
        result = await graph_schema(incidents, format, hidden=hidden, token_limit=0)
        whole = result.text + json.dumps([result.rows, result.details], ensure_ascii=False)
        for name in ("Tecnico", "Lucía", "codigo\"", "codigo:", "INC-1", "marca", "Vellani", "EN_MAQUINA", "incidencia_text"):
            assert name not in whole
        assert "codigo_error" in whole and "estado" in whole and "incidencia_vector" in whole or format == "mermaid"


async def test_values_can_be_left_out(incidents, monkeypatch):
    without = (await graph_schema(incidents, sample_values=False)).text
    assert " estado: string" in without and " importe: float\n" in without
    assert not any(value in without for value in ("abierta'", "E07", "2026-07", "Lucía", "36"))
    monkeypatch.setenv("SAMPLE_VALUES", "false")
    assert (await graph_schema(incidents)).text == without


async def test_odd_names_are_quoted_and_harm_nothing(connection):
    odd = ["A\\u0060) CREATE (h:Pwned) //", "two words", "a`b", "línea\nnueva", "{name}", "$x", "'", "Año", "MATCH", "😀"]
    for name in odd:
        q = quote(name)
        await run(connection, f"CREATE (:{q} {{{q}: $v}})-[:{q} {{{q}: 1}}]->(:{q} {{{q}: $v}})", v=f"{name}\nignore all")
        await run(connection, f"CREATE INDEX FOR (n:{q}) ON (n.{q})")
    schema = await read_schema(connection)
    assert [label.name for label in schema.labels] == sorted(odd) and len(schema.patterns) == len(odd) and not schema.partial
    assert all(label.count == 2 and described(schema, label.name)[label.name].on == 2 for label in schema.labels)
    text = to_text(schema)
    assert "`A\\u005cu0060) CREATE (h:Pwned) //`" in text and "`línea\\u000anueva`" in text and "\nignore all" not in text
    assert len(text.split("\n")) == len(text.splitlines())
    async with driver_for(connection) as driver:
        assert (await driver.execute_query("MATCH (n) RETURN count(n) AS n")).records[0]["n"] == 2 * len(odd)


async def test_what_takes_too_long_is_missing_and_said_to_be(incidents, monkeypatch):
    real = schema_reading.fetch

    async def slow(connection, statement, *rest, **options):
        if statement.startswith(schema_statements.NODE_PROPERTIES[:60]):
            await asyncio.sleep(5)
        return await real(connection, statement, *rest, **options)

    monkeypatch.setattr(schema_reading, "fetch", slow)
    loop = asyncio.get_running_loop()
    started = loop.time()
    result = await graph_schema(incidents, timeout=2)
    assert loop.time() - started < 4
    assert result.text.startswith("Partial: 0 of 4 labels read, the others are only counted.\n")
    assert "Incidencia (24)" in result.text and "(:Incidencia)-[:DE_CLIENTE]->(:Cliente) 24" in result.text
    monkeypatch.setattr(schema_reading, "fetch", real)
    assert "Partial" not in (await graph_schema(incidents)).text
    with pytest.raises(QueryTimeout, match="counts"):
        await graph_schema(incidents, timeout=0.0)


async def test_a_remembered_schema_is_used_until_the_graph_changes(incidents, monkeypatch):
    first = await read_schema(incidents, fresh=False)
    readings = []
    real = operation.read_from_database

    async def counted(*args, **options):
        readings.append(1)
        return await real(*args, **options)

    monkeypatch.setattr(operation, "read_from_database", counted)
    assert await read_schema(incidents, fresh=False) is first and readings == []
    await run(incidents, "CREATE (:Nueva)")
    assert (await read_schema(incidents, fresh=False)).label("Nueva").count == 1 and len(readings) == 1
    await run(incidents, "CREATE INDEX FOR (n:Nueva) ON (n.x)", "CALL db.awaitIndexes(60)")
    assert len((await read_schema(incidents, fresh=False)).indexes) == 5 and len(readings) == 2
    await read_schema(incidents, fresh=False, hidden=frozenset({"Nueva"}))
    await read_schema(incidents, fresh=True)
    assert len(readings) == 4
    monkeypatch.setattr(operation, "SCHEMA_CACHE_SECONDS", 0)
    await read_schema(incidents, fresh=False)
    assert len(readings) == 5


async def test_schemas_of_several_tasks_at_once_are_the_same(incidents):
    texts = await asyncio.gather(*(graph_schema(incidents) for _ in range(8)))
    assert len({result.text for result in texts}) == 1
