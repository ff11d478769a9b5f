"""What the live tests of Build Graph share."""

from __future__ import annotations

import asyncio

import pytest
from build_stubs import ReadingModel

from lfx_neo4j_graphrag.database.connection import driver_for
from lfx_neo4j_graphrag.operations import model as model_room
from lfx_neo4j_graphrag.operations.build_graph import BuildGraphRequest, build_graph

PATTERNS = "(Incidencia)-[:DE_CLIENTE]->(Cliente)\n(Incidencia)-[:EN_MAQUINA]->(Maquina)"
TYPES = "Incidencia(codigo, fecha: date, estado: abierta | cerrada), Cliente(nombre), Maquina(modelo, marca)"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A user who has never built a graph, and waits that take no time."""
    monkeypatch.setenv("NEO4J_GRAPHRAG_HOME", str(tmp_path / "home"))

    async def sleep(seconds):
        await asyncio.sleep(0)

    monkeypatch.setattr(model_room, "_sleep", sleep)
    return tmp_path / "home"


async def query(connection, cypher, **parameters):
    async with driver_for(connection) as driver:
        return [record.values() for record in (await driver.execute_query(cypher, parameters)).records]


async def graph_of(connection):
    """Everything but texts and vectors, comparable."""
    nodes = await query(connection, "MATCH (n) RETURN labels(n), properties(n)")
    links = await query(connection, "MATCH (a)-[r]->(b) RETURN properties(a), type(r), properties(r), properties(b)")

    def plain(value):
        if isinstance(value, dict):
            return tuple(sorted((k, str(v)) for k, v in value.items() if k not in ("embedding",)))
        return str(value)

    return sorted(tuple(map(plain, row)) for row in nodes), sorted(tuple(map(plain, row)) for row in links)


def incident(code, state=None, client="Ana", day="2026-07-03", **more):
    properties = {"codigo": code, "fecha": day} | ({"estado": state} if state else {})
    return {"Incidencia": [properties | {"DE_CLIENTE": client} | more]}


def request(documents, model, **more):
    return BuildGraphRequest(
        **({"documents": documents, "model": model, "allowed_patterns": PATTERNS, "node_types": TYPES} | more)
    )


async def run(connection, documents, answer, **more):
    model = answer if isinstance(answer, ReadingModel) else ReadingModel(answer)
    result = await build_graph(connection, request(documents, model, **more))
    return result.details["report"] | {"status": result.details["status"], "text": result.text, "rows": result.rows}


async def state(connection, code="INC-1"):
    return (await query(connection, "MATCH (i:Incidencia {codigo: $code}) RETURN i.estado", code=code))[0][0]
