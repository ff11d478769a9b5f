"""Dates, coercion, states, near names, lines: the small rules."""

from datetime import date, datetime, time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lfx_neo4j_graphrag.extraction.coerce import Unfit, coerce, plain
from lfx_neo4j_graphrag.extraction.dates import document_date, read_date, read_datetime
from lfx_neo4j_graphrag.extraction.language import is_spanish
from lfx_neo4j_graphrag.extraction.lines import is_own_line, node_line
from lfx_neo4j_graphrag.extraction.schema import Property
from lfx_neo4j_graphrag.extraction.similar import near_pairs
from lfx_neo4j_graphrag.extraction.states import judge, rank_of

# The machine that runs the tests may be busy.
relaxed = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    "kind, value, stored",
    [
        ("date", "2026-07-03", date(2026, 7, 3)),
        ("date", "2026-07-03T10:00:00", date(2026, 7, 3)),
        ("date", "03/07/2026", date(2026, 7, 3)),
        ("date", "12/31/2026", date(2026, 12, 31)),
        ("date", "3 de julio de 2026", date(2026, 7, 3)),
        ("date", "1º de agosto del 2026", date(2026, 8, 1)),
        ("date", "July 3rd, 2026", date(2026, 7, 3)),
        ("date", "3-sep-2026", date(2026, 9, 3)),
        ("datetime", "2026-07-03 10:30", datetime(2026, 7, 3, 10, 30)),
        ("datetime", "3/7/2026 9:05", datetime(2026, 7, 3, 9, 5)),
        ("datetime", "2026-07-03", datetime(2026, 7, 3)),
        ("time", "9:05", time(9, 5)),
        ("float", "1.234,50 €", 1234.5),
        ("float", "1,234.50", 1234.5),
        ("float", "12,5", 12.5),
        ("float", "-0,5 %", -0.5),
        ("float", 3, 3.0),
        ("integer", "1.234", 1234),
        ("integer", 27.0, 27),
        ("integer", "27", 27),
        ("boolean", "Sí", True),
        ("boolean", "no", False),
        ("text", 27.0, "27"),
        ("text", 3.5, "3.5"),
        ("list", "a, b; c", ["a", "b", "c"]),
        ("list", ["a", "b"], ["a", "b"]),
    ],
)
def test_values_of_their_declared_kind(kind, value, stored):
    found = coerce(value, Property("p", kind))
    assert found == stored and type(found) is type(stored)


@pytest.mark.parametrize(
    "kind, value",
    [
        ("date", "julio de 2026"),
        ("date", "mañana"),
        ("date", "2026-02-30"),
        ("float", "dos"),
        ("float", "3 kg"),
        ("integer", "2.5"),
        ("integer", True),
        ("boolean", "quizá"),
        ("time", "25:00"),
        ("date", {"y": 2026}),
        ("float", [1, 2]),
    ],
)
def test_misfits(kind, value):
    with pytest.raises(Unfit) as caught:
        coerce(value, Property("p", kind))
    assert caught.value.reason == "value not of its type"


@pytest.mark.parametrize("value", [None, "", "  ", "null", "N/A", "None"])
def test_nothing_is_nothing(value):
    assert coerce(value, Property("p", "date")) is None and coerce(value, None) is None


@pytest.mark.parametrize(
    "value, stored",
    [
        ("ABIERTA", "abierta"),
        ("abierto", "abierta"),
        (" En  Curso ", "en curso"),
        (["cerrada"], "cerrada"),
        ("Cerradas", "cerrada"),
    ],
)
def test_listed_values_whatever_their_spelling(value, stored):
    assert coerce(value, Property("estado", values=("abierta", "en curso", "cerrada"))) == stored


@pytest.mark.parametrize("value", ["pendiente", "re-abierta", {"a": 1}, "abierta o cerrada"])
def test_other_values_are_not_allowed(value):
    with pytest.raises(Unfit) as caught:
        coerce(value, Property("estado", values=("abierta", "cerrada")))
    assert caught.value.reason == "value not allowed"


def test_gender_does_not_choose_between_two_values():
    with pytest.raises(Unfit):
        coerce("rojes", Property("p", values=("rojo", "roja")))


@relaxed
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda i: st.lists(i, max_size=3) | st.dictionaries(st.text(), i, max_size=3),
        max_leaves=8,
    )
)
def test_any_value_becomes_one_that_neo4j_stores(value):
    found = plain(value)
    if isinstance(found, list):
        assert found and len({type(item) for item in found} - {int, float}) + bool({type(i) for i in found} & {int, float}) == 1
        assert not any(isinstance(item, (list, dict)) for item in found)
    else:
        assert found is None or isinstance(found, (str, bool, float)) or -(2**63) <= found < 2**63
    if isinstance(found, str):
        found.encode("utf-8")


# ------------------------------------------------------------------------------------------------ dates of documents


