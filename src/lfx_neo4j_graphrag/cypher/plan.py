"""The second layer: what the server itself says that a statement would do (EXPLAIN)."""

from __future__ import annotations

from ..errors import QueryRefused


def check_plan(query_type: str, plan: dict, *, writing: bool = False, allowed_procedures: frozenset[str] = frozenset()) -> None:
    """Raise QueryRefused unless the server's plan only reads (``writing``: only reads and writes data)."""
    if query_type not in ({"r", "w", "rw"} if writing else {"r"}):
        raise QueryRefused("The query would do more than read data.", "Ask for data with MATCH and RETURN.")
