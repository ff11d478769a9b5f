"""Which indexes a search can use: made by others, several, of relationships, of several labels, not ready."""

from __future__ import annotations

import asyncio

import pytest
from search_stubs import AWAIT, WORDS, HashEmbedder, TableEmbedder, run, vector_index

from lfx_neo4j_graphrag.database.capabilities import capabilities
from lfx_neo4j_graphrag.defaults import INDEX_LIST_SECONDS
from lfx_neo4j_graphrag.errors import IndexProblem
from lfx_neo4j_graphrag.operations.hybrid import HybridRequest, hybrid
from lfx_neo4j_graphrag.operations.vector import VectorRequest, vector

# As the documentation of the flows gives them to people who index a graph of their own, with other names.
BY_HAND = (
    """CREATE VECTOR INDEX mis_vectores IF NOT EXISTS
FOR (n:Incidencia) ON n.vec
OPTIONS {indexConfig: {`vector.dimensions`: 768, `vector.similarity_function`: 'cosine'}}""",
    """CREATE FULLTEXT INDEX mis_palabras IF NOT EXISTS
FOR (n:Incidencia) ON EACH [n.descripcion]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'spanish'}}""",
)


async def test_a_graph_indexed_by_hand_is_searched_without_any_setting(connection):
    embedder = HashEmbedder(768)
    rows = [
        {"codigo": f"I-{i}", "descripcion": text, "vec": embedder.embed_query(text)}
        for i in range(30)
        for text in [f"La máquina {i} pierde agua por el grupo {i} desde que se cambió la junta de la caldera"]
    ]
    question = rows[7]["descripcion"]
    await run(connection, "UNWIND $rows AS row CREATE (n:Incidencia) SET n = row", *BY_HAND, AWAIT, rows=rows)
    found = await vector(connection, VectorRequest(query=question, embedder=embedder))
    assert found.rows[0]["codigo"] == "I-7" and "vec" not in found.rows[0]
    assert found.details["vector_index"] == "mis_vectores"
    both = await hybrid(connection, HybridRequest(query="la maquina pierde aguas, 7", embedder=embedder))
    assert both.details["fulltext_index"] == "mis_palabras"
    assert [row["codigo"] for row in both.rows if row["rank_text"] == 1] == ["I-7"]
    around = await hybrid(connection, HybridRequest(query=question, embedder=embedder, neighbours=True))
    assert around.text.startswith("Incidencia I-7: La máquina 7 pierde agua")


async def test_several_indexes_are_listed_and_a_new_one_is_seen_a_moment_later(connection):
    await run(connection, "CREATE (:Parte {text: 'a', embedding: [0.0, 0.0, 0.0, 1.0]}), (:Otra {text: 'b', embedding: [0.0, 0.0, 0.0, 1.0]})")
    await run(connection, vector_index("parte_vector"), WORDS, AWAIT)
    embedder = TableEmbedder()
    assert len((await hybrid(connection, HybridRequest(query="a", embedder=embedder))).rows) == 1
    await run(connection, vector_index("otra_vector", "(n:Otra)"), "CREATE FULLTEXT INDEX otra_text FOR (n:Otra) ON EACH [n.text]", AWAIT)
    await asyncio.sleep(INDEX_LIST_SECONDS)
    with pytest.raises(IndexProblem) as caught:
        await vector(connection, VectorRequest(query="a", embedder=embedder))
    assert "parte_vector" in str(caught.value) and "otra_vector" in str(caught.value)
    with pytest.raises(IndexProblem):
        await hybrid(connection, HybridRequest(query="a", embedder=embedder))
    named = await hybrid(connection, HybridRequest(query="b", embedder=embedder, vector_index="otra_vector"))
    assert named.details["fulltext_index"] == "otra_text" and [row["text"] for row in named.rows] == ["b"]
    await run(connection, "DROP INDEX otra_vector", "DROP INDEX otra_text")
    assert (await vector(connection, VectorRequest(query="a", embedder=embedder))).rows[0]["text"] == "a"


async def test_an_index_made_again_for_other_data_under_the_same_name(connection):
    embedder = TableEmbedder()
    await run(connection, "CREATE (:Parte {text: 'a', embedding: [0.0, 0.0, 0.0, 1.0]})", vector_index("v"), AWAIT)
    assert (await vector(connection, VectorRequest(query="a", embedder=embedder))).rows[0]["text"] == "a"
    await run(connection, "DROP INDEX v", "CREATE (:Otra {text: 'b', embedding: [0.0, 0.0, 1.0]})", vector_index("v", "(n:Otra)", 3), AWAIT)
    with pytest.raises(IndexProblem, match="3"):
        await vector(connection, VectorRequest(query="a", embedder=embedder))
    assert (await vector(connection, VectorRequest(query="a", embedder=TableEmbedder(size=3), filters="text <> x"))).rows[0]["text"] == "b"


