"""What the editor asks of the node: fields, refreshes, updates, tool texts. No database is needed."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys

import pytest
from langflow_server import NODE_FILE, ROOT
from lfx.custom.custom_component.component import Component
from lfx.custom.utils import build_custom_component_template

from lfx_neo4j_graphrag.node.catalogue import CONNECTION, FIELDS, OPERATIONS
from lfx_neo4j_graphrag.node.spanish import FIELDS as SPANISH
from lfx_neo4j_graphrag.node.spanish import register_spanish

CYPHER = "MATCH (i)-[:ASIGNADA_A]->(t {nombre: $tecnico}) WHERE i.estado = $estado RETURN i"


def build(code):
    """(description of a fresh node, its instance), as the server builds them for each request."""
    described, instance = build_custom_component_template(Component(_code=code), module_name="neo4j")
    return json.loads(json.dumps(described, default=str)), instance


@pytest.fixture
def node(node_code):
    """The description that the editor holds."""
    return build(node_code)[0]


async def refresh(node, field, value, tool_mode=None):
    """A refresh of the editor: ``node`` afterwards, and its template."""
    template = node["template"]
    described, instance = build(template["code"]["value"])
    described["tool_mode"] = node.get("tool_mode", False) if tool_mode is None else tool_mode
    instance.set_attributes({k: f.get("value") for k, f in template.items() if isinstance(f, dict) and f.get("type") != "other"})
    instance.update_build_config(template, value, field)
    described["template"] = template
    await instance.run_and_validate_update_outputs(described, field, value)
    if field in template:
        template[field]["value"] = value
    node.update({name: described[name] for name in ("template", "outputs", "tool_mode")})  # all that the editor takes
    return template


def test_a_fresh_node_is_in_step_with_its_operation(node):
    described = node
    template = described["template"]
    shown = {name for name, field in template.items() if isinstance(field, dict) and field.get("show") and name != "code"}
    assert shown == {"operation", *CONNECTION, *OPERATIONS["Add Records"].fields}
    assert template["operation"]["options"] == list(OPERATIONS)
    required = {name for name in FIELDS if template[name]["required"]}
    assert required == set(OPERATIONS["Add Records"].required)
    assert all(template[name]["value"] == "" for name in CONNECTION)
    assert [output["name"] for output in described["outputs"]] == ["result", "table"]
    assert [output["types"] for output in described["outputs"]] == [["Message"], ["Table"]]


def test_every_field_has_a_hint_of_one_sentence_with_an_example(node):
    template = node["template"]
    for name in {*FIELDS, *CONNECTION, "operation"}:
        hint = template[name]["info"]
        assert re.search(r"for example|Example: ", hint), name
        assert len(hint) < 230, name
        assert not re.search(r"\.\s+[A-Z]", re.split(r"for example|Example:", hint)[0].rstrip()), f"{name}: more than one sentence"


def test_every_text_is_there_in_spanish(node_class):
    assert set(SPANISH) == {*FIELDS, *CONNECTION, "operation"}
    for title, hint in SPANISH.values():
        assert title and re.search(r"por ejemplo|Ejemplo: ", hint)
    from langflow.utils import i18n

    description, outputs = node_class.description, node_class.outputs
    arguments = (node_class.name, node_class.__name__, node_class.display_name, description, node_class.inputs, outputs)
    assert register_spanish(*arguments) is True
    described, _ = build(NODE_FILE.read_text())
    for kind in ("Neo4jGraphRAG", "ext:neo4j_graphrag:Neo4jGraphRAGComponent@official", "ext:neo4j_graphrag:Neo4jGraphRAGComponent@extra"):
        spanish = i18n.translate_component_node(kind, copy.deepcopy(described), "es")
        assert spanish["description"].startswith("Guarda datos en un grafo")
        assert spanish["template"]["node_label"]["display_name"] == "Tipo de nodo"
        assert spanish["template"]["relationships"]["info"].startswith("Una línea por cada columna")
        assert spanish["outputs"][0]["display_name"] == "Resultado"
    assert i18n.translate("components.chatinput.none", "es", "sin cambios") == "sin cambios"
    assert len(i18n._translations) > 2, "the other languages are still there"


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_choosing_an_operation_shows_its_fields(node, operation):
    template = await refresh(node, "operation", operation)
    shown = {name for name, field in template.items() if isinstance(field, dict) and field.get("show") and name != "code"}
    assert shown == {"operation", *CONNECTION, *OPERATIONS[operation].fields}
    assert [output["name"] for output in node["outputs"]] == ["result", "table"], "an output that goes takes its edges with it"


async def test_a_parameter_becomes_a_field_at_once_and_its_value_stays(node):
    await refresh(node, "operation", "Cypher Query")
    template = await refresh(node, "cypher", CYPHER)
    assert template["param_tecnico"]["display_name"] == "tecnico"
    assert set(template["param_tecnico"]["input_types"]) >= {"Message", "Table", "JSON"}
    template["param_tecnico"]["value"] = "Lucía Ortega"
    template = await refresh(node, "cypher", CYPHER.replace("$tecnico", "$tec"))
    template = await refresh(node, "cypher", CYPHER)
    assert (template["param_tecnico"]["value"], template["param_tecnico"]["show"]) == ("Lucía Ortega", True)


async def test_tool_mode_gives_one_tool_that_follows_the_fields(node):
    await refresh(node, "operation", "Cypher Query")
    await refresh(node, "cypher", CYPHER)
    template = await refresh(node, "tool_mode", True, tool_mode=True)
    (tool,) = template["tools_metadata"]["value"]
    assert (tool["name"], tool["tags"], set(tool["args"])) == ("cypher_query", ["neo4j_graphrag"], {"tecnico", "estado"})
    assert [output["name"] for output in node["outputs"]] == ["component_as_tool"]

    template = await refresh(node, "param_estado", "abierta")
    assert set(template["tools_metadata"]["value"][0]["args"]) == {"tecnico"}, "a value that is filled in is fixed"

    tool = template["tools_metadata"]["value"][0]
    tool.update(name="incidencias_de_tecnico", description="Incidencias de un técnico.")
    template = await refresh(node, "cypher", CYPHER + " LIMIT $limite")
    (tool,) = template["tools_metadata"]["value"]
    assert (tool["name"], tool["description"]) == ("incidencias_de_tecnico", "Incidencias de un técnico.")
    assert set(tool["args"]) == {"tecnico", "limite"}

    template = await refresh(node, "operation", "Add Records")
    (tool,) = template["tools_metadata"]["value"]
    assert (tool["name"], set(tool["args"])) == ("incidencias_de_tecnico", {"rows"})
    assert tool["approval_actions"] == ["approve", "reject"], "writing asks a person first"
    assert template["data"]["tool_mode"] is True

    await refresh(node, "tool_mode", False, tool_mode=False)
    assert "tools_metadata" not in node["template"]


async def test_update_component_keeps_fields_visibility_and_tool_texts(node, node_code):
    await refresh(node, "operation", "Cypher Query")
    await refresh(node, "cypher", CYPHER)
    template = await refresh(node, "tool_mode", True, tool_mode=True)
    template["param_estado"]["value"] = "abierta"
    template["uri"]["value"] = "bolt://db.local:7687"
    template["tools_metadata"]["value"][0].update(name="incidencias_de_tecnico", description="Incidencias de un técnico.")
    saved = copy.deepcopy(node)

    newer = node_code.replace('"Graph Description",', '"About the Graph",')  # a version with another title
    described, instance = build(newer)
    updated = await instance.update_frontend_node(described, saved)
    await instance.run_and_validate_update_outputs(updated, "tool_mode", updated.get("tool_mode"))

    template = updated["template"]
    assert template["graph_description"]["display_name"] == "About the Graph"
    assert template["uri"]["value"] == "bolt://db.local:7687"
    assert template["cypher"]["value"] == CYPHER
    assert (template["cypher"]["show"], template["node_label"]["show"]) == (True, False)
    assert template["param_estado"]["value"] == "abierta"
    (tool,) = template["tools_metadata"]["value"]
    assert (tool["name"], tool["description"], set(tool["args"])) == ("incidencias_de_tecnico", "Incidencias de un técnico.", {"tecnico"})


def test_the_saved_file_is_small_and_passes_langflows_check(node_code):
    assert len(node_code.splitlines()) <= 400
    check = subprocess.run([sys.executable, "-m", "lfx", "extension", "validate", str(ROOT)], capture_output=True, text=True, timeout=120)
    assert check.returncode == 0, check.stdout + check.stderr
