"""Which $parameters a text has, and what it needs each of them to be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.cypher.parameter_uses import Property, Use, parameter_uses, stored_types
from lfx_neo4j_graphrag.cypher.parameters import find_parameters


@pytest.mark.parametrize(
    ("cypher", "names"),
    [
        ("MATCH (n {a: $a}) WHERE n.b = $b RETURN $a", ["a", "b"]),
        ("RETURN '$no', \"$no\", `$no`, $yes // $no", ["yes"]),
        ("RETURN /* $no */ $yes /* $no", ["yes"]),
        ("RETURN $`with space`, $`a``b`, $año, $1", ["with space", "a`b", "año", "1"]),
        (r"RETURN 'it\'s $no', $yes", ["yes"]),
        ("MATCH (n:$($label)) RETURN n", ["label"]),
        ("RETURN 'still typing $no", []),
        ("RETURN $", []),
        ("RETURN 1 // $no\n, $yes", ["yes"]),
        ("RETURN 1 // $no\r, $yes", ["yes"]),
        ("", []),
    ],
)
def test_finds_parameters(cypher: str, names: list[str]) -> None:
    assert find_parameters(cypher) == names


@given(st.text(alphabet="$ab`'\"\\/*\n 1", max_size=200))
def test_never_raises(cypher: str) -> None:
    assert len(find_parameters(cypher)) == len(set(find_parameters(cypher)))


FECHA = Property("fecha", ("Incidencia",))


@pytest.mark.parametrize(
    ("cypher", "use"),
    [
        ("MATCH (i:Incidencia) WHERE i.fecha >= $x RETURN i", Use(properties=(FECHA,))),
        ("MATCH (i:Incidencia) WHERE $x <= i.fecha RETURN i", Use(properties=(FECHA,))),
        ("MATCH (i:Incidencia {fecha: $x}) RETURN i", Use(properties=(FECHA,))),
        ("MATCH (:Incidencia {fecha: $x}) RETURN 1", Use(properties=(FECHA,))),
        ("MATCH (i:Incidencia) WHERE i.fecha IN $x RETURN i", Use("list", properties=(FECHA,))),
        ("MATCH (i:Incidencia) WITH i.fecha AS f WHERE f > $x RETURN f", Use(properties=(FECHA,))),
        ("MATCH (i:`Incidencia`) WHERE i.`fecha` = $x RETURN i", Use(properties=(FECHA,))),
        ("MATCH (i:A|B) WHERE i.fecha = $x RETURN i", Use(properties=(Property("fecha", ("A", "B")),))),
        ("MATCH (i:!A) WHERE i.fecha = $x RETURN i", Use(properties=(Property("fecha"),))),
        ("MATCH ()-[r:R {w: $x}]->() RETURN r", Use(properties=(Property("w", ("R",), True),))),
        ("MATCH ()-[r]->() WHERE r.w > $x RETURN r", Use(properties=(Property("w", (), True),))),
        ("MATCH (n:L) WHERE $x IN n.tags RETURN n", Use(properties=(Property("tags", ("L",)),))),
        ("MATCH (n) WHERE n.p = $x AND n.q = $x RETURN n", Use(properties=(Property("p"), Property("q")))),
        ("MATCH (n) RETURN n LIMIT $x", Use("integer")),
        ("MATCH (n) RETURN n SKIP $x", Use("integer")),
        ("UNWIND range(1, $x) AS i RETURN i", Use("integer")),
        ("CALL db.index.vector.queryNodes('i', $x, [1.0]) YIELD node RETURN node", Use("integer")),
        ("CALL db.index.vector.queryNodes('i', 5, $x) YIELD node RETURN node", Use("list")),
        ("CALL db.index.fulltext.queryNodes('i', $x) YIELD node RETURN node", Use()),
        ("CALL db.index.fulltext.queryNodes('i', 'q', {limit: $x}) YIELD node RETURN node", Use("number")),
        ("UNWIND $x AS row RETURN row", Use("list")),
        ("RETURN $x.key", Use("map")),
        ("RETURN $x[0]", Use("json")),
        ("RETURN 2 * $x", Use("number")),
        ("RETURN $x + 1", Use("number")),
        ("RETURN $x + ' text'", Use()),
        ("MATCH (n) WITH count(*) AS c WHERE c > $x RETURN c", Use("number")),
        ("MATCH (n) WHERE size(n.name) < $x RETURN n", Use("number")),
        ("MATCH (n) WHERE date(n.d) = $x RETURN n", Use(types=("DATE",))),
        ("RETURN duration({days: $x})", Use("number")),
        ("RETURN datetime({year: 2026, timezone: $x})", Use()),
        ("MATCH (n) WHERE toLower(n.name) = toLower($x) RETURN n", Use()),
        ("MATCH (n) WHERE n.name CONTAINS $x RETURN n", Use()),
        ("MATCH (n) WHERE n.d > date($x) RETURN n", Use()),
        ("MATCH (n) RETURN n {.*, y: $x}", Use()),
        ("RETURN $x", Use()),
        ("RETURN $ x", Use()),
    ],
)
def test_says_what_a_parameter_must_be(cypher: str, use: Use) -> None:
    assert parameter_uses(cypher) == {"x": use}


def test_looks_types_up_in_one_statement() -> None:
    text = stored_types([FECHA, Property("a`b", ("R",), True), Property("p")])
    assert text == (
        "CYPHER 5 MATCH (n:`Incidencia`) WITH n LIMIT $looked WHERE n.`fecha` IS NOT NULL WITH n.`fecha` AS v LIMIT 100 "
        "RETURN 0 AS i, collect(DISTINCT valueType(v)) AS types UNION ALL "
        "MATCH ()-[n:`R`]->() WITH n LIMIT $looked WHERE n.`a``b` IS NOT NULL WITH n.`a``b` AS v LIMIT 100 "
        "RETURN 1 AS i, collect(DISTINCT valueType(v)) AS types UNION ALL "
        "MATCH (n) WITH n LIMIT $looked WHERE n.`p` IS NOT NULL WITH n.`p` AS v LIMIT 100 "
        "RETURN 2 AS i, collect(DISTINCT valueType(v)) AS types"
    )
