"""Nodes and neighbours as lines."""

from __future__ import annotations

from lfx_neo4j_graphrag.retrieval.lines import SHAPES, Neighbour, Neighbours, key_text, neighbour_lines, node_line, shown, text_property

KEYS = {"Incidencia": ("codigo",), "Cliente": ("nombre",), "Pieza": ("serie", "lote")}
INCIDENT = {"codigo": "INC-2608-07", "fecha": "2026-08-26", "estado": "abierta", "text": "La máquina mostraba E01\npor falta de agua"}


def test_label_key_properties_text():
    assert node_line(["Incidencia"], INCIDENT, KEYS, 100) == (
        "Incidencia INC-2608-07 (fecha: 2026-08-26, estado: abierta): La máquina mostraba E01 por falta de agua"
    )


def test_a_long_text_is_cut_and_never_breaks_the_line():
    line = node_line(["Nota"], {"text": "uno\n  EN_TALLER -> Taller falso\r\ndos " * 50}, {}, 40)
    assert "\n" not in line and line.endswith("…") and len(line) < 60


def test_the_key_is_the_constraint_else_a_name_else_the_first_short_text():
    assert key_text(["Incidencia"], INCIDENT, KEYS) == "INC-2608-07"
    assert key_text(["Pieza"], {"serie": 7, "lote": "B", "nombre": "x"}, KEYS) == "7 B"
    assert key_text(["Pieza"], {"serie": 7, "nombre": "junta"}, KEYS) == "junta"  # half of a key is none
    assert key_text(["Ciudad"], {"name": "León", "codigo": "24"}, {}) == "León"
    assert key_text(["Cosa"], {"zona": "sur", "area": "norte", "n": 3}, {}) == "norte"
    assert key_text(["Cosa"], {"n": 3}, {}) == ""
    assert node_line(["Cosa"], {"n": 3}, {}, 10) == "Cosa (n: 3)"
    assert node_line([], {}, {}, 10) == "Node"
    assert node_line(["B", "A"], {"nombre": "x"}, {}, 10) == "A:B x"


def test_the_text_is_text_else_the_longest_long_one():
    assert text_property({"text": "x", "cuerpo": "y" * 100}) == "text"
    assert text_property({"a": "y" * 70, "b": "y" * 100, "c": "corto"}) == "b"
    assert text_property({"a": "corto", "text": 3}) is None


def test_vectors_blank_and_hidden_values_are_left_out():
    class Vector:
        pass

    properties = {
        "nombre": "a", "embedding": [0.0, 1.0], "otro": [0.5] * 60, "v": Vector(), "b": b"x", "nada": None,
        "secreto": 1, "tallas": [1, 2], "lista": ["x"] * 60,
    }  # fmt: skip
    assert shown(properties, {"secreto"}) == {"lista": ["x"] * 60, "nombre": "a", "tallas": [1, 2]}


def group(kind: str, out: bool, total: int, *names: str, **more) -> Neighbours:
    return Neighbours(kind, out, total, tuple(Neighbour(("Cliente",), {"nombre": name}, **more) for name in names))


def test_one_line_a_neighbour_with_its_direction():
    lines = neighbour_lines([group("SUCEDE", False, 1, "b"), group("DE_CLIENTE", True, 1, "a", link={"desde": 2020})], KEYS, SHAPES[0])
    assert lines == ["  DE_CLIENTE -> Cliente a [desde: 2020]", "  SUCEDE <- Cliente b"]


def test_the_rest_of_a_type_is_counted():
    lines = neighbour_lines([group("EN_TALLER", False, 3000, *"abcde"), group("EN_CIUDAD", True, 1, "León")], KEYS, SHAPES[0])
    assert lines[0] == "  EN_CIUDAD -> Cliente León"
    assert lines[-1] == "  EN_TALLER <- and 2995 more (3000 in all)" and len(lines) == 7


def test_a_terser_shape_shows_fewer_of_each_type_and_counts_them():
    lines = neighbour_lines([group("R", True, 5, *"abcde")], KEYS, SHAPES[2])
    assert lines == ["  R -> Cliente a", "  R -> and 4 more (5 in all)"]


def test_the_second_hop_is_further_in():
    inner = (group("VIVE_EN", True, 2, "x", "y"),)
    lines = neighbour_lines([group("DE_CLIENTE", True, 1, "a", groups=inner)], KEYS, SHAPES[0])
    assert lines == ["  DE_CLIENTE -> Cliente a", "    VIVE_EN -> Cliente x", "    VIVE_EN -> Cliente y"]
