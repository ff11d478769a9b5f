"""The lexical screen: hundreds of hostile statements, hundreds of harmless ones, mutations, and its speed."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statements import HARMLESS, HOSTILE, SEEDS, mutate

from lfx_neo4j_graphrag.cypher.screen import screen
from lfx_neo4j_graphrag.errors import QueryRefused
WRITES = {"create", "merge", "set", "delete", "detach delete", "remove", "foreach"}
INCIDENTS = (
    "MATCH (t:Tecnico {nombre: $nombre})<-[:ASIGNADA_A]-(i:Incidencia)-[:EN_MAQUINA]->(m:Maquina) "
    "WHERE i.estado = 'abierta' AND m.marca = 'Vellani' RETURN i.codigo AS codigo, i.fecha AS f ORDER BY f DESC LIMIT 10"
)


def test_there_are_enough_statements() -> None:
    assert len(HOSTILE) >= 25
    assert len({q for group in HOSTILE.values() for q in group}) >= 300
    assert len({entry["cypher"] for entry in HARMLESS}) >= 150


@pytest.mark.parametrize(("kind", "cypher"), [(kind, cypher) for kind, group in HOSTILE.items() for cypher in group])
def test_refuses_what_could_hurt(kind: str, cypher: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        screen(cypher)
    assert refused.value.sentence.endswith(".") and refused.value.advice.endswith(".")
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("cypher", [entry["cypher"] for entry in HARMLESS])
def test_lets_reading_through(cypher: str) -> None:
    assert screen(cypher) == cypher.strip().rstrip(";").rstrip()


def test_takes_closing_semicolons_off() -> None:
    assert screen(" RETURN 1 ; ;\n") == "RETURN 1"
    assert screen("RETURN 1; // done") == "RETURN 1; // done"  # which the server takes


# --- writing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cypher", [q for kind in sorted(WRITES) for q in HOSTILE[kind] if "Pwned {i" not in q])
def test_writing_lets_data_be_written(cypher: str) -> None:
    screen(cypher, writing=True)


@pytest.mark.parametrize(
    "cypher",
    [
        "UNWIND $rows AS row MERGE (n:Incidencia {codigo: row.codigo}) SET n += row.props",
        "MATCH (create:Create) SET create.set = 1 REMOVE create.remove",
        "UNWIND $rows AS row CALL (row) { MERGE (:A {x: row.x}) } RETURN count(*) AS c",
        "CREATE p = (:A)-[:R]->(:B) RETURN p",
        "MERGE (n:A) ON CREATE SET n.x = 1 ON MATCH SET n.y = 2",
        "MATCH (n) WITH n AS create SET create.x = 1",
    ],
)
def test_writing_takes_the_usual_shapes(cypher: str) -> None:
    assert screen(cypher, writing=True) == cypher


@pytest.mark.parametrize(
    ("kind", "cypher"),
    [
        (kind, cypher)
        for kind in HOSTILE
        for cypher in HOSTILE[kind]
        if kind
        in {
            "in transactions", "index ddl", "constraint ddl", "users and roles", "databases and servers", "several statements", "use",
            "session and transaction commands", "load csv", "writing procedures", "server procedures", "apoc and gds procedures",
            "apoc functions", "genai functions", "show", "terminate", "unicode escapes", "define", "deep", "chains", "long",
        }
    ],
)  # fmt: skip
def test_writing_lets_nothing_else_through(kind: str, cypher: str) -> None:
    with pytest.raises(QueryRefused):
        screen(cypher, writing=True)


# --- what the operator allows ----------------------------------------------------------------------------------------


def test_the_operator_can_allow_procedures_and_functions() -> None:
    for cypher, names in [
        ("CALL apoc.meta.schema() YIELD value RETURN value", {"apoc.meta.schema"}),
        ("CALL apoc.meta.stats()", {"apoc.meta.*"}),
        ("RETURN custom.similar('a', 'b') AS s", {"custom.similar"}),
        ("CALL `Custom`.thing()", {"custom.*"}),
    ]:
        with pytest.raises(QueryRefused):
            screen(cypher)
        assert screen(cypher, allowed_procedures=frozenset(names))
    with pytest.raises(QueryRefused):
        screen("CALL apoc.metadata()", allowed_procedures=frozenset({"apoc.meta.*"}))


def test_says_what_was_wrong_without_values() -> None:
    for cypher, part in [
        ("MATCH (n) DETACH DELETE n", "DETACH"),
        ("CALL dbms.listConfig()", "dbms.listconfig"),
        ("RETURN apoc.load.jdbc('secret')", "apoc.load.jdbc"),
        ("USE system SHOW USERS", "database is fixed"),
        ("SHOW USERS", "SHOW USERS"),
        ("RETURN 1; RETURN 2", "several statements"),
        ("CREATE (n {p: 'secret'})", "would write"),
        ("SHOW 'secret'", "SHOW"),
    ]:
        with pytest.raises(QueryRefused) as refused:
            screen(cypher)
        assert part in str(refused.value) and "secret" not in str(refused.value)


# --- mutations -------------------------------------------------------------------------------------------------------

@settings(max_examples=2000, deadline=None)
@given(st.sampled_from(SEEDS), st.randoms(use_true_random=False))
def test_refuses_every_mutation(cypher: str, source: random.Random) -> None:
    mutated = mutate(cypher, source)
    with pytest.raises(QueryRefused):
        screen(mutated)
        pytest.fail(f"passed: {mutated!r}")


# --- any input, and speed --------------------------------------------------------------------------------------------

FRAGMENTS = st.sampled_from(
    ["MATCH", "(n)", "RETURN", "n.x", "'", '"', "`", "\\", "\\u0041", "\\u0027", "/*", "*/", "//", "\n", "{", "}", "[", "]", "(", ")", "CALL",
     "range(", "1e9", "0x1", "1_0", ".", "..", "$", "$x", "CREATE", "SET", "IN", "TRANSACTIONS", "SHOW", ";", ",", "|", "-", ">", "\u200b", "\x85"]
)  # fmt: skip


@settings(max_examples=10_000, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(FRAGMENTS, max_size=30).map(" ".join), st.lists(FRAGMENTS, max_size=30).map("".join)))
def test_any_text_is_taken_or_refused(cypher: str) -> None:
    try:
        assert screen(cypher) in cypher
    except QueryRefused as refused:
        assert refused.sentence and refused.advice


def _best(cypher: str, repeats: int = 5) -> float:
    """Seconds of this thread's own time, so that a busy machine does not count."""
    best = float("inf")
    for _ in range(repeats):
        started = time.thread_time()
        try:
            screen(cypher)
        except QueryRefused:
            pass
        best = min(best, time.thread_time() - started)
    return best


def test_takes_less_than_a_third_of_a_millisecond() -> None:
    assert len(INCIDENTS) > 200
    assert _best(INCIDENTS, 200) < 0.0003


@pytest.mark.parametrize(
    "piece",
    ["'", '"', "`", "/*", "\\", "\\u0041", "'\\u0041' ", "a.", "a ", "range(", "range(1,(", "(", "[", "{", "-", "1+", "1,", "NOT ", "CASE ", "``",
     "$", "$a ", "/", "*", "/**/", "//\n", "1.", "1e", "0x", "a:", "é", "SET", "CALL a.", "CALL (", "date(", "x{", ";", "\u2003", "UNWIND range("],
)  # fmt: skip
def test_time_grows_with_the_length_only(piece: str) -> None:
    short, long = (("RETURN " + piece * (size // len(piece.encode())))[:size] for size in (2_000, 19_000))
    assert _best(long) < max(25 * _best(short), 0.02)
