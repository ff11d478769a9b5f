from lfx_neo4j_graphrag.schema.model import Index, Label, Pattern, Property, Schema
from lfx_neo4j_graphrag.schema.prompting import known_names, mark, prompt_text, text_places

TEXT, NAME = Property("text", ("string",), longest=900), Property("nombre", ("string",), longest=20)
STATE = Property("estado", ("string",), kind="one of", values=("abierta", "cerrada"), longest=7)


def label(name, *properties, count=10):
    return Label(name, count, count, tuple(properties))


CHAIN = Schema(
    labels=(label("Bar", NAME), label("Contrato"), label("Incidencia", STATE, TEXT), label("Zeta", count=999)),
    types=(label("FIRMA"), label("SOBRE")),
    patterns=(Pattern("Bar", "FIRMA", "Contrato", 3), Pattern("Incidencia", "SOBRE", "Contrato", 4)),
    indexes=(Index("i", "RANGE", "NODE", ("Bar",), ("nombre",)),),
)


def render(schema):
    return "\n".join([*(f"label {x.name}" for x in schema.labels), *(f"{p.start}-{p.type}-{p.end}" for p in schema.patterns)] + [x.name for x in schema.indexes])


def lines(text):
    return len(text.splitlines())


def test_a_short_schema_stays_whole_without_its_indexes():
    assert prompt_text(CHAIN, "x", [], 100, render, lines) == render(CHAIN).removesuffix("\ni")


def test_a_long_one_keeps_what_joins_the_labels_of_the_question():
    text = prompt_text(CHAIN, "¿Cuántas incidencias abiertas tiene cada bar de la ciudad?", ["Bar"], 5, render, lines)
    assert "label Contrato" in text and "Bar-FIRMA-Contrato" in text and "Incidencia-SOBRE-Contrato" in text
    assert "Zeta" not in text
    assert "3 of 4 labels" in text


def test_without_any_hint_the_largest_label_comes_first():
    assert prompt_text(CHAIN, "¿?", [], 1, render, lines).startswith("label Zeta")


def test_long_texts_are_no_names():
    assert text_places(CHAIN) == [("Bar", ["nombre"], 10), ("Incidencia", ["estado"], 10)]


def test_known_names_include_properties_that_were_not_met():
    names = known_names(Schema(labels=(label("Bar", NAME),), unmet=("rara",)))
    assert names == {"label": ["Bar"], "relationship type": [], "property": ["nombre", "rara"]}


def test_the_mark_changes_with_counts_only():
    assert mark(CHAIN) == mark(Schema(labels=CHAIN.labels, types=CHAIN.types))
    assert mark(CHAIN) != mark(Schema(labels=CHAIN.labels[:3], types=CHAIN.types))
