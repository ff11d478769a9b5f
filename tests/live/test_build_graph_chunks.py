"""Save Source Chunks, and records and documents in one graph."""

from __future__ import annotations

import re

import pytest
from build_stubs import HashEmbedder, ProviderError, ReadingModel
from building import home, incident, query, run, state  # noqa: F401

from lfx_neo4j_graphrag.operations.add_records import AddRecordsRequest, add_records
from lfx_neo4j_graphrag.operations.build_graph import BuildGraphRequest, build_graph

SENTENCE = "Se comprobó la presión del agua y se dejó constancia de la visita en el libro de mantenimiento del bar. "


def mentioned(text):
    return {"Incidencia": [{"codigo": code} for code in dict.fromkeys(re.findall(r"INC-\d+", text))]}


def manual(count=12):
    return "# Manual\n\n" + "\n\n".join(f"## Parte {n}\n\nCaso INC-{n}. {SENTENCE * 6}" for n in range(count))


async def chunks(connection, document=None):
    where = "WHERE c.document = $document " if document else ""
    return await query(
        connection,
        f"MATCH (c:Chunk) {where}RETURN c.document, c.position, c.text ORDER BY c.document, c.position",
        document=document,
    )


async def chain(connection, document):
    """The texts of a document along NEXT_CHUNK."""
    rows = await query(
        connection,
        "MATCH (a:Chunk {document: $document}) WHERE NOT EXISTS { (:Chunk)-[:NEXT_CHUNK]->(a) } "
        "MATCH p = (a)-[:NEXT_CHUNK*0..]->(z) WHERE NOT EXISTS { (z)-[:NEXT_CHUNK]->() } RETURN [n IN nodes(p) | n.text]",
        document=document,
    )
    return [row[0] for row in rows]


async def test_passages_in_order_with_what_they_mention_searchable(connection):
    text, embedder = manual(), HashEmbedder()
    report = await run(
        connection, [{"text": text, "filename": "manual_2026_07.md"}], mentioned, save_source_chunks=True, embedder=embedder
    )
    rows = await chunks(connection)
    assert len(rows) == report["chunks"]["created"] > 8 and report["model_calls"] == len(rows)
    assert [row[1] for row in rows] == list(range(1, len(rows) + 1)) and {row[0] for row in rows} == {"manual_2026_07.md"}
    assert "".join("".join(row[2] for row in rows).split()) == "".join(text.split()), "0 lost"
    assert await chain(connection, "manual_2026_07.md") == [[row[2] for row in rows]]
    for code, passage in await query(connection, "MATCH (c:Chunk)-[:MENTIONS]->(i:Incidencia) RETURN i.codigo, c.text"):
        assert code in passage
    assert await query(connection, "MATCH (i:Incidencia) RETURN count(i)") == [[12]]
    assert {i["name"] for i in report["indexes"]} == {"chunk_vector", "chunk_text", "incidencia_vector", "incidencia_text"}
    assert await query(connection, "MATCH (c:Chunk) RETURN DISTINCT size(c.embedding), toString(c.date)") == [[8, "2026-07-31"]]
    assert max(embedder.batches) > 5, "embedded in batches"
    title = await query(connection, "MATCH (c:Chunk) WHERE c.text CONTAINS 'INC-5.' RETURN c.title")
    assert title == [["Manual > Parte 5"]]
    hits = await query(connection, "CALL db.index.fulltext.queryNodes('chunk_text', '\"INC-7\"') YIELD node RETURN node.text")
    assert len(hits) == 1 and "INC-7." in hits[0][0]


async def test_the_four_searches_find_passages(connection):
    from lfx_neo4j_graphrag.operations.hybrid import HybridRequest, hybrid
    from lfx_neo4j_graphrag.operations.vector import VectorRequest, vector

    embedder = HashEmbedder()
    await run(connection, [{"text": manual(), "filename": "m.md"}], mentioned, save_source_chunks=True, embedder=embedder)
    (text,) = (await query(connection, "MATCH (c:Chunk) WHERE c.text CONTAINS 'INC-7.' RETURN c.text"))[0]
    for neighbours in (False, True):
        by_vector = await vector(
            connection, VectorRequest(query=text, embedder=embedder, vector_index="chunk_vector", neighbours=neighbours)
        )
        both = await hybrid(
            connection,
            HybridRequest(
                query="INC-7", embedder=embedder, vector_index="chunk_vector", fulltext_index="chunk_text", neighbours=neighbours
            ),
        )
        for result in (by_vector, both):
            assert any("INC-7." in str(row) for row in result.rows)
            assert not neighbours or "MENTIONS" in result.text


