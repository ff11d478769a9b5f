"""What is to be read: texts of one document together, passages for the model, chunks to keep, in the order of their dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from ..extraction.passages import joined, plan_chunks, plan_reads
from ..extraction.prompt import Passage
from ..extraction.states import Rank, rank_of
from ..records.documents import Document, Graph
from .build_chunks import Chunk
from .build_report import DocumentOutcome

_SHOWN = 60  # characters of an unnamed text that a report shows
_NO_TEXT = "it has no text (empty, or scanned pages without text recognition)"


@dataclass
class Source:
    """A document: the incoming texts of one name. ``shown`` is what a person reads of it, ``number`` its place among all."""

    name: str
    shown: str
    position: int
    parts: list[Document] = field(default_factory=list)
    date: date | None = None
    number: int = 0

    @property
    def text(self) -> str:
        return joined([(part.text, part.page) for part in self.parts])[0]

    @property
    def is_text(self) -> bool:
        """Whether a model is needed for any of it."""
        return any(part.graph is None and part.text.strip() for part in self.parts)


@dataclass(frozen=True)
class Unit:
    """One thing to read: a passage for the model, or a graph document. ``chunk`` is the id of the chunk it becomes."""

    source: Source
    outcome: DocumentOutcome
    part: int
    passage: Passage | None = None
    graph: Graph | None = None
    chunk: str | None = None

    @property
    def rank(self) -> Rank:
        return rank_of(self.source.date, self.source.number, self.part)


@dataclass
class Plan:
    """``outcomes`` are of all documents, in the order of the input; those without text have their reason already."""

    units: list[Unit] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    outcomes: list[DocumentOutcome] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def sources_of(documents: Sequence[Document]) -> list[Source]:
    """Texts of one named document together, in the order in which the documents begin."""
    found: dict[str, Source] = {}
    for document in documents:
        shown = document.name
        if not document.given:
            words = _first_words(document.text)
            shown = f"document {document.position}" + (f" ({words})" if words else "")
        found.setdefault(document.name, Source(document.name, shown, document.position)).parts.append(document)
    return list(found.values())


def plan(sources: Sequence[Source], *, keep_chunks: bool) -> Plan:
    """The units of all documents, the earliest document first; with ``keep_chunks`` one per chunk."""
    result = Plan()
    for source in sorted(sources, key=lambda source: rank_of(source.date, source.number)):
        outcome = DocumentOutcome(source.shown, source.position, source.date.isoformat() if source.date else None)
        result.outcomes.append(outcome)
        outcome.reasons += list(dict.fromkeys(part.problem for part in source.parts if part.problem))
        texts = [(part.text, part.page) for part in source.parts if part.graph is None]
        graphs = [part for part in source.parts if part.graph]
        if not graphs and not source.is_text:
            outcome.reasons = outcome.reasons or [_NO_TEXT]
            continue
        blank = [str(page) for text, page in texts if page is not None and not text.strip()]
        if blank:
            result.warnings.append(f"{source.shown}: no text on page {', '.join(blank[:20])}.")
        title = str(source.parts[0].metadata.get("title") or "")
        planned = (plan_chunks if keep_chunks else plan_reads)(texts) if source.is_text else []
        for passage in planned:
            chunk = Chunk(source.name, passage, source.date, title) if keep_chunks else None
            # The place of an unnamed text among the others is no name: with it, the answer would be asked for again elsewhere.
            name = source.name if source.parts[0].given else ""
            read = Passage(passage.text, name, source.date, passage.headings, passage.before, passage.position - 1, len(planned))
            _add(result, Unit(source, outcome, passage.position, passage=read), chunk)
        for number, part in enumerate(graphs, len(planned) + 1):
            chunk = None
            if keep_chunks and part.text.strip():
                (passage, *_) = plan_reads([(part.text, part.page)])
                chunk = Chunk(source.name, replace(passage, text=part.text, position=number), source.date, title)
            _add(result, Unit(source, outcome, number, graph=part.graph), chunk)
    result.outcomes.sort(key=lambda outcome: outcome.position)
    return result


def _first_words(text: str) -> str:
    """The beginning of the first line, a title as often as not."""
    line = text.strip().partition("\n")[0]
    words = " ".join(line.strip("#*_->= \t").split())
    return words if len(words) <= _SHOWN else words[:_SHOWN] + "…"


def _add(result: Plan, unit: Unit, chunk: Chunk | None) -> None:
    if chunk:
        result.chunks.append(chunk)
        unit = replace(unit, chunk=chunk.id)
    result.units.append(unit)
