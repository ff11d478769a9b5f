"""Vector and Hybrid on a real server: what is found, in which order, and what is said when something is missing."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from search_stubs import AWAIT, WORDS, HashEmbedder, TableEmbedder, run, vector_index

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.errors import EmbeddingProblem, IndexProblem, InputError
from lfx_neo4j_graphrag.operations.hybrid import HybridRequest, hybrid
from lfx_neo4j_graphrag.operations.vector import VectorRequest, vector

PARTS = [
    ("INC-2608-07", "Gotea por la junta del grupo"),
    ("INC-2608-08", "Sin agua en la caldera, marca E01"),
    ("INC-2607-07", "Cambiado el caudalímetro VL-1180"),
    ("INC-0726-08", "Presión baja; C++ en el panel"),
]


@pytest.fixture
async def parts(connection: Connection) -> Connection:
    """Four parts that only words can find, one that only its vector can."""
    await run(
        connection,
        "UNWIND $parts AS p CREATE (:Parte {codigo: p[0], text: p[1]})",
        "CREATE (:Parte {codigo: 'SOLO-VECTOR', text: 'tornillo', embedding: [0.0, 0.0, 0.0, 1.0]})",
        vector_index("parte_vector"),
        WORDS,
        AWAIT,
        parts=PARTS,
    )
    return connection


def codes(result) -> list[str]:
    return [row["codigo"] for row in result.rows]


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("gotea/junta", "INC-2608-07"),
        ("/gotea por", "INC-2608-07"),
        ("¿Quién cambió la junta?", "INC-2608-07"),
        ("gotea (junta", "INC-2608-07"),
        ('"junta del', "INC-2608-07"),
        ("E01: ¿sin agua?", "INC-2608-08"),
        ("caldera [a TO", "INC-2608-08"),
        ("{caldera}", "INC-2608-08"),
        ("caudalímetro\\", "INC-2607-07"),
        ("¡caudalímetro!", "INC-2607-07"),
        ("text:caudalímetro", "INC-2607-07"),
        ("presión >= 9 && <= 12 || baja", "INC-0726-08"),
        ("panel~ C++ ^2", "INC-0726-08"),
        ("* panel *", "INC-0726-08"),
        ("O'Brien – panel; %s {0}", "INC-0726-08"),
        ("AND panel OR NOT", "INC-0726-08"),
        ("caudalimetros", "INC-2607-07"),
        ("CALDERAS", "INC-2608-08"),
    ],
)
async def test_signs_in_a_question_lose_no_word(parts, question, code):
    assert code in codes(await hybrid(parts, HybridRequest(query=question, embedder=TableEmbedder())))


async def test_other_forms_of_a_verb_are_found_by_words(parts):
    await run(parts, "CREATE (:Parte {codigo: 'D', text: 'No dosifica bien'})")
    result = await hybrid(parts, HybridRequest(query="dosificar", number_of_results=1))
    assert codes(result) == ["D"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(st.text(max_size=60), st.text(alphabet='+-&|!(){}[]^"~*?:\\/<>= ANDORT', max_size=30)))
async def test_any_text_is_a_valid_question(parts, text):
    if text.strip():
        result = await hybrid(parts, HybridRequest(query=text, embedder=TableEmbedder()))
        assert codes(result)
    else:
        with pytest.raises(InputError):
            await hybrid(parts, HybridRequest(query=text, embedder=TableEmbedder()))


async def test_five_thousand_words_and_emoji(parts):
    text = "🔧 " + " ".join(f"palabra{number}x" for number in range(5000)) + " caldera"
    assert codes(await hybrid(parts, HybridRequest(query=text, embedder=TableEmbedder())))
    assert codes(await hybrid(parts, HybridRequest(query="☕🔧", embedder=TableEmbedder()))) == ["SOLO-VECTOR"]


async def test_codes_are_searched_whole_in_any_case_with_and_without_hyphens(connection):
    numbers = ["INC-2608-08", "INC-2607-07", "INC-0726-08", "INC-2608-07", "INC-07-2608"]
    await run(
        connection,
        "UNWIND $numbers AS c CREATE (:Parte {codigo: c, text: 'Revisión general'})",
        "CREATE (:Parte {codigo: 'X-1', text: 'Cambiado VL-1180 por VL-1181'}), (:Parte {codigo: 'X-2', text: 'Marca el error E07'})",
        vector_index("parte_vector"),
        WORDS,
        AWAIT,
        numbers=numbers,
    )
    for question in ("INC-2608-07", "inc-2608-07", "INC260807", "INC 2608 07", "¿Qué pasó con el INC-2608-07?"):
        found = (await hybrid(connection, HybridRequest(query=question, embedder=TableEmbedder()))).rows
        assert found[0]["codigo"] == "INC-2608-07", question
        assert len(found) == 1 or found[0]["score"] > found[1]["score"]
    for question, code in (("VL-1180", "X-1"), ("vl1180", "X-1"), ("la VL 1180", "X-1"), ("E07", "X-2"), ("e-07", "X-2")):
        assert codes(await hybrid(connection, HybridRequest(query=question, embedder=TableEmbedder())))[0] == code, question


async def test_one_empty_side_never_breaks_the_other(parts):
    await run(parts, "MATCH (p:Parte {codigo: 'INC-2608-07'}) SET p.embedding = [1.0, 0.0, 0.0, 0.0]")
    near = TableEmbedder({"no de la que y": [1.0, 0, 0, 0], "junta": [1.0, 0, 0, 0], "¿¿??": [1.0, 0, 0, 0]})
    only_stop_words = await hybrid(parts, HybridRequest(query="no de la que y", embedder=near))
    assert codes(only_stop_words)[0] == "INC-2608-07"
    both = await hybrid(parts, HybridRequest(query="junta", embedder=near))
    assert codes(both).count("INC-2608-07") == 1 and codes(both)[0] == "INC-2608-07"
    assert (both.rows[0]["rank_vector"], both.rows[0]["rank_text"]) == (1, 1)
    no_word = await hybrid(parts, HybridRequest(query="¿¿??", embedder=near))
    assert codes(no_word)[0] == "INC-2608-07" and "no word" in no_word.text
    for result in (only_stop_words, both, no_word):
        scores = [row["score"] for row in result.rows]
        assert all(0 < s <= 1 and math.isfinite(s) for s in scores) and scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("blank", ["", "   ", "\n"])
async def test_a_blank_question_is_a_sentence_without_calls(parts, blank):
    embedder = TableEmbedder()
    for search, request in ((vector, VectorRequest), (hybrid, HybridRequest)):
        with pytest.raises(InputError, match="empty"):
            await search(parts, request(query=blank, embedder=embedder))
    assert embedder.asked == []


async def test_without_a_model_only_words_and_it_is_said(parts):
    result = await hybrid(parts, HybridRequest(query="averia en la caldera"))
    assert codes(result) == ["INC-2608-08"] and "No embedding model" in result.text
    with pytest.raises(EmbeddingProblem, match="No embedding model"):
        await vector(parts, VectorRequest(query="caldera"))


async def test_the_order_of_equal_scores_is_that_of_the_keys_not_of_the_storage(connection):
    await run(
        connection,
        "UNWIND ['c', 'a', 'd', 'b'] AS c CREATE (:Parte {codigo: c, text: 'igual', embedding: [1.0, 0.0, 0.0, 0.0]})",
        "CREATE CONSTRAINT FOR (n:Parte) REQUIRE n.codigo IS UNIQUE",
        vector_index("parte_vector"),
        WORDS,
        AWAIT,
    )
    embedder = TableEmbedder({"igual": [1.0, 0, 0, 0]})
    assert codes(await vector(connection, VectorRequest(query="igual", embedder=embedder))) == ["a", "b", "c", "d"]
    assert codes(await hybrid(connection, HybridRequest(query="igual", embedder=embedder))) == ["a", "b", "c", "d"]


async def test_few_results_are_cut_from_many_candidates(connection):
    embedder = HashEmbedder()
    rows = [{"codigo": f"P-{i}", "text": f"pieza {i}", "embedding": embedder.embed_query(f"pieza {i}")} for i in range(1000)]
    await run(connection, "UNWIND $rows AS row CREATE (p:Parte) SET p = row", vector_index("parte_vector", size=16), WORDS, AWAIT, rows=rows)
    for number in (7, 432, 999):
        result = await vector(connection, VectorRequest(query=f"pieza {number}", embedder=embedder, number_of_results=1))
        assert codes(result) == [f"P-{number}"] and result.details["candidates"] >= 50
    assert len((await vector(connection, VectorRequest(query="pieza 1", embedder=embedder, number_of_results=10))).rows) == 10


async def test_another_dimension_is_said_before_the_query(parts):
    for search, request in ((vector, VectorRequest), (hybrid, HybridRequest)):
        with pytest.raises(IndexProblem) as caught:
            await search(parts, request(query="faro", embedder=TableEmbedder(size=8)))
        assert all(word in str(caught.value) for word in ("parte_vector", "4", "8", "model"))


async def test_another_model_of_the_same_dimension_is_a_warning(connection):
    saved, other = HashEmbedder(salt="one"), HashEmbedder(salt="two")
    rows = [{"text": f"pieza {i}", "embedding": saved.embed_query(f"pieza {i}")} for i in range(20)]
    await run(connection, "UNWIND $rows AS row CREATE (p:Parte) SET p = row", vector_index("parte_vector", size=16), AWAIT, rows=rows)
    before = await run(connection, "MATCH (n) RETURN count(n) AS nodes, sum(size(keys(n))) AS properties")
    right = await vector(connection, VectorRequest(query="pieza 3", embedder=saved))
    wrong = await vector(connection, VectorRequest(query="pieza 3", embedder=other))
    assert right.details["warnings"] == []
    assert "Another embedding model" in wrong.details["warnings"][0] and "parte_vector" in wrong.text
    assert await run(connection, "MATCH (n) RETURN count(n) AS nodes, sum(size(keys(n))) AS properties") == before


async def test_no_embedding_in_rows_or_text(parts):
    for search, request in ((vector, VectorRequest), (hybrid, HybridRequest)):
        result = await search(parts, request(query="tornillo", embedder=TableEmbedder(), number_of_results=5))
        assert not any("embedding" in row for row in result.rows) and "embedding" not in result.text


async def test_json_and_table_and_an_unknown_format(parts):
    import json

    result = await vector(parts, VectorRequest(query="x", embedder=TableEmbedder(), format="json"))
    assert json.loads(result.text)["rows"][0]["codigo"] == "SOLO-VECTOR"
    assert "SOLO-VECTOR" in (await vector(parts, VectorRequest(query="x", embedder=TableEmbedder(), format="table"))).text
    with pytest.raises(InputError, match="format"):
        await vector(parts, VectorRequest(query="x", embedder=TableEmbedder(), format="xml"))