async def test_the_same_again_changes_nothing_and_a_changed_document_replaces_its_own(connection):
    documents = [{"text": manual(), "filename": "a.md"}, {"text": manual(3), "filename": "b.md"}]
    model = ReadingModel(mentioned, name="m")
    await run(connection, documents, model, save_source_chunks=True)
    before, other = await chunks(connection), await chunks(connection, "b.md")
    report = await run(connection, documents, model, save_source_chunks=True)
    assert report["chunks"]["created"] == report["chunks"]["deleted"] == report["model_calls"] == 0
    assert await chunks(connection) == before

    documents[0]["text"] = documents[0]["text"].replace("Caso INC-11.", "Caso INC-99.")
    model.texts.clear()
    report = await run(connection, documents[:1], model, save_source_chunks=True)
    assert report["chunks"]["deleted"] == report["chunks"]["created"] == len(model.texts) == 1
    assert await chunks(connection, "b.md") == other
    texts = [row[2] for row in await chunks(connection, "a.md")]
    assert await chain(connection, "a.md") == [texts] and "INC-99" in texts[-1]
    assert await query(
        connection, "MATCH (c:Chunk {document: 'a.md'})-[:MENTIONS]->(i) WHERE i.codigo IN ['INC-99', 'INC-11'] RETURN i.codigo"
    ) == [["INC-99"]]

    await run(connection, [{"text": "Ya no queda nada, salvo INC-1.", "filename": "a.md"}], model, save_source_chunks=True)
    assert [row[2] for row in await chunks(connection, "a.md")] == ["Ya no queda nada, salvo INC-1."]


async def test_a_document_that_gives_no_text_this_time_keeps_its_chunks(connection):
    await run(connection, [{"text": "Caso INC-1.", "filename": "a.md"}], mentioned, save_source_chunks=True)
    report = await run(connection, [{"text": "", "filename": "a.md"}], mentioned, save_source_chunks=True)
    assert report["status"] == "failed" and len(await chunks(connection)) == 1


async def test_a_passage_read_anew_mentions_only_what_it_mentions_now(connection):
    document = [{"text": "Caso INC-1 y caso INC-2.", "filename": "a.md"}]
    await run(connection, document, mentioned, save_source_chunks=True, use_cache=False)
    await run(connection, document, lambda t: {"Incidencia": [{"codigo": "INC-2"}]}, save_source_chunks=True, use_cache=False)
    assert await query(connection, "MATCH (:Chunk)-[:MENTIONS]->(i) RETURN i.codigo") == [["INC-2"]]


async def test_two_documents_with_an_identical_passage_stay_two_chunks(connection):
    text = "Aviso legal: caso INC-1."
    await run(
        connection,
        [{"text": text, "filename": "a.md"}, {"text": text, "filename": "b.md"}, text],
        mentioned,
        save_source_chunks=True,
    )
    rows = await chunks(connection)
    assert len(rows) == 3 and len({row[0] for row in rows}) == 3
    assert await query(connection, "MATCH ()-[r:NEXT_CHUNK]->() RETURN count(r)") == [[0]]
    assert await query(connection, "MATCH (:Chunk)-[:MENTIONS]->(i:Incidencia) RETURN count(*), count(DISTINCT i)") == [[3, 1]]


async def test_unnamed_texts_never_replace_each_other(connection):
    await run(connection, ["Caso INC-1."], mentioned, save_source_chunks=True)
    await run(connection, ["Caso INC-2."], mentioned, save_source_chunks=True)
    assert len(await chunks(connection)) == 2


async def test_behind_split_text_of_langflow_and_read_file(connection):
    from lfx.components.processing.split_text import SplitTextComponent
    from lfx.schema.message import Message

    message = Message(text=manual(6), file_path="/u/2026-01-01_00-00-00_manual.md")
    split = SplitTextComponent(
        data_inputs=message,
        chunk_size=700,
        chunk_overlap=0,
        separator="\n\n",
        text_key="text",
        keep_separator="False",
        clean_output=False,
    )
    table = split.split_text()
    await run(connection, table, mentioned, save_source_chunks=True)
    rows = await chunks(connection)
    assert [row[2] for row in rows] == list(table["text"]) and {row[0] for row in rows} == {"manual.md"}
    assert len((await chain(connection, "manual.md"))[0]) == len(rows)

    await run(connection, message, mentioned, save_source_chunks=True)
    assert {row[0] for row in await chunks(connection)} == {"manual.md"}, "the same file in one piece replaces it"


async def test_pages_and_titles_are_kept_to_cite_them(connection):
    pages = [{"text": f"Página {n}. Caso INC-{n}. " + SENTENCE * 12, "file_path": "x/informe.pdf", "page": n} for n in (1, 2, 3)]
    await run(connection, pages, mentioned, save_source_chunks=True)
    rows = await query(connection, "MATCH (c:Chunk)-[:MENTIONS]->(i) RETURN c.document, c.page, i.codigo ORDER BY c.position")
    assert rows == [["informe.pdf", n, f"INC-{n}"] for n in (1, 2, 3)]


