"""The table of what is believed for a while."""

from __future__ import annotations

import threading

import pytest

from lfx_neo4j_graphrag.database import expiring
from lfx_neo4j_graphrag.database.expiring import Expiring


def test_forgets_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(expiring.time, "monotonic", lambda: now)
    table = Expiring(60, 10)
    table.put("a", 1)
    assert table.get("a") == 1
    now = 159.0
    assert table.get("a") == 1
    now = 161.0
    assert table.get("a") is None
    table.put("a", 2)
    assert table.get("a") == 2


def test_keeps_what_was_used_last() -> None:
    table = Expiring(60, 2)
    table.put("a", 1)
    table.put("b", 2)
    assert table.get("a") == 1
    table.put("c", 3)
    assert [table.get(key) for key in "abc"] == [1, None, 3]
    table.clear()
    assert table.get("a") is None


def test_threads_do_not_break_it() -> None:
    table = Expiring(60, 50)

    def work(seed: int) -> None:
        for number in range(2_000):
            table.put((seed * number) % 97, number)
            table.get(number % 97)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(table.get(key) is not None for key in range(97)) == 50
