"""Add Records and its search indexes: vectors of texts, what is computed anew, columns that filters can use."""

from __future__ import annotations

import pytest

from lfx_neo4j_graphrag.errors import EmbeddingProblem, IndexProblem, InputError
from saving import SEARCH_INDEXES, Embedder, ask, changed_nothing, save

async def test_embeddings_only_for_texts_that_are_new_or_changed(connection):
    embedder = Embedder()
    rows = [{"codigo": n, "text": f"texto {n}", "estado": "a"} for n in range(5)] + [{"codigo": 9, "text": None, "estado": "a"}]
    assert (await save(connection, rows, embedder=embedder))["embeddings"] == 5
    embedder.texts.clear()
    rows[1]["text"], rows[2]["estado"] = "otro", "b"
    report = await save(connection, rows, embedder=embedder)
    assert report["embeddings"] == 1 and embedder.texts[-1] == "otro"
    await ask(connection, "MATCH (p:Parte {codigo: 3}) REMOVE p.embedding")
    assert (await save(connection, rows, embedder=embedder))["embeddings"] == 1
    found = await ask(connection, "MATCH (p:Parte) WHERE p.text IS NOT NULL RETURN p.text, p.embedding")
    assert len(found) == 5 and all(vector == pytest.approx(embedder.embed_documents([text])[0]) for text, vector in found)


async def test_a_changed_text_without_a_model_loses_its_vector_and_says_so(connection):
    rows = [{"codigo": n, "text": f"texto {n}"} for n in range(3)]
    await save(connection, rows, embedder=Embedder())
    rows[0]["text"] = "nuevo"
    report = await save(connection, rows)
    assert report["vectors_removed"] == 1 and any("Load the rows again with the model" in one for one in report["warnings"])
    assert await ask(connection, "MATCH (p:Parte) WHERE p.embedding IS NULL RETURN p.codigo") == [[0]]
    assert (await save(connection, rows, embedder=Embedder()))["embeddings"] == 1


async def test_a_model_that_fails_midway_keeps_the_rows_and_goes_on_next_time(connection):
    rows = [{"codigo": n, "text": f"texto {n}"} for n in range(1200)]
    with pytest.raises(EmbeddingProblem, match="429") as caught:
        await save(connection, rows, embedder=Embedder(fail_after=700))
    assert "Everything else is saved" in caught.value.advice
    done = (await ask(connection, "MATCH (p:Parte) RETURN count(p), count(p.embedding)"))[0]
    assert done[0] == 1200 and 0 < done[1] < 1200
    assert (await save(connection, rows, embedder=Embedder()))["embeddings"] == 1200 - done[1]


async def test_a_model_of_another_size_is_refused_before_anything_is_written(connection):
    await save(connection, [{"codigo": "P-1", "text": "faro roto"}], embedder=Embedder(4))
    with pytest.raises(IndexProblem) as caught:
        await save(connection, [{"codigo": "P-2", "text": "freno"}], embedder=Embedder(8))
    assert all(word in str(caught.value) for word in ("4", "8", "parte_vector", "DROP INDEX"))
    with pytest.raises(IndexProblem) as caught:
        await save(
            connection, [{"nombre": "Ana", "text": "x"}], "Cliente", "nombre", embedder=Embedder(4), vector_index="parte_vector"
        )
    assert all(word in str(caught.value) for word in ("Parte", "Cliente", "parte_vector"))
    with pytest.raises(InputError) as caught:
        await save(connection, [{"codigo": "Z", "text": "a"}], "Zeta", fulltext_analyzer="español")
    assert "español" in str(caught.value) and "spanish" in str(caught.value)
    assert await ask(connection, "MATCH (n) RETURN labels(n)[0], n.codigo") == [["Parte", "P-1"]]


async def test_a_column_called_embedding_is_computed_anew_with_a_model(connection):
    rows = [{"codigo": 1, "text": "t", "embedding": [9.0, 9.0]}]
    report = await save(connection, rows, embedder=Embedder())
    assert await ask(connection, "MATCH (p:Parte) RETURN size(p.embedding)") == [[4]] and changed_nothing(
        await save(connection, rows, embedder=Embedder())
    )
    assert any("embedding" in warning for warning in report["warnings"])


