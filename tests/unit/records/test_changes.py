"""Comparing rows with what is stored."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j.time import Date, DateTime, Duration, Time

from lfx_neo4j_graphrag.records.changes import Changes, Shape, compare, same_value

SHAPE = Shape(("titulo", "horas"), groups=1)
WITH_TEXT = Shape(("titulo", "horas"), text=0, embedding="embedding", dimensions=4)


def test_new_rows_are_created():
    changes = compare([("a", "x", 1, "N"), ("b", None, 2, ["N", "S"]), ("c", None, None, None)], [], SHAPE)
    assert changes.created == [("a", "x", 1, "N"), ("b", None, 2, ["N", "S"]), ("c", None, None, None)]
    assert (changes.properties, changes.links_added) == (3 + 2 + 1, [3])
    assert not changes.updated and not changes.unchanged


def test_equal_rows_change_nothing():
    rows = [("a", "x", 1, "N"), ("b", None, 2, ["N", "S"]), ("c", None, None, None)]
    found = [["a", "x", 1, ["N"]], ["b", "queda", 2, ["S", "N"]], ["c", "queda", 3, ["T"]]]
    changes = compare(rows, found, SHAPE)
    assert (changes.unchanged, changes.touched, changes.updated, changes.links) == (3, [], [], [[]])
    assert changes.links_kept == [4] and changes.properties == 0


def test_only_what_differs_is_sent():
    changes = compare([("a", "y", 1, "S")], [["a", "x", 1, ["N"]]], SHAPE)
    assert changes.updated == [["a", {"titulo": "y"}]] and changes.links == [[["a", ["S"]]]]
    assert (changes.links_added, changes.links_removed, changes.touched, changes.properties) == ([1], [1], ["a"], 1)


def test_links_that_stay_are_not_counted_as_made_anew():
    changes = compare([("a", None, None, ["N", "S"])], [["a", None, None, ["S", "T", None]]], SHAPE)
    assert (changes.links_added, changes.links_removed, changes.links_kept) == ([1], [2], [1])


def test_a_blank_cell_removes_only_when_told_to():
    row, node = [("a", None, 2, None)], [["a", "x", 2, ["N"]]]
    assert compare(row, node, SHAPE).unchanged == 1
    changes = compare(row, node, Shape(("titulo", "horas"), groups=1, clear=True))
    assert changes.updated == [["a", {"titulo": None}]] and changes.links == [[["a", []]]] and changes.links_removed == [1]
    again = compare(row, [["a", None, 2, []]], Shape(("titulo", "horas"), groups=1, clear=True))
    assert again.unchanged == 1


def test_an_empty_list_of_links_removes_them():
    assert compare([("a", None, None, [])], [["a", None, None, ["N"]]], SHAPE).links == [[["a", []]]]
    assert compare([("a", None, None, [])], [["a", None, None, []]], SHAPE).unchanged == 1


def test_nodes_that_share_a_key_are_all_compared():
    changes = compare([("a", "x", 1, None)], [["a", "x", 1, []], ["a", "y", 1, []]], SHAPE)
    assert changes.updated == [["a", {"titulo": "x"}]] and not changes.created


def test_a_key_of_another_kind_is_another_node():
    changes = compare([(7, "x", 1, None), (True, "y", 1, None)], [[7.0, "x", 1, []], [1, "z", 1, []], [True, "y", 1, []]], SHAPE)
    assert changes.created == [] and changes.unchanged == 2


def test_texts_that_need_a_vector():
    rows = [
        (key, text, None)
        for key, text in [("new", "t"), ("same", "t"), ("changed", "t"), ("none", "t"), ("size", "t"), ("blank", None)]
    ]
    found = [
        ["same", "t", None, 4],
        ["changed", "u", None, 4],
        ["none", "t", None, None],
        ["size", "t", None, 8],
        ["blank", "t", None, None],
    ]
    changes = compare(rows, found, WITH_TEXT)
    assert sorted(changes.embed) == ["changed", "new", "none", "size"]
    assert changes.updated == [["changed", {"titulo": "t", "embedding": None, "embedding_parts": None}]] and changes.stale == 1


def test_without_a_model_the_vector_of_a_changed_text_goes_and_no_other():
    shape = Shape(("titulo", "horas"), text=0, embedding="embedding")
    changes = compare([("a", "nuevo", 1), ("b", "x", 2)], [["a", "viejo", 1, 4], ["b", "x", 3, None]], shape)
    assert changes.updated == [["a", {"titulo": "nuevo", "embedding": None, "embedding_parts": None}], ["b", {"horas": 2}]]
    assert changes.stale == 1 and changes.embed == ["a"]


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (1, 1),
        ("a", "a"),
        (dt.date(2026, 1, 2), Date(2026, 1, 2)),
        (dt.datetime(2026, 1, 2, 3), DateTime(2026, 1, 2, 3)),
        (
            dt.datetime(2026, 1, 2, 3, tzinfo=dt.timezone(dt.timedelta(hours=2))),
            DateTime(2026, 1, 2, 3, tzinfo=dt.timezone(dt.timedelta(hours=2))),
        ),
        (dt.time(10, 30), Time(10, 30)),
        (dt.timedelta(days=1, seconds=5, microseconds=7), Duration(days=1, seconds=5, nanoseconds=7000)),
        ([dt.date(2026, 1, 2)], [Date(2026, 1, 2)]),
        (b"x", b"x"),
    ],
    ids=repr,
)
def test_same_values(new, old):
    assert same_value(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (1, 1.0),
        (True, 1),
        (1, True),
        ("1", 1),
        (dt.date(2026, 1, 2), "2026-01-02"),
        ([1], [1, 2]),
        ([1], [1.0]),
        ([1], 1),
        ("a", None),
        (dt.timedelta(days=30), Duration(months=1)),
    ],
    ids=repr,
)
def test_different_values(new, old):
    assert not same_value(new, old)


def test_a_number_that_became_text_is_a_change_in_one_column_and_in_all():
    assert compare([("a", "1", 1, None)], [["a", "1", 1.0, []]], SHAPE).updated == [["a", {"horas": 1}]]
    assert compare([("a", "x", True, None)], [["a", "x", 1, []]], SHAPE).updated == [["a", {"horas": True}]]


value = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from(["a", "b"]), st.booleans())
links = st.one_of(st.none(), st.sampled_from("xyz"), st.lists(st.sampled_from("xyz"), unique=True, max_size=3))
stored_links = st.lists(st.sampled_from("xyz"), unique=True, max_size=3)


def applied(found: dict, changes: Changes) -> dict:
    """What the statements do with the changes, in plain Python."""
    graph = {key: (dict(props), set(targets)) for key, (props, targets) in found.items()}
    for key, titulo, horas, targets in changes.created:
        wanted = targets if isinstance(targets, list) else [] if targets is None else [targets]
        graph[key] = ({n: v for n, v in (("titulo", titulo), ("horas", horas)) if v is not None}, set(wanted))
    for key, props in changes.updated:
        graph[key][0].update(props)
        for name in [name for name, one in props.items() if one is None]:
            del graph[key][0][name]
    for key, targets in changes.links[0]:
        graph[key] = (graph[key][0], set(targets))
    return graph


@given(
    st.dictionaries(st.integers(0, 6), st.tuples(value, value, links), max_size=7),
    st.dictionaries(st.integers(0, 6), st.tuples(value, value, stored_links), max_size=7),
    st.booleans(),
)
def test_saving_is_right_and_saving_again_changes_nothing(rows, stored, clear):
    shape = Shape(("titulo", "horas"), groups=1, clear=clear)
    batch = [(key, *cells) for key, cells in rows.items()]
    before = {k: ({n: v for n, v in (("titulo", t), ("horas", h)) if v is not None}, set(ls)) for k, (t, h, ls) in stored.items()}

    def found(graph):
        return [[k, p.get("titulo"), p.get("horas"), sorted(t)] for k, (p, t) in graph.items() if k in rows]

    changes = compare(batch, found(before), shape)
    after = applied(before, changes)
    for key, (titulo, horas, targets) in rows.items():
        props, linked = after[key]
        old = before.get(key, ({}, set()))
        for name, cell in (("titulo", titulo), ("horas", horas)):
            expected = cell if cell is not None else None if clear else old[0].get(name)
            assert props.get(name) == expected and type(props.get(name)) is type(expected)
        wanted = {targets} if isinstance(targets, str) else set(targets) if targets is not None else set() if clear else old[1]
        assert linked == wanted
    assert {key: after[key] for key in before if key not in rows} == {key: before[key] for key in before if key not in rows}
    made = sum(len(links - before.get(key, ({}, set()))[1]) for key, (_, links) in after.items())
    gone = sum(len(links - after[key][1]) for key, (_, links) in before.items())
    assert (changes.links_added[0], changes.links_removed[0]) == (made, gone)
    again = compare(batch, found(after), shape)
    assert again.unchanged == len(batch) and not (again.created or again.updated or again.links[0] or again.properties)
