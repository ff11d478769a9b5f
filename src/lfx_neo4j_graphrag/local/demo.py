"""The example of the documentation: 24 incidents of a firm that repairs coffee machines."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..database.connection import Connection
from ..operations.add_records import AddRecordsRequest, add_records
from ..operations.cypher_query import CypherQueryRequest, cypher_query
from ..operations.graph_schema import GraphSchemaRequest, graph_schema
from ..operations.hybrid import HybridRequest, hybrid
from ..operations.result import Result
from .embeddings import LocalEmbeddings, local_embeddings_available
from .jars import Progress

LABEL, KEY = "Incidencia", "codigo"
RELATIONSHIPS = """\
cliente -> DE_CLIENTE -> Cliente.nombre
tecnico -> ASIGNADA_A -> Tecnico.nombre
modelo -> EN_MAQUINA -> Maquina.modelo (marca)"""
OPEN_INCIDENTS = """\
MATCH (i:Incidencia {estado: 'abierta'})-[:ASIGNADA_A]->(:Tecnico {nombre: $tecnico}),
      (i)-[:DE_CLIENTE]->(c:Cliente), (i)-[:EN_MAQUINA]->(m:Maquina)
RETURN i.codigo AS codigo, i.fecha AS fecha, c.nombre AS cliente, m.modelo AS maquina
ORDER BY fecha"""
SIMILAR = "Una Aurora no dosifica y marca E07: ¿ha pasado antes y quién lo arregló?"
PATIENCE = 60  # seconds: a machine that has just installed everything may be slow, and a partial answer shows nothing


def example_rows() -> list[dict[str, Any]]:
    """The 24 rows, from the installed package or from the checkout that it is an editable install of."""
    packaged = files("lfx_neo4j_graphrag") / "assets" / "incidencias.json"
    source = packaged if packaged.is_file() else Path(__file__).parents[3] / "assets" / "incidencias.json"
    return json.loads(source.read_text(encoding="utf-8"))


def _embedder() -> LocalEmbeddings | None:
    return LocalEmbeddings() if local_embeddings_available() else None


async def load_example(connection: Connection, progress: Progress | None = None) -> Result:
    """Save the example, with local embeddings where they are installed. A second time changes nothing."""
    request = AddRecordsRequest(
        rows=example_rows(),
        node_label=LABEL,
        key_property=KEY,
        relationships=RELATIONSHIPS,
        embedder=_embedder(),
        fulltext_analyzer="spanish",
        timeout=PATIENCE,
    )
    return await add_records(connection, request, progress)


async def ask_example(connection: Connection) -> AsyncIterator[tuple[str, str]]:
    """What can be asked of the example without a language model, each a title and its answer."""
    yield "Graph Schema", (await graph_schema(connection, GraphSchemaRequest(timeout=PATIENCE))).text
    question = CypherQueryRequest(cypher=OPEN_INCIDENTS, parameters={"tecnico": "Lucía Ortega"}, timeout=PATIENCE, format="table")
    yield "Cypher Query: the open incidents of Lucía Ortega", (await cypher_query(connection, question)).text
    search = HybridRequest(query=SIMILAR, embedder=_embedder(), neighbours=True, number_of_results=2, timeout=PATIENCE)
    yield f"Hybrid + Graph: {SIMILAR}", (await hybrid(connection, search)).text
