"""Graphs that we did not make: twenty calls as an agent would make them, and the call of the article on filtered search."""

from __future__ import annotations

import json

import yaml

from mcp_support import graphs
from mcp_support.client import in_memory


async def rows(client, tool, **arguments):
    answer = await client.call(tool, **arguments)
    assert not answer.failed, answer.text
    return yaml.safe_load(answer.text)["rows"]


async def nodes(client, tool, **arguments):
    return [row["node"] for row in await rows(client, tool, **arguments)]


async def test_movies(connection, mcp_server):
    await graphs.load_movies(connection)
    async with in_memory(mcp_server(embedding_model="local")) as client:
        assert set(await client.tools()) == {"get_schema", "read_cypher", "search_moviePlots"}

        schema = (await client.call("get_schema")).text
        assert all(word in schema for word in ("Movie", "Person", "ACTED_IN", "roles", "released", "moviePlots"))
        assert "Person" not in (await client.call("get_schema", labels=["Movie"])).text.split("Relationships:")[0]

        found = await nodes(client, "search_moviePlots", query=graphs.ABOUT_THE_MATRIX, top_k=3)
        assert found[0]["title"] == "The Matrix" and "embedding" not in found[0]

        found = await nodes(client, "search_moviePlots", query=graphs.ABOUT_THE_MATRIX, filters={"released": {"min": 2003}})
        assert found and all(movie["released"] >= 2003 for movie in found)

        found = await nodes(client, "search_moviePlots", query="love story", top_k=5, filters={"released": {"in": [1993, 1998]}})
        assert {movie["released"] for movie in found} <= {1993, 1998} and "You've Got Mail" in [movie["title"] for movie in found]

        found = await nodes(client, "search_moviePlots", query="astronauts in danger", filters={"title": "Apollo 13"})
        assert [movie["title"] for movie in found] == ["Apollo 13"]

        assert await rows(client, "read_cypher", query="MATCH (m:Movie {title: 'The Matrix'}) RETURN m.released AS year") == [{"year": 1999}]

        who = "MATCH (p:Person {name: $name})-[:ACTED_IN]->(m:Movie) RETURN m.title AS title ORDER BY title"
        titles = [row["title"] for row in await rows(client, "read_cypher", query=who, params={"name": "Meg Ryan"})]
        assert {"Sleepless in Seattle", "Top Gun", "You've Got Mail"} <= set(titles)

        both = "MATCH (:Person {name: 'Tom Hanks'})-[:ACTED_IN]->(m)<-[:ACTED_IN]-(:Person {name: 'Meg Ryan'}) RETURN count(DISTINCT m) AS n"
        assert (await rows(client, "read_cypher", query=both))[0]["n"] >= 2

        [role] = await rows(client, "read_cypher", query="MATCH ({name: 'Tom Hanks'})-[r:ACTED_IN]->({title: 'Cast Away'}) RETURN r")
        assert role["r"] == {"type": "ACTED_IN", "properties": {"roles": ["Chuck Noland"]}}

        missing = await client.call("read_cypher", query="MATCH (f:Film) RETURN f.titel")
        assert not missing.failed and "Film" in missing.text and "titel" in missing.text  # nothing, and why


async def test_northwind(connection, mcp_server):
    await graphs.load_northwind(connection)
    async with in_memory(mcp_server(embedding_model="local")) as client:
        tools = await client.tools()
        assert set(tools) == {"get_schema", "read_cypher", "search_product-search"}
        filters = tools["search_product-search"]["schema"]["properties"]["filters"]["properties"]
        assert filters["discontinued"]["type"] == "boolean" and filters["unitPrice"]["anyOf"][0] == {"type": "number"}

        found = await nodes(client, "search_product-search", query="cheese", top_k=3)
        assert any("Camembert" in product["productName"] or "Queso" in product["productName"] for product in found)

        found = await nodes(client, "search_product-search", query="something to drink", filters={"unitPrice": {"max": 20}, "discontinued": False})
        assert found and all(product["unitPrice"] <= 20 and product["discontinued"] is False for product in found)

        found = await nodes(client, "search_product-search", query="Guaraná", top_k=2)
        assert "Guaraná Fantástica" in [product["productName"] for product in found]

        found = await nodes(client, "search_product-search", query="fish", filters={"unitsInStock": {"min": 100}})
        assert found and all(product["unitsInStock"] >= 100 for product in found)

        dearest = "MATCH (p:Product) RETURN p.productName AS name, p.unitPrice AS price ORDER BY price DESC LIMIT 1"
        assert await rows(client, "read_cypher", query=dearest) == [{"name": "Côte de Blaye", "price": 263.5}]

        by_category = "MATCH (p:Product)-[:PART_OF]->(c:Category) RETURN c.categoryName AS category, count(*) AS n, avg(p.unitPrice) AS mean ORDER BY n DESC"
        counted = await rows(client, "read_cypher", query=by_category)
        assert len(counted) >= 6 and all(row["n"] > 0 for row in counted)

        japan = "MATCH (s:Supplier {country: $country})-[:SUPPLIES]->(p) RETURN collect(p.productName) AS products"
        [row] = await rows(client, "read_cypher", query=japan, params=json.dumps({"country": "Japan"}))
        assert {"Ikura", "Tofu"} <= set(row["products"])

        paged = await rows(client, "read_cypher", query="MATCH (p:Product) RETURN p.productName AS name ORDER BY name SKIP $skip LIMIT $limit", params={"skip": 2, "limit": 3})
        assert len(paged) == 3

        whole = await rows(client, "read_cypher", query="MATCH (p:Product {productName: 'Tofu'}) RETURN p")
        assert whole[0]["p"]["labels"] == ["Product"] and whole[0]["p"]["properties"]["embedding"].startswith("[")


async def test_news_of_the_article(connection, mcp_server):
    await graphs.load_news(connection)
    async with in_memory(mcp_server(embedding_model="local")) as client:
        tool = (await client.tools())["search_news"]
        filters = tool["schema"]["properties"]["filters"]["properties"]
        assert {"language", "source", "sentiment", "date", "published_date"} <= set(filters)
        assert '"en"' in tool["description"] and '"Reuters"' in tool["description"]
        answer = await client.call(
            "search_news",
            query="positive developments in artificial intelligence AI breakthroughs progress",
            top_k=10,
            filters={"language": "en", "date": {"min": "2026-01-01", "max": "2026-12-31"}, "sentiment": {"min": 0.5}},
        )
        reply = yaml.safe_load(answer.text)
        titles = [row["node"]["title"] for row in reply["rows"]]
        assert set(titles) == {
            "A hospital finds tumours earlier with artificial intelligence",
            "New AI model translates forty languages without errors",
            "Wind power passes coal in Europe for the first time",
            "Solar panels become cheaper again",
        }
        assert set(titles[:2]) == {title for title in titles if "AI" in title or "intelligence" in title}
        assert reply["complete"] is True and reply["filter_mode"] in ("index", "exact")

        last_week = await nodes(client, "search_news", query="renewable energy", filters={"source": "Reuters", "published_date": {"min": "2026-03-15T00:00:00Z", "max": "2026-03-22T00:00:00Z"}})
        assert [article["title"] for article in last_week] == ["Wind power passes coal in Europe for the first time"]
