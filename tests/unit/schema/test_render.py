from __future__ import annotations

import dataclasses
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.schema import render
from lfx_neo4j_graphrag.schema.model import Constraint, Hidden, Index, Label, Pattern, Property, Schema
from lfx_neo4j_graphrag.schema.names import literal, number, pattern, shown

SCHEMA = Schema(
    nodes=40,
    relationships=48,
    labels=(
        Label("Cliente", 8, 8, (Property("nombre", ("string",), "one of", ("Bar El Postigo", "Bar La Giralda"), 8, unique=True),)),
        Label(
            "Incidencia",
            24,
            24,
            (
                Property("codigo", ("string",), "examples", ("INC-2607-01", "INC-2607-02"), 24, longest=11, unique=True),
                Property("codigo_error", ("string",), "one of", ("E01", "E07"), 20),
                Property("embedding", ("vector",), on=24, dimension=384),
                Property("estado", ("string",), "one of", ("abierta", "cerrada"), 24),
                Property("fecha", ("string",), "range", ("2026-07-03", "2026-09-29"), 24),
                Property("text", ("string",), on=24, longest=640),
            ),
        ),
        Label("Maquina", 8, 8, (Property("marca", ("string",), "one of", ("Vellani",), 8), Property("año", ("integer",), "range", (2010, 2020.5), 8))),
    ),
    types=(Label("DE_CLIENTE", 24, 24), Label("EN_MAQUINA", 24, 10, (Property("desde", ("date",), "range", ("2024-01-01", "2024-01-01"), 10),))),
    patterns=(Pattern("Incidencia", "DE_CLIENTE", "Cliente", 24), Pattern("Incidencia", "EN_MAQUINA", "Maquina", None)),
    indexes=(
        Index("c1", "RANGE", "NODE", ("Cliente",), ("nombre",), constraint="c1"),
        Index("incidencia_text", "FULLTEXT", "NODE", ("Incidencia",), ("text", "codigo"), analyzer="spanish"),
        Index("incidencia_vector", "VECTOR", "NODE", ("Incidencia",), ("embedding", "estado"), "POPULATING", 40.0, 384, "cosine", True),
        Index("r", "RANGE", "RELATIONSHIP", ("EN_MAQUINA",), ("desde",), "FAILED"),
    ),
    constraints=(
        Constraint("c1", "UNIQUENESS", "NODE", ("Cliente",), ("nombre",)),
        Constraint("c2", "NODE_KEY", "NODE", ("Línea",), ("pedido", "producto id")),
    ),
    unmet=("rara",),
)

TEXT = """\
40 nodes, 48 relationships
Nodes (how many) and their properties, texts in quotes:
Cliente (8)
 nombre: one of 'Bar El Postigo', 'Bar La Giralda', unique
Incidencia (24)
 codigo: e.g. 'INC-2607-01', 'INC-2607-02', unique
 codigo_error: one of 'E01', 'E07', on 20
 embedding: vector of 384
 estado: one of 'abierta', 'cerrada'
 fecha: from '2026-07-03' to '2026-09-29'
 text: string of up to 640 characters
Maquina (8)
 marca: one of 'Vellani'
 año: integer from 2010 to 2020.5
Relationships:
(:Incidencia)-[:DE_CLIENTE]->(:Cliente) 24
(:Incidencia)-[:EN_MAQUINA]->(:Maquina)
Properties of relationships:
[:EN_MAQUINA], properties of a sample
 desde: date, only 2024-01-01
Property names not met on what was read (rare, or no longer used): rara
Indexes (online unless said):
incidencia_text: fulltext on Incidencia(text, codigo), analyzer spanish
incidencia_vector: vector on Incidencia.embedding, 384 dimensions, cosine, quantized, filters estado, populating 40 %
range on [:EN_MAQUINA].desde, failed
Constraints:
node key on Línea(pedido, `producto id`)"""


def test_text_tells_everything_in_few_lines():
    assert render.to_text(SCHEMA) == TEXT


def test_a_prompt_leaves_out_what_a_model_does_not_use():
    text = render.to_prompt(SCHEMA)
    assert text.startswith("Cliente\n nombre: one of 'Bar El Postigo', 'Bar La Giralda'\nIncidencia\n codigo: e.g. 'INC-2607-01'\n")
    assert " text: long string\n" in text
    assert " estado: one of 'abierta', 'cerrada'\n" in text and "\n(:Incidencia)-[:DE_CLIENTE]->(:Cliente)\n" in text
    assert "embedding" not in text and "incidencia_vector" not in text and "unique" not in text and "(24)" not in text


def test_text_in_less_detail():
    types = render.to_text(SCHEMA, render.TYPES)
    assert " estado: string\n" in types and " año: integer\n" in types and "abierta" not in types
    names = render.to_text(SCHEMA, render.NAMES)
    assert "Incidencia (24): codigo, codigo_error, embedding, estado, fecha, text\n" in names


def test_labels_with_the_same_description_share_it():
    same = (Property("id", ("integer",), "range", (0, 9), 5),)
    text = render.to_text(Schema(labels=(Label("A", 5, 5, same), Label("B", 5, 5), Label("C", 7, 5, same), Label("D", 8, 5, same))))
    assert "A (5)\n id: integer from 0 to 9\nB (5)\nC (7), D (8), properties of a sample\n id: integer from 0 to 9" in text


