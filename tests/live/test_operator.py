"""What the operator hides stays out of every operation's reply and prompt, whoever wrote the query."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage
from saving import Embedder, save

from lfx_neo4j_graphrag.errors import QueryRefused
from lfx_neo4j_graphrag.operations.cypher_query import CypherQueryRequest, cypher_query
from lfx_neo4j_graphrag.operations.graph_schema import graph_schema
from lfx_neo4j_graphrag.operations.hybrid import HybridRequest, hybrid
from lfx_neo4j_graphrag.operations.text2cypher import Text2CypherRequest, text2cypher
from lfx_neo4j_graphrag.operations.vector import VectorRequest, vector

COLUMNS = ("codigo", "text", "clave", "cliente", "telefono", "tecnico")
ROWS = [
    dict(zip(COLUMNS, ("P-1", "gotea el grupo", "secreta-uno", "Bar Sol", "600-123", "Ana"), strict=True)),
    dict(zip(COLUMNS, ("P-2", "no calienta", "secreta-dos", "Bar Luna", "600-456", "Luis"), strict=True)),
]
LINES = "cliente -> DE -> Cliente.nombre (telefono)\ntecnico -> LLEVA -> Tecnico.nombre"
SECRETS = ("secreta", "clave", "600-", "telefono", "Tecnico", "Ana", "Luis")


class Searching(Embedder):
    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


class Model:
    """Answers with the queries given, one after the other; ``seen`` is what it was shown."""

    def __init__(self, *queries: str) -> None:
        self.queries, self.seen = list(queries), ""

    async def ainvoke(self, messages):
        self.seen += "\n".join(str(message.content) for message in messages)
        return AIMessage(self.queries.pop(0))


@pytest.fixture
async def graph(connection, monkeypatch):
    await save(connection, ROWS, lines=LINES, embedder=Searching())
    monkeypatch.setenv("NEO4J_GRAPHRAG_HIDDEN", "clave, Cliente.telefono, Tecnico")
    return connection


def without_secrets(text: str) -> str:
    assert not [secret for secret in SECRETS if secret in text], text
    return text


@pytest.mark.parametrize("neighbours", [False, True])
async def test_searches(graph, neighbours):
    for request, operation in ((VectorRequest, vector), (HybridRequest, hybrid)):
        result = await operation(graph, request("gotea", Searching(), neighbours=neighbours))
        said = without_secrets(result.text + str(result.rows))
        assert "P-1" in said and ("Bar Sol" in said) == neighbours


async def test_a_retrieval_query(graph):
    asked = VectorRequest("gotea", Searching(), neighbours=True, retrieval_query="MATCH (node)-[:DE]->(c) RETURN node, c")
    said = without_secrets((await vector(graph, asked)).text)
    assert "Bar Sol" in said
    with pytest.raises(QueryRefused, match="hidden"):
        await vector(graph, VectorRequest("gotea", Searching(), neighbours=True, retrieval_query="RETURN node.clave AS c"))


async def test_a_fixed_query(graph):
    result = await cypher_query(graph, CypherQueryRequest("MATCH (n)-[r]->(m) RETURN n, m"))
    assert "Bar Sol" in without_secrets(result.text + str(result.rows)) and "[hidden]" in result.text
    with pytest.raises(QueryRefused, match="hidden"):
        await cypher_query(graph, CypherQueryRequest("MATCH (c:Cliente) RETURN c.telefono AS t"))


async def test_the_schema_and_a_query_of_a_model(graph):
    without_secrets((await graph_schema(graph)).text)
    model = Model("MATCH (p:Parte) RETURN p.clave AS c", "MATCH (p:Parte)-[:DE]->(c) RETURN p, c")
    result = await text2cypher(graph, Text2CypherRequest("¿Qué hay?", model))
    assert result.details["revised"] == "refused" and "Bar Sol" in without_secrets(result.text)
    without_secrets(model.seen.replace("RETURN p.clave AS c", ""))


async def test_without_sample_values_no_prompt_holds_a_value(connection, monkeypatch):
    await save(connection, ROWS, lines=LINES)
    asked = "¿Qué partes tiene Bar Sool?"
    for shown in (True, False):
        monkeypatch.setenv("SAMPLE_VALUES", str(shown))
        model = Model("MATCH (p:Parte) RETURN p.codigo AS codigo")
        await text2cypher(connection, Text2CypherRequest(asked, model))
        assert ("Bar Sol" in model.seen.replace("Bar Sool", "")) == shown
