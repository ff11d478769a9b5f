import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lfx_neo4j_graphrag.extraction.names import fold, fold_key

# The machine that runs the tests may be busy.
relaxed = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    "one, other",
    [
        ("INC-2607-01", "inc 2607 01"),
        ("INC-2607-01", "INC2607-01"),
        ("INC-2607-01", "INC – 2607 – 01"),
        ("Máquina", "maquina"),
        ("Bar  El Postigo", "BAR EL POSTIGO"),
        ("Orden de trabajo", "OrdenDeTrabajo"),
        ("DE_CLIENTE", "de cliente"),
        ("M64 OD", "m64od"),
        ("Café «Sol»", "cafe Sol"),
        ("Straße", "STRASSE"),
    ],
)
def test_the_same_name(one, other):
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    "one, other",
    [
        ("INC-2607-01", "INC-2607-02"),
        ("A-11-1", "A-1-11"),
        ("1.5 kg", "15 kg"),
        ("C", "C++"),
        ("C#", "C++"),
        ("Peña", "Pena"),
        ("か", "が"),
        ("Norte & Sur", "Norte Sur"),
    ],
)
def test_other_names(one, other):
    assert fold(one) != fold(other)


def test_a_number_and_its_text_are_the_same_key():
    assert fold_key(101) == fold_key(101.0) == fold_key("101")
    assert fold_key(1.5) != fold_key(15)


@relaxed
@given(st.text())
def test_only_a_blank_name_has_no_folded_form(text):
    assert bool(fold(text)) == bool(text.strip())


@relaxed
@given(st.text(st.characters(categories=["L", "N", "Zs", "Pd"]), max_size=20))
def test_case_and_spaces_of_a_name_never_matter(text):
    assert fold(text.upper()) == fold(text.upper().lower())
    assert fold(f"  {text} ") == fold(text)
