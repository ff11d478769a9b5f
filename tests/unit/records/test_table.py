"""From rows to what is saved: keys, rejected rows, links, linked nodes and index columns."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.defaults import MAX_FILTER_BYTES, MAX_KEY_BYTES
from lfx_neo4j_graphrag.errors import InputError
from lfx_neo4j_graphrag.records.column_types import parse_column_types
from lfx_neo4j_graphrag.records.relationships import parse_relationships
from lfx_neo4j_graphrag.records.rows import rows_from
from lfx_neo4j_graphrag.records.table import Rejected, filterable_columns, read_table, select_rows, word_columns

LINES = "taller -> EN_TALLER -> Taller.nombre\nmodelo -> DE_MODELO -> Modelo.nombre (marca)"


def table_of(rows, key="codigo", lines="", **fields):
    return read_table(rows_from(rows), label="Parte", key_property=key, rules=parse_relationships(lines), **fields)


def test_properties_links_and_linked_nodes():
    rows = [
        {"codigo": "P-1", "titulo": "Faro", "taller": "Norte", "modelo": "Alma", "marca": "Roja"},
        {"codigo": "P-2", "titulo": "Freno", "taller": "Norte", "modelo": "Alma", "marca": None},
        {"codigo": "P-3", "titulo": "Rueda", "taller": None, "modelo": " ", "marca": "Azul"},
    ]
    table = table_of(rows, lines=LINES)
    assert (table.key, table.properties, table.text_column) == ("codigo", ("titulo",), "titulo")
    selection = select_rows(table)
    assert selection.rows == [("P-1", "Faro", "Norte", "Alma"), ("P-2", "Freno", "Norte", "Alma"), ("P-3", "Rueda", None, None)]
    assert list(selection.positions) == [1, 2, 3]
    assert selection.linked == {
        ("Taller", "nombre"): ((), {"Norte": ()}),
        ("Modelo", "nombre"): (("marca",), {"Alma": ("Roja",)}),
    }


def test_rows_without_a_key_are_rejected_and_link_to_nothing():
    keys = ["P-1", None, "", "   ", float("nan"), "P-2"]
    rows = [{"codigo": key, "taller": f"T{n}"} for n, key in enumerate(keys)]
    selection = select_rows(table_of(rows, lines="taller -> EN_TALLER -> Taller.nombre"))
    assert selection.rejected == [Rejected(n, "codigo", "the key is blank") for n in (2, 3, 4, 5)]
    assert selection.linked[("Taller", "nombre")] == ((), {"T0": (), "T5": ()})
    assert list(selection.positions) == [1, 6]


def test_of_the_same_key_the_last_row_wins_also_for_its_links():
    rows = [{"codigo": k, "n": n, "taller": f"T{n}"} for n, k in enumerate("abab")] + [{"codigo": "c", "n": 9, "taller": "T9"}]
    selection = select_rows(table_of(rows, lines="taller -> EN_TALLER -> Taller.nombre"))
    assert selection.rows == [("a", 2, "T2"), ("b", 3, "T3"), ("c", 9, "T9")]
    assert (selection.replaced, list(selection.positions)) == ([1, 2], [3, 4, 5])
    assert list(selection.linked[("Taller", "nombre")][1]) == ["T2", "T3", "T9"]


def test_a_rejected_last_row_does_not_hide_a_good_one():
    rows = [{"codigo": "a", "fecha": "2026-01-01"}, {"codigo": "a", "fecha": "ayer"}]
    selection = select_rows(table_of(rows, column_types=parse_column_types("fecha: date")))
    assert selection.rows == [("a", dt.date(2026, 1, 1))]
    assert selection.rejected == [Rejected(2, "fecha", "the text is not an ISO date (2026-09-29)")]


def test_true_and_one_are_two_keys_and_seven_and_its_text_too():
    selection = select_rows(table_of([{"codigo": True}, {"codigo": 1}, {"codigo": 7}, {"codigo": "7"}]))
    assert len(selection.rows) == 4


@pytest.mark.parametrize(
    "key", [["a"], b"a", {"a": 1}, "x" * (MAX_KEY_BYTES + 1), "ñ" * (MAX_KEY_BYTES // 2 + 1)], ids=lambda k: type(k).__name__
)
def test_keys_that_no_index_holds_are_rejected(key):
    selection = select_rows(table_of([{"codigo": key, "t": 1}, {"codigo": "b", "t": 2}]))
    if isinstance(key, dict):
        assert len(selection.rows) == 2  # it is JSON text, and says so
    else:
        assert [row[0] for row in selection.rows] == ["b"] and selection.rejected[0].position == 1


def test_the_longest_key_is_taken():
    assert len(select_rows(table_of([{"codigo": "ñ" * (MAX_KEY_BYTES // 2), "t": 1}])).rows) == 1


def test_a_long_value_of_a_linked_node_rejects_the_row():
    rows = [
        {"codigo": "a", "taller": "x" * 9000},
        {"codigo": "b", "taller": ["ok", "y" * 9000]},
        {"codigo": "c", "taller": ["ok"]},
    ]
    selection = select_rows(table_of(rows, lines="taller -> EN_TALLER -> Taller.nombre"))
    assert [(r.position, r.column) for r in selection.rejected] == [(1, "taller"), (2, "taller")]
    assert list(selection.linked[("Taller", "nombre")][1]) == ["ok"]


def test_a_text_that_would_stop_the_database_is_rejected_where_an_index_filters():
    rows = [
        {"codigo": "a", "estado": "ñ" * 17_000},
        {"codigo": "b", "estado": "x" * MAX_FILTER_BYTES},
        {"codigo": "c", "estado": ["z" * 40_000]},
    ]
    table = table_of(rows)
    assert not select_rows(table).rejected
    rejected = select_rows(table, frozenset({"estado", "otra"})).rejected
    assert [(r.position, r.column) for r in rejected] == [(1, "estado")] and "vector index" in rejected[0].reason


def test_a_write_query_may_put_any_long_text_into_a_filtered_property():
    rows = [
        {"codigo": "a", "x": "y" * 40_000, "text": "t"},
        {"codigo": "b", "x": "y", "text": "z" * 40_000},
        {"codigo": "c", "x": {"n": ["y" * 40_000]}, "text": "t"},
    ]
    rows.append({"codigo": "d", "x": "y", "text": "t"})
    table = table_of(rows, nested=True)
    assert [r.position for r in select_rows(table, frozenset({"estado"}), by_query=True).rejected] == [1, 3]
    assert not select_rows(table, frozenset(), by_query=True).rejected
    assert [r.position for r in select_rows(table, frozenset({"estado"}), by_query=True, long_text="x").rejected] == [2]


def test_lists_link_to_each_and_repetitions_once():
    rows = [
        {"codigo": "a", "pieza": ["x", "y", "x", None, " "]},
        {"codigo": "b", "pieza": "z"},
        {"codigo": "c", "pieza": [None, ""]},
        {"codigo": "d", "pieza": []},
        {"codigo": "e", "pieza": {"k": 1}},
        {"codigo": "f", "pieza": [["x"]]},
    ]
    selection = select_rows(table_of(rows, lines="pieza -> USA -> Pieza.ref"))
    assert selection.rows == [("a", ["x", "y"]), ("b", "z"), ("c", None), ("d", [])]
    assert [r.position for r in selection.rejected] == [5, 6]
    assert set(selection.linked[("Pieza", "ref")][1]) == {"x", "y", "z"}


def test_two_columns_of_one_type_and_label_link_together():
    rows = [
        {"codigo": "a", "t1": "Ana", "t2": "Eva"},
        {"codigo": "b", "t1": "Ana", "t2": None},
        {"codigo": "c", "t1": None, "t2": None},
    ]
    table = table_of(rows, lines="t1 -> DE -> Tecnico.nombre\nt2 -> DE -> Tecnico.nombre")
    assert len(table.groups) == 1
    assert [row[1] for row in select_rows(table).rows] == [["Ana", "Eva"], ["Ana"], None]


def test_the_same_column_in_two_lines_and_extras_of_two_lines():
    rows = [{"codigo": "a", "t": "Ana", "zona": "N", "tel": 1}, {"codigo": "b", "t": "Eva", "zona": "S", "tel": 2}]
    table = table_of(rows, lines="t -> DE -> Tecnico.nombre (zona)\nt -> CON -> Tecnico.nombre (tel)\nt -> DE -> Equipo.nombre")
    selection = select_rows(table)
    assert selection.linked[("Tecnico", "nombre")] == (("zona", "tel"), {"Eva": ("S", 2), "Ana": ("N", 1)})
    assert selection.rows[0] == ("a", "Ana", "Ana", "Ana")


def test_rows_that_disagree_about_a_linked_node_are_said():
    rows = [{"codigo": n, "modelo": "Alma", "marca": marca} for n, marca in enumerate(["Roja", "Azul", None])]
    selection = select_rows(table_of(rows, lines="modelo -> DE -> Modelo.nombre (marca)"))
    assert selection.linked[("Modelo", "nombre")][1] == {"Alma": ("Azul",)}
    assert "marca" in selection.warnings[0] and "1 linked Modelo node has several values" in selection.warnings[0]


def test_key_and_text_stay_on_the_node_when_a_line_names_them():
    rows = [{"codigo": "a", "text": "Gotea", "x": 1}]
    table = table_of(rows, lines="codigo -> ES -> Codigo.valor\ntext -> DICE -> Frase.texto")
    assert table.properties == ("text", "x") and select_rows(table).rows == [("a", "Gotea", 1, "a", "Gotea")]


def test_a_composed_key():
    rows = [
        {"pedido": 10, "producto": "A", "n": 1},
        {"pedido": 10, "producto": None, "n": 2},
        {"pedido": 10, "producto": "B", "n": 3},
    ]
    table = table_of(rows, key="pedido + producto", lines="pedido -> DE -> Pedido.id")
    assert (table.key, table.properties) == ("pedido_producto", ("pedido", "producto", "n"))
    selection = select_rows(table)
    assert selection.rows == [("10|A", 10, "A", 1, 10), ("10|B", 10, "B", 3, 10)]
    assert selection.rejected == [Rejected(2, "pedido + producto", "the key is blank")]
    with pytest.raises(InputError, match="pedido_producto"):
        table_of([{"pedido": 1, "producto": 2, "pedido_producto": 3}], key="pedido+producto")
    assert table_of([{"a+b": 1, "a": 2, "b": 3}], key="a+b").key == "a+b"


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"key": "nada"}, "nada"),
        ({"key": "codigo + nada"}, "codigo + nada"),
        ({"lines": "nada -> T -> A.b"}, "nada"),
        ({"lines": "x -> T -> A.b (nada)"}, "nada"),
        ({"column_types": {"nada": str}}, "nada"),
        ({"text_column": "nada"}, "nada"),
    ],
)
def test_a_column_that_no_row_has_is_an_error_that_names_those_there_are(fields, named):
    with pytest.raises(InputError) as caught:
        table_of([{"codigo": "a", "x": 1}, {"codigo": "b", "y": 2}], **fields)
    assert named in caught.value.sentence and "codigo, x, y" in caught.value.advice


def test_a_column_that_some_rows_lack_is_no_error():
    selection = select_rows(table_of([{"codigo": "a"}, {"codigo": "b", "t": "N"}], lines="t -> EN -> Taller.nombre"))
    assert selection.rows == [("a", None), ("b", "N")]


@pytest.mark.parametrize("fields", [{"label": " "}, {"key_property": ""}, {"empty_cells": "borrar"}])
def test_missing_fields_are_named(fields):
    with pytest.raises(InputError) as caught:
        read_table([{"codigo": 1}], **({"label": "A", "key_property": "codigo"} | fields))
    assert caught.value.advice


def test_only_broken_rows_are_all_rejected():
    table = read_table(rows_from("[1, 2]"), label="A", key_property="codigo")
    assert [r.position for r in select_rows(table).rejected] == [1, 2] and select_rows(table).rows == []


def test_the_text_column():
    assert table_of([{"codigo": "a", "text": "x", "nota": "y" * 50}]).text_column == "text"
    assert table_of([{"codigo": "a", "corta": "x", "nota": "y" * 50, "n": 1}]).text_column == "nota"
    assert table_of([{"codigo": "a" * 90, "n": 1}]).text_column is None
    assert table_of([{"codigo": "a", "nota": "y", "otra": "z" * 9}], text_column="nota").text_column == "nota"
    assert table_of([{"codigo": "a", "taller": "y" * 99, "b": "z"}], lines="taller -> T -> A.b").text_column == "b"


def test_columns_for_filters_and_for_words():
    rows = [
        {
            "codigo": "P-1",
            "text": "Gotea por debajo.",
            "estado": "abierta",
            "n": 1,
            "fecha": dt.date(2026, 1, 1),
            "activo": True,
            "nota": "x" * 65,
            "etiquetas": ["a"],
            "vacia": None,
            "justo": "y" * 64,
        }
    ]
    table = table_of(rows)
    assert filterable_columns(table) == ("estado", "n", "fecha", "activo", "justo")
    assert word_columns(table) == ("text", "codigo", "estado", "justo")
    many = table_of([{"codigo": "a", "text": "t"} | {f"c{n}": n for n in range(70)}])
    assert len(filterable_columns(many)) == 50


def test_what_was_stored_otherwise_and_mixed_kinds_are_said():
    table = table_of(
        [{"codigo": "a", "v": {"x": 1}, "m": 1}, {"codigo": "b", "v": None, "m": "uno"}, {"codigo": "c", "v": [1, "a"], "m": 2.5}]
    )
    assert table.warnings == [
        "Column v: 2 cells were stored as JSON text (nested or mixed values).",
        "Column m holds values of several kinds; comparisons find only those of the same kind.",
    ]


def test_gaps_of_a_table():
    frame = pd.DataFrame(
        {"codigo": [101, 102, None], "alta": [pd.Timestamp("2026-03-01"), pd.NaT, pd.NaT], "cliente": [7, None, 7]}
    )
    selection = select_rows(table_of(frame, lines="cliente -> DE -> Cliente.id"))
    assert selection.rows == [(101, dt.datetime(2026, 3, 1), 7), (102, None, None)]
    assert selection.linked[("Cliente", "id")] == ((), {7: ()}) and [r.position for r in selection.rejected] == [3]


def test_left_out_columns_are_not_stored():
    with pytest.raises(InputError, match="vectors"):
        table_of([{"embedding": "a", "x": 1}], key="embedding", left_out=frozenset({"embedding"}))
    linked = table_of([{"codigo": "a", "embedding": "N"}], lines="embedding -> EN -> A.b", left_out=frozenset({"embedding"}))
    assert select_rows(linked).rows == [("a", "N")]
    assert table_of([{"codigo": "a", "embedding": [1.0]}], left_out=frozenset({"embedding"})).properties == ()
    assert (
        "embedding was left out" in table_of([{"codigo": "a", "embedding": [1.0]}], left_out=frozenset({"embedding"})).warnings[0]
    )


keys = st.one_of(st.none(), st.integers(0, 5), st.sampled_from(["a", "b", "", " "]))


@given(st.lists(st.tuples(keys, st.integers(0, 3), st.one_of(st.none(), st.sampled_from("xyz"))), max_size=20))
def test_every_row_is_saved_rejected_or_replaced(triples):
    rows = [{"codigo": key, "n": n, "t": t} for key, n, t in triples]
    if not rows:
        return
    selection = select_rows(table_of(rows, lines="t -> T -> A.b"))
    parts = [list(selection.positions), [r.position for r in selection.rejected], selection.replaced]
    assert sorted(sum(parts, [])) == list(range(1, len(rows) + 1))
    assert len({row[0] for row in selection.rows}) == len(selection.rows)
    for row, position in zip(selection.rows, selection.positions):
        assert row == (triples[position - 1][0], triples[position - 1][1], triples[position - 1][2])
        assert not any(key == row[0] for key, *_ in triples[position:])
    assert set(selection.linked[("A", "b")][1]) == {row[2] for row in selection.rows} - {None}
