"""Add Records on a real server: what is in the graph after a load, after the next, and what the report says."""

from __future__ import annotations

import asyncio
import datetime as dt
import decimal
import enum
import json
import logging
import random
import uuid
import zoneinfo

import numpy as np
import pandas as pd
import pytest

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.defaults import MAX_KEY_BYTES
from lfx_neo4j_graphrag.errors import InputError, QueryFailed, QueryTimeout
from lfx_neo4j_graphrag.operations import row_saver
from lfx_neo4j_graphrag.operations.add_records import AddRecordsRequest, add_records
from saving import ASSETS, SEARCH_INDEXES, Embedder, ask, changed_nothing, save, wipe

LINES = """cliente -> DE_CLIENTE -> Cliente.nombre
tecnico -> ASIGNADA_A -> Tecnico.nombre
modelo -> EN_MAQUINA -> Maquina.modelo (marca)"""


async def everything(connection):
    nodes = await ask(connection, "MATCH (n) RETURN labels(n), properties(n)")
    links = await ask(connection, "MATCH (a)-[r]->(b) RETURN properties(a), type(r), properties(b)")
    return sorted(map(repr, nodes)), sorted(map(repr, links))


async def test_the_example(connection):
    rows = json.loads((ASSETS / "incidencias.json").read_text())
    fields = {"label": "Incidencia", "lines": LINES, "fulltext_analyzer": "spanish", "embedder": Embedder()}
    preview = await save(connection, rows, **fields, preview=True)
    assert await ask(connection, "MATCH (n) RETURN count(n)") == [[0]]
    assert await ask(connection, "SHOW INDEXES YIELD type WHERE type <> 'LOOKUP' RETURN count(*)") == [[0]]
    report = await save(connection, rows, **fields)
    assert (report["rows"], report["rejected_rows"], report["nodes_created"], report["relationships_created"]) == (24, 0, 40, 72)
    assert preview["by_kind"] == report["by_kind"] and preview["embeddings"] == report["embeddings"] == 24
    assert {index["name"]: index["state"] for index in report["indexes"]} == {
        "incidencia_vector": "ONLINE",
        "incidencia_text": "ONLINE",
    }
    assert sorted(report["constraints"]) == ["Cliente.nombre", "Incidencia.codigo", "Maquina.modelo", "Tecnico.nombre"]
    before = await everything(connection)
    again = await save(connection, rows, **fields)
    assert changed_nothing(again) and again["embeddings"] == 0 and again["nodes_unchanged"] == 40 and again["not_in_load"] == 0
    assert await everything(connection) == before


async def test_the_second_load_sends_no_writing_statement_at_all(connection, monkeypatch):
    rows = [{"codigo": "a", "n": 1, "f": 1.5, "d": dt.date(2026, 1, 1), "l": ["x", "y"], "taller": "N", "zona": "z"}]
    lines = "taller -> EN -> Taller.nombre (zona)"
    await save(connection, rows, lines=lines)
    monkeypatch.setattr(row_saver, "write", None)
    assert changed_nothing(await save(connection, rows, lines=lines))
    with pytest.raises(TypeError):
        await save(connection, [rows[0] | {"n": 2}], lines=lines)


async def test_a_changed_link_replaces_the_old_one_and_only_that(connection):
    await ask(connection, "CREATE (:Aviso {id: 1})-[:ASIGNADO_A]->(:Mecanico {nombre: 'Iker'})")
    lines = "mecanico -> ASIGNADO_A -> Mecanico.nombre\nmodelo -> DE_MODELO -> Modelo.nombre (marca)"
    rows = [{"codigo": f"P-{n}", "mecanico": "Iker", "modelo": "Alma", "marca": "Roja"} for n in (1, 2)]
    await save(connection, rows, lines=lines)
    await ask(connection, "MATCH (p:Parte {codigo: 'P-1'}) CREATE (p)-[:ASIGNADO_A]->(:Grupo {nombre: 'Turno'})")
    moved = [{"codigo": "P-1", "mecanico": "Nerea", "modelo": "Alma", "marca": None}]
    report = await save(connection, moved, lines=lines)
    assert (report["relationships_created"], report["relationships_deleted"], report["nodes_created"]) == (1, 1, 1)
    assert report["not_in_load"] == 1
    assert await ask(connection, "MATCH (:Parte {codigo: 'P-1'})-[:ASIGNADO_A]->(m) RETURN m.nombre ORDER BY m.nombre") == [
        ["Nerea"],
        ["Turno"],
    ]
    assert await ask(connection, "MATCH (:Parte {codigo: 'P-2'})-[:ASIGNADO_A]->(m) RETURN m.nombre") == [["Iker"]]
    assert await ask(connection, "MATCH (:Aviso)-[r:ASIGNADO_A]->(:Mecanico {nombre: 'Iker'}) RETURN count(r)") == [[1]]
    assert await ask(connection, "MATCH (m:Modelo) RETURN m.nombre, m.marca") == [["Alma", "Roja"]]
    assert changed_nothing(await save(connection, moved, lines=lines))


