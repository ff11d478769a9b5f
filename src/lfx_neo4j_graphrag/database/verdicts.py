"""Statements whose EXPLAIN was found harmless lately, so that a repeated question costs no second look.

A verdict depends on the text, the database, the user's rights and the procedures that the server has. The first three
are in the key; the last may be replaced at any time, so a verdict is believed for VERDICT_SECONDS only, and the READ
transaction behind it is never left out. Keys hold a digest, not the text. Refusals are not kept: they raise.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from typing import Any

from ..defaults import VERDICT_SECONDS, VERDICTS
from .connection import Connection

_lock = threading.Lock()
_verdicts: OrderedDict[tuple, tuple[float, list[dict[str, Any]]]] = OrderedDict()


def verdict_key(connection: Connection, text: str, allowed: frozenset[str]) -> tuple:
    """What a verdict depends on."""
    digest = hashlib.sha256(text.encode()).digest()
    return (connection.uri, connection.username, connection.database, allowed, digest)


def recall(key: tuple) -> list[dict[str, Any]] | None:
    """The notifications of a statement that was found harmless within VERDICT_SECONDS, else None."""
    with _lock:
        known = _verdicts.get(key)
        if known is None or known[0] < time.monotonic():
            return None
        _verdicts.move_to_end(key)
        return known[1]


def remember(key: tuple, notifications: list[dict[str, Any]]) -> None:
    """Keep that the statement of ``key`` was found harmless now."""
    with _lock:
        _verdicts[key] = (time.monotonic() + VERDICT_SECONDS, notifications)
        _verdicts.move_to_end(key)
        while len(_verdicts) > VERDICTS:
            _verdicts.popitem(last=False)
