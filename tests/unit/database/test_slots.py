"""At most four statements of users at once per server, whatever loops and threads they come from."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from lfx_neo4j_graphrag.database import slots
from lfx_neo4j_graphrag.database.slots import statement_slot
from lfx_neo4j_graphrag.defaults import USER_STATEMENTS
from lfx_neo4j_graphrag.errors import QueryTimeout


@pytest.fixture(autouse=True)
def _quick_and_clean(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(slots, "SLOT_WAIT", 0.3)
    slots._slots.clear()  # a live test may have left a statement that its server cannot stop
    yield
    slots._slots.clear()
    assert not slots._waiting


def server(listed: set[str] | None):
    """What the server says when it is asked which statements still run."""

    async def still_listed(statements: list[str]) -> set[str] | None:
        return None if listed is None else listed & set(statements)

    return still_listed


async def give_up(uri: str, count: int = USER_STATEMENTS) -> list[str]:
    names = [f"{uri}-{number}" for number in range(count)]
    for name in names:
        async with statement_slot(uri, name, 10, server(set())) as slot:
            slot.busy = True
    return names


async def test_a_fifth_waits_and_is_told() -> None:
    async with asyncio.timeout(5):
        held = [statement_slot("a", str(number), 10, server(set())) for number in range(USER_STATEMENTS)]
        for each in held:
            await each.__aenter__()
        started = time.monotonic()
        with pytest.raises(QueryTimeout, match="still running") as raised:
            async with statement_slot("a", "fifth", 10, server(set())):
                pass
        assert raised.value.kind == "busy" and 0.25 < time.monotonic() - started < 1.5
        async with statement_slot("another server", "first", 10, server(set())):
            pass
        for each in held:
            await each.__aexit__(None, None, None)
        async with statement_slot("a", "next", 10, server(set())):
            pass
    assert not slots._slots


async def test_a_waiting_one_gets_the_slot_that_is_freed() -> None:
    order = []

    async def work(number: int) -> None:
        async with statement_slot("b", str(number), 10, server(set())):
            order.append(number)
            await asyncio.sleep(0.002)

    started = time.monotonic()
    await asyncio.gather(*(work(number) for number in range(60)))
    assert len(order) == 60 and time.monotonic() - started < 0.3


async def test_given_up_statements_count_while_the_server_lists_them() -> None:
    names = await give_up("c")
    with pytest.raises(QueryTimeout):
        async with statement_slot("c", "x", 10, server(set(names))):
            pass
    async with statement_slot("c", "y", 10, server({names[0]})):
        assert set(slots._slots["c"]) == {names[0], "y"}


async def test_without_an_answer_they_count_for_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    await give_up("d")
    with pytest.raises(QueryTimeout):
        async with statement_slot("d", "x", 10, server(None)):
            pass
    monkeypatch.setattr(slots, "GIVEN_UP_SECONDS", 0.0)
    async with statement_slot("d", "y", 10, server(None)):
        assert set(slots._slots["d"]) == {"y"}


async def test_a_slot_that_its_caller_never_left_is_looked_up_too() -> None:
    """A loop that is closed half-way runs no clean-up."""
    lost = [statement_slot("e", str(number), 0.01, server(set())) for number in range(USER_STATEMENTS)]
    for each in lost:
        await each.__aenter__()
    await asyncio.sleep(0.02)
    async with statement_slot("e", "x", 10, server(set())):
        assert set(slots._slots["e"]) == {"x"}
    for each in lost:
        await each.__aexit__(None, None, None)


async def test_failing_and_cancelled_work_frees_its_slot_unless_the_server_may_go_on() -> None:
    for error, busy in [(ValueError("x"), False), (ValueError("x"), True), (asyncio.CancelledError(), True), (asyncio.CancelledError(), False)]:
        with pytest.raises(type(error)):
            async with statement_slot("f", "x", 10, server(set())) as slot:
                slot.busy = busy
                raise error
        assert ("x" in slots._slots.get("f", {})) is busy
        slots._slots.clear()


def test_threads_with_their_own_loops_share_the_four() -> None:
    most, now, lock = 0, 0, threading.Lock()

    async def work(number: int) -> None:
        nonlocal most, now
        async with statement_slot("g", str(number), 10, server(set())):
            with lock:
                now += 1
                most = max(most, now)
            await asyncio.sleep(0.003)
            with lock:
                now -= 1

    async def several(first: int) -> None:
        await asyncio.gather(*(work(first + number) for number in range(8)))

    threads = [threading.Thread(target=lambda first=first: asyncio.run(several(first))) for first in range(0, 64, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert most == USER_STATEMENTS and now == 0
