"""Write Query: the user's own statement in place of ours, screened, in batches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..cypher import write_statements
from ..cypher.parameters import find_parameters
from ..cypher.plan import check_plan
from ..cypher.screen import screen
from ..cypher.tokens import tokenize
from ..database.connection import Connection
from ..database.reading import Origin
from ..database.writing import Counters, Progress, explain, read_current, write
from ..defaults import EMBEDDING_PROPERTY, VECTOR_PROPERTIES, WRITE_BATCH
from ..errors import InputError
from ..records.report import Report
from ..records.table import Selection, Table, filterable_columns, read_table, word_columns
from .record_indexes import IndexWork, embed_nodes, searchable
from .row_saver import save_apart

if TYPE_CHECKING:
    from .add_records import AddRecordsRequest

_ORIGIN = Origin("write_query")
_LANGUAGE = re.compile(r"\s*CYPHER\s+\d+\s+", re.I)
_SAMPLE = 1000  # saved nodes that are looked at to choose what the indexes cover


def prepare_query(cypher: str) -> str:
    """The statement as it is sent: with ``$rows``; one written for a single ``row`` gets the UNWIND before it.

    Raises InputError when neither appears or another parameter does, QueryRefused when the screen stops it.
    """
    text = screen(cypher, writing=True)
    others = [name for name in find_parameters(text) if name != "rows"]
    if others:
        raise InputError(
            f"Write Query uses the parameter ${others[0]}.", "It gets the rows only, as $rows, or one by one as row."
        )
    if "rows" in find_parameters(text):
        return text
    tokens = tokenize(text)
    if not any(token.kind == "word" and token.text == "row" for token in tokens):
        raise InputError(
            "Write Query uses neither $rows nor row.",
            "Write it for one row, for example MERGE (n:Incidencia {codigo: row.codigo}) SET n.fecha = date(row.fecha)",
        )
    language = _LANGUAGE.match(text)
    start = language.end() if language else 0
    return f"{text[:start]}UNWIND $rows AS row\n{text[start:]}"


def query_rows(table: Table, selection: Selection) -> list[dict[str, Any]]:
    """The selected rows as maps of all their columns, blank cells as null, and the composed key if there is one."""
    places = [position - 1 for position in selection.positions]
    columns = {name: column.values for name, column in table.columns.items()} | {table.key: table.keys.values}
    return [{name: values[place] for name, values in columns.items()} for place in places]


async def save_by_query(
    connection: Connection,
    request: AddRecordsRequest,
    text: str,
    table: Table,
    selection: Selection,
    work: IndexWork,
    report: Report,
    progress: Progress | None,
) -> int:
    """Run the statement in batches, then embed the nodes of the label whose text changed or has no vector.

    ``preview``: every batch is run and rolled back. Returns how many nodes of the label have the key of a row.
    Raises QueryRefused when the server's plan does more than write data, and what the server says of the statement.
    """
    query_type, plan = await explain(connection, text, {"rows": []}, timeout=request.timeout, origin=_ORIGIN)
    check_plan(query_type, plan, writing=True)
    rows = query_rows(table, selection)
    if request.preview:
        for start in range(0, len(rows), WRITE_BATCH):
            batch = {"rows": rows[start : start + WRITE_BATCH]}
            _count(report, await write(connection, text, batch, timeout=request.timeout, origin=_ORIGIN, undo=True))
        report.warnings.append("The Write Query was run and undone, batch by batch: what one batch makes, the next did not see.")
        return 0
    before = await _texts(connection, request, table, selection)
    refused: list[tuple[dict, str]] = []

    async def save(batch: Sequence[dict]) -> None:
        _count(report, await write(connection, text, {"rows": batch}, timeout=request.timeout, origin=_ORIGIN))

    for start in range(0, len(rows), WRITE_BATCH):
        await save_apart(rows[start : start + WRITE_BATCH], save, refused)
        if progress:
            progress(min(start + WRITE_BATCH, len(rows)), len(rows), "rows")
    places = {id(row): position for row, position in zip(rows, selection.positions)}
    report.reject((places[id(row)], reason) for row, reason in refused)
    after = await _texts(connection, request, table, selection)
    if not after:
        report.warnings.append(
            f"The Write Query left no {table.label} nodes whose {table.key} is that of a row; indexes and vectors are for those."
        )
    if work.embedder is not None:
        wanted = [
            (key, text_now)
            for key, (text_now, size) in after.items()
            if text_now and (before.get(key, (None, None))[0] != text_now or size != work.dimensions)
        ]
        await embed_nodes(connection, table.label, table.key, wanted, work, report, request.timeout, progress)
    await _look_at_nodes(connection, request, table, list(after)[:_SAMPLE], work)
    return len(after)


def _count(report: Report, counted: Counters) -> None:
    nodes, links = report.nodes("nodes"), report.relationships("relationships")
    nodes.created += counted.nodes_created
    nodes.deleted += counted.nodes_deleted
    links.created += counted.relationships_created
    links.deleted += counted.relationships_deleted
    report.properties_set += counted.properties_set
    report.retries += counted.retries


async def _texts(
    connection: Connection, request: AddRecordsRequest, table: Table, selection: Selection
) -> dict[Any, tuple[str | None, int | None]]:
    """Key -> (text, size of its vector) of the nodes of the rows' keys."""
    names = [table.text_column] if table.text_column else []
    statement = write_statements.stored_nodes(table.label, table.key, names, (), EMBEDDING_PROPERTY)
    found: dict[Any, tuple[str | None, int | None]] = {}
    for start in range(0, len(selection.rows), WRITE_BATCH):
        keys = {"keys": [row[0] for row in selection.rows[start : start + WRITE_BATCH]]}
        for node in (await read_current(connection, statement, keys, timeout=request.timeout, origin=_ORIGIN))[0]["found"]:
            text = node[1] if names and isinstance(node[1], str) else None
            found[node[0]] = (text, node[-1])
    return found


async def _look_at_nodes(
    connection: Connection, request: AddRecordsRequest, table: Table, keys: Sequence[Any], work: IndexWork
) -> None:
    """Choose what the indexes cover by the properties that the statement gave the nodes, not by the columns."""
    if not keys:
        work.vector = work.fulltext = None
        return
    statement = write_statements.node_properties(table.label, table.key)
    rows = (await read_current(connection, statement, {"keys": list(keys)}, timeout=request.timeout, origin=_ORIGIN))[0]["found"]
    text = table.text_column if any(table.text_column in row for row in rows) else ""
    stored = read_table(rows, label=table.label, key_property=table.key, text_column=text or "", left_out=VECTOR_PROPERTIES)
    if work.vector:
        work.vector = replace(work.vector, filterable=filterable_columns(stored))
    if work.fulltext:
        words = searchable(word_columns(stored))
        work.fulltext = replace(work.fulltext, properties=words) if words else None
