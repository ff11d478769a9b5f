"""Cypher that looks, before a write is committed, for what the server would not survive."""

from __future__ import annotations

from collections.abc import Sequence

from .names import quote
from .search_statements import pattern


def long_filter_values(labels: Sequence[str], embedding: str, filterable: Sequence[str], relationship: bool = False) -> str:
    """Rows ``value``: texts of more than ``$characters`` in filterable properties of what a vector index holds.

    A text of more than ``$most`` characters is null: it need not travel to be known as too long. Only what has a vector
    is in the index.
    """
    values = ", ".join(f"n.{quote(name)}" for name in filterable)
    return (
        f"CYPHER 5 MATCH {pattern(labels, relationship)} UNWIND [{values}] AS value "
        "WITH n, value WHERE value IS :: STRING NOT NULL AND size(value) > $characters "
        f"WITH value WHERE n.{quote(embedding)} IS NOT NULL "
        "RETURN CASE WHEN size(value) > $most THEN null ELSE value END AS value"
    )
