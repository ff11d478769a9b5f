"""A second examination, on a graph that others made: 20 questions over Star Wars with answers computed by pandas.

    git clone https://github.com/neo4j-graph-examples/star-wars     # into a folder, GRAPH_EXAMPLES_DIR
    python bench/exam/build_star_wars.py FOLDER                     # writes star_wars.yaml
    python bench/exam/build_star_wars.py FOLDER --uri bolt://…      # and loads the graph: WIPES the database

The data are not copied here, because they name no licence. They are loaded as published: numbers are texts such as
'1,358' and 'unknown', five labels share the type APPEARED_IN, and nothing was renamed or mended.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import pandas as pd
from exam_file import write
from neo4j import Driver, GraphDatabase

LABELS = ("Character", "Film", "Planet", "Species", "Starship", "Vehicle")
TYPES = ("APPEARED_IN", "HOMEWORLD", "OF", "PILOT")
EXAMPLES = """Question: How many vehicles appear in A New Hope?
Cypher: MATCH (v:Vehicle)-[:APPEARED_IN]->(:Film {title: 'A New Hope'}) RETURN count(v) AS vehicles

Pregunta: ¿Qué personajes de Naboo salen en The Phantom Menace?
Cypher: MATCH (c:Character)-[:HOMEWORLD]->(:Planet {name: 'Naboo'}), (c)-[:APPEARED_IN]->(:Film {title: 'The Phantom Menace'}) RETURN c.name AS personaje
"""


def read(folder: Path) -> dict[str, pd.DataFrame]:
    """The published tables by label or type, every cell a text; ``id`` joins them."""
    names = {label: f"nodes.{label}" for label in LABELS} | {kind: f"relationships.{kind}" for kind in TYPES}
    tables = {}
    for name, file in names.items():
        path = folder / "star-wars" / "import" / f"starwars.{file}.csv"
        tables[name] = pd.read_csv(path, dtype=str, keep_default_na=False).rename(columns={":ID": "id", ":START_ID": "start", ":END_ID": "end"})
    return tables


def questions(tables: dict[str, pd.DataFrame]) -> list[tuple[str, str, object]]:
    """(kind, question, expected answer)."""
    character, film, planet, species, starship = (tables[label] for label in LABELS[:5])

    def joined(left: pd.DataFrame, kind: str, right: pd.DataFrame) -> pd.DataFrame:
        """A row for each relationship, with the columns of both ends: ``name`` of the start, ``name_end`` of the end."""
        return left.merge(tables[kind], left_on="id", right_on="start").merge(right, left_on="end", right_on="id", suffixes=("", "_end"))

    def unique(series: pd.Series) -> list[str]:
        return sorted(set(series))

    def top(sizes: pd.Series) -> list[str]:
        return sorted(sizes[sizes == sizes.max()].index)

    def counts(series: pd.Series) -> list[list]:
        return [[k, int(v)] for k, v in series.value_counts().items()]

    cast = joined(character, "APPEARED_IN", film)
    home = joined(character, "HOMEWORLD", planet)
    kinds = joined(character, "OF", species)
    flown = joined(character, "PILOT", pd.concat([starship, tables["Vehicle"]]))
    ships = joined(character, "PILOT", starship)
    shown = joined(planet, "APPEARED_IN", film)
    height = pd.to_numeric(character.height.str.replace(",", ""), errors="coerce")
    droids = pd.to_numeric(kinds[kinds.name_end == "Droid"].height.str.replace(",", ""), errors="coerce")
    films_of = cast.groupby("name").title.apply(set)
    late = film[film.release_date >= "1991"].sort_values("release_date")
    leia = home[home.name == "Leia Organa"].end
    return [
        ("count", "How many characters appear in Return of the Jedi?", int((cast.title == "Return of the Jedi").sum())),
        ("count", "How many characters of each gender appear in A New Hope?", counts(cast[cast.title == "A New Hope"].gender)),
        ("order", "¿Qué personaje ha pilotado más naves y vehículos?", top(flown.groupby("name").end.nunique())),
        ("order", "Which film shows the most planets?", top(shown.groupby("title").id.nunique())),
        ("order", "Which characters have appeared in the most films?", top(cast.groupby("name").end.nunique())),
        ("dates", "Which films were released in the 1980s?", unique(film[film.release_date.str.startswith("198")].title)),
        ("dates", "¿Cuál fue la primera película que se estrenó después de 1990?", [late.title.iloc[0]]),
        ("dates", "How many films directed by George Lucas came out after 1998?",
         int(((film.director == "George Lucas") & (film.release_date >= "1999")).sum())),
        ("numbers", "Who is the tallest character?", unique(character[height == height.max()].name)),
        ("numbers", "¿Cuál es la altura media de los droides?", round(float(droids.mean()), 2)),
        ("hops", "Which characters from Tatooine have piloted a starship?", unique(home[(home.name_end == "Tatooine") & home.id.isin(ships.id)].name)),
        ("hops", "¿De qué planetas son los pilotos del Millennium Falcon?",
         unique(home[home.id.isin(ships[ships.name_end == "Millennium Falcon"].id)].name_end)),
        ("hops", "How many characters of each species appear in The Empire Strikes Back?",
         counts(kinds[kinds.id.isin(cast[cast.title == "The Empire Strikes Back"].id)].name_end)),
        ("hops", "¿Qué otros personajes son del mismo planeta que Leia Organa?",
         unique(home[home.end.isin(leia) & (home.name != "Leia Organa")].name)),
        ("negation", "Which characters of A New Hope appear in no other film?", sorted(films_of[films_of == {"A New Hope"}].index)),
        ("negation", "¿Cuántos planetas no salen en ninguna película?", int((~planet.id.isin(shown.id)).sum())),
        ("nothing", "Which films were released in 2015?", unique(film[film.release_date.str.startswith("2015")].title)),
        ("nothing", "How many starships has Rey Skywalker piloted?", int((ships.name == "Rey Skywalker").sum())),
        ("spelling", "en que peliculas sale lando calrisian", unique(cast[cast.name == "Lando Calrissian"].title)),
        ("spelling", "What is the homeworld of Anakin Skywaker?", home[home.name == "Anakin Skywalker"].name_end.iloc[0]),
    ]  # fmt: skip


def load(driver: Driver, tables: dict[str, pd.DataFrame]) -> None:
    """Wipe the database and make the graph; an empty cell is no property, as in Neo4j's own import."""
    driver.execute_query("MATCH (n) DETACH DELETE n")
    ids: dict[str, str] = {}
    for label in LABELS:
        rows = [{k: v for k, v in row.items() if v != "" and k != ":LABEL"} for row in tables[label].to_dict("records")]
        for row in rows:
            if "episode_id:long" in row:  # the only column that its header gives a type
                row["episode_id"] = int(row.pop("episode_id:long"))
        statement = f"UNWIND $rows AS row CREATE (n:{label}) SET n = row.properties RETURN row.id AS id, elementId(n) AS element"
        parameters = [{"id": row.pop("id"), "properties": row} for row in rows]
        ids |= {r["id"]: r["element"] for r in driver.execute_query(statement, rows=parameters).records}
    for kind in TYPES:
        pairs = [[ids[start], ids[end]] for start, end in zip(tables[kind].start, tables[kind].end, strict=True)]
        driver.execute_query(
            f"UNWIND $pairs AS pair MATCH (a) WHERE elementId(a) = pair[0] MATCH (b) WHERE elementId(b) = pair[1] CREATE (a)-[:{kind}]->(b)",
            pairs=pairs,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=os.environ.get("GRAPH_EXAMPLES_DIR", "."))
    parser.add_argument("--uri", default="")
    parser.add_argument("--username", default="")
    parser.add_argument("--password", default="")
    args = parser.parse_args()
    tables = read(Path(args.folder))
    write(Path(__file__).with_name("star_wars.yaml"), EXAMPLES, questions(tables))
    if args.uri:
        with GraphDatabase.driver(args.uri, auth=(args.username, args.password) if args.username else None) as driver:
            load(driver, tables)
            print(driver.execute_query("MATCH (n) RETURN count(n) AS nodes, COUNT { ()-->() } AS relationships").records[0].data())


if __name__ == "__main__":
    main()
