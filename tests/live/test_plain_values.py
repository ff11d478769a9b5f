"""What a real server sends, of every type, becomes plain."""

from __future__ import annotations

import datetime
import json
import math

import pytest

from lfx_neo4j_graphrag.database.capabilities import capabilities
from lfx_neo4j_graphrag.database.reading import read
from lfx_neo4j_graphrag.reply.fitting import fit
from lfx_neo4j_graphrag.reply.values import plain_rows

CREATE = (
    "CREATE (i:Incidencia:Urgente {codigo: 'INC-1', embedding: [x IN range(1, 384) | x / 384.0], text: $text})"
    "-[:DE_CLIENTE {desde: date('2026-07-03')}]->(:Cliente {nombre: 'Bar', `labels`: 'mine'})"
)

VALUES = [
    ("RETURN null AS v", None),
    ("RETURN 9223372036854775807 AS v", 9223372036854775807),
    ("RETURN 0.1 AS v", 0.1),
    ("RETURN 0.0 / 0.0 AS v", "NaN"),
    ("RETURN [1.0 / 0.0, -1.0 / 0.0] AS v", ["Infinity", "-Infinity"]),
    ("RETURN date('2026-07-03') AS v", "2026-07-03"),
    ("RETURN time('10:11:12.5+02:00') AS v", "10:11:12.5+02:00"),
    ("RETURN localtime('10:11:12') AS v", "10:11:12"),
    ("RETURN localdatetime('2026-07-03T10:11:12') AS v", "2026-07-03T10:11:12"),
    ("RETURN datetime('2026-07-03T10:11:12+02:00') AS v", "2026-07-03T10:11:12+02:00"),
    ("RETURN datetime('2026-07-03T10:11:12[Europe/Madrid]') AS v", "2026-07-03T10:11:12+02:00[Europe/Madrid]"),
    ("RETURN duration('P1Y2M3DT4H5.5S') AS v", "P1Y2M3DT4H5.5S"),
    ("RETURN point({longitude: -3.7, latitude: 40.4}) AS v", {"crs": "wgs-84", "longitude": -3.7, "latitude": 40.4}),
    ("RETURN point({x: 1, y: 2, z: 3}) AS v", {"crs": "cartesian-3d", "x": 1.0, "y": 2.0, "z": 3.0}),
    ("RETURN $bytes AS v", "[3 bytes]"),
    ("RETURN range(1, 51) AS v", list(range(1, 52))),
    ("RETURN range(1, 52) AS v", "[list of 52 numbers]"),
    ("RETURN {a: [1, {b: 'x'}]} AS v", {"a": [1, {"b": "x"}]}),
    ("RETURN reduce(s = '', x IN range(1, 3000) | s + 'é') AS v", "é" * (2000 - 19) + "…(+1019 characters)"),
]


@pytest.mark.parametrize(("cypher", "expected"), VALUES)
async def test_every_type(connection, cypher, expected):
    reading = await read(connection, cypher, {"bytes": b"abc"} if "$bytes" in cypher else {})
    value = plain_rows(reading.columns, reading.rows)[0]["v"]
    assert value == expected
    json.dumps(value, allow_nan=False)


async def run(connection, cypher, **parameters):
    reading = await read(connection, cypher, parameters)
    return plain_rows(reading.columns, reading.rows)


async def test_nodes_relationships_and_paths(connection):
    from lfx_neo4j_graphrag.database.connection import driver_for

    async with driver_for(connection) as driver:
        await driver.execute_query(CREATE, text="x" * 5000)
    [row] = await run(connection, "MATCH p = (c)<-[r]-(i) RETURN i, r, p, c, [i, r] AS list, {node: c} AS map, i AS i2")
    client = {"labels": ["Cliente"], "properties": {"labels": "mine", "nombre": "Bar"}}
    relationship = {"type": "DE_CLIENTE", "properties": {"desde": "2026-07-03"}}
    incident = row["i"]
    assert incident["labels"] == ["Incidencia", "Urgente"]
    assert incident["properties"]["embedding"] == "[list of 384 numbers]"
    assert incident["properties"]["text"].endswith("characters)") and len(incident["properties"]["text"]) == 2000
    assert row["r"] == relationship and row["c"] == client
    assert row["p"] == {"path": [client, {"direction": "<-", **relationship}, incident]}
    assert row["list"] == [incident, relationship] and row["map"] == {"node": client} and row["i2"] == incident
    for format in ("yaml", "json", "table"):
        assert fit([row], format=format).shown == 1


async def test_thirty_levels_of_nesting_survive(connection):
    deep: object = "leaf"
    for _ in range(30):
        deep = [deep]
    [row] = await run(connection, "RETURN $deep AS deep", deep=deep)
    assert row["deep"] == deep


async def test_columns_of_the_same_name_are_refused_by_the_server_and_others_kept(connection):
    [row] = await run(connection, "RETURN 1 AS `a`, 2 AS ` a`, 3 AS `a (2)`")
    assert list(row.values()) == [1, 2, 3]


async def test_the_vector_type_where_the_server_has_it(connection):
    if not (await capabilities(connection)).cypher25:
        [row] = await run(connection, "RETURN valueType(1.0) AS v")
        assert row["v"].startswith("FLOAT")
        return
    [row] = await run(connection, "CYPHER 25 RETURN vector([1, 2, 3], 3, FLOAT32) AS v")
    assert row["v"] == "[vector of 3 numbers]"


async def test_parameters_come_back_as_they_went(connection):
    moment = datetime.datetime(2026, 7, 3, 10, 11, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    [row] = await run(connection, "RETURN $d AS d, $t AS t, $f AS f", d=moment, t=datetime.timedelta(days=1, seconds=2), f=math.inf)
    assert row == {"d": "2026-07-03T10:11:12+02:00", "t": "P1DT2S", "f": "Infinity"}
