"""Filters as people and models write them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.errors import InputError
from lfx_neo4j_graphrag.retrieval.filters import Condition, Group, Quoted, conditions, parse_filters


@pytest.mark.parametrize(
    ("line", "condition"),
    [
        ("estado = abierta", Condition("estado", "=", ("abierta",))),
        ("estado=abierta", Condition("estado", "=", ("abierta",))),
        ("fecha >= 2026-08-01", Condition("fecha", ">=", ("2026-08-01",))),
        ("importe <= 10,5", Condition("importe", "<=", ("10,5",))),
        ("estado != cerrada", Condition("estado", "<>", ("cerrada",))),
        ("estado <> cerrada", Condition("estado", "<>", ("cerrada",))),
        ("codigo_error in E01, E07", Condition("codigo_error", "in", ("E01", "E07"))),
        ("codigo_error in ['E01', \"E,07\"]", Condition("codigo_error", "in", ("E01", "E,07"))),
        ("codigo_error not in E01", Condition("codigo_error", "not in", ("E01",))),
        ("codigo_error en E01, E07", Condition("codigo_error", "in", ("E01", "E07"))),
        ("text contains goteo de agua", Condition("text", "contains", ("goteo de agua",))),
        ("text contiene goteo", Condition("text", "contains", ("goteo",))),
        ("tecnico is empty", Condition("tecnico", "empty")),
        ("tecnico is not null", Condition("tecnico", "not empty")),
        ("tecnico no está vacío", Condition("tecnico", "not empty")),
        ("código de error = E-07", Condition("código de error", "=", ("E-07",))),
        ("Maquina.marca = Jaltec", Condition("Maquina.marca", "=", ("Jaltec",))),
        ("`raro = x` = 3", Condition("raro = x", "=", ("3",))),
        ("cliente = Bar o Restaurante", Condition("cliente", "=", ("Bar o Restaurante",))),
        ("cliente = Sal y Pimienta", Condition("cliente", "=", ("Sal y Pimienta",))),
        ("nota = 'a = b or c = d'", Condition("nota", "=", ("a = b or c = d",))),
        ("formula = a>b", Condition("formula", "=", ("a>b",))),
    ],
)
def test_a_line(line, condition):
    assert parse_filters(line) == condition


def test_quoted_values_are_text():
    assert isinstance(parse_filters("codigo = '27'").values[0], Quoted)
    assert not isinstance(parse_filters("codigo = 27").values[0], Quoted)


def test_lines_all_hold_and_alternatives_in_a_line():
    tree = parse_filters("fecha >= 2026-08-01\n\nestado = abierta or estado = nueva and pct < 3\n")
    either = Group(
        (
            Condition("estado", "=", ("abierta",)),
            Group((Condition("estado", "=", ("nueva",)), Condition("pct", "<", ("3",)))),
        ),
        any=True,
    )
    assert tree == Group((Condition("fecha", ">=", ("2026-08-01",)), either))
    assert parse_filters("estado = abierta o estado = nueva").any


@pytest.mark.parametrize(
    ("given_", "tree"),
    [
        ({"estado": "abierta"}, Condition("estado", "=", ("abierta",))),
        ('{"estado": "abierta"}', Condition("estado", "=", ("abierta",))),
        ({"pct": {"min": 1, "max": 3}}, Group((Condition("pct", ">=", (1,)), Condition("pct", "<=", (3,))))),
        ({"pct": {"min": 1, "max": None}}, Condition("pct", ">=", (1,))),
        ({"e": {"in": ["a", "b"]}}, Condition("e", "in", ("a", "b"))),
        ({"e": ["a", "b"]}, Condition("e", "in", ("a", "b"))),
        ({"e": {"$gte": 2}}, Condition("e", ">=", (2,))),
        ({"tecnico": None}, Condition("tecnico", "empty")),
        ({"tecnico": {"<>": None}}, Condition("tecnico", "not empty")),
        ([{"property": "text", "operator": "contains", "value": "x"}], Condition("text", "contains", ("x",))),
        ([{"property": "e", "operator": "=", "value": ["a", "b"]}], Condition("e", "in", ("a", "b"))),
        ([{"property": "t", "operator": "is empty", "value": True}], Condition("t", "empty")),
        ([{"property": "t", "operator": "is empty", "value": False}], Condition("t", "not empty")),
        (["a = 1", {"b": 2}], Group((Condition("a", "=", ("1",)), Condition("b", "=", (2,))))),
        ({"or": [{"a": 1}, {"b": 2}]}, Group((Condition("a", "=", (1,)), Condition("b", "=", (2,))), any=True)),
        ({"fecha": date(2026, 8, 1)}, Condition("fecha", "=", (date(2026, 8, 1),))),
    ],
)
def test_json(given_, tree):
    assert parse_filters(given_) == tree


@pytest.mark.parametrize("nothing", [None, "", "  \n ", {}, [], "[]", "{}"])
def test_nothing(nothing):
    assert parse_filters(nothing) is None


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("estado abierta", "estado abierta"),
        ("estado =", "no value"),
        ("codigo in", "codigo in"),
        ('{"estado": ', "JSON"),
        ({"estado": {"parecido": "x"}}, "parecido"),
        ({"estado": {}}, "empty"),
        ({"": 3}, "name"),
        ({"a": {"=": {"b": 1}}}, "single value"),
        (5, "int"),
    ],
)
def test_what_cannot_be_read_is_named(wrong, said):
    with pytest.raises(InputError, match=said):
        parse_filters(wrong)


def test_or_binds_the_conditions_of_a_line_and_lines_are_joined_by_and():
    tree = parse_filters("estado = abierta or tecnico is empty\nfecha >= 2026-08-01")
    assert isinstance(tree, Group) and not tree.any
    either, later = tree.members
    assert either.any and [(c.property, c.operator) for c in either.members] == [("estado", "="), ("tecnico", "empty")]
    assert (later.property, later.operator, [str(value) for value in later.values]) == ("fecha", ">=", ["2026-08-01"])


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_with_a_sentence(text):
    try:
        tree = parse_filters(text)
    except InputError:
        return
    assert tree is None or all(c.property for c in conditions(tree))
