"""The vectors and the two search indexes of a load: checked before, filled and awaited after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..cypher import index_statements, write_statements
from ..cypher.names import quote
from ..database.capabilities import Capabilities, capabilities
from ..database.connection import Connection
from ..database.indexes import (
    FulltextWish,
    Index,
    IndexPlan,
    VectorWish,
    await_indexes,
    check_analyzer,
    list_indexes,
    make_index,
    plan_fulltext_index,
    plan_vector_index,
)
from ..database.reading import Origin, fetch
from ..database.writing import Progress, run_schema, write_batches
from ..defaults import EMBEDDING_PROPERTY, MAX_FILTER_BYTES, PARTS_BATCH, SCHEMA_CHANGE_TIMEOUT, VECTOR_BATCH
from ..errors import EmbeddingProblem, InputError
from ..records.report import Report
from ..records.table import Selection, Table, filterable_columns, word_columns
from .embedding import embed_documents, embed_parts, wants_parts

ADD_RECORDS = Origin("add_records")
NO_INDEX = "-"  # in place of a name: do not make this index
# The server cuts these off the ends of an index's name.
_TRIMMED = "".join(map(chr, range(33)))
# A property of such a name cannot be addressed in a full-text query.
_LUCENE_WORDS = {"AND", "OR", "NOT", "TO"}


@dataclass
class IndexWork:
    """What ``check_indexes`` found out: the model and its dimension (None without one), and what is to be made.

    ``origin``: the operation that the statements belong to.
    """

    origin: Origin
    embedder: Any
    dimensions: int | None
    can: Capabilities
    vector: VectorWish | None
    fulltext: FulltextWish | None
    first_vector: tuple[str, list[float]] | None = None


async def check_indexes(
    connection: Connection,
    existing: Sequence[Index],
    table: Table,
    selection: Selection,
    names: tuple[str, str],
    analyzer: str,
    embedder: Any,
) -> IndexWork:
    """Everything that can be wrong with indexes and model, before anything is written. One text is embedded.

    Raises IndexProblem (dimension, name taken), InputError (analyzer), EmbeddingProblem.
    """
    can = await capabilities(connection)
    work = IndexWork(ADD_RECORDS, None, None, can, None, None)
    vector_name, text_name = (name.strip(_TRIMMED) for name in names)
    if not vector_name or not text_name:
        raise InputError("The name of an index is blank.", "Give it letters, or leave the field empty for the usual name.")
    if embedder is not None and vector_name != NO_INDEX:
        text = _first_text(table, selection)
        if text is not None:
            vector = (await embed_documents(embedder, [text]))[0]
            work.embedder, work.dimensions, work.first_vector = embedder, len(vector), (text, vector)
            work.vector = VectorWish(vector_name, table.label, len(vector), filterable_columns(table), EMBEDDING_PROPERTY)
    words = searchable(word_columns(table))
    if words and text_name != NO_INDEX:
        work.fulltext = FulltextWish(text_name, table.label, words, analyzer)
    await check_work(connection, existing, work)
    return work


async def check_work(connection: Connection, existing: Sequence[Index], work: IndexWork) -> None:
    """Refuse, before anything is asked or written, what could not be indexed in the end.

    Raises InputError for an unknown analyzer; IndexProblem for a name or data that another index holds otherwise.
    """
    if work.vector:
        plan_vector_index(existing, work.vector, filters=work.can.filter_in_index, cypher25=work.can.cypher25)
    if work.fulltext and plan_fulltext_index(existing, work.fulltext).create:
        await check_analyzer(connection, work.fulltext.analyzer)


def searchable(names: Sequence[str]) -> tuple[str, ...]:
    """Without the properties whose name a full-text query cannot hold."""
    return tuple(name for name in names if name not in _LUCENE_WORDS)


def _first_text(table: Table, selection: Selection) -> str | None:
    if table.text_column is None or table.text_column not in table.properties:
        return None
    place = 1 + table.properties.index(table.text_column)
    return next((row[place] for row in selection.rows if type(row[place]) is str), None)


async def embed_nodes(
    connection: Connection,
    label: str,
    key: str,
    texts: Sequence[tuple[Any, str]],
    work: IndexWork,
    report: Report,
    timeout: float,
    progress: Progress | None,
) -> None:
    """Embed (key, text) pairs and store the vectors, some hundred at a time, so that stopping loses little."""
    statement = write_statements.set_vectors(label, key, EMBEDDING_PROPERTY, bolt_vectors=work.can.vector_type_over_bolt)
    texts = [(one, text) for one, text in texts if type(text) is str]
    size = PARTS_BATCH if wants_parts(work.embedder) else VECTOR_BATCH
    for start in range(0, len(texts), size):
        some = texts[start : start + size]
        vectors, parts = await _vectors([text for _, text in some], work, report)
        rows = [[one, _packed(vector, work.can), part] for (one, _), vector, part in zip(some, vectors, parts)]
        await write_batches(connection, statement, rows, timeout=timeout, origin=work.origin)
        report.embeddings += len(some)
        if progress:
            progress(start + len(some), len(texts), "embeddings")


async def _vectors(texts: list[str], work: IndexWork, report: Report) -> tuple[list[list[float]], list[bytes | None]]:
    """The vectors of the texts, and those of their parts; the one made for the check is not asked for again."""
    known = dict([work.first_vector] if work.first_vector else [])
    missing = [text for text in texts if text not in known]
    try:
        made = await embed_documents(work.embedder, missing) if missing else []
        parts = await embed_parts(work.embedder, texts)
    except EmbeddingProblem as problem:
        saved = f"Everything else is saved, with {report.embeddings:,} new vectors; running again embeds the rest."
        raise EmbeddingProblem(problem.sentence, f"{problem.advice} {saved}") from None
    known.update(zip(missing, made))
    for text in texts:
        if len(known[text]) != work.dimensions:
            raise EmbeddingProblem(
                f"The embedding model gave vectors of {work.dimensions} and of {len(known[text])} numbers.",
                "Use a model with one dimension.",
            )
    return [known[text] for text in texts], parts


def _packed(vector: list[float], can: Capabilities) -> Any:
    if not can.vector_type_over_bolt:
        return vector
    from neo4j.vector import Vector

    return Vector(vector, "f32")


async def _without_long_columns(connection: Connection, wish: VectorWish, origin: Origin) -> VectorWish:
    """Without columns in which a stored node has a long text: an index that filters by one fails while it is filled."""
    statement = write_statements.longest_texts(wish.label, wish.filterable)
    lengths = (await fetch(connection, statement, timeout=SCHEMA_CHANGE_TIMEOUT, origin=origin))[0]["lengths"]
    return replace(
        wish, filterable=tuple(name for name, length in zip(wish.filterable, lengths) if (length or 0) * 4 <= MAX_FILTER_BYTES)
    )


async def finish_indexes(connection: Connection, work: IndexWork, report: Report, progress: Progress | None) -> None:
    """Make the indexes, wait until they are filled, drop those they replace, and say in the report what there is.

    An index that fails or is not filled in time is a warning: what was loaded is saved.
    """
    plans: list[IndexPlan] = []
    existing = await list_indexes(connection)
    if work.vector:
        plan = plan_vector_index(existing, work.vector, filters=work.can.filter_in_index, cypher25=work.can.cypher25)
        if plan.create and work.vector.filterable and work.can.filter_in_index:
            wish = await _without_long_columns(connection, work.vector, work.origin)
            plan = plan_vector_index(existing, wish, filters=True, cypher25=work.can.cypher25)
        plans.append(plan)
    if work.fulltext:
        plans.append(plan_fulltext_index(existing, work.fulltext))
    made = {plan.name: await make_index(connection, plan) for plan in plans}
    for index in await await_indexes(connection, made, progress=progress):
        plan = next(plan for plan in plans if plan.name == index.name)
        if index.state == "ONLINE" and plan.drop:
            await run_schema(connection, index_statements.drop_index(plan.drop))
        elif index.state == "FAILED":
            report.warnings.append(
                f"The index {index.name} could not be filled (state FAILED). The data are saved; run "
                f"DROP INDEX {quote(index.name)}, shorten very long texts in its columns and load again."
            )
        elif index.state != "ONLINE":
            report.warnings.append(
                f"The index {index.name} is still being filled ({index.percent:.0f} %); searches need it complete."
            )
        if plan.note:
            report.warnings.append(plan.note)
        report.indexes.append(
            {
                "name": index.name,
                "kind": index.kind,
                "state": index.state,
                "created": made[index.name],
                "properties": list(index.properties),
                "dimensions": index.dimensions,
                "analyzer": index.analyzer,
            }
        )