async def test_a_passage_that_was_not_read_is_kept_and_read_the_next_time(connection):
    text, broken = manual(4), {"yes"}
    model = ReadingModel(lambda t: ProviderError(500) if broken and "INC-2." in t else mentioned(t), name="m")
    report = await run(connection, [{"text": text, "filename": "a.md"}], model, save_source_chunks=True)
    assert report["status"] == "partial" and re.match(r"part \d of \d", report["failed_documents"][0]["reason"])
    everything = len(await chunks(connection))
    assert report["chunks"]["in all"] == everything
    broken.clear()
    model.texts.clear()
    report = await run(connection, [{"text": text, "filename": "a.md"}], model, save_source_chunks=True)
    assert len(model.texts) == 1 and report["chunks"]["created"] == 0
    assert await query(connection, "MATCH (c:Chunk)-[:MENTIONS]->(i {codigo: 'INC-2'}) RETURN count(c)") == [[1]]


async def test_states_follow_the_text_of_a_document_part_by_part(connection):
    parts = [{"text": t, "filename": "a.md"} for t in ("INC-1 abierta", "INC-1 cerrada")]
    model = ReadingModel(lambda t: incident("INC-1", t.split()[-1]), delay=lambda t: 0.3 if "abierta" in t else 0.0)
    await run(connection, parts, model, save_source_chunks=True)
    assert await state(connection) == "cerrada"


# ------------------------------------------------------------------------------------------------ records, documents

ROWS = [
    {
        "codigo": f"INC-{n}",
        "fecha": f"2026-07-{n + 1:02d}",
        "estado": "cerrada" if n % 2 else "abierta",
        "cliente": f"Bar {n % 3}",
        "modelo": "Brío 2G",
        "marca": "Jaltec",
        "text": f"El bar avisó por la tarde, caso {n}.",
    }
    for n in range(12)
]
RULES = "cliente -> DE_CLIENTE -> Cliente.nombre\nmodelo -> EN_MAQUINA -> Maquina.modelo (marca)"
TYPES = "Incidencia(codigo, fecha, estado: abierta | cerrada), Cliente(nombre), Maquina(modelo, marca)"


@pytest.mark.parametrize("first", ["records", "documents"])
async def test_records_and_manuals_in_one_graph(connection, first):
    embedder = HashEmbedder()

    async def records():
        await add_records(connection, AddRecordsRequest(ROWS, "Incidencia", "codigo", RULES, embedder=embedder))

    async def documents():
        await run(
            connection,
            [{"text": manual(), "filename": "manual.md"}],
            mentioned,
            node_types=TYPES,
            save_source_chunks=True,
            embedder=embedder,
        )

    for load in (records, documents) if first == "records" else (documents, records):
        await load()
    await records()
    await documents()
    counts = await query(connection, "MATCH (n) WHERE NOT n:Chunk RETURN labels(n)[0] AS l, count(*) ORDER BY l")
    assert counts == [["Cliente", 3], ["Incidencia", 12], ["Maquina", 1]], "nothing is doubled"
    rows = await query(
        connection,
        "MATCH (c:Chunk)-[:MENTIONS]->(i:Incidencia)-[:DE_CLIENTE]->(b:Cliente) RETURN count(DISTINCT i), count(DISTINCT b)",
    )
    assert rows == [[12, 3]], "passages reach the incidents and what they are linked to"
    assert await query(
        connection, "MATCH (i:Incidencia) WHERE i.text STARTS WITH 'El bar avisó' AND size(i.embedding) = 8 RETURN count(i)"
    ) == [[12]]
    indexes = {
        row[0]: row[1]
        for row in await query(
            connection, "SHOW INDEXES YIELD name, type, state WHERE type IN ['VECTOR', 'FULLTEXT'] RETURN name, state"
        )
    }
    entity = [name for name in indexes if name.startswith("incidencia_")]
    assert set(indexes.values()) == {"ONLINE"} and {"chunk_vector", "chunk_text"} <= set(indexes)
    assert len(entity) == 2 and (first == "documents" or sorted(entity) == ["incidencia_text", "incidencia_vector"])


async def test_a_document_older_than_the_records_changes_no_state(connection):
    await add_records(connection, AddRecordsRequest(ROWS, "Incidencia", "codigo", RULES))
    report = await run(
        connection,
        [{"text": "x", "filename": "informe_2026_06.pdf"}],
        lambda t: incident("INC-1", "abierta", "Bar 1", "2026-07-02"),
        node_types=TYPES,
    )
    assert await state(connection) == "cerrada" and "up to 2026-07-12" in report["older_not_applied"][0]["why"]


async def test_an_index_of_another_dimension_stops_before_anything_is_asked(connection):
    from lfx_neo4j_graphrag.errors import IndexProblem

    await run(connection, ["Caso INC-1."], mentioned, save_source_chunks=True, embedder=HashEmbedder(8))
    model = ReadingModel(mentioned)
    with pytest.raises(IndexProblem, match="8 numbers.* 4"):
        await build_graph(
            connection,
            BuildGraphRequest(["Caso INC-2."], model, node_types=TYPES, save_source_chunks=True, embedder=HashEmbedder(4)),
        )
    assert model.texts == [] and len(await chunks(connection)) == 1