def test_what_is_partial_or_of_a_sample_says_so():
    schema = dataclasses.replace(SCHEMA, partial=("12 of 40 labels read.",))
    assert render.to_text(schema).startswith("Partial: 12 of 40 labels read.\n")
    sampled = Schema(labels=(Label("A", 5000, 300, (Property("x", ("string",), "one of", ("si",), 20),)),))
    assert "A (5000), properties of a sample\n x: one of 'si', not on all" in render.to_text(sampled)
    assert sampled.sampled and not Schema(labels=(Label("A", 5, 5),)).sampled
    assert [row["values"] for row in render.to_table(sampled)] == ["", "one of 'si' (of a sample)"]


def test_names_that_a_database_only_remembers_do_not_push_the_rest_out():
    many = dataclasses.replace(SCHEMA, unmet=tuple(f"nombre_{number:04d}" for number in range(3000)))
    text = render.to_text(many)
    assert "nombre_0000, nombre_0001" in text and "nombre_0029 and 2,970 more\n" in text and "nombre_0030" not in text
    assert render.to_json(many)["unmet"][-1] == "nombre_2999"


def test_labels_that_go_together_and_nodes_without():
    text = render.to_text(Schema(nodes=3, labels=(Label("", 1, 1), Label("Actor", 2, 2, (), ("Persona",)))))
    assert "(no label) (1)\nActor (2), also :Persona" in text


def test_an_empty_graph_is_one_line():
    assert render.to_text(Schema()) == "The graph is empty: 0 nodes, 0 relationships"
    assert render.to_table(Schema()) == [] and render.to_mermaid(Schema()) == "graph LR"


def test_table_has_a_row_for_each_thing():
    rows = render.to_table(SCHEMA)
    assert {row["kind"] for row in rows} == {"label", "relationship type", "pattern", "index", "constraint"}
    assert {"kind": "label", "name": "Incidencia", "property": "estado", "type": "string", "count": 24, "values": "one of 'abierta', 'cerrada'"} in rows
    assert {"kind": "pattern", "name": "(:Incidencia)-[:DE_CLIENTE]->(:Cliente)", "property": "", "type": "", "count": 24, "values": ""} in rows
    assert all(list(row) == ["kind", "name", "property", "type", "count", "values"] for row in rows)


def test_json_is_everything_as_plain_values():
    document = render.to_json(SCHEMA)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["labels"][1]["properties"][3]["values"] == ["abierta", "cerrada"]
    assert document["indexes"][2]["dimensions"] == 384 and document["sampled"] is True
    assert document["types"][1]["sampled"] is True and document["labels"][0]["sampled"] is False


def test_mermaid_draws_boxes_and_arrows():
    assert render.to_mermaid(SCHEMA).splitlines() == [
        "graph LR",
        '  n0["Cliente 8"]',
        '  n1["Incidencia 24"]',
        '  n2["Maquina 8"]',
        '  n1 -->|"DE_CLIENTE 24"| n0',
        '  n1 -->|"EN_MAQUINA"| n2',
    ]


MERMAID_LINE = re.compile(r'graph LR|  n\d+\["[\w .,\-#;]*"\]|  n\d+ -->\|"[\w .,\-#;]*"\| n\d+')
name = st.text(max_size=20)


@given(st.lists(name, max_size=4, unique=True), name)
def test_odd_names_break_neither_picture_nor_text(names, kind):
    labels = tuple(Label(one, 1, 1, (Property(one, ("string",), "one of", (one,), 1),)) for one in sorted(names))
    patterns = tuple(Pattern(start, kind, end, 1) for start in names for end in names)
    schema = Schema(labels=labels, types=(Label(kind, 1, 1),), patterns=patterns)
    assert all(MERMAID_LINE.fullmatch(line) for line in render.to_mermaid(schema).split("\n"))
    expected = 1 + (1 + 2 * len(names) if names else 0) + (1 + len(patterns) if patterns else 0)
    values = [literal(one) for one in names]
    if all(value.isprintable() for value in values):
        assert len(render.to_text(schema).splitlines()) == expected


@pytest.mark.parametrize(
    ("given_name", "expected"),
    [
        ("Incidencia", "Incidencia"),
        ("Año", "Año"),
        ("_x1", "_x1"),
        ("1x", "`1x`"),
        ("two words", "`two words`"),
        ("a`b", "`a``b`"),
        ("a\\u0060b", "`a\\u005cu0060b`"),
        ("a\nb", "`a\\u000ab`"),
    ],
)
def test_names_are_shown_as_cypher_takes_them(given_name, expected):
    assert shown(given_name) == expected


def test_literals_and_numbers_are_short():
    assert literal("it's a \\") == "'it\\'s a \\\\'"
    assert [number(x) for x in (3, 3.0, 74998.51234, 1e20, "2026-07-03")] == ["3", "3", "74998.5", "1e+20", "2026-07-03"]
    assert pattern("", "a b", "C") == "()-[:`a b`]->(:C)"


def test_hidden_names():
    hidden = Hidden.parse(" Secreto , Cliente.iban,,clave ")
    assert hidden.label("Secreto") and not hidden.label("Cliente")
    assert hidden.property("Cliente", "iban") and not hidden.property("Otro", "iban") and hidden.property("Otro", "clave")
    assert hidden.index(Index("i", "RANGE", "NODE", ("Cliente",), ("nombre", "iban")))
    assert hidden.index(Index("i", "RANGE", "NODE", ("Secreto",), ("x",)))
    assert not hidden.index(Index("i", "RANGE", "NODE", ("Otro",), ("iban",)))
