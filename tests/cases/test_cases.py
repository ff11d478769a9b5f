"""Every case of visible.yaml and own.yaml as a test."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from notation import load  # noqa: E402
from run import Case  # noqa: E402

CASES = [pytest.param(case, id=case["id"]) for name in ("visible.yaml", "own.yaml") for case in load(HERE / name)]


@pytest.mark.parametrize("case", CASES)
async def test_case(case, connection):
    assert await Case(case, connection).run() == []
