"""Fixtures of the live tests: one fresh Neo4j per run, and an empty database for every test.

``--neo4j VERSION`` chooses the embedded server; ``NEO4J_TEST_URI`` (with ``NEO4J_TEST_USERNAME`` and
``NEO4J_TEST_PASSWORD``) uses another one instead. The variables of the user's own database are never read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

TEST_SERVER = {name: os.environ.get(f"NEO4J_TEST_{name}", "") for name in ("URI", "USERNAME", "PASSWORD", "WIPE")}
for variable in [name for name in os.environ if name.startswith("NEO4J_") and name != "NEO4J_GRAPHRAG_CACHE"]:
    del os.environ[variable]

from lfx_neo4j_graphrag.database.connection import Connection, driver_for  # noqa: E402
from lfx_neo4j_graphrag.local import server as embedded  # noqa: E402


def pytest_addoption(parser: pytest.Parser) -> None:
    versions = sorted(embedded.MAIN_CLASSES)
    parser.addoption("--neo4j", default=embedded.DEFAULT_VERSION, choices=versions, help="Neo4j version of the live tests")
    parser.addoption("--mcp-python", default="", help="Python of another environment to run MCP server processes with")


@pytest.fixture(scope="session", autouse=True)
def _private_home(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test, not even one that forgets to, finds the user's embedded server or its password."""
    os.environ["NEO4J_GRAPHRAG_HOME"] = str(tmp_path_factory.mktemp("no-server"))


@pytest.fixture(scope="session")
def quick_java() -> tuple[str, ...]:
    """Java's second compiler pays off after minutes; without it a start takes half the computing time."""
    return ("-XX:TieredStopAtLevel=1",)


@pytest.fixture(scope="session")
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, quick_java: tuple[str, ...]
) -> Iterator[Connection]:
    """A Connection to a server that belongs to this run (a real password; wrong ones don't lock it)."""
    if TEST_SERVER["URI"]:
        yield Connection(TEST_SERVER["URI"], TEST_SERVER["USERNAME"] or "neo4j", TEST_SERVER["PASSWORD"])
        return
    folder: Path = tmp_path_factory.mktemp("server")
    settings = {"dbms.security.auth_max_failed_attempts": "0"}
    version = request.config.getoption("--neo4j")
    yield embedded.start(folder, version=version, settings=settings, java_options=quick_java).connection
    embedded.stop(folder)


@pytest.fixture(scope="session")
def server_version(server: Connection) -> str:
    """The version that the server itself names."""
    from neo4j import GraphDatabase

    with GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        cypher = "CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions[0] AS version"
        records = driver.execute_query(cypher).records
    return records[0]["version"]


_may_wipe: set[str] = set()


@pytest.fixture
async def connection(server: Connection) -> Connection:
    """The server with an empty database: no node, relationship, constraint or index of anybody's."""
    if TEST_SERVER["URI"] and TEST_SERVER["WIPE"] != "1" and server.uri not in _may_wipe:
        await _refuse_unless_empty(server)
        _may_wipe.add(server.uri)
    await wipe(server)
    return server


async def _refuse_unless_empty(server: Connection) -> None:
    async with driver_for(server) as driver:
        records = (await driver.execute_query("MATCH (n) RETURN count(n) AS nodes")).records
    if records[0]["nodes"]:
        pytest.exit("The database at NEO4J_TEST_URI is not empty. Set NEO4J_TEST_WIPE=1 if everything in it may be deleted.", 2)


async def wipe(server: Connection) -> None:
    """Delete all data, constraints and indexes. The two token look-up indexes that every database has stay."""
    async with driver_for(server) as driver:
        for kind in ("CONSTRAINTS", "INDEXES"):
            where = "WHERE type <> 'LOOKUP' " if kind == "INDEXES" else ""
            names = [r["name"] for r in (await driver.execute_query(f"SHOW {kind} YIELD name, type {where}RETURN name")).records]
            for name in names:
                await driver.execute_query(f"DROP {kind[:-1] if kind == 'CONSTRAINTS' else 'INDEX'} $name IF EXISTS", name=name)
        # Relationships first: one hub among the nodes would fill the transaction's memory.
        for pattern in ("()-[x]->()", "(x)"):
            some = f"MATCH {pattern} WITH x LIMIT 20000 DELETE x RETURN count(*) AS n"
            while (await driver.execute_query(some)).records[0]["n"] == 20_000:
                pass
