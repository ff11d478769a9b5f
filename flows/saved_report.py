"""What both saving flows end with: the report of the load in the Playground, and the schema of the graph after it."""

from __future__ import annotations

from typing import Any

from editor import Editor
from lfx.components.input_output import ChatOutput


def report_and_schema(flow: Editor, save: dict[str, Any], y: int) -> None:
    """To the right of the node ``save``: its report at ``y`` pixels, the schema below."""
    schema = flow.neo4j(
        *("esquema", 840, y + 420, "Neo4j GraphRAG · Esquema", "Describe lo que hay en el grafo cuando ha acabado la carga."),
        operation="Graph Schema",
    )
    report = flow.stock(ChatOutput, "informe", 1260, y, "Informe de la carga", "Lo que se ha guardado.", sender_name="Informe de la carga")
    described = flow.stock(ChatOutput, "grafo", 1260, y + 420, "Esquema del grafo", "Lo que hay en el grafo.", sender_name="Esquema del grafo")
    flow.connect(save, "result", report, "input_value")
    flow.connect(save, "result", schema, "run_after")
    flow.connect(schema, "result", described, "input_value")
