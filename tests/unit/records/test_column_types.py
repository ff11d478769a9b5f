"""The field Column Types: its grammar, and each conversion."""

from __future__ import annotations

import datetime as dt

import pytest

from lfx_neo4j_graphrag.errors import InputError
from lfx_neo4j_graphrag.records.column_types import parse_column_types
from lfx_neo4j_graphrag.records.values import CellProblem, convert_column


def convert(kind: str, value):
    return parse_column_types({"c": kind})["c"](value)


def test_entries_by_comma_and_by_line():
    text = 'fecha: date, precio : float\nalta: datetime,\n\n activo:boolean, `a,b:c`: integer, "d,e": text'
    text += "\ncódigo de error: text"
    assert list(parse_column_types(text)) == ["fecha", "precio", "alta", "activo", "a,b:c", "d,e", "código de error"]
    assert parse_column_types("") == parse_column_types(None) == {}


@pytest.mark.parametrize(
    ("text", "named"), [("fecha", "'fecha'"), ("fecha: fechas", "fechas"), ("a: int, a: text", "a twice"), (": date", ": date")]
)
def test_an_entry_that_is_not_understood_is_named(text, named):
    with pytest.raises(InputError) as caught:
        parse_column_types(text)
    assert named in caught.value.sentence and caught.value.advice


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("date", "2026-09-29", dt.date(2026, 9, 29)),
        ("fecha", "1996-07-04 00:00:00.000", dt.date(1996, 7, 4)),
        ("date", dt.datetime(2026, 9, 29, 8), dt.date(2026, 9, 29)),
        ("date", dt.date(2026, 9, 29), dt.date(2026, 9, 29)),
        ("datetime", "2026-09-29T10:30:00Z", dt.datetime(2026, 9, 29, 10, 30, tzinfo=dt.timezone.utc)),
        ("datetime", "2026-09-29", dt.datetime(2026, 9, 29)),
        ("datetime", dt.date(2026, 9, 29), dt.datetime(2026, 9, 29)),
        ("time", "10:30", dt.time(10, 30)),
        ("float", "12.5", 12.5),
        ("float", "12,5", 12.5),
        ("float", 3, 3.0),
        ("float", "1e3", 1000.0),
        ("integer", " 7 ", 7),
        ("int", 7.0, 7),
        ("boolean", "Sí", True),
        ("boolean", 0, False),
        ("text", 7, "7"),
        ("text", True, "true"),
        ("text", dt.date(2026, 9, 29), "2026-09-29"),
        ("text", ["a"], '["a"]'),
        ("list", "a; b;", ["a", "b"]),
        ("list", "a, b", ["a", "b"]),
        ("list", "[1, 2]", [1, 2]),
        ("list", "uno", ["uno"]),
        ("lista", 5, [5]),
    ],
)
def test_conversions(kind, value, expected):
    result = convert(kind, value)
    assert result == expected and type(result) is type(expected)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("date", "29/09/2026"),
        ("date", "abril"),
        ("date", 20260929),
        ("datetime", "mañana"),
        ("time", "25:00"),
        ("float", "1,234"),
        ("float", "doce"),
        ("float", True),
        ("integer", "7.5"),
        ("integer", 7.5),
        ("integer", True),
        ("integer", "9" * 30),
        ("boolean", "quizá"),
        ("list", "[1, 2"),
        ("list", '[1, "a"]'),
    ],
)
def test_what_does_not_fit_gives_a_reason_without_the_value(kind, value):
    with pytest.raises(CellProblem) as caught:
        convert(kind, value)
    assert str(value) not in str(caught.value)


def test_a_column_with_a_type_marks_the_rows_that_do_not_fit():
    column = convert_column(["2026-09-29", None, "ayer"], parse_column_types("fecha: date")["fecha"])
    assert column.values[:2] == [dt.date(2026, 9, 29), None]
    assert column.problems == {2: "the text is not an ISO date (2026-09-29)"}


def test_a_code_that_pandas_made_a_float_becomes_its_text():
    column = convert_column([101.0, float("nan")], parse_column_types("codigo: text")["codigo"])
    assert column.values == ["101", None]
