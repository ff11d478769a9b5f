"""The nine operations of the node: which fields they show and need, and how they introduce themselves as a tool."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import InputError

CONNECTION = ("uri", "username", "password", "database")
_MODELS = ("embedding", "local_embedding")
_INDEXES = ("vector_index", "fulltext_index", "fulltext_analyzer")
_ANSWER = ("number_of_results", "query_timeout", "token_limit", "format")
_ROWS_FORMATS = ("yaml", "json", "table")
_SCHEMA_FORMATS = ("text", "table", "json", "mermaid")


@dataclass(frozen=True)
class Operation:
    """``fields`` are shown besides the connection, ``required`` ones are starred and checked before a run.

    ``agent`` names the fields that an agent fills in when the node is a tool: as such they are hidden in the node.
    """

    fields: tuple[str, ...]
    required: tuple[str, ...]
    tool_name: str
    tool_description: str
    agent: tuple[str, ...] = ()
    writes: bool = False
    formats: tuple[str, ...] = _ROWS_FORMATS


def _search(tool_name: str, tool_description: str, *more: str) -> Operation:
    return Operation(
        (*_MODELS, "query", "filters", "vector_index", *more, *_ANSWER), ("query",), tool_name, tool_description, agent=("query",)
    )


OPERATIONS: dict[str, Operation] = {
    "Add Records": Operation(
        (
            *("data", *_MODELS, "node_label", "key_property", "relationships", "write_query"),
            *("text_column", "column_types", "empty_cells", "preview", *_INDEXES, "query_timeout"),
        ),
        ("data", "node_label", "key_property"),
        "add_records",
        "Saves rows in the graph. A row whose key is already there is updated.",
        agent=("data",),
        writes=True,
    ),
    "Build Graph": Operation(
        (
            *("data", "llm", *_MODELS, "allowed_patterns", "node_types", "relationship_types"),
            *("extraction_instructions", "save_source_chunks", *_INDEXES, "query_timeout"),
        ),
        ("data",),  # graph documents need no model; the operation asks for one when there is a text to read
        "build_graph",
        "Reads a text and saves the entities and relationships that it mentions in the graph.",
        agent=("data",),
        writes=True,
    ),
    "Vector": _search("vector_search", "Finds the nodes of the graph whose text is closest in meaning to the query."),
    "Hybrid": _search(
        "hybrid_search", "Finds nodes of the graph by meaning and by the words and codes of the query.", "fulltext_index"
    ),
    "Vector + Graph": _search(
        "vector_graph_search",
        "Finds the nodes of the graph whose text is closest in meaning to the query, each with the nodes it is linked to.",
        "retrieval_query",
    ),
    "Hybrid + Graph": _search(
        "hybrid_graph_search",
        "Finds nodes of the graph by meaning and by the words and codes of the query, each with the nodes it is linked to.",
        *("fulltext_index", "retrieval_query"),
    ),
    "Text2Cypher": Operation(
        ("llm", "query", "examples", "graph_description", *_ANSWER),
        ("llm", "query"),
        "ask_graph",
        "Answers a precise question about the graph, such as who, which, how many or in which state, with a query that it writes.",
        agent=("query",),
    ),
    "Cypher Query": Operation(
        (*_ANSWER, "cypher"), ("cypher",), "cypher_query", "Runs a fixed, read-only query on the graph with the values given."
    ),
    "Graph Schema": Operation(
        ("run_after", *_ANSWER[1:]),
        (),
        "graph_schema",
        "Describes what the graph holds: types of nodes with their properties and values, relationships and indexes.",
        formats=_SCHEMA_FORMATS,
    ),
}
FIELDS = frozenset(name for operation in OPERATIONS.values() for name in operation.fields)
TOOL_NAMES = frozenset(operation.tool_name for operation in OPERATIONS.values())


def operation_named(name: str) -> Operation:
    """Raises InputError for a name that is no operation, as a tweak of the API can give."""
    if name not in OPERATIONS:
        raise InputError(f"There is no operation '{name}'.", f"Choose one of: {', '.join(OPERATIONS)}.")
    return OPERATIONS[name]
