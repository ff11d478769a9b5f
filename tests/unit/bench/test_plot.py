"""Tables of measurements and their places in the page."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "bench"))

from plot import COLUMNS, draw_growth, draw_peers, growth_table, number, peers_table, put  # noqa: E402

FACTS = {"Neo4j": "2026.08.1"}
PEERS = {
    "circumstances": FACTS,
    "contenders": ["bare driver", "ours", "other"],
    "versions": {"other": "1.2"},
    "workloads": {
        "first load, s": {
            "bare driver": {"median": 2.0, "worst": 2.5},
            "ours": {"median": 3.0, "worst": 3.123, "note": "right"},
            "other": {"cannot": "needs APOC"},
        },
        "scripted": {"ours": {"note": "105 right"}},
    },
}
GROWTH = {
    what: {"circumstances": FACTS, "sizes": [{"size": size, "seconds": 0.01234, "bare_seconds": 0.01, "bare_ms": 1.0, "Vector_ms": 2.0,
     "Hybrid_ms": 3.0, "prompt_tokens": 500, "schema_tokens": 1234} for size in (1000, 10_000)]}
    for what in COLUMNS
}  # fmt: skip


def test_numbers_have_three_digits():
    assert [number(value) for value in (0.012345, 12.345, 1234.5, 7, "right", None)] == ["0.0123", "12.3", "1,234", "7", "right", "-"]


def test_ratios_are_to_the_bare_driver_and_who_cannot_run_says_why():
    rows = peers_table(PEERS).splitlines()
    assert rows[2:6] == [
        "| first load, s | bare driver | 2 | 2.5 | 1.00 |  |",
        "| first load, s | ours | 3 | 3.12 | 1.50 | right |",
        "| first load, s | other | - | - | - | needs APOC |",
        "| scripted | ours | - | - | - | 105 right |",
    ]


def test_a_table_of_growth_has_a_row_a_size():
    assert growth_table("prompts", GROWTH["prompts"]).splitlines()[2:4] == ["| 1,000 | 500 | 1,234 | - |", "| 10,000 | 500 | 1,234 | - |"]


def test_a_place_is_filled_again_and_nothing_around_it_changes():
    page = "a\n<!-- x -->\nold\n<!-- /x -->\nb\n"
    assert put(put(page, "x", "one \\1"), "x", "two") == "a\n<!-- x -->\n\ntwo\n\n<!-- /x -->\nb\n"
    with pytest.raises(ValueError):
        put(page, "y", "")


def test_the_page_has_a_place_for_everything():
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^<!-- (\w+) -->$", page, re.M)) == {*COLUMNS, "growth", "peers"}


def test_pictures(tmp_path):
    draw_growth(GROWTH, tmp_path)
    draw_peers(PEERS, tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {"growth.png", "growth.svg", "peers.png", "peers.svg"}
