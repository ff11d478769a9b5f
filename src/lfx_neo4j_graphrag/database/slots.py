"""How many statements of users may run on a server at once, counted for the whole process.

Giving up on a statement frees the caller, not always the server: some work cannot be stopped. So a statement that
was given up on keeps its slot until the server no longer lists it. That is looked up when the next caller needs a
slot, never by a background task: Langflow waits for all tasks of a loop before it closes it.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from ..defaults import GIVEN_UP_SECONDS, SLOT_WAIT, USER_STATEMENTS
from ..errors import QueryTimeout

# Asked with ids of statements that were given up on: those that the server still lists; None when it cannot say.
StillListed = Callable[[list[str]], Awaitable[set[str] | None]]

_lock = threading.Lock()  # callers live in several threads, each with its own loop
_slots: dict[str, dict[str, Slot]] = {}
_waiting: dict[str, deque[tuple[asyncio.AbstractEventLoop, asyncio.Event]]] = {}


@dataclass
class Slot:
    """``busy``: the server may be working on the statement. ``given_up``: since when nobody waits for it (monotonic seconds)."""

    statement: str
    ends_by: float
    busy: bool = False
    given_up: float | None = None

    def left_at(self) -> float | None:
        """When its caller left it, or should have: a loop that was dropped half-way leaves nothing else behind."""
        return self.given_up or (self.ends_by if time.monotonic() > self.ends_by else None)


@asynccontextmanager
async def statement_slot(server: str, statement: str, seconds: float, still_listed: StillListed) -> AsyncIterator[Slot]:
    """One of the USER_STATEMENTS of ``server`` (its URI) for the statement of this id, which ends within ``seconds``.

    Raises QueryTimeout (kind ``busy``) when none gets free within SLOT_WAIT.
    """
    slot = Slot(statement, time.monotonic() + seconds)
    until = time.monotonic() + SLOT_WAIT
    while not _take(server, slot):
        if await _sweep(server, still_listed):
            continue
        if time.monotonic() >= until:
            raise QueryTimeout(
                f"{USER_STATEMENTS} statements are still running on this server (the server may be unable to stop some of them).",
                "Try again in a moment.",
                kind="busy",
            )
        await _wait(server, 0.2)
    try:
        yield slot
    finally:
        if slot.busy:
            slot.given_up = time.monotonic()
        else:
            _free(server, {statement})


def _take(server: str, slot: Slot) -> bool:
    with _lock:
        table = _slots.setdefault(server, {})
        if len(table) >= USER_STATEMENTS:
            return False
        table[slot.statement] = slot
        return True


async def _sweep(server: str, still_listed: StillListed) -> bool:
    """Free the slots of statements that were given up on and have ended; True when there were any."""
    with _lock:
        left = {name: since for name, slot in _slots.get(server, {}).items() if (since := slot.left_at()) is not None}
    if not left:
        return False
    listed = await still_listed(list(left))
    now = time.monotonic()
    if listed is None:
        ended = {name for name, since in left.items() if now - since > GIVEN_UP_SECONDS}
    else:
        ended = set(left) - listed
    _free(server, ended)
    return bool(ended)


def _free(server: str, statements: set[str]) -> None:
    with _lock:
        table = _slots.get(server, {})
        for statement in statements:
            table.pop(statement, None)
        if not table:
            _slots.pop(server, None)
        for _ in statements:
            _wake_one(_waiting.get(server, deque()))


def _wake_one(waiting: deque[tuple[asyncio.AbstractEventLoop, asyncio.Event]]) -> None:
    while waiting:
        loop, event = waiting.popleft()
        try:
            loop.call_soon_threadsafe(event.set)
            return
        except RuntimeError:  # that loop has closed meanwhile
            continue


async def _wait(server: str, seconds: float) -> None:
    entry = (asyncio.get_running_loop(), asyncio.Event())
    with _lock:
        _waiting.setdefault(server, deque()).append(entry)
    try:
        async with asyncio.timeout(seconds):
            await entry[1].wait()
    except TimeoutError:
        pass
    finally:
        with _lock:
            waiting = _waiting.get(server, deque())
            if entry in waiting:
                waiting.remove(entry)
            if not waiting:
                _waiting.pop(server, None)
