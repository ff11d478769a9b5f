"""What a load did: numbers for programs, a few lines for people, and a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .table import Rejected

_SHOWN = 10  # rejected rows and warnings in the text; all of them are in the report


@dataclass
class Counted:
    """Nodes of one label, or relationships of one type to one label."""

    kind: str
    name: str
    created: int = 0
    changed: int = 0
    unchanged: int = 0
    deleted: int = 0


@dataclass
class Report:
    """Filled while a load runs. ``properties_set`` counts cells that were new or different."""

    label: str
    preview: bool = False
    rows: int = 0
    rejected: list[Rejected] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    counted: dict[tuple[str, str], Counted] = field(default_factory=dict)
    properties_set: int = 0
    embeddings: int = 0
    vectors_removed: int = 0
    indexes: list[dict[str, Any]] = field(default_factory=list)
    constraints: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    retries: int = 0
    not_in_load: int | None = None
    seconds: float = 0.0

    def nodes(self, label: str) -> Counted:
        return self.counted.setdefault(("node", label), Counted("node", label))

    def relationships(self, kind: str, label: str = "") -> Counted:
        name = f"{kind} -> {label}" if label else kind
        return self.counted.setdefault(("relationship", name), Counted("relationship", name))

    def reject(self, refused: Iterable[tuple[int, str]]) -> None:
        """Add (position, reason) of rows that the server refused, at their place among the rejected ones."""
        self.rejected += [Rejected(position, None, reason) for position, reason in refused]
        self.rejected.sort(key=lambda rejected: rejected.position)

    def total(self, kind: str, what: str) -> int:
        return sum(getattr(counted, what) for counted in self.counted.values() if counted.kind == kind)

    def as_dict(self) -> dict[str, Any]:
        """Plain values: everything a program or a test wants to know of the load."""
        return {
            "preview": self.preview,
            "rows": self.rows,
            "rejected_rows": len(self.rejected),
            "rejected": [{"position": r.position, "column": r.column, "reason": r.reason} for r in self.rejected],
            "rejected_positions": [r.position for r in self.rejected],
            "replaced_positions": list(self.replaced),
            "duplicates": len(self.replaced),
            "nodes_created": self.total("node", "created"),
            "nodes_updated": self.total("node", "changed"),
            "nodes_unchanged": self.total("node", "unchanged"),
            "nodes_deleted": self.total("node", "deleted"),
            "relationships_created": self.total("relationship", "created"),
            "relationships_unchanged": self.total("relationship", "unchanged"),
            "relationships_deleted": self.total("relationship", "deleted"),
            "properties_set": self.properties_set,
            "embeddings": self.embeddings,
            "vectors_removed": self.vectors_removed,
            "by_kind": self.as_rows(),
            "indexes": list(self.indexes),
            "constraints": list(self.constraints),
            "warnings": list(self.warnings),
            "retries": self.retries,
            "not_in_load": self.not_in_load,
            "seconds": round(self.seconds, 3),
        }

    def as_rows(self) -> list[dict[str, Any]]:
        """One row per label and per relationship type."""
        return [
            {
                "kind": c.kind,
                "name": c.name,
                "created": c.created,
                "changed": c.changed,
                "unchanged": c.unchanged,
                "deleted": c.deleted,
            }
            for c in self.counted.values()
        ]

    def rejected_rows(self) -> list[dict[str, Any]]:
        return [{"kind": "rejected row", "name": str(r.position), "reason": _reason(r)} for r in self.rejected]

    def as_text(self) -> str:
        """The outcome first, then what else happened, one fact per line; ``(all …)`` says that nothing was left to do."""
        return "\n".join([self._outcome(), *self._details(), *self._rejections(), *_cut(self.warnings, "Note: ", "notes")])

    def _outcome(self) -> str:
        saved = self.rows - len(self.rejected) - len(self.replaced)
        created, linked = self.total("node", "created"), self.total("relationship", "created")
        removed = self.total("relationship", "deleted")
        would = "would be " if self.preview else ""
        text = f"{_number(saved, 'row')} {would}saved: {_number(created, 'node')} and {_number(linked, 'relationship')} created"
        if changed := self.total("node", "changed"):
            text += f", {_number(changed, 'node')} changed"
        text += f", {_number(removed, 'relationship')} removed" if removed else ", 0 deleted"
        if not (created or linked or changed or removed or self.properties_set) and saved:
            text += " (everything was there already)"
        return f"{text}. {'Nothing was written.' if self.preview else f'{self.seconds:.1f} s.'}"

    def _details(self) -> list[str]:
        lines = []
        for counted in self.counted.values():
            if parts := [
                f"{getattr(counted, what):,} {what}"
                for what in ("created", "changed", "unchanged", "deleted")
                if getattr(counted, what)
            ]:
                lines.append(f"{counted.name}: {', '.join(parts)}")
        if self.embeddings:
            lines.append(f"{_number(self.embeddings, 'text')} {'would be ' if self.preview else ''}embedded")
        for index in self.indexes:
            covers = f" on {', '.join(index['properties'])}" if index["properties"] else ""
            lines.append(f"{index['kind'].lower()} index {index['name']}{covers}: {index['state']}")
        if self.replaced:
            lines.append(
                f"{_number(len(self.replaced), 'row')} had the key of a later row, which won: {_positions(self.replaced)}"
            )
        if self.not_in_load:
            verb = "is not in this load and stays" if self.not_in_load == 1 else "are not in this load and stay"
            lines.append(f"{_number(self.not_in_load, 'node')} of {self.label} {verb} as before")
        if self.retries:
            lines.append(
                f"{_number(self.retries, 'transaction')} met another one and {'was' if self.retries == 1 else 'were'} repeated"
            )
        return lines

    def _rejections(self) -> list[str]:
        if not self.rejected:
            return []
        head = f"{_number(len(self.rejected), 'row')} rejected:"
        return [head, *_cut([f"row {r.position}: {_reason(r)}" for r in self.rejected], "  ", "rejected rows")]


def _reason(rejected: Rejected) -> str:
    return rejected.reason if rejected.column is None else f"{rejected.column}: {rejected.reason}"


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _positions(positions: list[int]) -> str:
    shown = ", ".join(map(str, positions[:_SHOWN]))
    return f"{shown} and {len(positions) - _SHOWN:,} more" if len(positions) > _SHOWN else shown


def _cut(lines: list[str], prefix: str, what: str) -> list[str]:
    shown = [prefix + line for line in lines[:_SHOWN]]
    return [*shown, f"{prefix}and {len(lines) - _SHOWN:,} more {what}"] if len(lines) > _SHOWN else shown