@pytest.mark.parametrize(
    "name, text, metadata, expected",
    [
        ("informe_2026_07.pdf", "Agosto de 2026", {}, date(2026, 7, 31)),
        ("", "Informe de incidencias\nAgosto de 2026\nEl 3 de julio de 2026 se abrió…", {}, date(2026, 8, 31)),
        ("", "Periodo: 1 a 30 de septiembre de 2026", {}, date(2026, 9, 30)),
        ("", "Madrid, 3 de agosto de 2026", {}, date(2026, 8, 3)),
        ("2026-11-29_22-58-24_informe_julio_2026.pdf", "", {}, date(2026, 7, 31)),
        ("x.pdf", "Julio de 2026", {"fecha": "2026-05-02"}, date(2026, 5, 2)),
        ("x.pdf", "", {"date": datetime(2026, 5, 2, 10)}, date(2026, 5, 2)),
        ("x.pdf", "Sin fecha", {"creationdate": "2026-05-02", "last_modified": "2026-05-02"}, None),
        ("manual 2026.pdf", "Manual de 2026\nINC-2607-01", {}, None),
        ("report_Sept_2026.docx", "", {}, date(2026, 9, 30)),
        ("", "\n" * 20 + "3 de julio de 2026", {}, None),
    ],
)
def test_the_date_a_document_carries(name, text, metadata, expected):
    assert document_date(text, name, metadata) == expected


@relaxed
@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_every_day_reads_back(day):
    months = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()
    for text in (
        day.isoformat(),
        f"{day.day}/{day.month}/{day.year}",
        f"{day.day} de {months[day.month - 1]} de {day.year}",
        day.strftime("%B %d, %Y"),
    ):
        assert read_date(text) == day
        assert read_datetime(text) == datetime(day.year, day.month, day.day)


@relaxed
@given(st.text())
def test_no_text_breaks_the_search_for_a_date(text):
    document_date(text, text, {"date": text})


# ----------------------------------------------------------------------------------------------------------- states

ESTADO = ("abierta", "cerrada")
JULY, SEPTEMBER = rank_of(date(2026, 7, 31), 1), rank_of(date(2026, 9, 30), 2)


def test_a_later_document_replaces_an_earlier_one_and_not_the_reverse():
    assert judge("abierta", "cerrada", SEPTEMBER, evidence=JULY, values=ESTADO) is None
    assert judge("cerrada", "abierta", SEPTEMBER, evidence=JULY, values=ESTADO) is None, "a real reopening"
    assert "2026-09-30" in judge("cerrada", "abierta", JULY, evidence=SEPTEMBER, values=ESTADO).reason


def test_a_dated_document_goes_over_an_undated_one():
    undated = rank_of(None, 9)
    assert judge("x", "y", JULY, evidence=undated) is None
    assert "carries no date" in judge("x", "y", undated, evidence=JULY).reason
    assert "later document" in judge("x", "y", rank_of(None, 8), evidence=undated).reason


def test_parts_of_one_document_follow_its_text():
    assert rank_of(date(2026, 7, 31), 1, 2) > rank_of(date(2026, 7, 31), 1, 1)
    assert rank_of(date(2026, 7, 31), 2) > rank_of(date(2026, 7, 31), 1, 999)


def test_without_memory_the_dates_in_the_graph_and_the_order_of_the_values_decide():
    assert "up to 2026-09-29" in judge("x", "y", JULY, newest="2026-09-29").reason
    assert judge("x", "y", SEPTEMBER, newest="2026-09-29") is None
    assert judge("abierta", "cerrada", JULY, values=ESTADO) is None
    assert "listed values" in judge("cerrada", "abierta", JULY, values=ESTADO).reason
    assert judge("x", "y", JULY) is None


# ------------------------------------------------------------------------------------------------- names and lines


def test_near_names_are_reported_and_codes_that_differ_in_a_number_are_not():
    keys = [
        "Brío 2G",
        "Jaltec Brío 2G",
        "Brio 3G",
        "INC-2607-01",
        "INC-2607-02",
        "Lucía Ortega",
        "Lucia Hortega",
        "Ana Ruiz",
        "Ruiz",
    ]
    assert near_pairs(keys, []) == [("Ana Ruiz", "Ruiz"), ("Brío 2G", "Jaltec Brío 2G"), ("Lucia Hortega", "Lucía Ortega")]


def test_near_names_of_the_graph():
    assert near_pairs(["Bar Sol"], ["Bar Sol", "Bar El Sol", "Bar Luna"]) == [("Bar El Sol", "Bar Sol")]


def test_many_names_with_a_common_word_take_no_time():
    assert near_pairs([f"Bar {n:05d}" for n in range(5000)], []) == []


def test_a_line_is_the_same_for_the_same_node_and_is_known_again():
    line = node_line(
        "Incidencia", "INC-1", {"fecha": date(2026, 7, 3), "estado": "abierta"}, [("EN", "Brío"), ("DE", "Ana"), ("EN", "Brío")]
    )
    assert line == "Incidencia INC-1 (estado: abierta, fecha: 2026-07-03). DE: Ana. EN: Brío."
    assert is_own_line(line, "Incidencia", "INC-1", ["fecha", "estado"])
    assert is_own_line("Incidencia INC-1.", "Incidencia", "INC-1", [])
    assert not is_own_line("Incidencia INC-1 resuelta cambiando la junta.", "Incidencia", "INC-1", ["estado"])
    assert not is_own_line("El cliente avisó.", "Incidencia", "INC-1", ["estado"])


def test_a_line_shows_at_most_twenty_neighbours_of_a_kind():
    assert node_line("C", "x", {}, [("DE", f"n{i:03d}") for i in range(500)]).count(",") == 19


def test_language():
    assert (
        is_spanish("El parte de la máquina que se averió")
        and not is_spanish("The report of the machine that failed")
        and not is_spanish("")
    )
