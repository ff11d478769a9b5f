"""Streams of batches, counters, and the driver's retry lines. No server."""

from __future__ import annotations

import asyncio

import pytest

from lfx_neo4j_graphrag.database.writing import Counters, in_streams
from lfx_neo4j_graphrag.errors import QueryFailed


def test_counters_add_up():
    total = Counters(nodes_created=1, retries=2) + Counters(nodes_created=3, properties_set=4)
    assert (total.nodes_created, total.properties_set, total.retries) == (4, 4, 2)


@pytest.mark.parametrize("streams", [1, 2, 5])
async def test_every_batch_once_and_no_more_at_a_time_than_streams(streams):
    seen, now, most = [], 0, 0

    async def save(batch):
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0)
        seen.append(batch)
        now -= 1

    await in_streams(range(20), save, streams)
    assert sorted(seen) == list(range(20)) and most == streams


async def test_an_error_stops_all_and_is_raised_as_it_is():
    seen = []

    async def save(batch):
        if batch == 3:
            raise QueryFailed("No.", "Do.")
        await asyncio.sleep(0.01)
        seen.append(batch)

    with pytest.raises(QueryFailed, match="No."):
        await in_streams(range(1000), save, 2)
    assert len(seen) < 10


async def test_cancelling_between_batches_keeps_what_was_saved():
    seen = []

    async def save(batch):
        seen.append(batch)
        await asyncio.sleep(0.01)

    task = asyncio.create_task(in_streams(range(1000), save, 1))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    count = len(seen)
    await asyncio.sleep(0.03)
    assert 0 < count == len(seen) < 1000
