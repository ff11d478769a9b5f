import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lfx_neo4j_graphrag.extraction.answer import read_answer

# The machine that runs the tests may be busy.
relaxed = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])

DATA = {
    "Parte": [{"codigo": "P-1", "estado": "abierta", "DE_CLIENTE": "Bar Ñandú"}, {"codigo": "P-2"}],
    "Cliente": [{"nombre": "Bar Ñandú"}],
}
TEXT = json.dumps(DATA, ensure_ascii=False)


@pytest.mark.parametrize(
    "answer",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"Aquí tienes el grafo [1]:\n{TEXT}\n¿Quieres algo más? {{gracias}}",
        f'<think>Podría ser {{"Parte": []}}</think>\n{TEXT}',
        f"<thinking>{TEXT[:30]}</thinking>{TEXT}",
        json.dumps(TEXT),
        "\ufeff" + TEXT,
        TEXT.replace("}]}", "},]}"),
        TEXT.replace('"codigo":', "codigo:"),
        str(DATA),
        TEXT.replace('"P-2"', '"P-2\n"').replace("P-2\n", "P-2"),
        "// a comment\n" + TEXT,
    ],
)
def test_wrapping_and_slips_change_nothing(answer):
    found = read_answer(answer)
    assert found.values == [DATA] and not found.cut


@pytest.mark.parametrize(
    "answer", ["", "Lo siento, no puedo ayudar con eso.", "<think>no end " + TEXT, "[1] y [2]", "{gracias}", "null", "42"]
)
def test_an_answer_without_data(answer):
    assert read_answer(answer).values == []


def test_nothing_found_is_an_answer():
    assert read_answer("{}").values == [{}]
    assert read_answer('{"Parte": []}').values == [{"Parte": []}]


def test_several_objects_are_all_read():
    assert read_answer('{"A": [{"x": 1}]}\n{"B": [{"y": 2}]}').values == [{"A": [{"x": 1}]}, {"B": [{"y": 2}]}]


def parts(value):
    """Every scalar of a JSON value with the path that leads to it, list positions included."""
    if isinstance(value, dict):
        return {(key, *path): leaf for key, item in value.items() for path, leaf in parts(item).items()}
    if isinstance(value, list):
        return {(i, *path): leaf for i, item in enumerate(value) for path, leaf in parts(item).items()}
    return {(): value}


@pytest.mark.parametrize("length", range(1, len(TEXT)))
def test_of_a_cut_answer_only_complete_values_are_kept(length):
    found = read_answer(TEXT[:length])
    assert found.cut or not found.values
    kept = parts(found.values[0]) if found.values else {}
    assert kept.items() <= parts(DATA).items()


def test_most_of_a_cut_answer_is_kept():
    found = read_answer(TEXT[: TEXT.index('"P-2"') + 3])
    assert found.cut and found.values == [{"Parte": [DATA["Parte"][0]]}]


def test_the_provider_says_that_it_stopped_early():
    assert read_answer(TEXT, "length").cut
    assert read_answer(TEXT, "MAX_TOKENS").cut
    assert not read_answer(TEXT, "stop").cut


def test_brackets_without_end_cost_little():
    assert read_answer("[" * 100_000).values == []
    assert read_answer("{" * 5_000 + TEXT).values


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


items = st.lists(st.dictionaries(st.text(max_size=5), json_values, min_size=1, max_size=3), min_size=1, max_size=3)


@relaxed
@given(st.dictionaries(st.text(min_size=1, max_size=5), items, min_size=1, max_size=2))
def test_any_json_object_is_read_as_it_is(value):
    text = json.dumps(value, ensure_ascii=False)
    if "<think" not in text.lower():
        assert read_answer("Aquí: " + text + " Fin.").values == [value]


@relaxed
@given(st.text(alphabet='{}[]",:abc\\\n` <>/think1', max_size=200))
def test_no_text_is_too_broken(text):
    read_answer(text)
