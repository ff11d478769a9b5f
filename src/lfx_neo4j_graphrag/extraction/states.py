"""Which of two statements about the same property stands: the final state wins, in a run and in later runs.

A statement has a rank, ``(date, number)``: the date that its document carries ("" when it carries none), and the number under
which the document was first read together with the place of the passage in it. The higher rank wins, so a dated document goes
over an undated one, a later date over an earlier one, and among equals the later in the input.

Against a value that the graph already holds:

1. If this user's memory knows which document set exactly this value, the ranks are compared.
2. Without such memory (another machine, other tools wrote it), a document is older than the graph when its date lies before the
   newest date that the nodes of the type, or the chunks that mention the node, carry: it fills gaps, but replaces nothing.
3. An enumeration is written in its natural order: without evidence of time a value only moves forward in the list
   (``estado: abierta | cerrada``: to ``cerrada``, never back).
4. Otherwise the document that is loaded now is the newer one.

What was not applied is reported. Nothing is stored in the graph for this.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from .names import fold

Rank = tuple[str, int]
_PARTS = 1_000_000  # more than any document has


def rank_of(day: date | None, number: int, part: int = 0) -> Rank:
    """The rank of part ``part`` of the document with this date and number."""
    return (day.isoformat() if day else "", number * _PARTS + part)


@dataclass(frozen=True)
class Refused:
    """Why a statement does not replace the stored value; ``reason`` is a sentence."""

    reason: str


def judge(
    stored: Any,
    incoming: Any,
    rank: Rank,
    *,
    evidence: Rank | None = None,
    newest: str = "",
    values: tuple[str, ...] = (),
) -> Refused | None:
    """None when ``incoming`` may replace ``stored`` (which differs from it), else why not.

    ``evidence``: the rank of the document that set ``stored``, when that is known. ``newest``: the newest date (ISO) that the
    graph carries for this type or node, "" when it carries none. ``values``: the enumeration in its order.
    """
    if evidence is not None:
        if rank >= evidence:
            return None
        if rank[0] and evidence[0]:
            return Refused(f"the stored value comes from a document of {evidence[0]}, this one is of {rank[0]}")
        if evidence[0]:
            return Refused(f"the stored value comes from a document of {evidence[0]}, this one carries no date")
        return Refused("the stored value comes from a later document")
    if rank[0] and newest and rank[0] < newest[:10]:
        return Refused(f"the graph holds data up to {newest[:10]}, this document is of {rank[0]}")
    order = [fold(value) for value in values]
    if isinstance(stored, str) and isinstance(incoming, str) and fold(stored) in order and fold(incoming) in order:
        if order.index(fold(incoming)) < order.index(fold(stored)):
            return Refused(f"'{incoming}' comes before '{stored}' in the listed values, and nothing says that it is newer")
    return None
