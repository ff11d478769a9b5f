"""Small graphs for the tests: three that somebody else could have made, with vector indexes over them.

``movies`` and ``northwind`` have the labels, properties and types of the public example graphs of those names, with a
few rows of our own wording; GRAPH_EXAMPLES_DIR names a folder with checkouts of the real ones (``movies``, ``northwind``).
"""

from __future__ import annotations

import asyncio
import csv
import datetime as dt
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lfx_neo4j_graphrag.database.capabilities import capabilities
from lfx_neo4j_graphrag.database.connection import Connection, driver_for
from lfx_neo4j_graphrag.database.indexes import await_indexes
from lfx_neo4j_graphrag.local.embeddings import LocalEmbeddings

DIMENSIONS = 384
_EXAMPLES = os.environ.get("GRAPH_EXAMPLES_DIR", "")
# The real graph says of each film its tagline only ("Welcome to the Real World").
ABOUT_THE_MATRIX = "welcome to reality" if _EXAMPLES else "people living in a computer simulation"

# title, year, what it is about, director, {actor: (born, role)}
MOVIES: list[tuple[str, int, str, str, dict[str, tuple[int, str]]]] = [
    ("The Matrix", 1999, "A hacker learns that his world is a simulation run by machines", "Lana Wachowski",
     {"Keanu Reeves": (1964, "Neo"), "Carrie-Anne Moss": (1967, "Trinity"), "Laurence Fishburne": (1961, "Morpheus")}),
    ("The Matrix Reloaded", 2003, "The machines dig towards the last city of free humans", "Lana Wachowski",
     {"Keanu Reeves": (1964, "Neo"), "Carrie-Anne Moss": (1967, "Trinity")}),
    ("The Devil's Advocate", 1997, "A young lawyer joins a firm whose head is evil itself", "Taylor Hackford",
     {"Keanu Reeves": (1964, "Kevin Lomax"), "Al Pacino": (1940, "John Milton")}),
    ("Apollo 13", 1995, "An explosion in space leaves three astronauts far from home", "Ron Howard",
     {"Tom Hanks": (1956, "Jim Lovell"), "Kevin Bacon": (1958, "Jack Swigert")}),
    ("Cast Away", 2000, "A courier survives a plane crash and lives alone on an island", "Robert Zemeckis", {"Tom Hanks": (1956, "Chuck Noland")}),
    ("The Green Mile", 1999, "A prison guard on death row meets a convict who can heal", "Frank Darabont", {"Tom Hanks": (1956, "Paul Edgecomb")}),
    ("You've Got Mail", 1998, "Two booksellers who are rivals fall in love by e-mail", "Nora Ephron",
     {"Tom Hanks": (1956, "Joe Fox"), "Meg Ryan": (1961, "Kathleen Kelly")}),
    ("Sleepless in Seattle", 1993, "A widower's son finds him a new wife through the radio", "Nora Ephron",
     {"Tom Hanks": (1956, "Sam Baldwin"), "Meg Ryan": (1961, "Annie Reed")}),
    ("Top Gun", 1986, "Young navy pilots compete to be the best in a flying school", "Tony Scott",
     {"Tom Cruise": (1962, "Maverick"), "Meg Ryan": (1961, "Carole")}),
    ("Jerry Maguire", 2000, "A sports agent loses everything for his conscience and starts again", "Cameron Crowe", {"Tom Cruise": (1962, "Jerry Maguire")}),
]  # fmt: skip

# name, category, what it is, price, in stock, discontinued, supplier, country
PRODUCTS: list[tuple[str, str, str, float, int, bool, str, str]] = [
    ("Chai", "Beverages", "black tea with spices", 18.0, 39, False, "Exotic Liquids", "UK"),
    ("Chang", "Beverages", "beer in bottles", 19.0, 17, False, "Exotic Liquids", "UK"),
    ("Côte de Blaye", "Beverages", "old red wine", 263.5, 17, False, "Aux joyeux ecclésiastiques", "France"),
    ("Guaraná Fantástica", "Beverages", "sweet soft drink", 4.5, 20, True, "Refrescos Americanas", "Brazil"),
    ("Aniseed Syrup", "Condiments", "sweet sauce", 10.0, 13, False, "Exotic Liquids", "UK"),
    ("Northwoods Cranberry Sauce", "Condiments", "sauce for roast meat", 40.0, 6, False, "Grandma Kelly's Homestead", "USA"),
    ("Queso Cabrales", "Dairy Products", "blue cheese", 21.0, 22, False, "Cooperativa de Quesos 'Las Cabras'", "Spain"),
    ("Camembert Pierrot", "Dairy Products", "soft white cheese", 34.0, 19, False, "Gai pâturage", "France"),
    ("Ikura", "Seafood", "salmon roe", 31.0, 31, False, "Tokyo Traders", "Japan"),
    ("Boston Crab Meat", "Seafood", "crab in tins", 18.4, 123, False, "New England Seafood Cannery", "USA"),
    ("Mishi Kobe Niku", "Meat/Poultry", "Japanese beef", 97.0, 29, True, "Tokyo Traders", "Japan"),
    ("Tofu", "Produce", "curd of soy beans", 23.25, 35, False, "Mayumi's", "Japan"),
]