async def test_blank_cells_keep_or_clear(connection):
    lines = "taller -> EN -> Taller.nombre (zona)"
    await save(connection, [{"codigo": "a", "n": 1, "taller": "N", "zona": "z"}], lines=lines)
    blank = [{"codigo": "a", "n": None, "taller": "", "zona": None}]
    assert changed_nothing(await save(connection, blank, lines=lines))
    assert await ask(connection, "MATCH (p:Parte)-[:EN]->(t) RETURN p.n, t.nombre, t.zona") == [[1, "N", "z"]]
    report = await save(connection, blank, lines=lines, empty_cells="clear")
    assert (report["nodes_updated"], report["relationships_deleted"]) == (1, 1)
    assert await ask(connection, "MATCH (p:Parte) RETURN properties(p), COUNT { (p)-->() }") == [[{"codigo": "a"}, 0]]
    assert await ask(connection, "MATCH (t:Taller) RETURN t.zona") == [["z"]]  # no row names this node any more
    assert changed_nothing(await save(connection, blank, lines=lines, empty_cells="clear"))


async def test_lists_of_links(connection):
    lines = "pieza -> USA -> Pieza.ref"
    await save(
        connection,
        [{"codigo": "a", "pieza": ["x", "y", "x"]}, {"codigo": "b", "pieza": "y"}, {"codigo": "c", "pieza": None}],
        lines=lines,
    )
    report = await save(connection, [{"codigo": "a", "pieza": ["y", "z"]}, {"codigo": "b", "pieza": []}], lines=lines)
    assert (report["relationships_created"], report["relationships_deleted"]) == (1, 2)
    assert await ask(connection, "MATCH (p:Parte)-[:USA]->(x) RETURN p.codigo, x.ref ORDER BY x.ref") == [["a", "y"], ["a", "z"]]


async def test_links_to_nodes_of_the_same_label(connection):
    rows = [
        {"id": 1, "nombre": "Ana", "jefe": 2},
        {"id": 2, "nombre": "Eva", "jefe": None},
        {"id": 3, "nombre": "Iker", "jefe": 9},
    ]
    lines = "jefe -> REPORTA_A -> Empleado.id"
    preview = await save(connection, rows, "Empleado", "id", lines, preview=True)
    report = await save(connection, rows, "Empleado", "id", lines)
    assert (report["nodes_created"], report["relationships_created"]) == (4, 2) and preview["by_kind"] == report["by_kind"]
    assert await ask(connection, "MATCH (a:Empleado)-[:REPORTA_A]->(b:Empleado) RETURN a.id, b.id ORDER BY a.id") == [
        [1, 2],
        [3, 9],
    ]
    again = await save(connection, rows, "Empleado", "id", lines)
    assert changed_nothing(again) and again["not_in_load"] == 0
    rows[0]["jefe"] = 3
    moved = await save(connection, rows, "Empleado", "id", lines)
    assert (moved["nodes_updated"], moved["relationships_created"], moved["relationships_deleted"]) == (1, 1, 1)


async def test_links_by_another_property_of_the_same_label(connection):
    rows = [{"id": 1, "nombre": "Ana", "jefe": "Eva"}, {"id": 2, "nombre": "Eva", "jefe": None}]
    lines = "jefe -> REPORTA_A -> Empleado.nombre"
    report = await save(connection, rows, "Empleado", "id", lines)
    assert (report["nodes_created"], report["relationships_created"]) == (2, 1)
    assert changed_nothing(await save(connection, rows, "Empleado", "id", lines))


