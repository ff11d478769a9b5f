"""Typed filters as Cypher."""

from __future__ import annotations

import pytest

from lfx_neo4j_graphrag.retrieval.filters import parse_filters
from lfx_neo4j_graphrag.retrieval.predicates import split_for_index, where
from lfx_neo4j_graphrag.retrieval.typed_filters import Stored, typed

STORED = {
    "estado": Stored("estado", ("STRING",)),
    "año`s": Stored("año`s", ("STRING",)),
    "pct": Stored("pct", ("INTEGER",)),
    "activo": Stored("activo", ("BOOLEAN",)),
    "tags": Stored("tags", ("LIST<STRING>",)),
    "Maquina.marca": Stored("marca", ("STRING",), (), "Maquina"),
    "Maquina.modelo": Stored("modelo", ("STRING",), (), "Maquina"),
    "Tecnico.nombre": Stored("nombre", ("STRING",), (), "Tecnico"),
}


def tree(filters):
    return typed(parse_filters(filters), STORED)


@pytest.mark.parametrize(
    ("filters", "text", "values"),
    [
        ("estado = abierta", "n.`estado` = $f0", ["abierta"]),
        ("estado <> abierta", "n.`estado` <> $f0", ["abierta"]),
        ("estado not in a, b", "NOT n.`estado` IN $f0", [["a", "b"]]),
        ("pct >= 3\npct < 9", "(n.`pct` >= $f0 AND n.`pct` < $f1)", [3, 9]),
        ("estado = a or pct = 1", "(n.`estado` = $f0 OR n.`pct` = $f1)", ["a", 1]),
        ("tags = x", "$f0 IN n.`tags`", ["x"]),
        ("tags <> x", "NOT $f0 IN n.`tags`", ["x"]),
        ("estado contains Gotéo", "toLower(toStringOrNull(n.`estado`)) CONTAINS toLower($f0)", ["Gotéo"]),
        ("pct is empty", "n.`pct` IS NULL", []),
        ("estado is empty", "(n.`estado` IS NULL OR n.`estado` = '')", []),
        ("estado is not empty", "(n.`estado` IS NOT NULL AND n.`estado` <> '')", []),
        ("año`s = 1", "n.`año``s` = $f0", ["1"]),
        ("Maquina.marca = Jaltec", "EXISTS { (n)--(m:`Maquina`) WHERE m.`marca` = $f0 }", ["Jaltec"]),
        (
            "Maquina.marca = Jaltec\nMaquina.modelo = X\nestado = a",
            "(n.`estado` = $f0 AND EXISTS { (n)--(m:`Maquina`) WHERE (m.`marca` = $f1 AND m.`modelo` = $f2) })",
            ["a", "Jaltec", "X"],
        ),
        ("Maquina.marca = a or Tecnico.nombre = b", None, ["a", "b"]),
        ("Tecnico.nombre is empty", "NOT EXISTS { (n)--(m:`Tecnico`) WHERE (m.`nombre` IS NOT NULL AND m.`nombre` <> '') }", []),
    ],
)
def test_where(filters, text, values):
    predicate, parameters = where(tree(filters))
    assert list(parameters.values()) == values
    if text is not None:
        assert predicate == text


def test_a_linked_node_of_a_relationship_is_one_of_its_ends():
    predicate, _ = where(tree("Maquina.marca = Jaltec"), relationship=True)
    assert predicate == "any(m IN [startNode(n), endNode(n)] WHERE m:`Maquina` AND m.`marca` = $f0)"


@pytest.mark.parametrize(
    ("filters", "inside", "outside"),
    [
        ("estado = a", "n.`estado` = $f0", None),
        ("estado in a, b", "n.`estado` IN $f0", None),
        ("pct >= 3\npct <= 9\nactivo = true", "(n.`pct` >= $f0 AND n.`pct` <= $f1 AND n.`activo` = $f2)", None),
        ("pct is empty", "n.`pct` IS NULL", None),
        # one predicate in each direction of a property, an equality alone
        ("pct >= 3\npct > 2", "n.`pct` >= $f0", "n.`pct` > $f0"),
        ("pct = 3\npct > 2", "n.`pct` = $f0", "n.`pct` > $f0"),
        ("estado <> a", None, "n.`estado` <> $f0"),
        ("estado = a or estado = b", None, "(n.`estado` = $f0 OR n.`estado` = $f1)"),
        ("estado contains a", None, "toLower(toStringOrNull(n.`estado`)) CONTAINS toLower($f0)"),
        ("tags = a", None, "$f0 IN n.`tags`"),
        ("Maquina.marca = a", None, "EXISTS { (n)--(m:`Maquina`) WHERE m.`marca` = $f0 }"),
        ("estado = a\nestado is not empty", "n.`estado` = $f0", "(n.`estado` IS NOT NULL AND n.`estado` <> '')"),
    ],
)
def test_what_an_index_can_test(filters, inside, outside):
    inner, outer = split_for_index(tree(filters), {"estado", "pct", "activo", "tags"}, True)
    assert (where(inner)[0] if inner else None) == inside
    assert (where(outer)[0] if outer else None) == outside


def test_only_listed_properties_and_lists_only_where_the_server_can():
    assert split_for_index(tree("estado = a"), {"pct"}, True)[0] is None
    assert split_for_index(tree("estado in a, b"), {"estado"}, False)[0] is None
    assert split_for_index(None, {"estado"}, True) == (None, None)
