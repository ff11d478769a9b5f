"""Two loads of the same rows at once: a row never keeps the links of both."""

from __future__ import annotations

import asyncio
import random

import pytest

from lfx_neo4j_graphrag.operations import row_saver
from saving import ask, save

LINES = "cliente -> DE_CLIENTE -> Cliente.nombre"
WRONG = "MATCH (p:Pedido) WHERE COUNT { (p)-[:DE_CLIENTE]->() } <> 1 RETURN count(p)"


def rows(seed: int, prefix: str) -> list[dict]:
    """The same 500 orders for every seed, of other customers; the order of the rows differs too."""
    rng = random.Random(seed)
    made = [{"id": f"{prefix}{i}", "cliente": f"Cliente {rng.randrange(50)}"} for i in range(500)]
    rng.shuffle(made)
    return made


async def load(connection, seed: int, prefix: str) -> dict:
    return await save(connection, rows(seed, prefix), label="Pedido", key="id", lines=LINES)


async def test_both_move_the_same_links(connection):
    await load(connection, 0, "P")
    for turn in range(1, 9):
        await asyncio.gather(load(connection, 2 * turn, "P"), load(connection, 2 * turn + 1, "P"))
        assert await ask(connection, WRONG) == [[0]]
    assert await ask(connection, "MATCH (p:Pedido) RETURN count(p), count(DISTINCT p.id)") == [[500, 500]]


async def test_both_make_the_same_rows(connection, monkeypatch):
    monkeypatch.setattr(row_saver, "WRITE_BATCH", 50)  # many batches in another order: the loads meet again and again
    for turn in range(4):
        await asyncio.gather(load(connection, 2 * turn, f"P{turn}-"), load(connection, 2 * turn + 1, f"P{turn}-"))
        assert await ask(connection, WRONG) == [[0]]
    assert await ask(connection, "MATCH (p:Pedido) RETURN count(p), count(DISTINCT p.id)") == [[2000, 2000]]


@pytest.mark.parametrize("links", ["Cliente 1", ["Cliente 1", "Cliente 2"]])
async def test_a_node_that_appears_after_the_look_gets_the_links_of_the_row_alone(connection, monkeypatch, links):
    """The row was looked for and not there; before it is written another load has made it, with another customer."""
    monkeypatch.setattr(row_saver, "WRITE_STREAMS", 1)
    await save(connection, [{"id": "A", "cliente": "Cliente 9"}], label="Pedido", key="id", lines=LINES)
    looks = row_saver.RowSaver._changes

    async def blind(self, batch):
        return row_saver.compare(batch, [], self.shape) if self._replace else await looks(self, batch)

    monkeypatch.setattr(row_saver.RowSaver, "_changes", blind)
    await save(connection, [{"id": "A", "cliente": links}], label="Pedido", key="id", lines=LINES)
    found = await ask(connection, "MATCH (:Pedido {id: 'A'})-[:DE_CLIENTE]->(c) RETURN c.nombre AS nombre ORDER BY nombre")
    assert [row[0] for row in found] == ([links] if isinstance(links, str) else links)