# title, language, source, sentiment, day
NEWS: list[tuple[str, str, str, float, str]] = [
    ("A hospital finds tumours earlier with artificial intelligence", "en", "Reuters", 0.8, "2026-02-10"),
    ("New AI model translates forty languages without errors", "en", "Reuters", 0.7, "2026-05-04"),
    ("Wind power passes coal in Europe for the first time", "en", "Reuters", 0.6, "2026-03-20"),
    ("AI chip maker misses its forecast and falls sharply", "en", "Bloomberg", -0.6, "2026-04-01"),
    ("Artificial intelligence breakthrough in protein design", "en", "Nature News", 0.9, "2025-11-30"),
    ("Künstliche Intelligenz hilft Ärzten bei der Diagnose", "de", "Spiegel", 0.7, "2026-02-12"),
    ("Court stops AI start-up over copied books", "en", "Bloomberg", -0.4, "2026-06-15"),
    ("Solar panels become cheaper again", "en", "Bloomberg", 0.5, "2026-01-08"),
]


async def run(connection: Connection, *statements: str, **parameters: Any) -> list[dict[str, Any]]:
    """The rows of the last statement."""
    rows: list[dict[str, Any]] = []
    async with driver_for(connection) as driver:
        for statement in statements:
            rows = [dict(record) for record in (await driver.execute_query(statement, parameters, database_=connection.database)).records]
    return rows


async def vector_index(connection: Connection, name: str, label: str, filterable: Sequence[str], dimensions: int = DIMENSIONS) -> None:
    """A vector index with filterable properties where the server can have them, as a user would make it."""
    filters = (await capabilities(connection)).filter_in_index
    listed = f" WITH [{', '.join(f'n.`{p}`' for p in filterable)}]" if filters and filterable else ""
    config = f"OPTIONS {{indexConfig: {{`vector.dimensions`: {dimensions}, `vector.similarity_function`: 'cosine'}}}}"
    language = "CYPHER 25 " if filters else ""
    await run(connection, f"{language}CREATE VECTOR INDEX `{name}` FOR (n:`{label}`) ON n.embedding{listed} {config}")
    await await_indexes(connection, [name], 60)


async def text_index(connection: Connection, name: str, label: str, *properties: str) -> None:
    each = ", ".join(f"n.`{p}`" for p in properties)
    await run(connection, f"CREATE FULLTEXT INDEX `{name}` FOR (n:`{label}`) ON EACH [{each}]")
    await await_indexes(connection, [name], 60)


async def embed(connection: Connection, label: str, text: str) -> None:
    """Give every node of ``label`` the vector of the text that the Cypher expression ``text`` makes of ``n``."""
    rows = await run(connection, f"MATCH (n:`{label}`) RETURN elementId(n) AS id, {text} AS text")
    vectors = await asyncio.to_thread(LocalEmbeddings().embed_documents, [row["text"] for row in rows])
    values = [{"id": row["id"], "vector": vector} for row, vector in zip(rows, vectors, strict=True)]
    await run(connection, "UNWIND $values AS v MATCH (n) WHERE elementId(n) = v.id CALL db.create.setNodeVectorProperty(n, 'embedding', v.vector)", values=values)


