"""The MCP server in front of a real Neo4j, driven by the official client."""

from __future__ import annotations

import sys

import pytest

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.local.embeddings import LocalEmbeddings
from lfx_neo4j_graphrag.mcp_server.server import McpServer
from lfx_neo4j_graphrag.mcp_server.settings import load


@pytest.fixture
def mcp_server(connection: Connection):
    """Makes a McpServer in this process, on the empty database: ``mcp_server(token_limit=300, …)``."""

    def make(**flags) -> McpServer:
        settings = load({name: str(value) for name, value in flags.items()}, {})
        return McpServer(settings, lambda: connection, LocalEmbeddings)

    return make


@pytest.fixture
def database(connection: Connection) -> dict[str, str]:
    """The environment with which a server process reaches the empty database."""
    return {"NEO4J_URI": connection.uri, "NEO4J_USERNAME": connection.username, "NEO4J_PASSWORD": connection.password}


@pytest.fixture(scope="session")
def mcp_python(request: pytest.FixtureRequest) -> str:
    """The Python that runs server processes: this one, or one with another version of ``mcp``."""
    return request.config.getoption("--mcp-python") or sys.executable
