"""What every operation gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Result:
    """``text`` is what a person or an agent reads, ``rows`` the table, ``details`` plain metadata (JSON-safe)."""

    text: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)
