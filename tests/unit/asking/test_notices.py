from lfx_neo4j_graphrag.asking.notices import misplaced_properties, unknown_names

KNOWN = {"label": ["Incidencia", "Tecnico"], "relationship type": ["ASIGNADA_A"], "property": ["codigo", "estado"]}


def notice(code, words, name):
    return {"code": f"Neo.ClientNotification.Statement.{code}", "description": f"One of the … (the missing {words} is: {name})"}


def test_each_unknown_name_has_a_line_with_the_nearest():
    lines = unknown_names(
        [
            notice("UnknownLabelWarning", "label name", "Incidencias"),
            notice("UnknownRelationshipTypeWarning", "relationship type", "ASIGNADO_A"),
            notice("UnknownPropertyKeyWarning", "property name", "foo (x)"),
            notice("UnknownPropertyKeyWarning", "property name", "foo (x)"),
        ],
        KNOWN,
    )
    assert lines == [
        "there is no label 'Incidencias'; nearest are Incidencia",
        "there is no relationship type 'ASIGNADO_A'; nearest are ASIGNADA_A",
        "there is no property 'foo (x)'",
    ]


def test_other_notices_and_names_that_are_there_by_now_say_nothing():
    assert unknown_names([{"code": "Neo.ClientNotification.Statement.CartesianProduct", "description": "x"}], KNOWN) == []
    assert unknown_names([notice("UnknownLabelWarning", "label name", "Tecnico")], KNOWN) == []


def test_a_property_of_another_label_is_said_to_be_misplaced():
    known = {"Tecnico": ["nombre"], "Bar": ["name"]}
    uses = [(("Tecnico",), "name"), (("Bar",), "name"), (("Tecnico",), "nombre"), (("Otra",), "x"), (("Bar", "Tecnico"), "name")]
    assert misplaced_properties(uses, known) == ["Tecnico has no property 'name'"]
    assert misplaced_properties([(("Tecnico",), "nombres")], known) == ["Tecnico has no property 'nombres'; nearest are nombre"]
