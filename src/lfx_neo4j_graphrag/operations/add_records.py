"""Add Records: rows into nodes, relationships and indexes, without Cypher."""

from __future__ import annotations

import time
import unicodedata
from dataclasses import dataclass
from typing import Any

from ..cypher import write_statements
from ..database.connection import Connection
from ..database.indexes import Index, ensure_key, list_indexes
from ..database.reading import fetch
from ..database.writing import Progress
from ..defaults import EMBEDDING_PROPERTY, FULLTEXT_ANALYZER, QUERY_TIMEOUT, VECTOR_PROPERTIES
from ..records.changes import Shape
from ..records.column_types import parse_column_types
from ..records.relationships import parse_relationships
from ..records.report import Report
from ..records.rows import rows_from
from ..records.linked import LinkGroup
from ..records.table import Selection, Table, read_table, select_rows
from .record_indexes import ADD_RECORDS, IndexWork, check_indexes, embed_nodes, finish_indexes
from .result import Result
from .row_saver import RowSaver
from .write_query import prepare_query, save_by_query


@dataclass(frozen=True)
class AddRecordsRequest:
    """The fields of the node. ``rows``: any container ``rows_from`` reads. ``embedder``: LangChain embeddings or None.

    ``relationships``: lines of text or a list; ``column_types``: text or a dict; ``empty_cells``: keep or clear;
    index names empty: ``<label>_vector`` and ``<label>_text``, ``-``: no such index. ``timeout``: seconds per batch.
    """

    rows: Any
    node_label: str
    key_property: str
    relationships: Any = ""
    write_query: str = ""
    embedder: Any = None
    text_column: str = ""
    column_types: Any = ""
    empty_cells: str = "keep"
    preview: bool = False
    vector_index: str = ""
    fulltext_index: str = ""
    fulltext_analyzer: str = FULLTEXT_ANALYZER
    timeout: float = QUERY_TIMEOUT


async def add_records(connection: Connection, request: AddRecordsRequest, progress: Progress | None = None) -> Result:
    """Save rows as nodes, link them, index them and report. Saving the same rows again changes nothing.

    ``details["report"]`` holds the numbers (see ``Report.as_dict``); positions are 1-based row numbers of the input.
    Rows that cannot be saved are rejected one by one with the reason, the rest is saved.

    Raises InputError for fields that do not fit the rows (before connecting), IndexProblem and EmbeddingProblem
    before anything is written when an index or the model does not fit, and the errors of the server.
    """
    started = time.perf_counter()
    report = Report(label=request.node_label.strip(), preview=request.preview)
    rules = parse_relationships(request.relationships)
    query = prepare_query(request.write_query) if request.write_query.strip() else ""
    types = parse_column_types(request.column_types)
    rows = rows_from(request.rows)
    report.warnings += rows.notes
    report.rows = len(rows)
    if rows:
        table = read_table(
            rows,
            label=request.node_label,
            key_property=request.key_property,
            rules=rules,
            column_types=types,
            text_column=request.text_column.strip(),
            empty_cells=request.empty_cells,
            left_out=VECTOR_PROPERTIES if request.embedder is not None else frozenset(),
            nested=bool(query),
        )
        report.warnings += table.warnings
        await _load(connection, request, query, table, report, progress)
    report.seconds = time.perf_counter() - started
    return Result(report.as_text(), [*report.as_rows(), *report.rejected_rows()], {"report": report.as_dict()})


def index_name(label: str, ending: str) -> str:
    """``Avería técnica`` -> ``averia_tecnica_vector``: lower case, without accents, other characters as ``_``."""
    plain = unicodedata.normalize("NFKD", label.lower())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in plain) + ending