async def test_an_index_replaced_by_a_load_keeps_its_name_for_readers(connection):
    await run(connection, "CREATE (:Parte {text: 'a', embedding: [0.0, 0.0, 0.0, 1.0]})", vector_index("parte_vector_2"), AWAIT)
    result = await vector(connection, VectorRequest(query="a", embedder=TableEmbedder(), vector_index="parte_vector"))
    assert result.details["vector_index"] == "parte_vector_2"


async def test_a_missing_index_names_those_that_there_are(connection):
    embedder = TableEmbedder()
    with pytest.raises(IndexProblem, match="no vector index"):
        await vector(connection, VectorRequest(query="a", embedder=embedder))
    with pytest.raises(IndexProblem, match="no index"):
        await hybrid(connection, HybridRequest(query="a", embedder=embedder))
    await run(connection, "CREATE (:Parte {text: 'avería', embedding: [0.0, 0.0, 0.0, 1.0]})", WORDS, AWAIT)
    only_words = await hybrid(connection, HybridRequest(query="averías", embedder=embedder))
    assert only_words.rows[0]["text"] == "avería" and "no vector index" in only_words.text
    await run(connection, vector_index("parte_vector"), "DROP INDEX parte_text", AWAIT)
    only_meaning = await hybrid(connection, HybridRequest(query="averías", embedder=embedder))
    assert only_meaning.rows[0]["text"] == "avería" and "no full-text index" in only_meaning.text
    for name in ({"vector_index": "no_existe"}, {"fulltext_index": "no_existe"}):
        with pytest.raises(IndexProblem) as caught:
            await hybrid(connection, HybridRequest(query="a", embedder=embedder, **name))
        said = str(caught.value)
        assert "no_existe" in said and ("parte_vector" in said or "no full-text index" in said)


async def test_an_index_that_is_still_being_filled(connection):
    embedder = HashEmbedder(256)
    rows = [{"text": f"pieza {i}", "embedding": embedder.embed_query(f"pieza {i}")} for i in range(3000)]
    await run(connection, "UNWIND $rows AS row CREATE (p:Parte) SET p = row", rows=rows)
    await run(connection, vector_index("parte_vector", size=256))
    try:
        await vector(connection, VectorRequest(query="pieza 1", embedder=embedder))
    except IndexProblem as problem:
        assert "parte_vector" in str(problem) and "not ready" in str(problem)
    else:
        pytest.fail("The index was filled before it could be searched; the test needs more rows.")
    await run(connection, AWAIT)
    assert (await vector(connection, VectorRequest(query="pieza 1", embedder=embedder))).rows[0]["text"] == "pieza 1"


async def test_an_index_that_failed(connection):
    """A word of more than 32,766 bytes fails an index that keeps values whole."""
    await run(connection, "CREATE (:Parte {text: $long, embedding: [0.0, 0.0, 0.0, 1.0]})", vector_index("parte_vector"), AWAIT, long="ñ" * 20000)
    await run(connection, "CREATE FULLTEXT INDEX parte_text FOR (n:Parte) ON EACH [n.text] OPTIONS {indexConfig: {`fulltext.analyzer`: 'keyword'}}")
    for _ in range(100):
        [row] = await run(connection, "SHOW INDEXES YIELD name, state WHERE name = 'parte_text' RETURN state")
        if row["state"] == "FAILED":
            break
        await asyncio.sleep(0.1)
    with pytest.raises(IndexProblem) as caught:
        await hybrid(connection, HybridRequest(query="a", embedder=TableEmbedder()))
    assert "parte_text" in str(caught.value) and "failed" in str(caught.value)


