"""The texts that save rows: one by one, and with names that would be injections."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.cypher import write_statements as ws
from lfx_neo4j_graphrag.errors import InputError

LINK = ("DE", "Cliente", "nombre")


def test_stored_nodes():
    assert ws.stored_nodes("A", "id", ("x",), (LINK,), "embedding") == (
        "MATCH (n:`A`) WHERE n.`id` IN $keys RETURN collect([n.`id`, n.`x`, [(n)-[:`DE`]->(x:`Cliente`) | x.`nombre`], "
        "CASE WHEN n.`embedding` IS :: LIST<ANY> THEN size(n.`embedding`) END]) AS found"
    )
    assert ws.stored_nodes("A", "id", ()) == "MATCH (n:`A`) WHERE n.`id` IN $keys RETURN collect([n.`id`]) AS found"


def test_create_and_merge():
    assert ws.create_nodes("A", "id", ("x", "y"), (LINK,)) == (
        "UNWIND $rows AS r CREATE (n:`A` {`id`: r[0], `x`: r[1], `y`: r[2]}) WITH n, r "
        "CALL (n, r) { UNWIND r[3] AS v MATCH (t:`Cliente` {`nombre`: v}) CREATE (n)-[:`DE`]->(t) }"
    )
    assert ws.create_nodes("A", "id", ()) == "UNWIND $rows AS r CREATE (n:`A` {`id`: r[0]})"
    assert ws.merge_nodes("A", "id", ("x",)) == "UNWIND $rows AS r MERGE (n:`A` {`id`: r[0]}) SET n.`x` = coalesce(r[1], n.`x`)"
    assert ws.merge_nodes("A", "id", ()) == "UNWIND $rows AS r MERGE (n:`A` {`id`: r[0]})"


def test_changes():
    assert ws.update_nodes("A", "id") == "UNWIND $rows AS r MATCH (n:`A` {`id`: r[0]}) SET n += r[1]"
    assert ws.replace_links("A", "id", LINK) == (
        "UNWIND $rows AS r MATCH (n:`A` {`id`: r[0]}) SET n.`id` = n.`id` WITH n, r "
        "CALL (n, r) { MATCH (n)-[old:`DE`]->(x:`Cliente`) WHERE NOT coalesce(x.`nombre` IN r[1], false) DELETE old } "
        "CALL (n, r) { UNWIND r[1] AS v MATCH (t:`Cliente` {`nombre`: v}) MERGE (n)-[:`DE`]->(t) }"
    )


def test_vectors():
    assert ws.set_vectors("A", "id", "e", bolt_vectors=False) == (
        "UNWIND $rows AS r MATCH (n:`A` {`id`: r[0]}) SET n.`e` = r[1], n.`e_parts` = r[2]"
    )
    assert ws.set_vectors("A", "id", "e", bolt_vectors=True) == (
        "CYPHER 25 UNWIND $rows AS r MATCH (n:`A` {`id`: r[0]}) SET n.`e` = toFloatList(r[1]), n.`e_parts` = r[2]"
    )


def test_questions():
    assert ws.count_nodes("A") == "MATCH (n:`A`) RETURN count(n) AS count"
    assert ws.some_keys("A", "id") == "MATCH (n:`A`) WHERE n.`id` IS NOT NULL RETURN n.`id` AS key LIMIT 5"
    assert "count > 1" in ws.repeated_keys("A", "id") and "LIMIT 5" in ws.repeated_keys("A", "id")
    assert ws.node_properties("A", "id") == "MATCH (n:`A`) WHERE n.`id` IN $keys RETURN collect(properties(n)) AS found"
    assert (
        ws.longest_texts("A", ("x",)) == "MATCH (n:`A`) RETURN [max(CASE WHEN n.`x` IS :: STRING THEN size(n.`x`) END)] AS lengths"
    )


name = st.text(min_size=1, max_size=40).filter(lambda text: "\0" not in text)
STATEMENTS = {
    "stored": lambda a, b, c, d, e: ws.stored_nodes(a, b, (c,), ((d, e, a),), b),
    "create": lambda a, b, c, d, e: ws.create_nodes(a, b, (c,), ((d, e, a),)),
    "merge": lambda a, b, c, d, e: ws.merge_nodes(a, b, (c,)),
    "update": lambda a, b, c, d, e: ws.update_nodes(a, b),
    "linked": lambda a, b, c, d, e: ws.merge_linked(a, b),
    "replace": lambda a, b, c, d, e: ws.replace_links(a, b, (c, d, e)),
    "vectors": lambda a, b, c, d, e: ws.set_vectors(a, b, c, bolt_vectors=True),
    "longest": lambda a, b, c, d, e: ws.longest_texts(a, (b, c)),
    "count": lambda a, b, c, d, e: ws.count_nodes(a),
    "some": lambda a, b, c, d, e: ws.some_keys(a, b),
    "repeated": lambda a, b, c, d, e: ws.repeated_keys(a, b),
    "properties": lambda a, b, c, d, e: ws.node_properties(a, b),
}


@pytest.mark.parametrize("build", STATEMENTS.values(), ids=STATEMENTS)
@given(st.tuples(name, name, name, name, name))
def test_no_name_leaves_its_quotes(build, names):
    """Without its backquoted names, a statement is the same whatever the names are."""
    bare = re.sub(r"`(?:[^`]|``)*`", "Q", build(*names))
    assert bare == re.sub(r"`(?:[^`]|``)*`", "Q", build("a", "b", "c", "d", "e"))
    assert "\\u" not in build(*names).replace("\\u005c", "")


@pytest.mark.parametrize("build", STATEMENTS.values(), ids=STATEMENTS)
def test_empty_names_are_refused(build):
    with pytest.raises(InputError):
        build("", "b", "c", "d", "e")
