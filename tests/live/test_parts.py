"""A long text is found by one of its sentences: saved, replaced and searched with the local model on a real server."""

from __future__ import annotations

import pytest
from saving import Embedder, ask, changed_nothing, save

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.local.embeddings import LocalEmbeddings
from lfx_neo4j_graphrag.operations.cypher_query import CypherQueryRequest, cypher_query
from lfx_neo4j_graphrag.operations.graph_schema import GraphSchemaRequest, graph_schema
from lfx_neo4j_graphrag.operations.hybrid import HybridRequest, hybrid
from lfx_neo4j_graphrag.operations.vector import VectorRequest, vector
from lfx_neo4j_graphrag.retrieval.parts import parts

PAPERWORK = (
    "La factura se emite el último día de cada mes y se envía por correo electrónico al cliente. El pago se hace por transferencia "
    "en un plazo de treinta días. Los recibos devueltos llevan un recargo del cinco por ciento. El contrato se renueva cada año "
    "si nadie avisa antes. Las tarifas se revisan en enero según el índice de precios. "
)
ANSWER = "Para quitar la cal se llena el depósito con vinagre y se deja una hora. "
REST = (
    "El coche de la empresa se aparca en el sótano. La oficina abre de nueve a dos. Las vacaciones se piden con un mes de "
    "antelación. El uniforme se lava en casa y se cambia cada dos temporadas. La cena de Navidad se celebra en diciembre."
)
LONG = PAPERWORK + ANSWER + REST
ROWS = [
    {"codigo": "larga", "text": LONG},
    {"codigo": "otra", "text": PAPERWORK + REST + " " + PAPERWORK},
    {"codigo": "corta", "text": "La máquina avisa con una luz cuando falta agua en el depósito."},
]
QUESTION = "producto para limpiar la cal del depósito"


@pytest.fixture(scope="module")
def model() -> LocalEmbeddings:
    return LocalEmbeddings()


async def kept(connection: Connection) -> dict[str, bytes]:
    found = await ask(connection, "MATCH (p:Parte) WHERE p.embedding_parts IS NOT NULL RETURN p.codigo, p.embedding_parts")
    return dict(found)


async def test_a_sentence_of_a_long_text_is_found(connection: Connection, model: LocalEmbeddings) -> None:
    await save(connection, ROWS, embedder=model)
    assert {key: len(value) for key, value in (await kept(connection)).items()} == {
        "larga": 384 * len(parts(LONG)),
        "otra": 384 * len(parts(ROWS[1]["text"])),
    }
    by_whole = await ask(
        connection,
        "MATCH (p:Parte) RETURN p.codigo, vector.similarity.cosine(p.embedding, $vector) AS score ORDER BY score DESC",
        vector=model.embed_query(QUESTION),
    )
    assert by_whole[0][0] == "corta"  # else this test shows nothing
    result = await vector(connection, VectorRequest(query=QUESTION, embedder=model, number_of_results=2))
    assert result.rows[0]["codigo"] == "larga" and len(result.rows) == 2
    assert 1 > result.rows[0]["score"] > dict(by_whole)["larga"]
    both = await hybrid(connection, HybridRequest(query=QUESTION, embedder=model, filters={"codigo": "larga"}))
    assert [row["codigo"] for row in both.rows] == ["larga"] and both.rows[0]["rank_vector"] == 1


async def test_the_parts_follow_the_text_and_the_model(connection: Connection, model: LocalEmbeddings) -> None:
    await save(connection, ROWS, embedder=model)
    before = await kept(connection)
    assert changed_nothing(await save(connection, ROWS, embedder=model))
    await save(
        connection,
        [{"codigo": "larga", "text": REST + PAPERWORK + REST}, {"codigo": "otra", "text": "Ahora es corta."}],
        embedder=model,
    )
    after = await kept(connection)
    assert (
        set(after) == {"larga"}
        and len(after["larga"]) == 384 * len(parts(REST + PAPERWORK + REST))
        and after["larga"] != before["larga"]
    )
    await save(connection, [{"codigo": "larga", "text": LONG}])  # without a model the vectors of the old text go
    assert await kept(connection) == {}
    await save(connection, ROWS, embedder=model)
    await save(connection, [{"codigo": "larga", "text": REST + PAPERWORK}], embedder=Embedder(384))  # a model without parts
    assert set(await kept(connection)) == {"otra"}


async def test_rows_that_a_query_gave_leave_them_alone(connection: Connection, model: LocalEmbeddings) -> None:
    await save(connection, ROWS, embedder=model)
    before = await kept(connection)
    read = await cypher_query(connection, CypherQueryRequest("MATCH (p:Parte) RETURN properties(p) AS p"))
    rows = [row["p"] | {"revisada": True} for row in read.rows]
    assert isinstance(rows[0]["embedding_parts"], str)
    report = await save(connection, rows, embedder=model)
    assert (report["nodes_updated"], report["embeddings"]) == (3, 0) and await kept(connection) == before
    written = "UNWIND $rows AS row MERGE (p:Parte {codigo: row.codigo}) SET p.text = row.text + ' Fin.'"
    await save(connection, ROWS, embedder=model, write_query=written)
    sizes = {row["codigo"]: 384 * len(parts(row["text"] + " Fin.")) for row in ROWS[:2]}
    assert {key: len(value) for key, value in (await kept(connection)).items()} == sizes
    [[properties]] = await ask(connection, "SHOW FULLTEXT INDEXES YIELD properties")
    assert set(properties) == {"codigo", "text"}


async def test_nobody_sees_them(connection: Connection, model: LocalEmbeddings) -> None:
    rows = [row | {"cliente": "Hotel Miramar"} for row in ROWS]
    await save(connection, rows, lines="cliente -> DE -> Cliente.nombre", embedder=model)
    found = await vector(connection, VectorRequest(query=QUESTION, embedder=model, neighbours=True, number_of_results=2))
    named = await vector(
        connection,
        VectorRequest(query=QUESTION, embedder=model, neighbours=True, retrieval_query="RETURN node, node.codigo AS codigo"),
    )
    for rows in (found.rows, named.rows):
        assert rows[0]["codigo"] == "larga" and not any("embedding" in name for name in rows[0])
    around = await vector(connection, VectorRequest(query="Hotel", embedder=model, neighbours=True, hops=2))
    queried = await cypher_query(connection, CypherQueryRequest("MATCH (p:Parte {codigo: 'larga'}) RETURN p"))
    schema = await graph_schema(connection, GraphSchemaRequest())
    for text in (found.text, around.text, queried.text, schema.text, str(found.rows), str(named.rows), str(around.rows)):
        assert "\\x" not in text and "b'" not in text
    assert "embedding_parts" not in found.text + around.text
    assert "[3840 bytes]" in queried.text
