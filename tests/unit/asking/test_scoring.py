import pytest

from lfx_neo4j_graphrag.asking.scoring import contains, matches


@pytest.mark.parametrize(
    ("expected", "rows"),
    [
        (3, [{"total": 3}]),
        (3, [{"tecnico": "Ana", "total": 3}]),
        (0.333333, [{"media": 1 / 3}]),
        ("abierta", [{"e": "abierta"}]),
        ([], []),
        ([], [{"total": 0}]),
        (["a", "b"], [{"x": "b"}, {"x": "a"}]),
        (["a", "b"], [{"x": "b", "n": 1}, {"x": "a", "n": 1}, {"x": "a", "n": 2}]),
        (["a", "b"], [{"lista": ["b", "a"]}]),
        ([["a", 1], ["b", 2]], [{"n": 2, "x": "b"}, {"n": 1, "x": "a"}]),
        ([{"marca": "V", "n": 9}], [{"m": "V", "total": 9.0}]),
    ],
)
def test_right(expected, rows):
    assert matches(expected, rows)


@pytest.mark.parametrize(
    ("expected", "rows"),
    [
        (3, [{"total": 4}]),
        (3, []),
        (3, [{"total": 3}, {"total": 3}]),
        (["a", "b"], [{"x": "a"}]),
        (["a", "b"], [{"x": "a"}, {"x": "b"}, {"x": "c"}]),
        ([["a", 1]], [{"x": "a", "n": 2}]),
        ([["a", 1], ["a", 1]], [{"x": "a", "n": 1}]),
        ([], [{"total": 1}]),
        (True, [{"x": 1}]),
    ],
)
def test_wrong(expected, rows):
    assert not matches(expected, rows)


FOUND = [
    {"score": 0.9, "rank_vector": 1, "codigo": "INC-1", "text": "Se cambió la\njunta de la Aurora 3G.", "neighbours": "DE_CLIENTE -> Cliente Bar Sol"},
    {"score": 0.8, "rank_vector": 2, "codigo": "INC-2", "horas": 3, "tags": ["a", "b"]},
]


@pytest.mark.parametrize("expected", ["INC-1", ["INC-2", "INC-1"], [["INC-1", "Bar Sol"]], "la junta de la", 3, 3.0, [{"x": "b"}]])
def test_a_search_is_right_when_all_that_is_expected_is_among_its_results(expected):
    assert contains(expected, FOUND)


@pytest.mark.parametrize("expected", ["INC-3", ["INC-1", "INC-3"], 0.9, 1, 2, None, []])
def test_a_search_is_wrong_when_something_is_missing(expected):
    assert not contains(expected, FOUND)


def test_nothing_expected_is_nothing_found():
    assert contains([], []) and contains(None, []) and not contains("a", [])
