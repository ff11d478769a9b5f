"""From rows to what is to be saved: keys, properties, links, linked nodes, and what is rejected and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Any

from ..defaults import FILTERABLE_COLUMNS, MAX_FILTER_BYTES, MAX_KEY_BYTES, SHORT_TEXT
from ..errors import InputError
from .linked import LinkGroup, LinkedNodes, group_links, group_rules, linked_nodes
from .relationships import RelationshipRule
from .text import BrokenRow
from .values import CellProblem, Column, convert_column, describe, stored

_KEY_SEPARATOR = "|"


@dataclass(frozen=True)
class Rejected:
    """``position`` is the 1-based number of the row in the input; ``column`` None when the whole row is broken."""

    position: int
    column: str | None
    reason: str


@dataclass
class Table:
    """Columns of converted cells, one entry per row of the input; see ``read_table``.

    ``key`` is the property by which a node is known and ``keys`` its values; ``properties`` are the columns stored
    on the node besides it; ``text_column`` is the one that is embedded and searched by words.
    """

    label: str
    key: str
    keys: Column
    columns: dict[str, Column]
    properties: tuple[str, ...]
    groups: tuple[LinkGroup, ...]
    text_column: str | None
    clear: bool
    problems: dict[int, tuple[str | None, str]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


@dataclass
class Selection:
    """The rows that are saved: ``rows`` hold (key, properties…, links of each group…) in the order of the input.

    ``positions`` are their 1-based numbers; ``links`` of a row are None (blank), one key, or a list of keys.
    ``linked`` maps (label, property) to the extra columns and {key: extra values} of the linked nodes.
    """

    rows: list[tuple]
    positions: Sequence[int]
    rejected: list[Rejected]
    replaced: list[int]
    linked: LinkedNodes
    warnings: list[str]


def read_table(
    rows: Sequence[Mapping[str, Any]],
    *,
    label: str,
    key_property: str,
    rules: Sequence[RelationshipRule] = (),
    column_types: Mapping[str, Callable[[Any], Any]] | None = None,
    text_column: str = "",
    empty_cells: str = "keep",
    left_out: frozenset[str] = frozenset(),
    nested: bool = False,
) -> Table:
    """Convert the cells and check the fields against the columns that exist.

    ``key_property`` ``a + b`` composes a key of several columns: property ``a_b``, their texts joined by ``|``.
    ``left_out`` are columns that are not stored; ``nested``: dicts and lists stay such.

    Raises InputError for a key, rule, type or text column that no row has; it names those that exist.
    """
    if not label.strip():
        raise InputError("Node Label is empty.", "Say what each row is, for example Incidencia.")
    if not key_property.strip():
        raise InputError("Key Property is empty.", "Name the column that identifies a row, for example codigo.")
    if empty_cells not in ("keep", "clear"):
        raise InputError(f"Empty Cells is '{empty_cells}'.", "It is keep or clear.")
    types = dict(column_types or {})
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    key_columns = _key_columns(key_property.strip(), names)
    linked = {name for rule in rules for name in (rule.column, *rule.extras)}
    if names:
        _check_columns(names, rules, types, text_column)
    link_columns = {rule.column for rule in rules}
    if left_out & set(key_columns):
        raise InputError(
            f"The Key Property cannot be {key_property.strip()}: the vectors are stored there.", "Use another column."
        )
    left_out = left_out - linked
    columns = {}
    for name in names:
        if name in left_out:
            continue
        values = _cells(rows, name)
        if name in link_columns and not nested and _has_several(values):
            columns[name] = _link_column(values, types.get(name))
        else:
            columns[name] = convert_column(values, types.get(name), nested=nested)
    key, keys = _keys(columns, key_columns, len(rows))
    text = _text_column(columns, text_column, {*key_columns, *linked})
    properties = tuple(
        name
        for name in columns
        if name != key and (name not in linked or name == text or (len(key_columns) > 1 and name in key_columns))
    )
    table = Table(label.strip(), key, keys, columns, properties, group_rules(rules), text, empty_cells == "clear")
    _find_problems(table, rows, key_columns, link_columns)
    table.warnings += [f"Column {name} was left out: it is computed from the text column." for name in names if name in left_out]
    for name, column in columns.items():
        table.warnings += [f"Column {name}: {note}" for note in column.notes]
        if len(column.kinds - {int, float}) + bool(column.kinds & {int, float}) > 1 and name not in link_columns:
            table.warnings.append(f"Column {name} holds values of several kinds; comparisons find only those of the same kind.")
    return table


def _cells(rows: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    try:
        return list(map(itemgetter(name), rows))  # twice as fast as get, and rows mostly have the same columns
    except KeyError:
        return [row.get(name) for row in rows]


def _key_columns(key_property: str, names: list[str]) -> tuple[str, ...]:
    if key_property in names or not names:
        return (key_property,)
    parts = tuple(part.strip() for part in key_property.split("+"))
    if len(parts) > 1 and all(part in names for part in parts):
        return parts
    raise InputError(f"No row has the column {key_property}, which is the Key Property.", _existing(names))


def _existing(names: Sequence[str]) -> str:
    shown = ", ".join(names[:40]) + (f" and {len(names) - 40} more" if len(names) > 40 else "")
    return f"The columns are: {shown}."


def _check_columns(names: list[str], rules: Sequence[RelationshipRule], types: Mapping[str, Any], text_column: str) -> None:
    known = set(names)
    for rule in rules:
        for name in (rule.column, *rule.extras):
            if name not in known:
                raise InputError(f"Relationships: no row has the column {name} (in the line with {rule.type}).", _existing(names))
    for name in types:
        if name not in known:
            raise InputError(f"Column Types: no row has the column {name}.", _existing(names))
    if text_column and text_column not in known:
        raise InputError(f"Text Column: no row has the column {text_column}.", _existing(names))


def _has_several(values: list[Any]) -> bool:
    several = (list, tuple, set, frozenset, Mapping)
    return any(issubclass(kind, several) or hasattr(kind, "tolist") for kind in set(map(type, values)))


def _link_column(values: list[Any], cell_type: Callable[[Any], Any] | None) -> Column:
    """Cells that link to several nodes: lists without blanks and repetitions; all blank is None, ``[]`` stays."""
    column = Column([None] * len(values), set())
    for position, value in enumerate(values):
        try:
            value = cell_type(value) if cell_type and value is not None else value
            value = value.tolist() if hasattr(value, "tolist") else value
            if isinstance(value, Mapping):
                raise CellProblem("a nested value cannot be the key of a linked node")
            if isinstance(value, (list, tuple, set, frozenset)):
                if any(isinstance(item, (list, tuple, set, dict)) for item in value):
                    raise CellProblem("a list of links holds a nested value")
                filled = [item for item in (stored(item)[0] for item in value) if item is not None]
                column.values[position] = list(dict.fromkeys(filled)) if filled or not value else None
            else:
                column.values[position] = stored(value)[0]
        except CellProblem as problem:
            column.problems[position] = str(problem)
    describe(column)
    return column


def _keys(columns: dict[str, Column], key_columns: tuple[str, ...], count: int) -> tuple[str, Column]:
    if not columns:
        return key_columns[0], Column([None] * count, set())
    if len(key_columns) == 1:
        return key_columns[0], columns[key_columns[0]]
    name = "_".join(key_columns)
    if name in columns:
        raise InputError(
            f"The composed key would be stored as {name}, and there is a column of that name.", "Rename one of the columns."
        )
    parts = zip(*(columns[part].values for part in key_columns))
    keys = Column([None if None in cells else _KEY_SEPARATOR.join(map(str, cells)) for cells in parts], set())
    describe(keys)
    return name, keys


def _text_column(columns: dict[str, Column], wanted: str, others: set[str]) -> str | None:
    if wanted:
        return wanted if wanted in columns else None
    if "text" in columns and str in columns["text"].kinds:
        return "text"
    lengths = {
        name: sum(map(len, filter(None, column.values)))
        for name, column in columns.items()
        if column.kinds == {str} and name not in others
    }
    return max(lengths, key=lambda name: lengths[name], default=None)


def _find_problems(table: Table, rows: Sequence[Mapping], key_columns: tuple[str, ...], link_columns: set[str]) -> None:
    if BrokenRow in set(map(type, rows)):
        table.problems.update((i, (None, row.reason)) for i, row in enumerate(rows) if type(row) is BrokenRow)
    for name, column in table.columns.items():
        for position, reason in column.problems.items():
            table.problems.setdefault(position, (name, reason))
        if name in link_columns:
            _find_long(
                table.problems,
                column,
                MAX_KEY_BYTES,
                name,
                "the value of a linked node is longer than {limit:,} bytes, more than an index holds",
            )
    key_name = " + ".join(key_columns)
    if None in table.keys.values:
        for position, key in enumerate(table.keys.values):
            if key is None:
                table.problems.setdefault(position, (key_name, "the key is blank"))
    if table.keys.kinds & {list, bytes}:
        for position, key in enumerate(table.keys.values):
            if isinstance(key, (list, bytes)):
                table.problems.setdefault(position, (key_name, "a list or binary value cannot be a key"))
    _find_long(
        table.problems, table.keys, MAX_KEY_BYTES, key_name, "the key is longer than {limit:,} bytes, more than an index holds"
    )


def _find_long(
    problems: dict[int, tuple[str | None, str]], column: Column, limit: int, name: str, reason: str, *, inside: bool = True
) -> None:
    """Rows with a text of more than ``limit`` UTF-8 bytes, alone or ``inside`` lists and maps."""

    def too_long(value: Any) -> bool:
        if type(value) in (list, dict):
            return inside and any(map(too_long, value.values() if type(value) is dict else value))
        return type(value) is str and len(value) * 4 > limit and len(value.encode("utf-8", "replace")) > limit

    if column.longest * 4 > limit or (inside and dict in column.kinds):
        for position, value in enumerate(column.values):
            if too_long(value):
                problems.setdefault(position, (name, reason.format(limit=limit)))


def select_rows(
    table: Table, guarded: frozenset[str] = frozenset(), *, by_query: bool = False, long_text: str = "text"
) -> Selection:
    """Leave out rejected rows and those that a later row with the same key replaces, and gather the linked nodes.

    ``guarded`` are properties by which a vector index filters: a longer text there would stop the whole database.
    ``by_query``: a statement of the user's may put any cell into them, but for the column ``long_text``.
    """
    problems = dict(table.problems)
    watched = set(guarded)
    if by_query and guarded:
        watched |= table.columns.keys() - {long_text}
    for name in watched & table.columns.keys():
        filtered = ", ".join(sorted(guarded)) if by_query else name
        reason = f"the text is longer than {{limit:,}} bytes, and a vector index filters by {filtered}: the database would stop"
        _find_long(problems, table.columns[name], MAX_FILTER_BYTES, name, reason, inside=by_query)
    rejected = [Rejected(position + 1, *problems[position]) for position in sorted(problems)]
    count = len(table.keys.values)
    keys = [_ident(key) for key in table.keys.values] if bool in table.keys.kinds else table.keys.values
    good = [position for position in range(count) if position not in problems] if problems else range(count)
    last = dict(zip((keys[position] for position in good), good)) if problems else dict(zip(keys, good))
    kept = sorted(last.values()) if len(last) < count else range(count)
    chosen = set(kept) if len(kept) < len(good) else None
    warnings: list[str] = []

    def chosen_cells(column: Column) -> list[Any]:
        return column.values if len(kept) == count else [column.values[position] for position in kept]

    def values(name: str) -> list[Any]:
        return chosen_cells(table.columns[name])

    links = [group_links(group, values) for group in table.groups]
    return Selection(
        rows=list(zip(chosen_cells(table.keys), *map(values, table.properties), *links)),
        positions=range(1, count + 1) if isinstance(kept, range) else [position + 1 for position in kept],
        rejected=rejected,
        replaced=[position + 1 for position in good if position not in chosen] if chosen is not None else [],
        linked=linked_nodes(table.groups, values, warnings),
        warnings=warnings,
    )


def _ident(key: Any) -> Any:
    """Python takes True and 1 for the same dictionary key; Neo4j does not."""
    return ("boolean", key) if type(key) is bool else key


def filterable_columns(table: Table) -> tuple[str, ...]:
    """Properties worth filtering a vector search by: numbers, booleans, dates and times, text of at most 64
    characters; never the key or the text column."""
    names = []
    for name in table.properties:
        kinds = table.columns[name].kinds
        if name != table.text_column and kinds and not kinds & {list, bytes} and table.columns[name].longest <= SHORT_TEXT:
            names.append(name)
    return tuple(names[:FILTERABLE_COLUMNS])


def word_columns(table: Table) -> tuple[str, ...]:
    """Properties worth searching by words: the text column, then the key and other texts of at most 64 characters."""
    names = [table.text_column] if table.text_column else []
    if str in table.keys.kinds:
        names.append(table.key)
    names += [name for name in table.properties if str in table.columns[name].kinds and table.columns[name].longest <= SHORT_TEXT]
    return tuple(dict.fromkeys(names))
