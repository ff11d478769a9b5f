"""Which fields the editor shows."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lfx_neo4j_graphrag.node import sync_template
from lfx_neo4j_graphrag.node.catalogue import CONNECTION, FIELDS, OPERATIONS


def template(**values):
    fields = {name: {"name": name, "show": True, "required": False, "value": ""} for name in (*FIELDS, *CONNECTION, "operation")}
    fields["format"].update(options=["yaml", "json", "table"], value="yaml")
    for name, value in values.items():
        fields.setdefault(name, {"name": name})["value"] = value
    return fields


def shown(fields):
    return {name for name, field in fields.items() if field.get("show")}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_shows_its_fields_and_the_connection(operation):
    fields = template()
    sync_template(fields, operation, "RETURN $uno, $dos", False)
    parameters = {"param_uno", "param_dos"} if operation == "Cypher Query" else set()
    assert shown(fields) == {"operation", *CONNECTION, *OPERATIONS[operation].fields} | parameters
    assert {name for name, field in fields.items() if field.get("required")} == set(OPERATIONS[operation].required)


def test_the_field_of_a_parameter_appears_keeps_its_value_and_goes():
    fields = template()
    sync_template(fields, "Cypher Query", "RETURN $tecnico", False)
    fields["param_tecnico"]["value"] = "Lucía Ortega"
    fields["param_tecnico"]["load_from_db"] = True
    sync_template(fields, "Cypher Query", "RETURN $tecnico, $estado", False)
    assert fields["param_tecnico"]["value"] == "Lucía Ortega"
    assert fields["param_tecnico"]["load_from_db"] is True
    assert fields["param_estado"]["show"] is True
    sync_template(fields, "Cypher Query", "RETURN $estado", False)
    assert fields["param_tecnico"]["show"] is False, "kept hidden: the name may be on its way back"
    sync_template(fields, "Cypher Query", "RETURN $tecnico", False)
    assert fields["param_tecnico"]["value"] == "Lucía Ortega"
    assert "param_estado" not in fields, "an empty one goes"


def test_a_value_survives_another_operation():
    fields = template()
    sync_template(fields, "Cypher Query", "RETURN $tecnico", False)
    fields["param_tecnico"]["value"] = "Lucía Ortega"
    sync_template(fields, "Vector", "RETURN $tecnico", False)
    assert fields["param_tecnico"]["show"] is False
    sync_template(fields, "Cypher Query", "RETURN $tecnico", False)
    assert (fields["param_tecnico"]["show"], fields["param_tecnico"]["value"]) == (True, "Lucía Ortega")


def test_graph_schema_has_its_own_formats():
    fields = template()
    sync_template(fields, "Graph Schema", "", False)
    assert fields["format"]["options"] == ["text", "table", "json", "mermaid"]
    assert fields["format"]["value"] == "text"
    fields["format"]["value"] = "json"
    sync_template(fields, "Vector", "", False)
    assert fields["format"]["value"] == "json", "a format that both have stays"


def tools(operation, **edited):
    chosen = OPERATIONS[operation]
    approval = ["approve", "reject"] if chosen.writes else []
    row = {"name": chosen.tool_name, "description": chosen.tool_description, "display_description": chosen.tool_description}
    return {"value": [row | {"approval_actions": approval, "tags": ["neo4j_graphrag"]} | edited]}


def test_the_tool_follows_the_operation_until_it_is_edited():
    fields = template() | {"tools_metadata": tools("Graph Schema")}
    sync_template(fields, "Add Records", "", True)
    row = fields["tools_metadata"]["value"][0]
    assert (row["name"], row["approval_actions"]) == ("add_records", ["approve", "reject"])

    fields = template() | {"tools_metadata": tools("Graph Schema", name="esquema_del_grafo")}
    sync_template(fields, "Add Records", "", True)
    row = fields["tools_metadata"]["value"][0]
    assert (row["name"], row["approval_actions"]) == ("esquema_del_grafo", ["approve", "reject"])


def test_an_approval_that_was_switched_off_stays_off():
    fields = template() | {"tools_metadata": tools("Add Records", approval_actions=[])}
    sync_template(fields, "Add Records", "", True)
    assert fields["tools_metadata"]["value"][0]["approval_actions"] == []


def test_in_a_tool_the_agent_has_the_rows_and_typing_a_value_changes_the_arguments():
    fields = template()
    sync_template(fields, "Add Records", "", True)
    assert fields["data"]["tool_mode"] is True
    sync_template(fields, "Cypher Query", "RETURN $uno", True)
    assert fields["data"]["tool_mode"] is False
    assert fields["param_uno"]["real_time_refresh"] is True
    assert fields["query"]["tool_mode"] is True, "the switch for tool mode is there for every operation"


def test_a_template_of_another_version_is_taken_as_it_is():
    fields = {"operation": {"value": "Vector"}, "cypher": {"value": "", "show": True}, "of_tomorrow": {"show": True}}
    sync_template(fields, "Vector", "", False)
    assert fields["cypher"]["show"] is False
    assert fields["of_tomorrow"] == {"show": True}


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from(list(OPERATIONS)), st.sampled_from(["", "RETURN $a", "RETURN $a, $b", "RETURN $B"]), st.booleans())))
def test_the_same_again_changes_nothing(steps):
    fields = template()
    for operation, cypher, tool_mode in steps:
        sync_template(fields, operation, cypher, tool_mode)
        once = copy.deepcopy(fields)
        sync_template(fields, operation, cypher, tool_mode)
        assert fields == once
        json.dumps(fields)
