"""Pictures: what is drawn, and that nothing in the data becomes part of the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from lfx_neo4j_graphrag.cli.pictures import schema_graph, write_picture
from lfx_neo4j_graphrag.errors import InputError
from lfx_neo4j_graphrag.retrieval.lines import Neighbour, Neighbours
from lfx_neo4j_graphrag.retrieval.picture import graph_of
from lfx_neo4j_graphrag.schema.model import Label, Pattern, Property, Schema
from lfx_neo4j_graphrag.schema.render import to_json

BAR = Neighbour(("Cliente",), {"nombre": "Bar Sol"}, id="3")
HITS = [
    {"id": "1", "labels": ["Incidencia"], "properties": {"codigo": "INC-1", "label": "azul"}},
    {"id": "2", "labels": ["Incidencia"], "properties": {"codigo": "INC-2"}},
]
KEYS = {"Incidencia": ["codigo"]}


def test_a_shared_neighbour_is_drawn_once_and_links_keep_their_direction() -> None:
    replaced = Neighbours("SUSTITUYE", False, 1, (Neighbour(("Incidencia",), {"codigo": "INC-2"}, id="2"),))
    groups = {"1": (Neighbours("DE_CLIENTE", True, 1, (BAR,)), replaced), "2": (Neighbours("DE_CLIENTE", True, 1, (BAR,)),)}
    graph = graph_of(HITS, groups, KEYS)
    assert {id: (node["label"], node["name"], node["hit"]) for id, node in graph["nodes"].items()} == {
        "1": ("Incidencia", "INC-1", True),
        "2": ("Incidencia", "INC-2", True),
        "3": ("Cliente", "Bar Sol", False),
    }
    assert graph["links"] == [("1", "DE_CLIENTE", "3"), ("2", "SUSTITUYE", "1"), ("2", "DE_CLIENTE", "3")]


def test_neighbours_of_neighbours_are_drawn_too() -> None:
    far = Neighbour(("Zona",), {"nombre": "Norte"}, id="9")
    near = Neighbour(("Cliente",), {"nombre": "Bar Sol"}, groups=(Neighbours("EN", True, 1, (far,)),), id="3")
    graph = graph_of(HITS[:1], {"1": (Neighbours("DE_CLIENTE", True, 1, (near,)),)}, KEYS)
    assert graph["links"] == [("1", "DE_CLIENTE", "3"), ("3", "EN", "9")]


def test_the_schema_as_a_graph_with_counts() -> None:
    labels = (Label("Cliente", 8), Label("Incidencia", 1200, properties=(Property("codigo", ("string",)),)))
    schema = Schema(labels=labels, patterns=(Pattern("Incidencia", "DE_CLIENTE", "Cliente", 24),))
    graph = schema_graph(to_json(schema))
    assert [node["name"] for node in graph["nodes"].values()] == ["Cliente (8)", "Incidencia (1,200)"]
    assert graph["nodes"]["Incidencia"]["properties"] == {"codigo": "string"}
    assert graph["links"] == [("Incidencia", "DE_CLIENTE", "Cliente")]


def test_the_page_stands_alone_and_data_stay_data(tmp_path: Path) -> None:
    hostile = "</script><script>document.title='taken'</script>"
    hits = [{"id": "1", "labels": ["A"], "properties": {"nombre": hostile, "label": "x"}}]
    write_picture(tmp_path / "a.html", graph_of(hits, {}, {}))
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert hostile not in page and "document.title=" in page
    assert 'src="http' not in page and '<link rel="stylesheet" href="http' not in page


def test_an_empty_graph_and_a_folder_that_is_not_there(tmp_path: Path) -> None:
    empty = {"nodes": {}, "links": []}
    write_picture(tmp_path / "leer.html", empty)
    assert (tmp_path / "leer.html").stat().st_size > 1000
    with pytest.raises(InputError, match="can't be written"):
        write_picture(tmp_path / "no" / "a.html", empty)
