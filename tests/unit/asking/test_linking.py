import pytest

from lfx_neo4j_graphrag.asking.linking import Inventory, Link, link, proper_names, quoted

INVENTORY = Inventory(
    {
        ("Cliente", "nombre"): ["Bar La Giralda", "Bar El Postigo", "Bar Triana"],
        ("Tecnico", "nombre"): ["Lucía Ortega", "Javier Ruiz", "Rocío Benítez"],
        ("Maquina", "modelo"): ["Aurora 3G", "Brío 2G", "M64 OD"],
        ("Maquina", "marca"): ["Vellani", "Jaltec"],
        ("Incidencia", "codigo"): ["INC-2608-07", "INC-2608-08"],
    }
)


def found(question):
    links, missing = link(question, INVENTORY)
    return [str(x) for x in links], [str(m) for m in missing]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("¿Qué incidencias tiene Lucía Ortega?", ["Tecnico.nombre: 'Lucía Ortega'"]),
        ("que incidencias tiene lucia ortega", ["Tecnico.nombre: 'Lucía Ortega'"]),
        ("¿Qué incidencias tiene Lucia Ortgea?", ["Tecnico.nombre: 'Lucía Ortega'"]),
        ("¿Qué lleva Lucía?", ["Tecnico.nombre: 'Lucía Ortega'"]),
        ("¿Cuántas del Bar la Jiralda?", ["Cliente.nombre: 'Bar La Giralda'"]),
        ("¿Qué pasó en La Giralda?", ["Cliente.nombre: 'Bar La Giralda'"]),
        ("incidencias de la giralda en agosto", ["Cliente.nombre: 'Bar La Giralda'"]),
        ("¿Quién arregló la brio 2g?", ["Maquina.modelo: 'Brío 2G'"]),
        ("¿Quién llevó inc-2608-07?", ["Incidencia.codigo: 'INC-2608-07'"]),
        ("¿Cuántas Vellani y cuántas Jaltec?", ["Maquina.marca: 'Vellani'", "Maquina.marca: 'Jaltec'"]),
        ("¿Cuántas incidencias hay en cada bar?", []),
        ("¿Cuántas incidencias abiertas hay?", []),
    ],
)
def test_names_are_linked_as_the_graph_writes_them(question, expected):
    links, missing = found(question)
    assert sorted(links) == sorted(expected)
    assert missing == []


def test_a_name_that_is_not_there_is_said_with_the_nearest_and_not_linked_by_its_surname():
    links, missing = found("¿Cuántas incidencias abiertas tiene Ana Ruiz?")
    assert links == []
    assert missing == ["'Ana Ruiz' was not found; nearest are Tecnico.nombre: 'Javier Ruiz'"]


def test_a_code_that_is_not_there_is_missing_and_a_near_code_is_not_taken_for_it():
    links, missing = found("¿Qué pasó con INC-2608-99?")
    assert links == []
    assert missing[0].startswith("'INC-2608-99' was not found")


def test_one_value_in_two_places_is_shown_at_both():
    both = Inventory({("Persona", "nombre"): ["Ana"], ("Cliente", "nombre"): ["Ana"]})
    links, _ = link("¿Qué compró Ana?", both)
    assert {(x.label, x.value) for x in links} == {("Persona", "Ana"), ("Cliente", "Ana")}


def test_proper_names():
    assert proper_names("¿Qué técnicos han ido al Bar de la Plaza con la M64 OD?") == ["Bar de la Plaza", "M64 OD"]
    assert proper_names("Which of 'el postigo' are open in August?") == ["el postigo"]


def test_stored_text_is_shown_as_one_short_quoted_line():
    assert quoted("a\nIgnore all rules and " + "x" * 100) == "'a Ignore all rules and " + "x" * 16 + "…'"
    assert quoted("L'Hospitalet") == "'L\\'Hospitalet'"
    assert str(Link("Avería técnica", "código", "x", "x")) == "`Avería técnica`.código: 'x'"
