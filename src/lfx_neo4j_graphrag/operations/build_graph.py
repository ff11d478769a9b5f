"""Build Graph: documents into entities and relationships, without Cypher."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..cypher.graph_statements import CHUNK, GRAPH_MARK
from ..database.capabilities import capabilities
from ..database.connection import Connection
from ..database.indexes import list_constraints, list_indexes
from ..database.reading import fetch
from ..database.writing import Progress
from ..defaults import FULLTEXT_ANALYZER, MODEL_CONCURRENCY, MODEL_TIMEOUT, PROPOSAL_CHARS, QUERY_TIMEOUT
from ..errors import InputError, ModelFailed
from ..extraction.conform import conform
from ..extraction.dates import document_date
from ..extraction.grammar import parse_schema
from ..extraction.language import is_spanish
from ..extraction.names import fold
from ..extraction.proposal import describe, proposal_messages, read_proposal
from ..extraction.schema import GraphSchema
from ..extraction.shapes import graph_document
from ..extraction.similar import near_pairs
from ..extraction.vocabulary import Vocabulary
from ..records.documents import Document, documents_from
from ..records.report import Report
from .build_chunks import SavedChunks, save_chunks
from .build_indexes import chunk_work, embedder_work, entity_work, first_label, indexed_columns, write_lines
from .build_planning import Plan, Unit, plan, sources_of
from .build_reading import Reader, Reading
from .build_report import BuildReport
from .build_writing import ORIGIN, Found, GraphWriter
from .memory import Memory, memory_file
from .model import CallFailed
from .record_indexes import check_work, embed_nodes, finish_indexes
from .result import Result

_COMPARED_KEYS = 20_000  # beyond it only the new names of a type are compared with each other


@dataclass(frozen=True)
class BuildGraphRequest:
    """The fields of the node. ``documents``: any container ``documents_from`` reads. ``model``: a LangChain chat model.

    ``embedder``: LangChain embeddings or None. ``concurrency``: model calls at once. ``use_cache``: remember answers and dates of
    documents in the user's folder. ``timeout``: seconds per statement, ``model_timeout``: per model call.
    """

    documents: Any
    model: Any = None
    allowed_patterns: str = ""
    node_types: str = ""
    relationship_types: str = ""
    extraction_instructions: str = ""
    save_source_chunks: bool = False
    embedder: Any = None
    vector_index: str = ""
    fulltext_index: str = ""
    fulltext_analyzer: str = FULLTEXT_ANALYZER
    concurrency: int = MODEL_CONCURRENCY
    use_cache: bool = True
    timeout: float = QUERY_TIMEOUT
    model_timeout: float = MODEL_TIMEOUT


async def build_graph(connection: Connection, request: BuildGraphRequest, progress: Progress | None = None) -> Result:
    """Read documents with the model, save the entities and relationships they state, index them and report.

    ``details["report"]`` holds the numbers (``BuildReport.as_dict``), ``details["status"]`` ok, partial or failed. A document
    that can't be read is reported by name and reason; what the others gave is saved, as soon as it is read. ``rows`` has a row
    per document. Which of two statements stands is explained in ``extraction.states``.

    Raises InputError for fields that can't be understood (with field and line), a missing model or no documents; ModelFailed when
    the provider refuses every call (key, credit, unknown model); IndexProblem and EmbeddingProblem before anything is asked; and
    the errors of the server.
    """
    schema = parse_schema(request.allowed_patterns, request.node_types, request.relationship_types)
    reserved = {fold(CHUNK)} & {fold(node.label) for node in schema.nodes}
    if request.save_source_chunks and reserved:
        raise InputError(
            f"Node Types has the type {CHUNK}, which Save Source Chunks keeps for passages.", "Give it another name."
        )
    documents = documents_from(request.documents)
    if not documents:
        raise InputError("There are no documents.", "Connect texts, files or a table with a text column to Data.")
    if request.model is None and any(document.graph is None and document.text.strip() for document in documents):
        raise InputError(
            "No language model is connected.", "Connect a Language Model; only graph documents are saved without one."
        )
    memory = Memory(memory_file() if request.use_cache else None)
    try:
        return await _Run(connection, request, schema, documents, memory, progress).run()
    finally:
        memory.close()


class _Run:
    def __init__(
        self,
        connection: Connection,
        request: BuildGraphRequest,
        schema: GraphSchema,
        documents: Sequence[Document],
        memory: Memory,
        progress: Progress | None,
    ) -> None:
        self.connection, self.request, self.schema, self.memory, self.progress = connection, request, schema, memory, progress
        self.instructions = request.extraction_instructions or ""
        self.report = BuildReport()
        self.sources = sources_of(documents)
        self.plan = Plan()
        self.done = 0

    async def run(self) -> Result:
        started = time.perf_counter()
        base = await embedder_work(self.request.embedder, await capabilities(self.connection))
        names = (self.request.vector_index, self.request.fulltext_index)
        analyzer = self.request.fulltext_analyzer
        existing = await list_indexes(self.connection)
        chunks_work = chunk_work(base, analyzer) if self.request.save_source_chunks else None
        if chunks_work:
            await check_work(self.connection, existing, chunks_work)
        if self.schema.first_label:
            await check_work(self.connection, existing, entity_work(base, self.schema.first_label, names, analyzer))

        graph = await self._number_documents()
        vocabulary = await self._vocabulary()
        self.plan = plan(self.sources, keep_chunks=self.request.save_source_chunks)
        self.report.documents, self.report.warnings = self.plan.outcomes, self.plan.warnings
        reader = Reader(
            self.request.model,
            vocabulary,
            self.instructions,
            self.memory,
            asyncio.Semaphore(max(1, self.request.concurrency)),
            self.request.model_timeout,
        )
        await self._propose(reader)
        vocabulary.schema = self.schema
        reader.instructions = self.instructions

        writer = GraphWriter(
            self.connection, vocabulary, self.memory, graph, chunks=self.request.save_source_chunks, timeout=self.request.timeout
        )
        indexing = Report(label="")
        saved = await self._save_chunks()
        asked = time.perf_counter()
        await self._extract(reader, writer)
        self.report.extraction_seconds = time.perf_counter() - asked
        if chunks_work:
            if base.embedder is not None:
                texts = [(chunk.id, chunk.properties()["text"]) for chunk in saved.unembedded]
                await embed_nodes(self.connection, CHUNK, "id", texts, base, indexing, self.request.timeout, self.progress)
            await finish_indexes(self.connection, chunks_work, indexing, self.progress)
        label = first_label(self.schema.first_label, list(writer.nodes))
        if label:
            await write_lines(self.connection, writer, label, base, indexing, self.request.timeout, self.progress)
            work = entity_work(base, label, names, analyzer, *indexed_columns(writer, label))
            await finish_indexes(self.connection, work, indexing, self.progress)
        self._report(reader, writer, indexing, saved)
        self.report.seconds = time.perf_counter() - started
        details = {"report": self.report.as_dict(), "status": self.report.status}
        return Result(self.report.as_text(), [document.as_row() for document in self.report.documents], details)

    # --------------------------------------------------------------------------------------------- before reading

    async def _number_documents(self) -> str:
        """Give each document its date and number; returns the mark of the graph in the user's memory."""
        (row,) = await fetch(self.connection, GRAPH_MARK, origin=ORIGIN)
        graph = row["id"]
        if not row["filled"]:
            self.memory.forget(graph)
        texts = [source.text for source in self.sources]
        digests = [hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32] for text in texts]
        for source, text, number in zip(self.sources, texts, self.memory.numbers(graph, digests), strict=True):
            source.number = number
            metadata = {key: value for part in reversed(source.parts) for key, value in part.metadata.items()}
            source.date = document_date(text, source.name if source.parts[0].given else "", metadata)
        return graph

    async def _vocabulary(self) -> Vocabulary:
        sample = " ".join([*(source.text[:2000] for source in self.sources[:10]), *(node.label for node in self.schema.nodes)])
        only_graphs = all(part.graph for source in self.sources for part in source.parts)
        keys: dict[str, str] = {}
        for constraint in await list_constraints(self.connection):
            if (
                constraint.entity == "NODE"
                and len(constraint.labels) == len(constraint.properties) == 1
                and "EXIST" not in constraint.kind
            ):
                keys.setdefault(constraint.labels[0], constraint.properties[0])
        labels = (
            await fetch(self.connection, "CALL db.labels() YIELD label RETURN label", origin=ORIGIN) if self.schema.empty else []
        )
        default = "id" if only_graphs else "nombre" if is_spanish(sample) else "name"
        return Vocabulary(self.schema, keys=keys, labels=[row["label"] for row in labels], default_key=default)

    async def _propose(self, reader: Reader) -> None:
        """Without any schema: one call that proposes one from samples of all documents."""
        texts = [
            (source.shown, source.text)
            for source in self.sources
            if any(part.graph is None and part.text.strip() for part in source.parts)
        ]
        if not self.schema.empty or not texts:
            return
        if self.progress:
            self.progress(0, len(self.plan.units), "documents: proposing a schema")
        answer = await reader.ask(proposal_messages(texts, PROPOSAL_CHARS, self.instructions))
        schema, instructions = read_proposal(answer.text, answer.finish_reason)
        if not schema.nodes:
            self.report.warnings.append(
                "The model proposed no schema that could be read: types and relationships are those that each document used. "
                "Fill in Allowed Patterns and Node Types for a graph that can be counted."
            )
            return
        self.schema = schema
        self.report.proposal = describe(schema, instructions)
        self.instructions = "\n".join(part for part in (self.instructions.strip(), instructions) if part)

    async def _save_chunks(self) -> SavedChunks:
        if not self.request.save_source_chunks:
            return SavedChunks()
        return await save_chunks(self.connection, self.plan.chunks, self.request.timeout)

    # ------------------------------------------------------------------------------------------------- reading

    async def _extract(self, reader: Reader, writer: GraphWriter) -> None:
        """Read all units at once (the semaphore bounds the calls) and save each as soon as it is read."""
        queue: asyncio.Queue[tuple[Unit, Reading | BaseException]] = asyncio.Queue()

        async def work(unit: Unit) -> None:
            try:
                await queue.put((unit, await self._read(unit, reader)))
            except Exception as error:
                await queue.put((unit, error))

        tasks = [asyncio.create_task(work(unit)) for unit in self.plan.units]
        try:
            while self.done < len(self.plan.units):
                arrived = [await queue.get()]
                while not queue.empty():
                    arrived.append(queue.get_nowait())
                self.done += len(arrived)
                await self._settle(arrived, writer)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, unit: Unit, reader: Reader) -> Reading:
        if unit.graph is not None:
            return Reading(
                conform(graph_document(unit.graph.nodes, unit.graph.links, reader.vocabulary.schema), reader.vocabulary)
            )
        return await reader.read(unit.passage)

    async def _settle(self, arrived: Sequence[tuple[Unit, Reading | BaseException]], writer: GraphWriter) -> None:
        found: list[Found] = []
        fatal: BaseException | None = None
        for unit, reading in arrived:
            where = f"part {unit.part} of {unit.passage.parts}: " if unit.passage and unit.passage.parts > 1 else ""
            if isinstance(reading, ModelFailed):
                unit.outcome.reasons.append(where + reading.sentence)
                if isinstance(reading, CallFailed) and reading.kind == "model_key":
                    fatal = reading
            elif isinstance(reading, BaseException):
                fatal = reading
            else:
                self._count(unit, reading, where)
                found.append(Found(reading.extraction, unit.rank, unit.source.shown, unit.chunk))
        if found:
            await writer.save(found)
        if fatal:
            raise fatal
        if self.progress:
            failed = sum(document.status == "failed" for document in self.report.documents)
            what = "passages" if self.request.save_source_chunks else "documents"
            self.progress(self.done, len(self.plan.units), f"{what} read: {len(writer.nodes)} entities, {failed} failed")

    def _count(self, unit: Unit, reading: Reading, where: str) -> None:
        extraction = reading.extraction
        unit.outcome.entities += len(extraction.entities)
        unit.outcome.links += len(extraction.links)
        unit.outcome.dropped += len(extraction.dropped)
        if reading.problem:
            unit.outcome.reasons.append(where + reading.problem)
        for reason, item in extraction.dropped:
            self.report.drop(unit.source.shown, reason, item)
        for name in sorted(extraction.nested):
            warning = f"Values of {name} were nested and are stored as JSON text."
            if warning not in self.report.warnings:
                self.report.warnings.append(warning)

    # -------------------------------------------------------------------------------------------------- report

    def _report(self, reader: Reader, writer: GraphWriter, indexing: Report, saved: SavedChunks) -> None:
        report = self.report
        report.model_calls, report.cached_answers = reader.calls, reader.cached
        report.input_tokens, report.output_tokens = reader.input_tokens, reader.output_tokens
        for (label, _), node in sorted(writer.nodes.items(), key=lambda entry: entry[0]):
            kind = "created" if not node.existed else "changed" if node.changed else "unchanged"
            report.nodes.setdefault(label, Counter())[kind] += 1
        for kind, created in sorted(writer.links_created.items()):
            total = sum(key[0] == kind for key in writer.links)
            report.relationships[kind] = Counter(created=created, unchanged=total - created)
        if self.request.save_source_chunks:
            kept = saved.total - saved.created
            report.chunks = {"in all": saved.total, "created": saved.created, "unchanged": kept, "deleted": saved.deleted}
        for label, known in writer.labels.items():
            fresh = [str(node.key) for (own, _), node in writer.nodes.items() if own == label and not node.existed]
            others = [str(key) for key in known.spelled.values()] if len(known.spelled) <= _COMPARED_KEYS else []
            report.candidates += [{"type": label, "names": list(pair)} for pair in near_pairs(fresh, others)]
        report.state_changes = writer.state_changes()
        report.older_not_applied = writer.older
        report.embeddings = indexing.embeddings
        report.indexes = indexing.indexes
        report.warnings += [*saved.warnings, *writer.warnings, *indexing.warnings]
