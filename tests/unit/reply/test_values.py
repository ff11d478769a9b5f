from __future__ import annotations

import datetime
import json
import math
import subprocess
import sys
import time
import uuid
import zoneinfo
from decimal import Decimal
from enum import Enum, IntEnum

import neo4j.spatial
import neo4j.time
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j.graph import Graph, Node, Path, Relationship
from neo4j.vector import Vector

from lfx_neo4j_graphrag.defaults import LONG_LIST, LONG_STRING
from lfx_neo4j_graphrag.reply.values import MAX_DEPTH, plain, plain_rows, unique_names


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


MADRID = zoneinfo.ZoneInfo("Europe/Madrid")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (2.5, 2.5),
        ("ñ😀", "ñ😀"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (Decimal("0.1"), 0.1),
        (Decimal("0.12345678901234567890"), "0.12345678901234567890"),
        (Decimal("NaN"), "NaN"),
        (Decimal("-Infinity"), "-Infinity"),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (b"12345", "[5 bytes]"),
        (bytearray(3), "[3 bytes]"),
        ((1, (2,)), [1, [2]]),
        ({3, 1, 2}, [1, 2, 3]),
        ({1: "a", "1": "b"}, {"1": "a", "1 (2)": "b"}),
        (datetime.date(2026, 7, 3), "2026-07-03"),
        (datetime.datetime(2026, 7, 3, 10, tzinfo=MADRID), "2026-07-03T10:00:00+02:00[Europe/Madrid]"),
        (datetime.timedelta(days=1, seconds=3, microseconds=500_000), "P1DT3.5S"),
        (neo4j.time.Date(2026, 7, 3), "2026-07-03"),
        (neo4j.time.Time(1, 2, 3, 4), "01:02:03.000000004"),
        (neo4j.time.DateTime(2026, 7, 3, 10, tzinfo=MADRID), "2026-07-03T10:00:00+02:00[Europe/Madrid]"),
        (neo4j.time.Duration(months=14, days=2, seconds=3), "P1Y2M2DT3S"),
        (neo4j.spatial.WGS84Point((-3.7, 40.4)), {"crs": "wgs-84", "longitude": -3.7, "latitude": 40.4}),
        (neo4j.spatial.WGS84Point((1, 2, 3)), {"crs": "wgs-84-3d", "longitude": 1.0, "latitude": 2.0, "height": 3.0}),
        (neo4j.spatial.CartesianPoint((1, 2)), {"crs": "cartesian", "x": 1.0, "y": 2.0}),
        (Vector([1.0] * 384, "f32"), "[vector of 384 numbers]"),
        (np.int64(7), 7),
        (np.float32(1.5), 1.5),
        (np.longdouble(1.5), 1.5),
        (np.bool_(True), True),
        (np.float64("nan"), "NaN"),
        (np.datetime64("2026-07-03"), "2026-07-03"),
        (np.arange(3), [0, 1, 2]),
        (np.zeros((100, 3)), "[array of 100 x 3 numbers]"),
        (pd.Timestamp("2026-07-03", tz="Europe/Madrid"), "2026-07-03T00:00:00+02:00[Europe/Madrid]"),
        (pd.NaT, "NaT"),
        ([0.5] * LONG_LIST, f"[list of {LONG_LIST} numbers]"),
        ([0.5] * (LONG_LIST - 1), [0.5] * (LONG_LIST - 1)),
        (["Ana", "Luis", 3] * 20, '[list of 60 items: "Ana", "Luis", 3, …]'),
        ([{"a": 1}] * 80, "[list of 80 items]"),
        (10**400, "[integer of 1329 bits]"),
        ("a\ud800b", "a\ufffdb"),
        (object(), "[object]"),
    ],
)
def test_every_kind_of_value_becomes_plain(value, expected):
    assert plain(value) == expected
    assert type(plain(value)) is type(expected)
    json.dumps(plain(value), allow_nan=False)


def _graph() -> tuple[Node, Node, Relationship, Path]:
    graph = Graph()
    incident = Node(graph, "4:x:1", 1, ["Urgente", "Incidencia"], {"codigo": "INC-1", "labels": "mine", "embedding": [0.1] * 384})
    client = Node(graph, "4:x:2", 2, ["Cliente"], {})
    link = graph.relationship_type("DE_CLIENTE")(graph, "5:x:1", 1, {"desde": neo4j.time.Date(2026, 1, 1)})
    link._start_node, link._end_node = incident, client
    return incident, client, link, Path(client, link)


