"""Search tools: typed filters, the ways down when the server cannot filter, relationships, no model, no index."""

from __future__ import annotations

import yaml
from lfx_neo4j_graphrag.cypher.names import quote
from lfx_neo4j_graphrag.database.capabilities import capabilities
from lfx_neo4j_graphrag.database.indexes import await_indexes
from mcp_support import graphs
from mcp_support.client import in_memory


class FourNumbers:
    """An embedding model of four numbers: every question is ``[1, 0, 0, 0]``."""

    model_name = "four"

    def embed_query(self, _text):
        return [1.0, 0.0, 0.0, 0.0]

    def embed_documents(self, texts):
        return [[1.0, 0.0, 0.0, 0.0] for _ in texts]


def with_four_numbers(server):
    server._calls._make_embedder = FourNumbers
    return server


def codes(answer):
    assert not answer.failed, answer.text
    return [row["node"]["codigo"] for row in yaml.safe_load(answer.text)["rows"]]


async def test_a_property_that_the_index_does_not_carry_is_filtered_exactly(connection, mcp_server):
    await graphs.run(
        connection,
        "UNWIND range(1, 200) AS i CREATE (:Doc {codigo: 'C' + toString(i), estado: 'cerrada', embedding: [1.0, i / 200.0, 0.0, 0.0]})",
        "UNWIND range(1, 5) AS i CREATE (:Doc {codigo: 'A' + toString(i), estado: 'abierta', embedding: [0.6, 0.8, i / 1000.0, 0.0]})",
    )
    await graphs.vector_index(connection, "doc_vector", "Doc", [], 4)
    async with in_memory(with_four_numbers(mcp_server(embedding_model="local"))) as client:
        answer = await client.call("search_doc_vector", query="x", top_k=5, filters={"estado": "abierta"})
        assert sorted(codes(answer)) == ["A1", "A2", "A3", "A4", "A5"]
        assert yaml.safe_load(answer.text)["filter_mode"] == "exact"
        nearest = codes(await client.call("search_doc_vector", query="x", top_k=5))
        assert len(nearest) == 5 and all(code.startswith("C") for code in nearest)


async def test_types_come_from_many_values_and_every_property_has_its_own_argument(connection, mcp_server):
    await graphs.run(
        connection,
        "CREATE (:Doc {codigo: 'D0', precio: 3, fecha: '2026-08', `precio total`: 1, `precio-total`: 2, embedding: [1.0, 0.0, 0.0, 0.0]})",
        """UNWIND range(1, 200) AS i CREATE (:Doc {codigo: 'D' + toString(i), precio: 3.0 + i / 100.0,
        fecha: date('2026-08-01') + duration({days: i % 20}), nota: CASE WHEN i > 150 THEN 'urgente' END,
        `precio total`: 100 + i, `precio-total`: 500 + i, embedding: [1.0, i / 1000.0, 0.0, 0.0]})""",
    )
    await graphs.vector_index(connection, "doc_vector", "Doc", [], 4)
    async with in_memory(with_four_numbers(mcp_server(embedding_model="local", token_limit=0))) as client:
        tool = (await client.tools())["search_doc_vector"]
        filters = tool["schema"]["properties"]["filters"]["properties"]
        assert {"precio", "fecha", "nota", "precio_total", "precio-total"} <= set(filters)
        assert "date as YYYY-MM-DD or text, exact" in tool["description"]

        async def found(**conditions):
            return codes(await client.call("search_doc_vector", query="x", top_k=300, filters=conditions))

        assert await found(precio={"min": 4.995}) == ["D200"]
        assert len(await found(nota="urgente")) == 50
        assert await found(**{"precio-total": {"min": 700}}) == ["D200"]
        assert await found(precio_total={"max": 1}) == ["D0"]
        assert len(await found(fecha={"min": "2026-08-05", "max": "2026-08-05"})) == 10


async def test_what_cannot_be_filtered_is_refused_with_what_can(connection, mcp_server):
    await graphs.load_news(connection)
    async with in_memory(mcp_server(embedding_model="local")) as client:
        for filters, said in (
            ({"langage": "en"}, "language"),
            ({"sentiment": "very good"}, "numbers"),
            ({"date": {"min": "soon"}}, "dates"),
            ({"language": {"near": "en"}}, "operators"),
            ("language is English", "language"),
        ):
            answer = await client.call("search_news", query="AI", filters=filters)
            assert answer.failed and said in answer.text, (filters, answer.text)
        misplaced = await client.call("search_news", query="AI", language="en")
        assert misplaced.failed and "filters" in misplaced.text
        for top_k in (0, -1, "many", 2.5, True):
            assert (await client.call("search_news", query="AI", top_k=top_k)).failed
        assert (await client.call("search_news", query="  ")).failed
        assert (await client.call("search_news")).failed
        some = await client.call("search_news", query="AI", top_k="2", filters=None)
        assert not some.failed and len(yaml.safe_load(some.text)["rows"]) == 2