async def test_relationships_are_searched_too(connection):
    await run(
        connection,
        "CREATE (a:Persona {nombre: 'Ana'}), (b:Empresa {nombre: 'Uno'}), (a)-[:TRABAJA {text: 'jefa de taller', desde: 2020, embedding: [1.0, 0.0, 0.0, 0.0]}]->(b),"
        "(a)-[:TRABAJA {text: 'contable', desde: 2024, embedding: [0.0, 1.0, 0.0, 0.0]}]->(b)",
        vector_index("trabaja_vector", "()-[n:TRABAJA]-()"),
        "CREATE FULLTEXT INDEX trabaja_text FOR ()-[r:TRABAJA]-() ON EACH [r.text] OPTIONS {indexConfig: {`fulltext.analyzer`: 'spanish'}}",
        AWAIT,
    )
    embedder = TableEmbedder({"contable": [0.0, 1.0, 0.0, 0.0]}, other=[1.0, 0.0, 0.0, 0.0])
    for search, request in ((vector, VectorRequest), (hybrid, HybridRequest)):
        result = await search(connection, request(query="taller", embedder=embedder))
        assert [row["text"] for row in result.rows] == ["jefa de taller", "contable"]
        assert result.rows[0]["labels"] == ["TRABAJA"] and result.rows[0]["start"] == "Persona Ana" and result.rows[0]["end"] == "Empresa Uno"
        filtered = await search(connection, request(query="taller", embedder=embedder, filters="desde > 2021\nEmpresa.nombre = Uno"))
        assert [row["text"] for row in filtered.rows] == ["contable"]
        around = await search(connection, request(query="taller", embedder=embedder, neighbours=True, number_of_results=1))
        assert around.text == "TRABAJA (desde: 2020): jefa de taller\n  from Persona Ana\n  to Empresa Uno"
        own = await search(
            connection,
            request(
                query="taller", embedder=embedder, neighbours=True, number_of_results=1,
                retrieval_query="RETURN node.text AS t, startNode(node).nombre AS quien, score",
            ),
        )  # fmt: skip
        assert own.rows[0]["quien"] == "Ana"


async def test_indexes_over_several_labels(connection):
    can = await capabilities(connection)
    # One label in a vector index is all that servers before 2026 know.
    labels = "(n:Parte|Nota)" if can.filter_in_index else "(n:Parte)"
    await run(
        connection,
        "CREATE (:Parte {text: 'uno', zona: 'a', embedding: [0.0, 0.0, 0.1, 1.0]}), (:Parte:Nota {text: 'dos', zona: 'b', embedding: [0.0, 0.0, 0.2, 1.0]})",
        "CREATE (:Nota {text: 'tres', zona: 'b', embedding: [0.0, 0.0, 0.3, 1.0]})",
        vector_index("todo_vector", labels, prefix="CYPHER 25 " if can.filter_in_index else ""),
        "CREATE FULLTEXT INDEX todo_text FOR (n:Parte|Nota) ON EACH [n.text]",
        AWAIT,
    )
    embedder = TableEmbedder()
    result = await vector(connection, VectorRequest(query="x", embedder=embedder))
    assert [row["text"] for row in result.rows] == (["uno", "dos", "tres"] if can.filter_in_index else ["uno", "dos"])
    only_b = await hybrid(connection, HybridRequest(query="tres", embedder=embedder, filters="zona = b"))
    assert {row["text"] for row in only_b.rows} == {"dos", "tres"} and only_b.rows[0]["rank_text"] == 1


async def test_an_index_without_a_dimension(connection):
    """The server finds nothing and says nothing when the vectors are of another length."""
    await run(
        connection,
        "CREATE (:Parte {text: 'a', embedding: [0.0, 0.0, 0.0, 1.0]})",
        "CREATE VECTOR INDEX parte_vector FOR (n:Parte) ON (n.embedding)",
        AWAIT,
    )
    assert (await vector(connection, VectorRequest(query="a", embedder=TableEmbedder()))).rows[0]["text"] == "a"
    with pytest.raises(IndexProblem) as caught:
        await vector(connection, VectorRequest(query="a", embedder=TableEmbedder(size=8)))
    assert "4" in str(caught.value) and "8" in str(caught.value)


async def test_hidden_labels_and_properties_never_show(connection):
    await run(
        connection,
        "CREATE (:Parte {codigo: 'a', secreto: 'x9', embedding: [0.0, 0.0, 0.0, 1.0]})-[:DE]->(:Nomina {nombre: 'Ana'}), (:Nomina {embedding: [0.0, 0.0, 0.0, 1.0]})",
        vector_index("parte_vector"),
        AWAIT,
    )
    hidden = frozenset({"Nomina", "secreto"})
    result = await vector(connection, VectorRequest(query="a", embedder=TableEmbedder(), neighbours=True, hidden=hidden))
    assert result.text == "Parte a" and "secreto" not in result.rows[0]
    await run(connection, vector_index("nomina_vector", "(n:Nomina)"), AWAIT)
    assert (await vector(connection, VectorRequest(query="a", embedder=TableEmbedder(), hidden=hidden))).details["vector_index"] == "parte_vector"
