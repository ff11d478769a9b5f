import pytest

from lfx_neo4j_graphrag.asking.scoring import matches


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
