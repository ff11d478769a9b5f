"""Values converted to the types that are stored."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest

from lfx_neo4j_graphrag.errors import InputError
from lfx_neo4j_graphrag.retrieval.filters import Group, parse_filters
from lfx_neo4j_graphrag.retrieval.typed_filters import Comparison, Stored, kind_of, typed

STORED = {
    "estado": Stored("estado", ("STRING",), ("abierta", "cerrada", "Vía pública")),
    "fecha": Stored("fecha", ("DATE",)),
    "pct": Stored("pct", ("INTEGER",)),
    "precio": Stored("precio", ("FLOAT", "INTEGER")),
    "mezcla": Stored("mezcla", ("INTEGER", "STRING")),
    "visto": Stored("visto", ("ZONED DATETIME",)),
    "hora": Stored("hora", ("LOCAL DATETIME",)),
    "turno": Stored("turno", ("LOCAL TIME",)),
    "activo": Stored("activo", ("BOOLEAN",)),
    "tags": Stored("tags", ("LIST<STRING>",)),
    "sitio": Stored("sitio", ("POINT",)),
    "nada": Stored("nada"),
    "Maquina.marca": Stored("marca", ("STRING",), (), "Maquina"),
}
DAY = timedelta(days=1)


def compared(filters):
    return typed(parse_filters(filters), STORED)


def one(filters) -> tuple:
    comparison = compared(filters)
    return comparison.operator, comparison.value


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("estado = abierta", ("=", "abierta")),
        ("estado = ABIERTA", ("in", ["ABIERTA", "abierta"])),  # as written, and as it is stored
        ("estado = via publica", ("in", ["via publica", "Vía pública"])),
        ("estado in abierta, otra", ("in", ["abierta", "otra"])),
        ("estado <> abierta", ("<>", "abierta")),
        ("estado not in abierta, cerrada", ("not in", ["abierta", "cerrada"])),
        ("estado >= b", (">=", "b")),
        ("estado contains via", ("contains", "via")),
        ("pct = 27", ("=", 27)),
        ("pct > 3,5", (">", 3.5)),
        ("precio >= 10", (">=", 10)),
        ("fecha = 2026-08-26", ("=", date(2026, 8, 26))),
        ("fecha > 2026-08-26", (">", date(2026, 8, 26))),
        ("fecha = 26/08/2026", ("=", date(2026, 8, 26))),
        ("fecha <= 2026-08", ("<", date(2026, 9, 1))),
        ("fecha > 2026", (">=", date(2027, 1, 1))),
        ("hora >= 2026-08-26T10:30", (">=", datetime(2026, 8, 26, 10, 30))),
        ("hora <= 2026-08-26", ("<", datetime(2026, 8, 27))),
        ("visto >= 2026-08-26T12:00+02:00", (">=", datetime(2026, 8, 26, 10, tzinfo=UTC))),
        ("turno < 10:30", ("<", time(10, 30))),
        ("activo = sí", ("=", True)),
        ("activo = false", ("=", False)),
        ("tags = urgente", ("has", "urgente")),
        ("tags contains urg", ("contains", "urg")),
        ("mezcla = 27", ("in", [27, "27"])),
        ("mezcla = '27'", ("=", "27")),
        ("nada = 3", ("in", ["3", 3])),
        ("nada = abc", ("=", "abc")),
    ],
)
def test_by_the_stored_type(line, expected):
    assert one(line) == expected


def test_json_values_keep_their_types():
    assert one({"pct": 27}) == ("=", 27)
    assert one({"activo": True}) == ("=", True)
    assert one({"estado": 27}) == ("=", "27")
    assert one({"fecha": date(2026, 8, 26)}) == ("=", date(2026, 8, 26))


def test_a_month_is_a_span():
    august = Group((Comparison("fecha", ">=", date(2026, 8, 1), "DATE"), Comparison("fecha", "<", date(2026, 9, 1), "DATE")))
    assert compared("fecha = 2026-08") == august
    outside = compared("fecha <> 2026-08")
    assert outside.any and [c.operator for c in outside.members] == ["<", ">="]


def test_a_day_of_zoned_times_is_a_span_in_utc():
    start = datetime(2026, 8, 26, tzinfo=UTC)
    assert [(c.operator, c.value) for c in compared("visto = 2026-08-26").members] == [(">=", start), ("<", start + DAY)]


def test_zones_never_leave_as_names():
    """A datetime with zoneinfo crashes the process when the driver packs it; offsets are safe."""
    from zoneinfo import ZoneInfo

    for value in (datetime(2026, 8, 26, 12, tzinfo=ZoneInfo("Europe/Madrid")), datetime(2026, 8, 26, 12, tzinfo=timezone(2 * timedelta(hours=1)))):
        low, high = compared({"visto": value}).members
        assert low.value == datetime(2026, 8, 26, 10, tzinfo=UTC) and low.value.tzinfo is UTC and high.value.tzinfo is UTC


def test_an_instant_is_compared_as_a_moment_not_as_a_zone():
    low, high = compared("visto = 2026-08-26T10:00Z").members
    assert (low.operator, high.operator) == (">=", "<") and high.value - low.value == timedelta(microseconds=1)


def test_linked_nodes_keep_their_label():
    assert compared("Maquina.marca = Jaltec").label == "Maquina"


def test_several_kinds_of_numbers_are_one_and_other_kinds_alternatives():
    assert compared("mezcla > 27").any
    assert not compared("mezcla <> 27").any


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("pct > abc", "whole numbers"),
        ("fecha > ayer", "dates"),
        ("fecha = 2026-13", "dates"),
        ("activo = quizás", "true or false"),
        ("activo > true", "true or false"),
        ("tags > a", "list"),
        ("pct in 1, dos", "whole numbers"),
        ("sitio = 3", "point"),
        ({"estado": {"min": 3}}, "text"),
        ("pct = nan", "whole numbers"),
    ],
)
def test_a_value_of_another_type_is_an_error_that_says_what_is_stored(line, said):
    with pytest.raises(InputError) as caught:
        compared(line)
    assert said in str(caught.value)
    assert "abc" not in str(caught.value) and "quizás" not in str(caught.value)


def test_empty_needs_no_value():
    assert compared("fecha is empty") == Comparison("fecha", "empty", None, "DATE")
    assert compared("estado is not empty").kind == "STRING"


def test_kind_of():
    assert kind_of("LIST<STRING NOT NULL> NOT NULL") == "LIST<STRING>"