async def test_a_composed_key(connection):
    rows = [{"pedido": 1, "producto": n, "cantidad": n} for n in (1, 2)] + [{"pedido": 2, "producto": 1, "cantidad": 5}]
    report = await save(
        connection, rows, "Linea", "pedido + producto", "pedido -> DE -> Pedido.id\nproducto -> TIENE -> Producto.id"
    )
    assert (report["nodes_created"], report["relationships_created"]) == (3 + 2 + 2, 6)
    assert await ask(
        connection, "MATCH (l:Linea)-[:DE]->(p) RETURN l.pedido_producto, l.pedido, p.id ORDER BY l.pedido_producto"
    ) == [
        ["1|1", 1, 1],
        ["1|2", 1, 1],
        ["2|1", 2, 2],
    ]


async def test_values_of_every_kind_come_back_equal_and_change_nothing_again(connection):
    madrid = zoneinfo.ZoneInfo("Europe/Madrid")
    row = {
        "codigo": 7,
        "texto": "ñandú 🐦",
        "entero": 2**62,
        "decimal": -0.5,
        "si": True,
        "fecha": dt.date(1850, 1, 2),
        "hora": dt.time(10, 30, 1, 5),
        "alta": dt.datetime(2026, 7, 1, 9, 0, 0, 123456),
        "zona": dt.datetime(2026, 7, 1, 9, tzinfo=madrid),
        "marca": pd.Timestamp("2026-03-01", tz="Europe/Madrid"),
        "dura": dt.timedelta(days=400, seconds=3, microseconds=9),
        "bytes": b"\x00\xff",
        "lista": ["a", "b"],
        "vacia": [],
        "numeros": [1, 2.5],
        "fechas": [dt.date(2026, 1, 1)],
        "np": np.int32(5),
        "inf": float("inf"),
    }
    await save(connection, [row])
    [[stored]] = await ask(connection, "MATCH (p:Parte) RETURN properties(p)")
    assert (
        stored["entero"] == 2**62
        and stored["lista"] == ["a", "b"]
        and stored["numeros"] == [1.0, 2.5]
        and stored["inf"] == float("inf")
    )
    assert stored["fecha"].to_native() == row["fecha"] and stored["alta"].to_native() == row["alta"]
    assert stored["zona"].to_native() == row["zona"] and stored["zona"].iso_format().endswith("+02:00")
    assert changed_nothing(await save(connection, [row]))


async def test_two_thousand_named_zones_do_not_crash_the_process(connection):
    zone = zoneinfo.ZoneInfo("Europe/Madrid")
    rows = [{"codigo": n, "cuando": dt.datetime(2026, 7, 1, 9, n % 60, tzinfo=zone)} for n in range(2000)]
    assert (await save(connection, rows))["nodes_created"] == 2000
    assert changed_nothing(await save(connection, rows))


async def test_column_types_store_dates_and_reject_what_is_none(connection):
    rows = [{"codigo": "a", "fecha": "2026-09-29", "precio": "12,5"}, {"codigo": "b", "fecha": "29/09/2026", "precio": "1"}]
    report = await save(connection, rows, column_types="fecha: date, precio: float")
    assert report["rejected"] == [{"position": 2, "column": "fecha", "reason": "the text is not an ISO date (2026-09-29)"}]
    assert await ask(connection, "MATCH (p:Parte) WHERE p.fecha > date('2026-09-01') RETURN p.codigo, p.precio") == [["a", 12.5]]


async def test_rows_without_key_and_no_rows_at_all(connection):
    embedder = Embedder()
    rows = [{"codigo": key, "text": "t", "taller": "N"} for key in ("P-1", None, "", "   ", "P-2")]
    report = await save(connection, rows, lines="taller -> EN -> Taller.nombre", embedder=embedder)
    assert (report["rejected_positions"], report["nodes_created"]) == ([2, 3, 4], 3)
    nothing = await save(connection, [], embedder=embedder)
    assert nothing["nodes_created"] == 0 and nothing["rows"] == 0 and [] not in embedder.batches
    only_bad = await save(connection, [{"codigo": None, "text": "t"}], "Otra", embedder=embedder)
    assert only_bad["rejected_positions"] == [1] and await ask(connection, "MATCH (n:Otra) RETURN n") == []


async def test_the_same_key_twice_the_last_row_wins(connection):
    rows = [{"codigo": "a", "n": n, "taller": f"T{n}"} for n in range(3)]
    report = await save(connection, rows, lines="taller -> EN -> Taller.nombre")
    assert report["replaced_positions"] == [1, 2] and report["nodes_created"] == 2
    assert await ask(connection, "MATCH (p)-[:EN]->(t) RETURN p.n, t.nombre") == [[2, "T2"]]