def test_graph_values_keep_labels_types_and_direction():
    incident, client, link, path = _graph()
    node = {
        "labels": ["Incidencia", "Urgente"],
        "properties": {"codigo": "INC-1", "labels": "mine", "embedding": "[list of 384 numbers]"},
    }
    relationship = {"type": "DE_CLIENTE", "properties": {"desde": "2026-01-01"}}
    assert plain(incident) == node
    assert plain(link) == relationship
    assert plain(path) == {"path": [plain(client), {"direction": "<-", **relationship}, node]}
    assert plain({"x": [incident]}) == {"x": [node]}


def test_a_long_string_is_cut_with_a_count_and_stays_so():
    cut = plain("é" * 5000)
    assert len(cut) == LONG_STRING
    kept, note = cut.split("…")
    assert note == f"(+{5000 - len(kept)} characters)"
    assert plain(cut) == cut
    assert plain("é" * 5000, longest=None) == "é" * 5000


def test_deep_shared_and_endless_values_end():
    thirty: object = "leaf"
    for level in range(30):
        thirty = {"in": thirty} if level % 2 else [thirty]
    assert "leaf" in json.dumps(plain(thirty))
    deep: object = 1
    for _ in range(5000):
        deep = [deep]
    assert json.dumps(plain(deep)).count("[") == MAX_DEPTH + 2  # the marker holds a bracket too
    myself: list = []
    myself.append(myself)
    assert "nested too deep" in json.dumps(plain(myself))
    shared: object = "leaf"
    for _ in range(200):
        shared = [shared] * 10
    started = time.perf_counter()
    assert "[more values left out]" in json.dumps(plain(shared))
    assert time.perf_counter() - started < 2


def test_a_hostile_object_cannot_stop_a_reply():
    class Hostile:
        def __getattr__(self, name):
            raise RuntimeError(name)

        def __str__(self):
            raise RuntimeError("no")

    class Endless(dict):
        def items(self):
            raise RuntimeError("no")

    assert plain([Hostile(), Endless(a=1), iter([1])]) == ["[Hostile]", "[Endless]", "[list_iterator]"]


def test_columns_survive_whatever_their_names():
    assert plain_rows(["a", "a", "a (2)", ""], [[1, 2, 3, 4]]) == [{"a": 1, "a (3)": 2, "a (2)": 3, "column 4": 4}]
    assert plain_rows(["a"], [[1, 2], [3]]) == [{"a": 1, "column 2": 2}, {"a": 3}]
    assert plain_rows([], []) == []


@given(st.lists(st.sampled_from(["", " ", "a", "a (2)", "a (3)", "b", "column 1", 1, None]), max_size=20))
def test_unique_names_are_unique_and_keep_first_spellings(names):
    result = unique_names(names)
    assert len(set(result)) == len(result) == len(names)
    assert all(name in result for name in {str(n) for n in names} if name.strip())


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.decimals() | st.datetimes() | st.times()
    | st.timedeltas() | st.uuids() | st.complex_numbers() | st.text(st.characters(codec=None), min_size=1)
    | st.builds(lambda n: [0.1] * n, st.integers(0, 80)) | st.builds(lambda n: "x" * n, st.integers(1900, 2100))
    | st.builds(np.float32, st.floats(width=32)),
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text() | st.integers() | st.none(), inner)
    | st.frozensets(st.integers() | st.text()),
    max_leaves=30,
)


@given(values)
def test_any_value_becomes_json_safe_and_plain_twice_is_plain_once(value):
    once = plain(value)
    json.dumps(once, allow_nan=False, ensure_ascii=False).encode()
    assert plain(once) == once


@given(st.lists(st.text(max_size=5) | st.none(), max_size=6), st.lists(st.lists(values, max_size=6), max_size=4))
def test_no_value_of_a_row_is_lost(columns, rows):
    result = plain_rows(columns, rows)
    assert [list(row.values()) for row in result] == [[plain(value) for value in row] for row in rows]


def test_time_is_linear_in_the_size():
    def seconds(count: int) -> float:
        value = [{"k": "á" * 500, "l": [1, 2, 3]}] * 50
        rows = [[value] for _ in range(count)]
        started = time.perf_counter()
        plain_rows(["v"], rows)
        return time.perf_counter() - started

    seconds(10)
    small, large = min(seconds(20) for _ in range(3)), min(seconds(160) for _ in range(3))
    assert large < small * 8 * 2.5


def test_importing_the_room_brings_no_driver():
    code = "import sys, lfx_neo4j_graphrag.reply.values, lfx_neo4j_graphrag.reply.fitting;" \
           "sys.exit(any(m.split('.')[0] in ('neo4j', 'tiktoken', 'pandas', 'numpy') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
