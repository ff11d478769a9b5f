"""Lines of the field Relationships."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.errors import InputError
from lfx_neo4j_graphrag.records.relationships import RelationshipRule, parse_relationships


def test_the_lines_of_the_example():
    text = """
    cliente -> DE_CLIENTE -> Cliente.nombre
    tecnico->ASIGNADA_A->Tecnico.nombre

    modelo → EN_MAQUINA → Maquina.modelo (marca, año)
    """
    assert parse_relationships(text) == [
        RelationshipRule("cliente", "DE_CLIENTE", "Cliente", "nombre"),
        RelationshipRule("tecnico", "ASIGNADA_A", "Tecnico", "nombre"),
        RelationshipRule("modelo", "EN_MAQUINA", "Maquina", "modelo", ("marca", "año")),
    ]


def test_names_with_spaces_dots_and_quotes():
    rules = parse_relationships(
        [
            "técnico -> ASIGNADA A -> Técnico de guardia.nombre completo",
            "a -> T -> A.b.c ()",
            "`a->b` -> `R``]->()` -> `X.Y`.`p(1)` (`c,d`, e)",
        ]
    )
    assert rules == [
        RelationshipRule("técnico", "ASIGNADA A", "Técnico de guardia", "nombre completo"),
        RelationshipRule("a", "T", "A", "b.c"),
        RelationshipRule("a->b", "R`]->()", "X.Y", "p(1)", ("c,d", "e")),
    ]


def test_nothing_and_repetitions():
    assert parse_relationships("") == parse_relationships(None) == parse_relationships([]) == []
    rule = RelationshipRule("a", "T", "B", "c")
    assert parse_relationships([rule, "a -> T -> B.c"]) == [rule]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("cliente", "no arrow"),
        ("cliente -> DE_CLIENTE", "two arrows"),
        ("cliente -> DE_CLIENTE -> Cliente", "Label.property"),
        ("-> X -> A.b", "Label.property"),
        ("a -> -> A.b", "Label.property"),
        ("a -> B -> C -> D.e", "Label.property"),
        ("a -> B -> A.b (c", "Label.property"),
        ("a -> B -> A.b (,)", "Label.property"),
        ("a -> B -> .x", "Label.property"),
        ("a -> B -> A.", "Label.property"),
        ("x -> R`]->() WITH 1 AS x MATCH (m:Centinela) DETACH DELETE m // -> Otro.id", "Label.property"),
    ],
)
def test_a_malformed_line_is_named_with_what_was_expected(line, what):
    with pytest.raises(InputError) as caught:
        parse_relationships(f"ok -> T -> A.b\n{line}")
    assert "line 2" in caught.value.sentence and line[:60] in caught.value.sentence and what in caught.value.sentence
    assert "modelo -> EN_MAQUINA -> Maquina.modelo (marca)" in caught.value.advice


def test_one_type_and_label_by_two_properties_is_refused():
    with pytest.raises(InputError, match="one by nombre, one by id"):
        parse_relationships("a -> T -> Persona.nombre\nb -> T -> Persona.id")
    assert len(parse_relationships("a -> T -> Persona.nombre\nb -> T -> Empresa.id\na -> U -> Persona.id")) == 3


names = st.text(min_size=1, max_size=15).filter(lambda text: text.strip() and "\0" not in text)


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


@given(names, names, names, names, st.lists(names, max_size=3, unique=True))
def test_any_name_can_be_written_in_backquotes(column, kind, label, prop, extras):
    line = f"{quoted(column)} -> {quoted(kind)} -> {quoted(label)}.{quoted(prop)}"
    line += f" ({', '.join(map(quoted, extras))})" if extras else ""
    assert parse_relationships([line]) == [RelationshipRule(column, kind, label, prop, tuple(extras))]


@given(st.text(max_size=60))
def test_any_line_gives_a_rule_or_a_sentence(line):
    try:
        rules = parse_relationships([line])
    except InputError as error:
        assert "line 1" in error.sentence
    else:
        assert len(rules) == bool(line.strip())