async def test_injection_through_filter_names_values_and_index_names(connection, mcp_server):
    odd = "idx`) WITH 1 AS x CREATE (h:Pwned) RETURN h //\\u0060"
    await graphs.run(connection, f"CREATE (:Doc {{codigo: 'a', {quote(odd)}: 1, embedding: [1.0, 0.0, 0.0, 0.0]}})")
    config = "OPTIONS {indexConfig: {`vector.dimensions`: 4, `vector.similarity_function`: 'cosine'}}"
    await graphs.run(connection, f"CREATE VECTOR INDEX {quote(odd)} FOR (n:Doc) ON n.embedding {config}")
    await await_indexes(connection, [odd], 60)
    async with in_memory(with_four_numbers(mcp_server(embedding_model="local"))) as client:
        [name] = [name for name in await client.tools() if name.startswith("search_")]
        assert codes(await client.call(name, query="x")) == ["a"]
        for filters in ({"codigo`} RETURN n //": 1}, {"codigo": "' OR 1=1 //"}, {"a) SET n.x=1 //": {"min": 1}}):
            await client.call(name, query="x", filters=filters)
        assert (await graphs.run(connection, "MATCH (n) RETURN count(n) AS n, count(n.x) AS x")) == [{"n": 1, "x": 0}]


async def test_relationships_and_several_labels(connection, mcp_server):
    config = "OPTIONS {indexConfig: {`vector.dimensions`: 4, `vector.similarity_function`: 'cosine'}}"
    await graphs.run(
        connection,
        "CREATE (:Person {name: 'Ana'})-[:SAID {text: 'hello', year: 2020, embedding: [1.0, 0.0, 0.0, 0.0]}]->(:Person {name: 'Luis'})",
        "CREATE (:Note {codigo: 'n', embedding: [1.0, 0.0, 0.0, 0.0]}), (:Mail {codigo: 'm', embedding: [1.0, 0.1, 0.0, 0.0]})",
        f"CREATE VECTOR INDEX said FOR ()-[r:SAID]-() ON r.embedding {config}",
    )
    names = ["said"]
    if (await capabilities(connection)).filter_in_index:
        await graphs.run(connection, f"CYPHER 25 CREATE VECTOR INDEX papers FOR (n:Note|Mail) ON n.embedding WITH [n.codigo] {config}")
        names.append("papers")
    await await_indexes(connection, names, 60)
    async with in_memory(with_four_numbers(mcp_server(embedding_model="local"))) as client:
        answer = await client.call("search_said", query="x", filters={"year": {"min": 2019}})
        [row] = yaml.safe_load(answer.text)["rows"]
        assert row["relationship"] == {"text": "hello", "year": 2020} and "Ana" in row["start"] and "Luis" in row["end"]
        if "papers" in names:
            rows = yaml.safe_load((await client.call("search_papers", query="x")).text)["rows"]
            assert [(row["node"]["codigo"], row["node"]["labels"]) for row in rows] == [("n", ["Note"]), ("m", ["Mail"])]


async def test_without_a_model_words_are_searched_or_the_setting_is_named(connection, mcp_server):
    await graphs.load_northwind(connection)
    await graphs.run(connection, "CREATE (:Odd {embedding: [1.0, 0.0, 0.0, 0.0]})")
    await graphs.vector_index(connection, "odd", "Odd", [], 4)
    async with in_memory(mcp_server()) as client:
        answer = await client.call("search_product-search", query="Camembert", filters={"discontinued": False})
        reply = yaml.safe_load(answer.text)
        assert [row["node"]["productName"] for row in reply["rows"]] == ["Camembert Pierrot"]
        assert any("EMBEDDING_MODEL" in note for note in reply["notes"])
        answer = await client.call("search_odd", query="anything")
        assert answer.failed and "EMBEDDING_MODEL" in answer.text


async def test_a_model_of_another_size_or_that_fails_has_its_sentence(connection, mcp_server):
    await graphs.load_news(connection)
    async with in_memory(with_four_numbers(mcp_server(embedding_model="local"))) as client:
        answer = await client.call("search_news", query="AI")
        assert answer.failed and all(word in answer.text for word in ("384", "gives 4", "EMBEDDING_MODEL"))

    class Failing:
        def embed_query(self, _text):
            raise RuntimeError("401 Incorrect API key provided: sk-abcdefghijklmnop")

        embed_documents = embed_query

    server = mcp_server(embedding_model="local")
    server._calls._make_embedder = Failing
    async with in_memory(server) as client:
        answer = await client.call("search_news", query="AI")
        assert answer.failed and "embedding model" in answer.text and "sk-abc" not in answer.text


async def test_indexes_that_come_and_go_are_noticed(connection, mcp_server):
    server = mcp_server(embedding_model="local")
    async with in_memory(server) as client:
        assert set(await client.tools()) == {"get_schema", "read_cypher"}
        await graphs.load_news(connection)
        assert not (await client.call("search_news", query="wind")).failed  # called by a client that has not listed it
        assert await client.changed(5)
        assert "search_news" in await client.tools()
        await graphs.run(connection, "DROP INDEX news")
        client.changes.clear()
        await server.catalogue.look()
        assert await client.changed(5)
        gone = await client.call("search_news", query="wind")
        assert gone.failed and "There is no tool 'search_news'" in gone.text and "read_cypher" in gone.text
        await graphs.vector_index(connection, "news_2", "Article", [])
        assert not (await client.call("search_news", query="wind")).failed  # rebuilt under another name
