"""The fields that the editor shows. Nothing here asks the database: the editor calls it while a person types."""

from __future__ import annotations

from typing import Any

from .catalogue import FIELDS, OPERATIONS, TOOL_NAMES
from .holes import Hole, holes_of, is_parameter_field

__all__ = ["is_parameter_field", "sync_template"]

_PARAMETER_TYPES = ["Message", "Data", "JSON", "DataFrame", "Table"]
APPROVAL = ["approve", "reject"]


def sync_template(template: dict[str, Any], operation: str, cypher: str, tool_mode: bool) -> None:
    """Show the fields of the operation and one for each $parameter, and let the tool's texts follow the operation.

    Changes ``template`` in place; doing it twice changes nothing more. Values are never lost: those of fields
    that are hidden stay in the template, also of a parameter that is being renamed letter by letter.
    """
    chosen = OPERATIONS.get(operation) or OPERATIONS["Cypher Query"]
    for name in FIELDS & template.keys():
        template[name].update(show=name in chosen.fields, required=name in chosen.required)
    for name in ("data", "query"):
        if name in template:  # the agent's in a tool; the editor hides such fields and does not ask for them
            template[name]["tool_mode"] = name == "query" or name in chosen.agent
    if "filters" in template:  # what is filled in is taken from the agent: the tool's arguments change while typing
        template["filters"]["real_time_refresh"] = tool_mode
    _offer_formats(template.get("format"), chosen.formats)
    _sync_parameters(template, holes_of(cypher) if operation == "Cypher Query" else [], tool_mode)
    _follow_operation(template.get("tools_metadata"), operation)


def _offer_formats(field: dict[str, Any] | None, formats: tuple[str, ...]) -> None:
    if field is not None:
        field["options"] = list(formats)
        if field.get("value") not in formats:
            field["value"] = formats[0]


def _sync_parameters(template: dict[str, Any], holes: list[Hole], tool_mode: bool) -> None:
    kept = {key: template.pop(key) for key in [key for key in template if is_parameter_field(key)]}
    wanted = {hole.key for hole in holes}
    template.update({key: {**field, "show": False} for key, field in kept.items() if key not in wanted and field.get("value")})
    for hole in holes:
        field = _parameter_field(hole, template["cypher"], tool_mode)
        field.update({name: kept[hole.key][name] for name in ("value", "load_from_db") if name in kept.get(hole.key, {})})
        template[hole.key] = field


def _parameter_field(hole: Hole, like: dict[str, Any], tool_mode: bool) -> dict[str, Any]:
    """A text field as the running Langflow writes one, with an input for a connection."""
    return {
        **like,
        "name": hole.key,
        "display_name": hole.name,
        "info": f"Value of ${hole.name}; as a tool, leave it empty so that the agent fills it in, or fix it here.",
        "value": "",
        "show": True,
        "required": False,
        "dynamic": True,
        "real_time_refresh": tool_mode,  # filled in, it is no argument of the tool any more
        "input_types": list(_PARAMETER_TYPES),
    }


def _follow_operation(tools: Any, operation: str) -> None:
    """A name that the user did not edit follows the operation, and so does the question for approval."""
    chosen = OPERATIONS.get(operation)
    if chosen is None or not isinstance(tools, dict):
        return
    others = {other.tool_description for other in OPERATIONS.values()} - {chosen.tool_description}
    for row in tools.get("value") or []:
        if row.get("name") in TOOL_NAMES and row["name"] != chosen.tool_name:
            row["name"] = chosen.tool_name
        if row.get("display_description") in others:  # another operation's until now
            row["approval_actions"] = list(APPROVAL) if chosen.writes else []