async def _load(
    connection: Connection, request: AddRecordsRequest, query: str, table: Table, report: Report, progress: Progress | None
) -> None:
    existing = await list_indexes(connection)
    _keep_stored_text(request, existing, table, report)
    long_text = request.text_column.strip() or "text"
    selection = select_rows(table, _filtered_properties(existing), by_query=bool(query), long_text=long_text)
    report.rejected += selection.rejected
    report.replaced = selection.replaced
    report.warnings += selection.warnings
    if not selection.rows:
        return
    await _warn_about_key_kinds(connection, table, selection, report)
    names = (
        request.vector_index.strip() or index_name(table.label, "_vector"),
        request.fulltext_index.strip() or index_name(table.label, "_text"),
    )
    work = await check_indexes(connection, existing, table, selection, names, request.fulltext_analyzer, request.embedder)
    if query:
        if table.groups:
            report.warnings.append("Write Query links the rows itself: of Relationships only the keys are used, for constraints.")
        if not request.preview:
            await _ensure_keys(connection, table, report)
        mine = await save_by_query(connection, request, query, table, selection, work, report, progress)
    elif request.preview:
        await _preview(connection, request, table, selection, work, report)
    else:
        await _save(connection, request, table, selection, work, report, progress)
        own = [place for place in selection.linked if place[0] == table.label]
        mine = len(selection.rows) + sum(len(_only_linked(table, selection, place)) for place in own)
    if not request.preview:
        await finish_indexes(connection, work, report, progress)
        counted = await fetch(connection, write_statements.count_nodes(table.label), origin=ADD_RECORDS)
        report.not_in_load = max(0, counted[0]["count"] - mine)


def _keep_stored_text(request: AddRecordsRequest, existing: list[Index], table: Table, report: Report) -> None:
    """No text in these rows when the label's text, the first property of its full-text index, is not among their columns.

    A file of a few other columns (a new state, a new price) would else have its longest one embedded in place of the text.
    """
    if request.text_column.strip() or table.text_column is None:
        return
    texts = {index.properties[0] for index in existing if index.kind == "FULLTEXT" and index.labels == (table.label,)}
    if texts and not texts & {*table.columns, table.key}:
        if request.embedder is not None:
            report.warnings.append(
                f"These rows have no column {' or '.join(sorted(texts))}, the text of {table.label}: vectors stay as they are. "
                "To search another column by meaning, name it in Text Column."
            )
        table.text_column = None


def _filtered_properties(existing: list[Index]) -> frozenset[str]:
    """Properties by which some vector index of the database filters, whatever its label: nodes may have several."""
    return frozenset(name for index in existing if index.kind == "VECTOR" for name in index.properties[1:])


async def _warn_about_key_kinds(connection: Connection, table: Table, selection: Selection, report: Report) -> None:
    """Rows whose keys are numbers do not meet stored nodes whose keys are text, and nobody would notice."""
    keys = {(table.label, table.key): {type(row[0]) for row in selection.rows}}
    for place, (_, nodes) in selection.linked.items():
        keys.setdefault(place, set()).update(map(type, nodes))
    for (label, prop), kinds in keys.items():
        stored = await fetch(connection, write_statements.some_keys(label, prop), origin=ADD_RECORDS)
        old, new = {_key_kind(type(row["key"])) for row in stored}, set(map(_key_kind, kinds))
        if old and new and not old & new:
            was, now = " or ".join(sorted(old)), " or ".join(sorted(new))
            report.warnings.append(
                f"{prop} of the stored {label} nodes is {was}, in these rows it is {now}: 7 and '7' are two nodes. "
                "Column Types can convert the column."
            )


