"""Loads and searches while the server is killed, the network cut and the disk full: nothing lost, nothing twice.

The short version of ``bench/run_soak.py``; a server of its own, never the shared one.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from faults import Server  # noqa: E402
from run_soak import LOADERS, Soak, both_rows, check, own_rows, run, until_saved  # noqa: E402
from saving import ask  # noqa: E402


async def test_nothing_that_was_reported_saved_is_lost_or_twice(tmp_path, request: pytest.FixtureRequest, quick_java):
    full_disk = "limit" if sys.platform.startswith("linux") else "none"
    server = Server(tmp_path / "home", request.config.getoption("--neo4j"), quick_java, full_disk)
    soak = await run(server, minutes=0.5, rows=600, kills=1, cuts=2, outage=3)
    assert soak.broken == []
    assert [fault.split(",")[0] for fault in soak.faults] == ["kill", "cut", *(["full disk"] if full_disk == "limit" else []), "silence"]
    assert set(soak.saved) == set(LOADERS) and soak.done["Cypher Query"] and soak.done["Graph Schema"]
    assert soak.failed, "no fault was felt: it was not a test"
    before, after = soak.growth()
    assert after - before < 60, (before, after)


@pytest.mark.parametrize(
    "damage",
    [
        "MATCH (p:Pedido {id: 'A000003'}) DETACH DELETE p",
        "MATCH (p:Pedido {id: 'B000003'}) SET p.ronda = 0",
        "MATCH (p:Pedido {id: 'A000003'}), (c:Cliente) WITH p, c LIMIT 2 MERGE (p)-[:DE_CLIENTE]->(c)",
        "MATCH (p:Pedido {id: 'S000003'})-[r:EN_TIENDA]->() DELETE r",
        "MATCH (p:Pedido {id: 'A000003'}) SET p.embedding = [x IN p.embedding | -x]",
        "MATCH (p:Pedido {id: 'A000003'}) REMOVE p.embedding",
    ],
)
async def test_the_comparison_notices(connection, damage):
    soak = Soak(20, saved={"A": 1, "B": 1})
    for name in LOADERS:
        await until_saved(soak, connection, name, 1, own_rows(name, 1, 20))
        await until_saved(soak, connection, name, 0, both_rows(name, 1))
    await check(soak, connection)
    assert soak.broken == []
    await ask(connection, damage)
    await check(soak, connection)
    assert soak.broken
