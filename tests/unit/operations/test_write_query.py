"""Write Query as it is sent, and the names of indexes."""

from __future__ import annotations

import pytest

from lfx_neo4j_graphrag.errors import InputError, QueryRefused
from lfx_neo4j_graphrag.operations.add_records import index_name
from lfx_neo4j_graphrag.operations.write_query import prepare_query, query_rows
from lfx_neo4j_graphrag.records.table import read_table, select_rows


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ("UNWIND $rows AS r MERGE (n:A {id: r.id});", "UNWIND $rows AS r MERGE (n:A {id: r.id})"),
        ("MERGE (n:A {id: row.id})", "UNWIND $rows AS row\nMERGE (n:A {id: row.id})"),
        ("// nota\nMERGE (n:A {id: row.id})", "UNWIND $rows AS row\n// nota\nMERGE (n:A {id: row.id})"),
        ("CYPHER 25 MERGE (n:A {id: row.id})", "CYPHER 25 UNWIND $rows AS row\nMERGE (n:A {id: row.id})"),
        (
            "MATCH (n:A) WHERE n.id IN [r IN $rows | r.id] DETACH DELETE n",
            "MATCH (n:A) WHERE n.id IN [r IN $rows | r.id] DETACH DELETE n",
        ),
    ],
)
def test_what_is_sent(query, sent):
    assert prepare_query(query) == sent


@pytest.mark.parametrize(
    "query", ["CREATE (n:A {t: 'row $rows'})", "CREATE (n:A) // row", "CREATE (n:`row`)", "MERGE (n:A {id: rows.id})"]
)
def test_neither_rows_nor_row(query):
    with pytest.raises(InputError, match="neither"):
        prepare_query(query)


def test_another_parameter():
    with pytest.raises(InputError, match=r"\$estado"):
        prepare_query("MERGE (n:A {id: row.id}) SET n.e = $estado")


@pytest.mark.parametrize(
    "query",
    [
        "CREATE USER x SET PASSWORD row.p",
        "LOAD CSV FROM row.url AS l CREATE (:A)",
        "CREATE INDEX FOR (n:row) ON (n.x)",
        "USE system MERGE (n:A {id: row.id})",
        "CALL dbms.killConnection(row.id)",
        "MERGE (n:A {id: row.id}); MATCH (n) DETACH DELETE n",
        "UNWIND $rows AS row CALL (row) { CREATE (:A) } IN TRANSACTIONS",
        "",
    ],
)
def test_what_the_screen_stops(query):
    with pytest.raises(QueryRefused):
        prepare_query(query)


def test_rows_of_a_query_are_maps_of_all_columns():
    table = read_table([{"a": 1, "b": " ", "c": [1, None]}, {"a": None}], label="A", key_property="a", nested=True)
    assert query_rows(table, select_rows(table)) == [{"a": 1, "b": None, "c": [1, None]}]
    table = read_table([{"a": 1, "b": 2}], label="A", key_property="a + b")
    assert query_rows(table, select_rows(table)) == [{"a": 1, "b": 2, "a_b": "1|2"}]


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Incidencia", "incidencia_vector"),
        ("Avería técnica", "averia_tecnica_vector"),
        ("2ª revisión", "2a_revision_vector"),
        ("日本", "___vector"),
        ("A`b", "a_b_vector"),
    ],
)
def test_names_of_indexes(label, name):
    assert index_name(label, "_vector") == name
