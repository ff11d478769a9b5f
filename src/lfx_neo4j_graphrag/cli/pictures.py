"""Pictures of a graph as one HTML file that opens in any browser, drawn by neo4j-viz."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import ExtraMissing, InputError
from .common import say

_LABEL = "(label)"  # no property of a user is called like this

HtmlOption = Annotated[Path | None, typer.Option("--html", help="Also write a picture to this file; opens in any browser.")]


def schema_graph(schema: dict[str, Any]) -> dict[str, Any]:
    """The JSON of Graph Schema as nodes (labels, with their counts) and links (patterns); see ``retrieval.picture``."""
    nodes = {
        label["name"]: {
            "label": label["name"] or "(no label)",
            "name": f"{label['name'] or '(no label)'} ({label['count']:,})",
            "properties": {p["name"]: ", ".join(p["types"]) for p in label["properties"]},
            "hit": True,
        }
        for label in schema["labels"]
    }
    links = [(p["start"], p["type"], p["end"]) for p in schema["patterns"] if {p["start"], p["end"]} <= nodes.keys()]
    return {"nodes": nodes, "links": links}


def write_picture(file: Path, graph: dict[str, Any]) -> None:
    """Draw the graph into ``file``. Raises ExtraMissing without the extra ``viz``, InputError when the file can't be written."""
    try:
        from neo4j_viz import Node, Relationship, VisualizationGraph
    except ImportError:
        raise ExtraMissing("A picture", "viz") from None
    nodes = [
        Node(id=id, caption=node["name"], size=45 if node["hit"] else 35, properties=node["properties"] | {_LABEL: node["label"]})
        for id, node in graph["nodes"].items()
    ]
    links = [
        Relationship(id=str(number), source=start, target=end, caption=kind) for number, (start, kind, end) in enumerate(graph["links"])
    ]
    drawn = VisualizationGraph(nodes, links)
    if nodes:
        drawn.color_nodes(property=_LABEL)
    try:
        file.write_text(drawn.render(height="100vh").data, encoding="utf-8")
    except OSError as error:
        raise InputError(f"The picture can't be written to {file} ({error.strerror}).", "Give a file in a folder of yours.") from None
    say(f"Picture: {file}")