async def load_movies(connection: Connection) -> None:
    script = Path(_EXAMPLES) / "movies" / "scripts" / "movies.cypher" if _EXAMPLES else None
    if script:
        text = script.read_text(encoding="utf-8")
        for statement in [part for part in text.split(";") if "CREATE" in part or "MERGE" in part]:
            await run(connection, statement)
    else:
        rows = [
            {"title": t, "year": y, "about": a, "director": d, "cast": [{"name": n, "born": b, "role": r} for n, (b, r) in cast.items()]}
            for t, y, a, d, cast in MOVIES
        ]
        await run(
            connection,
            """UNWIND $rows AS row CREATE (m:Movie {title: row.title, released: row.year, tagline: row.about})
            MERGE (d:Person {name: row.director}) MERGE (d)-[:DIRECTED]->(m)
            WITH m, row UNWIND row.cast AS c MERGE (p:Person {name: c.name}) SET p.born = c.born
            MERGE (p)-[:ACTED_IN {roles: [c.role]}]->(m)""",
            rows=rows,
        )
    await embed(connection, "Movie", "n.title + '. ' + coalesce(n.tagline, '')")
    await vector_index(connection, "moviePlots", "Movie", ["released", "title"])


async def load_northwind(connection: Connection) -> None:
    if _EXAMPLES:
        await _real_northwind(connection, Path(_EXAMPLES) / "northwind" / "import")
    else:
        names = ("productName", "category", "description", "unitPrice", "unitsInStock", "discontinued", "supplier", "country")
        await run(
            connection,
            """UNWIND $rows AS row
            CREATE (p:Product {productID: toString(row.id), productName: row.productName, unitPrice: row.unitPrice,
                               unitsInStock: row.unitsInStock, discontinued: row.discontinued})
            MERGE (c:Category {categoryName: row.category}) ON CREATE SET c.description = row.description
            MERGE (s:Supplier {companyName: row.supplier}) SET s.country = row.country
            MERGE (p)-[:PART_OF]->(c) MERGE (s)-[:SUPPLIES]->(p) SET p.about = row.description""",
            rows=[dict(zip(names, row, strict=True)) | {"id": i} for i, row in enumerate(PRODUCTS, 1)],
        )
    await embed(connection, "Product", "n.productName + ' ' + coalesce(n.about, '') + ' ' + head([(n)-[:PART_OF]->(c) | c.categoryName + ' ' + c.description])")
    await vector_index(connection, "product-search", "Product", ["unitPrice", "unitsInStock", "discontinued"])
    await text_index(connection, "productNames", "Product", "productName")


async def _real_northwind(connection: Connection, folder: Path) -> None:
    def rows(name: str) -> list[dict[str, str]]:
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return [{name: value for name, value in row.items() if name} for row in csv.DictReader(file)]  # some lines hold a comma more

    products = "MERGE (n:Product {productID: row.productID}) SET n += row, n.unitPrice = toFloat(row.unitPrice), "
    products += "n.unitsInStock = toInteger(row.unitsInStock), n.discontinued = row.discontinued <> '0'"
    await run(connection, f"UNWIND $rows AS row {products}", rows=rows("products"))
    await run(connection, "UNWIND $rows AS row MERGE (n:Category {categoryID: row.categoryID}) SET n += row", rows=rows("categories"))
    await run(connection, "UNWIND $rows AS row MERGE (n:Supplier {supplierID: row.supplierID}) SET n += row", rows=rows("suppliers"))
    await run(
        connection,
        "MATCH (p:Product), (c:Category) WHERE p.categoryID = c.categoryID MERGE (p)-[:PART_OF]->(c)",
        "MATCH (p:Product), (s:Supplier) WHERE p.supplierID = s.supplierID MERGE (s)-[:SUPPLIES]->(p)",
    )


async def load_news(connection: Connection) -> None:
    """Articles with text, language, source, sentiment, a date and a moment, as in the article on filtered searches."""
    rows = [
        {
            "title": title,
            "language": language,
            "source": source,
            "sentiment": sentiment,
            "day": dt.date.fromisoformat(day),
            "moment": dt.datetime.fromisoformat(f"{day}T09:30:00+00:00"),
        }
        for title, language, source, sentiment, day in NEWS
    ]
    await run(
        connection,
        """UNWIND $rows AS row CREATE (:Article {title: row.title, language: row.language, source: row.source,
        sentiment: row.sentiment, date: row.day, published_date: row.moment})""",
        rows=rows,
    )
    await embed(connection, "Article", "n.title")
    await vector_index(connection, "news", "Article", ["language", "source", "sentiment", "date", "published_date"])
