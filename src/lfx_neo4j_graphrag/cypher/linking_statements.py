"""Statements of value linking: the short texts of a graph, and whether one text is among them."""

from __future__ import annotations

from collections.abc import Sequence

from .names import quote


def values_statement(places: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Distinct short texts of several labels: one row ``{i, values}`` for each of ``places`` (label, properties).

    ``values`` has a list for each property. Parameters: ``$scan`` nodes read of each label, ``$most`` values kept of
    each property, ``$length`` characters of the longest text that counts.
    """
    branches = []
    for i, (label, properties) in enumerate(places):
        lists = ", ".join(
            f"collect(DISTINCT CASE WHEN n.{quote(p)} IS :: STRING AND size(n.{quote(p)}) <= $length THEN n.{quote(p)} END)[..$most]"
            for p in properties
        )
        branches.append(f"MATCH (n:{quote(label)}) WITH n LIMIT $scan RETURN {i} AS i, [{lists}] AS values")
    return "\nUNION ALL\n".join(branches)


def known_statement(places: Sequence[tuple[str, str]]) -> str:
    """Which of the spellings ``$texts`` stand at each place: rows ``{i, value}``; an index on the property is used."""
    branches = [
        f"MATCH (n:{quote(label)}) WHERE n.{quote(p)} IN $texts WITH DISTINCT n.{quote(p)} AS value LIMIT 5 RETURN {i} AS i, value"
        for i, (label, p) in enumerate(places)
    ]
    return "\nUNION ALL\n".join(branches)