def _key_kind(kind: type) -> str:
    names = {str: "text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(kind, "a date or time")


def _shape(table: Table, work: IndexWork, properties: tuple[str, ...], groups: int) -> Shape:
    text = properties.index(table.text_column) if table.text_column in properties else None
    return Shape(
        properties=properties,
        groups=groups,
        clear=table.clear,
        text=text,
        embedding=EMBEDDING_PROPERTY if text is not None else None,
        dimensions=work.dimensions,
    )


def _links(groups: tuple[LinkGroup, ...]) -> list[write_statements.Link]:
    return [(group.type, group.label, group.property) for group in groups]


async def _is_empty(connection: Connection, label: str) -> bool:
    return (await fetch(connection, write_statements.count_nodes(label), origin=ADD_RECORDS))[0]["count"] == 0


async def _linked_saver(
    connection: Connection, request: AddRecordsRequest, table: Table, place: tuple[str, str], extras: tuple[str, ...]
) -> RowSaver:
    empty = await _is_empty(connection, place[0])
    # Never "unique": linked nodes are made by MERGE, because other loads link to the same ones at the same time.
    return RowSaver(
        connection, *place, Shape(extras, clear=table.clear), unique=False, empty=empty, timeout=request.timeout, origin=ADD_RECORDS
    )


def _linked_rows(selection: Selection, place: tuple[str, str]) -> list[tuple]:
    """Rows of linked nodes, sorted by key: two loads at once then wait for each other instead of meeting in deadlocks."""
    nodes = selection.linked[place][1]
    return [(key, *nodes[key]) for key in sorted(nodes, key=lambda key: (type(key).__name__, key))]


def _only_linked(table: Table, selection: Selection, place: tuple[str, str]) -> list[tuple]:
    """Without those that are rows of this load themselves."""
    rows = _linked_rows(selection, place)
    if place[0] != table.label:
        return rows
    names = (table.key, *table.properties)
    own = {row[names.index(place[1])] for row in selection.rows} if place[1] in names else set()
    return [row for row in rows if row[0] not in own]


async def _preview(
    connection: Connection, request: AddRecordsRequest, table: Table, selection: Selection, work: IndexWork, report: Report
) -> None:
    for place, (extras, _) in selection.linked.items():
        saver = await _linked_saver(connection, request, table, place, extras)
        await saver.preview(_only_linked(table, selection, place))
        _count_linked(report, table, place, saver)
    shape = _shape(table, work, table.properties, len(table.groups))
    saver = RowSaver(
        connection,
        table.label,
        table.key,
        shape,
        _links(table.groups),
        unique=False,
        empty=await _is_empty(connection, table.label),
        timeout=request.timeout,
        origin=ADD_RECORDS,
    )
    await saver.preview(selection.rows)
    _count_nodes(report, table.label, saver)
    _count_links(report, table.groups, saver)
    report.embeddings = len(saver.totals.embed) if work.embedder is not None else 0
    report.vectors_removed = saver.totals.stale if work.embedder is None else 0


async def _save(
    connection: Connection,
    request: AddRecordsRequest,
    table: Table,
    selection: Selection,
    work: IndexWork,
    report: Report,
    progress: Progress | None,
) -> None:
    unique = await _ensure_keys(connection, table, report)
    # Links to nodes of the rows' own label come last: most of those nodes are rows, and must be there first.
    others = tuple(group for group in table.groups if group.label != table.label)
    own = tuple(group for group in table.groups if group.label == table.label)
    for place in dict.fromkeys((group.label, group.property) for group in others):
        await _save_linked(connection, request, table, selection, place, report)

    width = 1 + len(table.properties)
    places = [width + table.groups.index(group) for group in others]
    rows = selection.rows if not own else [row[:width] + tuple(row[place] for place in places) for row in selection.rows]
    shape = _shape(table, work, table.properties, len(others))
    saver = RowSaver(
        connection,
        table.label,
        table.key,
        shape,
        _links(others),
        unique=unique,
        empty=unique and await _is_empty(connection, table.label),
        timeout=request.timeout,
        origin=ADD_RECORDS,
    )
    await saver.save(rows, progress)
    _count_nodes(report, table.label, saver)
    _count_links(report, others, saver)
    if saver.refused:
        places = {row[0]: position for row, position in zip(selection.rows, selection.positions)}
        report.reject((places[row[0]], reason) for row, reason in saver.refused)

    if own:
        await _save_own_links(connection, request, table, selection, own, saver, report)
    if saver.totals.stale and work.embedder is None:
        report.vectors_removed = saver.totals.stale
        report.warnings.append(
            f"{saver.totals.stale:,} vectors were removed, because their text changed and no embedding model is connected. "
            "Load the rows again with the model."
        )
    if work.embedder is not None and saver.totals.embed:
        place = 1 + shape.text
        wanted = set(saver.totals.embed)
        texts = [(row[0], row[place]) for row in rows if row[0] in wanted]
        await embed_nodes(connection, table.label, table.key, texts, work, report, request.timeout, progress)


async def _ensure_keys(connection: Connection, table: Table, report: Report) -> bool:
    """Constraints of the rows' key and of every linked key; True if the rows' key is protected by one."""
    places = [(table.label, table.key), *((group.label, group.property) for group in table.groups)]
    unique = True
    for label, prop in dict.fromkeys(places):
        result = await ensure_key(connection, label, prop)
        if result.created:
            report.constraints.append(f"{label}.{prop}")
        if result.warning:
            report.warnings.append(result.warning)
        if (label, prop) == (table.label, table.key):
            unique = result.constraint
    return unique


async def _save_linked(
    connection: Connection, request: AddRecordsRequest, table: Table, selection: Selection, place: tuple[str, str], report: Report
) -> None:
    saver = await _linked_saver(connection, request, table, place, selection.linked[place][0])
    await saver.save(_linked_rows(selection, place), what=f"linked {place[0]} nodes")
    _count_linked(report, table, place, saver)
    for _, reason in saver.refused:
        report.warnings.append(f"The server refused a linked {place[0]} node: {reason} Rows are saved without the link to it.")


async def _save_own_links(
    connection: Connection,
    request: AddRecordsRequest,
    table: Table,
    selection: Selection,
    groups: tuple[LinkGroup, ...],
    first: RowSaver,
    report: Report,
) -> None:
    for place in dict.fromkeys((group.label, group.property) for group in groups):
        await _save_linked(connection, request, table, selection, place, report)
    width = 1 + len(table.properties)
    places = [width + table.groups.index(group) for group in groups]
    refused = {row[0] for row, _ in first.refused}
    rows = [(row[0], *(row[place] for place in places)) for row in selection.rows if row[0] not in refused]
    shape = Shape((), groups=len(groups), clear=table.clear)
    saver = RowSaver(
        connection, table.label, table.key, shape, _links(groups), unique=False, timeout=request.timeout, origin=ADD_RECORDS
    )
    await saver.save(rows, what="links")
    _count_links(report, groups, saver)
    seen = set(first.created_keys).union(first.totals.touched)
    moved = sum(key not in seen for key in saver.totals.touched)
    counted = report.nodes(table.label)
    counted.changed += moved
    counted.unchanged -= moved
    report.retries += saver.counters.retries


def _count_nodes(report: Report, label: str, saver: RowSaver) -> None:
    counted = report.nodes(label)
    counted.created += saver.created
    counted.changed += len(saver.totals.touched)
    counted.unchanged += saver.totals.unchanged
    report.properties_set += saver.totals.properties
    report.retries += saver.counters.retries


def _count_linked(report: Report, table: Table, place: tuple[str, str], saver: RowSaver) -> None:
    """Of linked nodes of the rows' own label only the new ones: the others are counted as rows, or are old."""
    if place[0] != table.label:
        return _count_nodes(report, place[0], saver)
    report.nodes(table.label).created += saver.created
    report.properties_set += saver.totals.properties
    report.retries += saver.counters.retries


def _count_links(report: Report, groups: tuple[LinkGroup, ...], saver: RowSaver) -> None:
    for group, added, removed, kept in zip(groups, saver.totals.links_added, saver.totals.links_removed, saver.totals.links_kept):
        counted = report.relationships(group.type, group.label)
        counted.created += added
        counted.deleted += removed
        counted.unchanged += kept
