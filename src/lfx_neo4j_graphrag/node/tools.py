"""The node as a tool of an agent: one tool, one constant tag, arguments that depend on the operation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ..errors import GraphRAGError
from .catalogue import OPERATIONS, operation_named
from .filters import filters_argument
from .holes import Hole, holes_of
from .template import APPROVAL
from .values import Values

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool
    from pydantic import BaseModel

TOOL_TAG = "neo4j_graphrag"  # the identity of the tool in saved flows: a tool with another tag is dropped without a word


def make_tool(values: dict[str, Any], call: Callable[[dict[str, Any]], Awaitable[str]], metadata: dict[str, Any]) -> StructuredTool:
    """The tool for the current fields. ``call`` runs the operation with the agent's arguments and gives its text.

    A failure becomes text that the agent reads and goes on from: it is not tried again, which matters for what writes.
    """
    from langchain_core.tools import StructuredTool, ToolException

    fields = Values(values)
    operation = operation_named(fields.text("operation"))

    async def answer(**arguments: Any) -> str:
        try:
            return await call(arguments)
        except Exception as error:
            raise ToolException(str(error)) from None

    return StructuredTool.from_function(
        name=operation.tool_name,
        description=operation.tool_description,
        coroutine=answer,
        args_schema=arguments_of(fields),
        handle_tool_error=True,
        handle_validation_error=_misfit,
        tags=[TOOL_TAG],
        metadata={
            **metadata,
            "display_description": operation.tool_description,
            "approval_actions": list(APPROVAL) if operation.writes else [],
            "readonly": False,
        },
    )


def _misfit(error: Any) -> str:
    """Arguments of the wrong shape, said to the agent instead of raised: what is raised is tried again with the same ones."""
    faults = "; ".join(f"{'.'.join(str(part) for part in fault['loc']) or 'arguments'}: {fault['msg']}" for fault in error.errors()[:3])
    return f"The arguments do not fit this tool ({faults}). Call it again with arguments that do."


def arguments_of(fields: Values) -> type[BaseModel]:
    """What the agent fills in. Labels, keys, patterns and queries are never the agent's."""
    from pydantic import ConfigDict, Field, create_model

    name = fields.text("operation")
    arguments: dict[str, Any] = {}
    if name == "Add Records":
        arguments["rows"] = (list[dict[str, Any]], Field(min_length=1, description=_rows_description(fields)))
    elif name == "Build Graph":
        arguments["text"] = (str, Field(min_length=1, description="The text to read, whole."))
    elif "query" in OPERATIONS[name].agent:
        question = "The question, in full words." if name == "Text2Cypher" else "What to look for, in the words of the question."
        arguments["query"] = (str, Field(min_length=1, description=question))
        if "filters" in OPERATIONS[name].fields and not fields.text("filters"):
            arguments["filters"] = filters_argument(fields)
    elif name == "Cypher Query":
        arguments = {hole.argument: _hole_argument(hole) for hole in free_holes(fields)}
    return create_model("Arguments", __config__=ConfigDict(extra="forbid"), **arguments)


def free_holes(fields: Values) -> list[Hole]:
    """The $parameters whose field is empty: those that are filled in are fixed and hidden from the agent."""
    return [hole for hole in holes_of(fields.text("cypher")) if fields.is_empty(hole.key)]


def _hole_argument(hole: Hole) -> tuple[Any, Any]:
    from typing import Annotated

    from pydantic import Field, WithJsonSchema

    # Described as text, because Cypher doesn't say which type a parameter has; what a model sends as a number or a list stays one.
    described = WithJsonSchema({"type": "string"})
    return Annotated[Any, described], Field(description=f"Value of {hole.name} in the query.")


def _rows_description(fields: Values) -> str:
    from ..records.relationships import parse_relationships

    columns = [fields.text("key_property")]
    try:
        for rule in parse_relationships(fields.text("relationships")):
            columns += [rule.column, *rule.extras]
    except GraphRAGError:  # said when the node runs; a tool is described also from half-written lines
        pass
    named = ", ".join(dict.fromkeys(column for column in columns if column))
    return "The rows, each an object from column to value." + (f" Columns with a meaning: {named}." if named else "")
