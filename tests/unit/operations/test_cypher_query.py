"""Cypher Query without a server: what is said before connecting, what values become, and the reply."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
import yaml

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.database.reading import Reading
from lfx_neo4j_graphrag.errors import InputError, QueryRefused, QueryTimeout
from lfx_neo4j_graphrag.operations import cypher_query as operation
from lfx_neo4j_graphrag.operations.cypher_query import CypherQueryRequest, cypher_query

NOWHERE = Connection("bolt://nowhere.invalid:7687")


class Server:
    """Stands for the database: remembers what it was asked, answers with what it was given."""

    def __init__(self, **stored: list[str]) -> None:
        self.stored = stored
        self.reading = Reading(["x"], [[1]], False, 2.0)
        self.looked_up: list[str] = []
        self.parameters: dict[str, Any] = {}
        self.calls: list[Any] = []

    async def fetch(self, connection: Connection, cypher: str, parameters: Any = None, **_: Any) -> list[dict]:
        self.looked_up.append(cypher)
        arms = cypher.split(" UNION ALL ")
        return [{"i": i, "types": next((t for name, t in self.stored.items() if f"n.`{name}`" in arm), [])} for i, arm in enumerate(arms)]

    async def read(self, connection: Connection, cypher: str, parameters: Any = None, **given: Any) -> Reading:
        self.parameters = parameters
        self.calls.append(given)
        return self.reading


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    server = Server(
        fecha=["DATE NOT NULL"],
        cuando=["ZONED DATETIME NOT NULL"],
        local=["LOCAL DATETIME NOT NULL"],
        hora=["LOCAL TIME NOT NULL"],
        n=["INTEGER NOT NULL"],
        precio=["FLOAT NOT NULL", "INTEGER NOT NULL"],
        abierta=["BOOLEAN NOT NULL"],
        codigo=["STRING NOT NULL"],
        mixto=["STRING NOT NULL", "INTEGER NOT NULL"],
        tags=["LIST<STRING NOT NULL> NOT NULL"],
        nums=["LIST<INTEGER NOT NULL> NOT NULL"],
    )
    monkeypatch.setattr(operation, "fetch", server.fetch)
    monkeypatch.setattr(operation, "read", server.read)
    operation._stored.clear()
    return server


async def ask(cypher: str, parameters: dict | None = None, **given: Any) -> Any:
    return await cypher_query(NOWHERE, CypherQueryRequest(cypher, parameters or {}, **given))


@pytest.mark.parametrize(
    ("cypher", "parameters", "given", "part"),
    [
        ("", {}, {}, "empty"),
        ("  \n", {}, {}, "empty"),
        ("RETURN $a, $b, $c", {"b": 1}, {}, "$a, $c"),
        ("RETURN 1", {}, {"number_of_results": 0}, "Number of Results"),
        ("RETURN 1", {}, {"max_rows": 0}, "Number of Results"),
        ("RETURN 1", {}, {"timeout": 0}, "Query Timeout"),
    ],
)
async def test_what_is_missing_is_said_before_connecting(server: Server, cypher: str, parameters: dict, given: dict, part: str) -> None:
    with pytest.raises(InputError, match=part.replace("$", r"\$")):
        await ask(cypher, parameters, **given)
    assert not server.calls and not server.looked_up


async def test_a_writing_query_is_refused_before_connecting(server: Server) -> None:
    with pytest.raises(QueryRefused):
        await ask("MATCH (n {fecha: $d}) DETACH DELETE n", {"d": "2026-08-01"})
    assert not server.calls and not server.looked_up


async def test_an_unknown_format_is_an_input_error(server: Server) -> None:
    with pytest.raises(InputError):
        await ask("RETURN 1", format="xml")


@pytest.mark.parametrize(
    ("where", "value", "sent"),
    [
        ("i.fecha >= $x", "2026-08-01", dt.date(2026, 8, 1)),
        ("i.fecha IN $x", "2026-08-01, 2026-08-02", [dt.date(2026, 8, 1), dt.date(2026, 8, 2)]),
        ("i.cuando > $x", "2026-08-01T10:00", dt.datetime(2026, 8, 1, 10, tzinfo=dt.UTC)),
        ("i.cuando > $x", "2026-08-01T10:00+02:00", dt.datetime(2026, 8, 1, 10, tzinfo=dt.timezone(dt.timedelta(hours=2)))),
        ("i.local > $x", "2026-08-01", dt.datetime(2026, 8, 1)),
        ("i.hora < $x", "10:30", dt.time(10, 30)),
        ("i.n = $x", "27", 27),
        ("i.n = $x", "2.5", 2.5),
        ("i.n = $x", 27, 27),
        ("i.precio < $x", "20", 20),
        ("i.precio < $x", "19.90", 19.9),
        ("i.precio < $x", "19,90", 19.9),
        ("i.abierta = $x", "true", True),
        ("i.abierta = $x", "No", False),
        ("i.codigo = $x", "2026", "2026"),
        ("i.mixto = $x", "27", "27"),
        ("i.unknown = $x", "27", "27"),
        ("i.codigo IN $x", "E01; E07", ["E01", "E07"]),
        ("i.codigo IN $x", "Bar, uno\nBar, dos", ["Bar, uno", "Bar, dos"]),
        ("i.codigo IN $x", '["E01", "E07"]', ["E01", "E07"]),
        ("i.codigo IN $x", ["E01"], ["E01"]),
        ("i.codigo IN $x", "", []),
        ("i.n IN $x", "1, 2", [1, 2]),
        ("i.n IN $x", ["1", 2], [1, 2]),
        ("i.n IN $x", 5, [5]),
        ("$x IN i.nums", "5", 5),
        ("$x IN i.tags", "5", "5"),
        ("date(i.cuando) = $x", "2026-08-01", dt.date(2026, 8, 1)),
        ("i.fecha > date($x)", "2026-08-01", "2026-08-01"),
        ("size(i.codigo) > $x", "3", 3),
        ("i.codigo CONTAINS $x", "27", "27"),
        ("i.n = $x", None, None),
    ],
)
async def test_text_becomes_what_the_query_compares_it_with(server: Server, where: str, value: Any, sent: Any) -> None:
    await ask(f"MATCH (i:Incidencia) WHERE {where} RETURN i", {"x": value})
    assert server.parameters == {"x": sent}
    assert type(server.parameters["x"]) is type(sent)


@pytest.mark.parametrize(
    ("cypher", "value", "sent"),
    [
        ("MATCH (n) RETURN n LIMIT $x", "5", 5),
        ("MATCH (n) RETURN n LIMIT $x", 5.0, 5),
        ("UNWIND range(1, $x) AS i RETURN i", "5", 5),
        ("RETURN $x.key", '{"key": 1}', {"key": 1}),
        ("RETURN $x[0]", "[1, 2]", [1, 2]),
        ("RETURN $x[0]", "text", "text"),
        ("UNWIND $x AS row RETURN row", '[{"a": 1}]', [{"a": 1}]),
        ("UNWIND $x AS row RETURN row", ("a", "b"), ["a", "b"]),
        ("RETURN 2 * $x", "1.5", 1.5),
        ("RETURN date() + $x - $x", "P1D", "P1D"),
        ("RETURN $x", "5", "5"),
    ],
)
async def test_text_becomes_what_the_query_does_with_it(server: Server, cypher: str, value: Any, sent: Any) -> None:
    await ask(cypher, {"x": value})
    assert server.parameters == {"x": sent}
    assert not server.looked_up


@pytest.mark.parametrize(
    ("cypher", "value", "part"),
    [
        ("MATCH (i:Incidencia) WHERE i.fecha > $x RETURN i", "ayer secreto", "Incidencia.fecha"),
        ("MATCH (i:Incidencia) WHERE i.n IN $x RETURN i", "1, secreto", "Incidencia.n"),
        ("MATCH (n) RETURN n LIMIT $x", "many secreto", "whole number"),
        ("RETURN $x.key", "{secreto", "JSON"),
        ("UNWIND $x AS i RETURN i", "[secreto", "JSON"),
    ],
)
async def test_a_value_that_fits_nothing_is_named_and_not_shown(server: Server, cypher: str, value: str, part: str) -> None:
    with pytest.raises(InputError) as raised:
        await ask(cypher, {"x": value})
    assert part in str(raised.value) and "$x" in str(raised.value) and "secreto" not in str(raised.value)
    assert not server.calls


async def test_types_are_looked_up_once_and_only_for_text(server: Server) -> None:
    cypher = "MATCH (i:Incidencia) WHERE i.fecha > $a AND i.n = $b AND i.codigo = $c RETURN i"
    await ask(cypher, {"a": "2026-08-01", "b": 5, "c": "x"})
    assert len(server.looked_up) == 1 and "n.`fecha`" in server.looked_up[0] and "n.`n`" not in server.looked_up[0]
    await ask(cypher, {"a": "2026-08-02", "b": 5, "c": "y"})
    assert len(server.looked_up) == 1


async def test_without_an_answer_in_time_text_stays_text(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    async def slow(*_: Any, **__: Any) -> list[dict]:
        raise QueryTimeout("Too slow.")

    monkeypatch.setattr(operation, "fetch", slow)
    await ask("MATCH (i:Incidencia) WHERE i.fecha > $x RETURN i", {"x": "2026-08-01"})
    assert server.parameters == {"x": "2026-08-01"}


async def test_values_that_the_query_does_not_use_are_ignored(server: Server) -> None:
    await ask("RETURN $a", {"a": 1, "b": object()})
    assert server.parameters == {"a": 1}


async def test_limits_and_origin(server: Server) -> None:
    await ask("RETURN 1", number_of_results=3, timeout=4.0, client="mcp")
    await ask("RETURN 1", max_rows=7)
    limits, origin = server.calls[0]["limits"], server.calls[0]["origin"]
    assert (limits.timeout, limits.max_rows) == (4.0, 60)
    assert (origin.operation, origin.client) == ("cypher_query", "mcp")
    assert server.calls[1]["limits"].max_rows == 7


async def test_the_reply(server: Server) -> None:
    server.reading = Reading(["codigo", "fecha", "codigo"], [["E01", dt.date(2026, 8, 1), 2]] * 3, True, 12.34)
    result = await ask("MATCH (i) RETURN i.codigo", format="json", token_limit=0)
    assert result.rows == [{"codigo": "E01", "fecha": "2026-08-01", "codigo (2)": 2}] * 3
    document = json.loads(result.text)
    assert document["rows"] == result.rows and next(iter(document)) == "truncated"
    assert result.details["columns"] == ["codigo", "fecha", "codigo"]
    assert result.details["query"] == "MATCH (i) RETURN i.codigo"
    assert (result.details["more"], result.details["milliseconds"]) == (True, 12.3)
    json.dumps(result.details)


async def test_the_reply_keeps_within_the_token_limit(server: Server) -> None:
    server.reading = Reading(["text"], [[f"{i} palabra tras palabra"] for i in range(200)], False, 1.0)
    result = await ask("MATCH (i) RETURN i.text AS text", token_limit=200)
    assert result.details["truncated"] and len(result.rows) == 200
    assert 0 < len(yaml.safe_load(result.text)["rows"]) < 200
    everything = await ask("MATCH (i) RETURN i.text AS text", token_limit=0)
    assert not everything.details["truncated"] and len(yaml.safe_load(everything.text)["rows"]) == 200


async def test_an_empty_answer_says_which_names_the_graph_does_not_have(server: Server) -> None:
    server.reading = Reading(["n"], [], False, 1.0, [{"description": "One of the labels … (the missing label name is: Incidenca)"}, {"description": "Other."}, {}])
    result = await ask("MATCH (n:Incidenca) RETURN n")
    assert yaml.safe_load(result.text) == {"notes": ["The graph has no label 'Incidenca'."], "rows": []}
    assert json.loads((await ask("MATCH (n:Incidenca) RETURN n", format="json")).text) == {"rows": []}
    assert result.details["hints"] == ["The graph has no label 'Incidenca'."]
