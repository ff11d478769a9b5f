"""What Build Graph did: plain values for programs, a few lines for people."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

_LISTED = 10  # entries of a kind in the text; the report has more
_PART = re.compile(r"part (\d+) of (\d+): (.*)", re.DOTALL)
_KEPT = 200  # entries of a kind in the report


_NEAR_NAMES = (
    "Where two are one, say in Extraction Instructions how such names are written, or that half names are left out; delete the "
    "node that is too many and run it again."
)


@dataclass
class DocumentOutcome:
    """``reasons`` why some or all of it could not be read; ``entities`` and ``links`` that it states."""

    document: str
    position: int
    date: str | None = None
    calls: int = 0
    entities: int = 0
    links: int = 0
    dropped: int = 0
    reasons: list[str] = field(default_factory=list)

    @property
    def status(self) -> str:
        if not self.reasons:
            return "saved"
        return "partly saved" if self.entities else "failed"

    @property
    def reason(self) -> str:
        """The reasons in one line; parts that failed alike are named together."""
        alike: dict[tuple[str, str], list[str]] = {}
        for reason in self.reasons:
            part, total, text = match.groups() if (match := _PART.fullmatch(reason)) else ("", "", reason)
            alike.setdefault((total, text), []).append(part)
        return "; ".join(_where(parts, total) + text for (total, text), parts in alike.items())

    def as_row(self) -> dict[str, Any]:
        return {
            "document": self.document,
            "date": self.date,
            "status": self.status,
            "entities": self.entities,
            "relationships": self.links,
            "dropped": self.dropped,
            "reason": self.reason,
        }


@dataclass
class BuildReport:
    """Filled while a run goes on; ``as_dict`` is what ``Result.details["report"]`` holds."""

    documents: list[DocumentOutcome] = field(default_factory=list)
    nodes: dict[str, Counter] = field(default_factory=dict)  # label -> created / changed / unchanged
    relationships: dict[str, Counter] = field(default_factory=dict)  # type -> created / unchanged
    dropped: Counter = field(default_factory=Counter)
    dropped_items: list[dict[str, str]] = field(default_factory=list)
    candidates: list[dict[str, Any]] = field(default_factory=list)
    state_changes: list[dict[str, Any]] = field(default_factory=list)
    older_not_applied: list[dict[str, Any]] = field(default_factory=list)
    proposal: dict[str, str] = field(default_factory=dict)
    chunks: dict[str, int] = field(default_factory=dict)
    model_calls: int = 0
    cached_answers: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    embeddings: int = 0
    indexes: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    extraction_seconds: float = 0.0
    seconds: float = 0.0

    def drop(self, document: str, reason: str, item: str) -> None:
        self.dropped[reason] += 1
        if len(self.dropped_items) < _KEPT:
            self.dropped_items.append({"document": document, "item": item, "reason": reason})

    @property
    def status(self) -> str:
        """``ok``; ``partial``: something of some documents is missing; ``failed``: nothing could be read."""
        statuses = {document.status for document in self.documents}
        if statuses <= {"saved"}:
            return "ok"
        return "failed" if statuses == {"failed"} else "partial"

    def _nodes(self, what: str) -> int:
        return sum(counted[what] for counted in self.nodes.values())

    def _relationships(self, what: str) -> int:
        return sum(counted[what] for counted in self.relationships.values())

    def as_dict(self) -> dict[str, Any]:
        return {
            "documents": len(self.documents),
            "failed_documents": [
                {"document": d.document, "position": d.position, "reason": d.reason}
                for d in self.documents
                if d.reasons
            ],
            "nodes_created": self._nodes("created"),
            "nodes_updated": self._nodes("changed"),
            "nodes_unchanged": self._nodes("unchanged"),
            "relationships_created": self._relationships("created"),
            "relationships_unchanged": self._relationships("unchanged"),
            "nodes": {label: dict(counted) for label, counted in self.nodes.items()},
            "relationships": {kind: dict(counted) for kind, counted in self.relationships.items()},
            "dropped": dict(self.dropped),
            "dropped_items": self.dropped_items,
            "candidates": self.candidates,
            "state_changes": self.state_changes[:_KEPT],
            "older_not_applied": self.older_not_applied[:_KEPT],
            "proposal": self.proposal,
            "chunks": self.chunks,
            "model_calls": self.model_calls,
            "cached_answers": self.cached_answers,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "embeddings": self.embeddings,
            "indexes": self.indexes,
            "warnings": self.warnings,
            "extraction_seconds": round(self.extraction_seconds, 3),
            "seconds": round(self.seconds, 3),
        }

    def as_text(self) -> str:
        read = sum(document.status != "failed" for document in self.documents)
        lines = [
            f"Read {read} of {len(self.documents)} documents in {self.seconds:.1f} s: "
            f"{_counted(self._nodes('created'), 'node')} and {_counted(self._relationships('created'), 'relationship')} created, "
            f"{self._nodes('changed')} nodes changed, "
            f"{self._nodes('unchanged')} nodes and {self._relationships('unchanged')} relationships unchanged."
        ]
        for title, counted in (("Nodes", self.nodes), ("Relationships", self.relationships)):
            if counted:
                lines.append(
                    f"{title}: "
                    + ", ".join(f"{name} {sum(c.values())} ({c['created']} new)" for name, c in counted.items())
                    + "."
                )
        calls = f"{_counted(self.model_calls, 'model call')}, {_counted(self.cached_answers, 'remembered answer')}"
        lines.append(f"{calls}, {self.input_tokens:,} tokens in and {self.output_tokens:,} out.")
        if self.chunks:
            lines.append("Source chunks: " + ", ".join(f"{number} {name}" for name, number in self.chunks.items()) + ".")
        if self.indexes:
            lines.append("Indexes: " + ", ".join(f"{index['name']} ({index['state']})" for index in self.indexes) + ".")
        failed = [f"{document.document}: {document.reason}" for document in self.documents if document.reasons]
        lines += _section("Not read, or only in part:", failed)
        lines += _section(
            "Changed in time:",
            [f"{c['node']} {c['property']}: {c['from']} -> {c['to']} ({c['document']})" for c in self.state_changes],
        )
        older = [
            f"{o['node']} {o['property']}: {o['kept']} kept, not {o['not_applied']} ({o['document']}: {o['why']})"
            for o in self.older_not_applied
        ]
        lines += _section("Older statements that were not applied:", older)
        pairs = [f"{c['type']}: {' / '.join(c['names'])}" for c in self.candidates]
        lines += _section("Names that may be the same (not merged):", pairs)
        if pairs:
            lines.append(_NEAR_NAMES)
        if self.dropped:
            lines.append("Left out: " + ", ".join(f"{number} {reason}" for reason, number in self.dropped.most_common()) + ".")
        if self.proposal:
            lines.append("No schema was given. This one was proposed and used; paste it into the fields to keep it:")
            for name, text in self.proposal.items():
                lines.append(f"{name.replace('_', ' ').title()}:\n{text}")
        lines += _section("Warnings:", self.warnings)
        return "\n".join(lines)


def _where(parts: list[str], total: str) -> str:
    if not total:
        return ""
    if len(parts) == 1:
        return f"part {parts[0]} of {total}: "
    if len(parts) == int(total):
        return f"all {total} parts: "
    return f"parts {', '.join(parts[:_LISTED])}{', …' if len(parts) > _LISTED else ''} of {total}: "


def _counted(number: int, name: str) -> str:
    return f"{number:,} {name}" + ("" if number == 1 else "s")


def _section(title: str, entries: list[str]) -> list[str]:
    if not entries:
        return []
    more = [f"- … and {len(entries) - _LISTED} more"] if len(entries) > _LISTED else []
    return [title, *(f"- {entry}" for entry in entries[:_LISTED]), *more]
