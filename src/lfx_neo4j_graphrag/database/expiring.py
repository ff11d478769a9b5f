"""What was found out about a server lately: a small table whose entries are believed for a while only."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any


class Expiring:
    """At most ``size`` entries, the least recently used go first; none is returned after ``seconds``. Safe in threads."""

    def __init__(self, seconds: float, size: int) -> None:
        self._seconds, self._size = seconds, size
        self._entries: OrderedDict[Hashable, tuple[float, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Any:
        """The value, or None when there is none that is fresh."""
        with self._lock:
            until, value = self._entries.get(key, (0.0, None))
            if until < time.monotonic():
                return None
            self._entries.move_to_end(key)
            return value

    def put(self, key: Hashable, value: Any) -> None:
        """Keep ``value``, which is not None, from now on for ``seconds``."""
        with self._lock:
            self._entries[key] = (time.monotonic() + self._seconds, value)
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()
