"""Cells as Neo4j can store them, one by one and as whole columns."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import json
import uuid
import zoneinfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.records.values import CellProblem, convert_column, stored

MADRID = zoneinfo.ZoneInfo("Europe/Madrid")


class Color(enum.Enum):
    ROJO = "rojo"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("", None),
        (" \t\n", None),
        ("a", "a"),
        (float("nan"), None),
        (pd.NA, None),
        (pd.NaT, None),
        (np.float64("nan"), None),
        (decimal.Decimal("NaN"), None),
        (True, True),
        (7, 7),
        (2**63 - 1, 2**63 - 1),
        (2**63, "9223372036854775808"),
        (-(2**63) - 1, "-9223372036854775809"),
        (1.5, 1.5),
        (decimal.Decimal("12.50"), 12.5),
        (decimal.Decimal("19.99"), 19.99),
        (decimal.Decimal("5"), 5),
        (decimal.Decimal("0.12345678901234567891"), "0.12345678901234567891"),
        (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (Color.ROJO, "rojo"),
        ({3, 10, 2}, [2, 3, 10]),
        (frozenset(), []),
        (b"x", b"x"),
        (bytearray(b"x"), b"x"),
        (np.int64(5), 5),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.array([1, 2]), [1, 2]),
        (np.datetime64("2026-03-01"), dt.date(2026, 3, 1)),
        (np.datetime64("2026-03-01T10:00:00.123456789"), dt.datetime(2026, 3, 1, 10, 0, 0, 123456)),
        (np.timedelta64(90, "s"), dt.timedelta(seconds=90)),
        (pd.Timestamp("2026-03-01 10:00"), dt.datetime(2026, 3, 1, 10)),
        (pd.Timestamp("2026-03-01", tz="Europe/Madrid"), dt.datetime(2026, 3, 1, tzinfo=dt.timezone(dt.timedelta(hours=1)))),
        (pd.Timedelta("90s"), dt.timedelta(seconds=90)),
        (pd.Period("2026-03"), "2026-03"),
        (dt.date(2026, 3, 1), dt.date(2026, 3, 1)),
        (dt.datetime(2026, 7, 1, 9, tzinfo=MADRID), dt.datetime(2026, 7, 1, 9, tzinfo=dt.timezone(dt.timedelta(hours=2)))),
        (dt.time(9, tzinfo=MADRID), dt.time(9)),
        (dt.timedelta(hours=1), dt.timedelta(hours=1)),
        ([], []),
        (["a", "ñ"], ["a", "ñ"]),
        ((1, 2), [1, 2]),
        ([1, 2.5], [1.0, 2.5]),
        ([True, False], [True, False]),
        ([dt.date(2026, 3, 1)], [dt.date(2026, 3, 1)]),
    ],
    ids=repr,
)
def test_one_cell(value, expected):
    result = stored(value)[0]
    assert result == expected and type(result) is type(expected)


@pytest.mark.parametrize(
    "value",
    [
        dt.datetime(2026, 7, 1, tzinfo=MADRID),
        pd.Timestamp("2026-07-01", tz="Europe/Madrid"),
        [dt.datetime(2026, 7, 1, tzinfo=MADRID)],
    ],
)
def test_no_named_zone_reaches_the_driver(value):
    result = stored(value)[0]
    assert type((result[0] if isinstance(result, list) else result).tzinfo) is dt.timezone


@pytest.mark.parametrize(
    "value",
    [
        {"alto": 10, "ancho": {"cm": 4}},
        [1, "dos", 3.5],
        ["a", None, "b"],
        [{"dia": "2026-03-01"}],
        [[1, 2], [3, 4]],
        [True, 1],
    ],
)
def test_nested_and_mixed_become_json_text(value):
    text, form = stored(value)
    assert json.loads(text) == value and "JSON" in form


def test_json_text_of_odd_things():
    assert json.loads(stored({1: {3, 1}, "d": dt.date(2026, 3, 1), "n": np.int64(4)})[0]) == {
        "1": [1, 3],
        "d": "2026-03-01",
        "n": 4,
    }
    stored({"roto": "\udc80"})[0].encode("utf-8")


@pytest.mark.parametrize("value", ["roto\udc80", ["a\ud800"], object(), 1j, [object()]], ids=ascii)
def test_what_cannot_be_stored_gives_a_reason_without_the_value(value):
    with pytest.raises(CellProblem) as caught:
        stored(value)
    assert "roto" not in str(caught.value) and str(caught.value)


def test_a_value_that_holds_itself():
    loop: dict = {}
    loop["x"] = loop
    with pytest.raises(CellProblem):
        stored(loop)


def test_whole_numbers_that_pandas_made_floats_come_back():
    frame = pd.DataFrame({"codigo": [101, 102, None], "horas": [1.5, None, 2.0], "enteros": [1.0, 2.0, 3.0]})
    assert convert_column(frame["codigo"].tolist()).values == [101, 102, None]
    assert [type(value) for value in convert_column(frame["codigo"].tolist()).values[:2]] == [int, int]
    assert convert_column(frame["horas"].tolist()).values == [1.5, None, 2.0]
    assert [type(value) for value in convert_column(frame["enteros"].tolist()).values] == [float] * 3
    assert convert_column(list(frame["codigo"].to_numpy())).values == [101, 102, None]
    assert convert_column([1e300, float("nan")]).values == [1e300, None]
    assert convert_column([float("nan")] * 2).values == [None, None]


def test_a_column_says_its_kinds_its_longest_text_and_what_changed():
    column = convert_column(["ñ" * 5, "abc", None, " "])
    assert (column.values, column.kinds, column.longest, column.notes) == (["ñ" * 5, "abc", None, None], {str}, 5, [])
    column = convert_column([1, {"a": 1}, "dos", 2**70])
    assert column.kinds == {int, str} and column.longest == 22
    assert column.notes == [
        "1 cell was stored as JSON text (nested or mixed values).",
        "1 cell was stored as text (more than 64 bits).",
    ]
    column = convert_column(["a", "b\ud800"])
    assert column.problems.keys() == {1} and column.values == ["a", None]


def test_nested_values_stay_for_a_statement_that_takes_them_apart():
    column = convert_column([{"a": [1, None, {2: float("nan")}]}, [decimal.Decimal("1.5")]], nested=True)
    assert column.values == [{"a": [1, None, {"2": None}]}, [1.5]]


plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.dates(),
    st.decimals(),
    st.lists(st.integers(), max_size=3),
)


@given(st.lists(plain, max_size=12))
def test_a_column_is_its_cells(values):
    """The fast way over whole columns and the cell-by-cell way agree, but for whole numbers with gaps."""
    column = convert_column(list(values))
    assert len(column.values) == len(values)
    for position, (value, converted) in enumerate(zip(values, column.values)):
        if position in column.problems:
            continue
        expected = stored(value)[0]
        assert converted == expected
        assert type(converted) is type(expected) or (type(converted), type(expected)) == (int, float)
    assert column.kinds == {type(value) for value in column.values} - {type(None)}