async def test_a_key_longer_than_an_index_entry(connection):
    long = "ñ" * (MAX_KEY_BYTES // 2)
    rows = [{"codigo": long, "taller": long}, {"codigo": long + "x", "taller": "N"}, {"codigo": "c", "taller": long + "x"}]
    report = await save(connection, rows, lines="taller -> EN -> Taller.nombre")
    assert report["rejected_positions"] == [2, 3] and report["nodes_created"] == 2
    assert changed_nothing(await save(connection, rows[:1], lines="taller -> EN -> Taller.nombre"))


async def test_rows_that_break_a_constraint_of_others_are_rejected_alone(connection):
    await ask(connection, "CREATE CONSTRAINT FOR (n:Parte) REQUIRE n.serie IS UNIQUE")
    await ask(connection, "CREATE (:Parte {codigo: 'x', serie: 77})")
    rows = [{"codigo": f"P-{n}", "serie": n} for n in range(200)]
    report = await save(connection, rows)
    assert report["rejected_positions"] == [78] and report["nodes_created"] == 199
    assert "constraint" in report["rejected"][0]["reason"]


async def test_a_text_that_a_range_index_cannot_hold_is_rejected_alone(connection):
    await ask(connection, "CREATE INDEX FOR (n:Parte) ON (n.nota)")
    rows = [{"codigo": n, "nota": "x" * (40_000 if n == 5 else 9)} for n in range(50)]
    report = await save(connection, rows)
    assert report["rejected_positions"] == [6] and report["nodes_created"] == 49


async def test_when_the_server_refuses_everything_the_load_stops(connection):
    await ask(connection, "CREATE CONSTRAINT FOR (n:Parte) REQUIRE n.serie IS UNIQUE")
    await ask(connection, "CREATE (:Parte {codigo: 'x', serie: 1})")
    with pytest.raises(QueryFailed, match="constraint") as caught:
        await save(connection, [{"codigo": f"P-{n}", "serie": 1} for n in range(300)])
    assert "rows were saved before" in caught.value.advice


async def test_seven_values_that_cannot_be_sent_among_a_thousand(connection):
    odd = {100: 2**63, 200: decimal.Decimal("12.50"), 300: uuid.UUID(int=7), 400: {3, 1, 2}, 500: "roto\udc80", 600: {1: "a"}}
    odd[700] = enum.Enum("Color", "ROJO").ROJO
    report = await save(connection, [{"codigo": f"P-{i:04d}", "v": odd.get(i, i)} for i in range(1000)])
    assert (
        report["rejected"] == [{"position": 501, "column": "v", "reason": report["rejected"][0]["reason"]}]
        and report["nodes_created"] == 999
    )
    stored = dict(
        await ask(connection, "MATCH (p:Parte) WHERE p.codigo IN $k RETURN p.codigo, p.v", k=[f"P-{i:04d}" for i in odd])
    )
    assert stored == {
        "P-0100": str(2**63), "P-0200": 12.5, "P-0300": str(uuid.UUID(int=7)), "P-0400": [1, 2, 3], "P-0700": 1,
        "P-0600": '{"1": "a"}',
    }  # fmt: skip


async def test_keys_of_another_kind_than_the_stored_ones_are_said(connection):
    await save(connection, [{"codigo": 7}])
    report = await save(connection, [{"codigo": "7"}])
    assert report["nodes_created"] == 1 and [
        "codigo of the stored Parte nodes is a number" in one for one in report["warnings"]
    ] == [True]
    report = await save(connection, [{"id": 1, "parte": dt.date(2026, 1, 1)}], "Pieza", "id", "parte -> DE -> Parte.codigo")
    assert any("in these rows it is a date or time" in one for one in report["warnings"])


async def test_duplicate_keys_in_the_database_are_named(connection):
    await ask(connection, "UNWIND ['a', 'a', 'b'] AS k CREATE (:Parte {codigo: k})")
    report = await save(connection, [{"codigo": "a", "n": 1}, {"codigo": "c", "n": 2}])
    assert report["constraints"] == [] and any("'a' (2 nodes)" in warning for warning in report["warnings"])
    assert await ask(connection, "MATCH (p:Parte) WHERE p.n IS NOT NULL RETURN p.codigo, p.n ORDER BY p.codigo") == [
        ["a", 1],
        ["a", 1],
        ["c", 2],
    ]
    assert await ask(
        connection, "SHOW INDEXES YIELD labelsOrTypes AS l, properties AS p, type WHERE l = ['Parte'] AND type = 'RANGE' RETURN p"
    ) == [[["codigo"]]]
    again = await save(connection, [{"codigo": "a", "n": 1}, {"codigo": "c", "n": 2}])
    assert again["properties_set"] == 0


async def test_unknown_columns_and_malformed_lines_are_said_before_connecting():
    nowhere = Connection("bolt://127.0.0.1:1")
    for lines, words in (("nada -> T -> A.b", "nada"), ("a -> b", "line 1")):
        with pytest.raises(InputError, match=words):
            await save(nowhere, [{"codigo": "a"}], lines=lines)


async def test_two_loads_at_once_on_an_empty_database(connection, caplog):
    rows = [{"codigo": f"P-{i}", "text": f"parte {i}", "mecanico": f"M{i % 5}"} for i in range(500)]
    for _ in range(3):

        await wipe(connection)
        fields = {"lines": "mecanico -> ASIGNADO_A -> Mecanico.nombre", "embedder": Embedder()}
        with caplog.at_level(logging.WARNING):
            await asyncio.gather(save(connection, rows, **fields), save(connection, list(reversed(rows)), **fields))
        assert await ask(connection, "MATCH (p:Parte) WITH count(p) AS p MATCH (m:Mecanico) RETURN p, count(m)") == [[500, 5]]
        assert await ask(connection, "MATCH (:Parte)-[r:ASIGNADO_A]->() RETURN count(r)") == [[500]]
        indexes = SEARCH_INDEXES + " RETURN type, labels, count(*) ORDER BY type"
        assert await ask(connection, indexes) == [["FULLTEXT", ["Parte"], 1], ["VECTOR", ["Parte"], 1]]
    assert not [record for record in caplog.records if record.name.startswith("neo4j")]


async def test_stopping_between_batches_keeps_what_was_saved(connection):
    rows = [{"codigo": n} for n in range(20_000)]
    seen = []
    task = asyncio.create_task(
        add_records(
            connection, AddRecordsRequest(rows, "Parte", "codigo"), lambda done, total, what: seen.append((done, total, what))
        )
    )
    while not seen:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    saved = (await ask(connection, "MATCH (p:Parte) RETURN count(p)"))[0][0]
    assert seen[-1][0] <= saved < 20_000 and seen[-1][1:] == (20_000, "rows")
    report = await save(connection, rows)
    assert report["nodes_created"] == 20_000 - saved


async def test_a_large_load_goes_in_several_transactions_and_stays_right(connection):
    rng = random.Random(5)
    rows = [
        {"id": n, "valor": rng.random(), "sensor": f"S{rng.randrange(50)}", "zona": [f"Z{n % 7}", f"Z{n % 3}"]}
        for n in range(12_000)
    ]
    lines = "sensor -> DE -> Sensor.codigo\nzona -> EN -> Zona.nombre"
    report = await save(connection, rows, "Lectura", "id", lines)
    expected = sum(1 + len(set(row["zona"])) for row in rows)
    assert report["relationships_created"] == expected == (await ask(connection, "MATCH ()-[r]->() RETURN count(r)"))[0][0]
    moved = [dict(row, sensor="S0", valor=-1.0) if row["id"] % 10 == 0 else row for row in rows]
    report = await save(connection, moved, "Lectura", "id", lines)
    assert report["nodes_updated"] == 1200 and report["relationships_created"] == report["relationships_deleted"]
    assert await ask(connection, "MATCH (l:Lectura)-[r:DE]->() WITH l, count(r) AS n WHERE n <> 1 RETURN count(*)") == [[0]]
    assert await ask(connection, "MATCH (l:Lectura {valor: -1.0})-[:DE]->(s) RETURN DISTINCT s.codigo, count(*)") == [
        ["S0", 1200]
    ]
    assert changed_nothing(await save(connection, moved, "Lectura", "id", lines))


async def test_the_time_of_a_batch_is_bounded(connection):
    query = "UNWIND $rows AS row UNWIND range(1, 100000000) AS x WITH row, count(x) AS n MERGE (p:Parte {codigo: row.codigo})"
    with pytest.raises(QueryTimeout):
        await save(connection, [{"codigo": 1}], write_query=query, timeout=1)