async def test_a_value_that_would_stop_the_database_is_rejected(connection, server_version):
    await save(connection, [{"codigo": n, "text": "t", "estado": "abierta"} for n in range(3)], embedder=Embedder())
    rows = [{"codigo": 10, "text": "t", "estado": "x" * 40_000}, {"codigo": 11, "text": "t", "estado": "b"}]
    filtered = server_version.startswith("2026")
    report = await save(connection, rows, embedder=Embedder())
    assert report["rejected_positions"] == ([1] if filtered else [])
    query = "MERGE (p:Parte {codigo: row.codigo}) SET p.estado = row.x"
    report = await save(connection, [{"codigo": 12, "x": "x" * 40_000}], write_query=query)
    assert report["rejected_positions"] == ([1] if filtered else [])
    assert (await ask(connection, "MATCH (p:Parte) RETURN count(p)"))[0][0] == (4 if filtered else 6)


async def test_a_long_stored_value_keeps_its_column_out_of_the_filters(connection, server_version):
    await save(connection, [{"codigo": 1, "text": "t", "estado": "x" * 40_000}])
    report = await save(connection, [{"codigo": 2, "text": "t", "estado": "a", "n": 1}], embedder=Embedder())
    [index] = [index for index in report["indexes"] if index["kind"] == "VECTOR"]
    assert index["state"] == "ONLINE" and index["properties"] == (
        ["embedding", "n"] if server_version.startswith("2026") else ["embedding"]
    )


async def test_a_new_column_makes_a_second_index_and_search_never_stops(connection, server_version):
    await save(connection, [{"codigo": 1, "text": "t", "estado": "a"}], embedder=Embedder())
    report = await save(connection, [{"codigo": 2, "text": "t", "estado": "a", "zona": "N"}], embedder=Embedder())
    names = await ask(
        connection,
        SEARCH_INDEXES + " RETURN type, name, properties ORDER BY type",
    )
    words = ["FULLTEXT", "parte_text_2", ["text", "estado", "zona"]]
    vector = (
        ["VECTOR", "parte_vector_2", ["embedding", "estado", "zona"]]
        if server_version.startswith("2026")
        else ["VECTOR", "parte_vector", ["embedding"]]
    )
    assert names == [words, vector] and any("replaced by parte_text_2" in warning for warning in report["warnings"])
    back = await save(connection, [{"codigo": 3, "text": "t", "otra": 5, "frase": "x"}], embedder=Embedder())
    assert {index["name"] for index in back["indexes"]} == {"parte_text", "parte_vector"}
    assert not [
        one for one in (await save(connection, [{"codigo": 3, "text": "t"}], embedder=Embedder()))["indexes"] if one["created"]
    ]


async def test_no_index_when_told_so(connection):
    report = await save(connection, [{"codigo": 1, "text": "t"}], embedder=Embedder(), vector_index="-", fulltext_index="-")
    assert report["indexes"] == [] and report["embeddings"] == 0


@pytest.mark.parametrize("with_model", [False, True])
async def test_a_file_of_other_columns_leaves_the_vectors_of_the_text(connection, with_model):
    rows = [{"codigo": "P-1", "estado": "abierta", "text": "gotea el grupo"}, {"codigo": "P-2", "estado": "abierta", "text": "no calienta"}]
    await save(connection, rows, embedder=Embedder())
    before = await ask(connection, "MATCH (p:Parte) RETURN p.embedding ORDER BY p.codigo")
    embedder = Embedder() if with_model else None
    report = await save(connection, [{"codigo": "P-1", "estado": "cerrada"}], embedder=embedder)
    assert (report["properties_set"], report["embeddings"], report["vectors_removed"]) == (1, 0, 0)
    assert await ask(connection, "MATCH (p:Parte) RETURN p.embedding ORDER BY p.codigo") == before
    assert bool([warning for warning in report["warnings"] if "the text of Parte" in warning]) == with_model
    named = await save(connection, [{"codigo": "P-1", "estado": "abierta"}], embedder=Embedder(), text_column="estado")
    assert named["embeddings"] == 1, "a column that the user names is the text"
