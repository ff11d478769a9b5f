"""The node in the hands of a person: found, dragged in, filled in, connected, run."""

from __future__ import annotations

import re
import time

from canvas import IN_THE_SIDEBAR
from langflow_server import only_node, with_rows
from neo4j import GraphDatabase
from playwright.sync_api import expect

from lfx_neo4j_graphrag.node.catalogue import CONNECTION, OPERATIONS
from lfx_neo4j_graphrag.node.spanish import FIELDS as SPANISH

ROWS = 200_000
CYPHER = "MATCH (i:Incidencia {estado: $estado})-[:ASIGNADA_A]->(t:Tecnico {nombre: $tecnico}) RETURN i.codigo AS codigo"


def test_found_dragged_in_and_each_operation_shows_its_fields(canvas, picture, langflow):
    canvas.page.set_viewport_size({"width": 1600, "height": 1600})  # the longest node, whole
    canvas.open()
    canvas.drag_in("neo4j", IN_THE_SIDEBAR, 500, 60)
    expect(canvas.node()).to_be_visible()
    fields = langflow.node()["node"]["template"]
    for operation, described in OPERATIONS.items():
        if operation != "Add Records":  # a fresh node has it
            canvas.choose(operation)
        plain = [name for name in ("operation", *CONNECTION, *described.fields) if not fields[name]["advanced"]]
        expected = {fields[name]["display_name"].lower() for name in plain}
        canvas.shows(expected)
        for handle in ("result", "table"):
            expect(canvas.node().get_by_test_id(re.compile(f"^handle-.*-{handle}-right$"))).to_have_count(1)
        canvas.page.locator(".react-flow__pane").click(position={"x": 1200, "y": 300})  # away from the node: its toolbar goes
        picture(canvas.node(), f"operations/{re.sub('[^a-z0-9]+', '-', operation.lower())}")


def test_a_parameter_gets_a_field_whose_value_outlives_edits_saving_and_loading(canvas, langflow):
    flow, _ = only_node(langflow, operation="Cypher Query")
    canvas.open(flow)
    canvas.write("cypher", CYPHER, refreshes=True)
    expect(canvas.field("param_tecnico")).to_be_visible()
    expect(canvas.field("param_estado")).to_be_visible()
    canvas.write("param_tecnico", "Lucía Ortega")
    canvas.write("cypher", CYPHER.replace("$tecnico", "$t"), refreshes=True)
    expect(canvas.field("param_t")).to_be_visible()
    expect(canvas.field("param_tecnico")).to_have_count(0)
    canvas.write("cypher", CYPHER + " LIMIT $limite", refreshes=True)
    expect(canvas.field("param_limite")).to_be_visible()
    expect(canvas.field("param_tecnico")).to_have_value("Lucía Ortega")

    canvas.saved(lambda template: "param_limite" in template and template["param_tecnico"]["value"] == "Lucía Ortega")
    canvas.reload()
    expect(canvas.field("param_tecnico")).to_have_value("Lucía Ortega")
    assert canvas.titles()[-4:] == ["cypher", "estado", "limite", "tecnico"]


def test_tool_mode_shows_name_description_and_arguments_and_keeps_what_is_written(canvas, langflow):
    flow, _ = only_node(langflow, operation="Cypher Query", cypher=CYPHER)
    canvas.open(flow)
    canvas.node().get_by_test_id("node-name").click()
    canvas.refreshed(lambda: canvas.page.get_by_test_id("tool-mode-button").click())
    expect(canvas.node().get_by_test_id("tool_cypher_query")).to_be_visible()
    expect(canvas.node().get_by_test_id(re.compile("^handle-.*-right$"))).to_have_count(1)
    canvas.write("param_estado", "abierta", refreshes=True)
    canvas.saved(lambda template: set(template["tools_metadata"]["value"][0]["args"]) == {"tecnico"})

    canvas.node().get_by_test_id("button_open_actions").click()
    dialog = canvas.page.get_by_role("dialog")
    dialog.get_by_text("Runs a fixed, read-only query").first.click()
    expect(dialog.get_by_test_id("input_update_name")).to_have_value("cypher_query")
    expect(dialog.get_by_text("Tecnico", exact=True)).to_be_visible()
    expect(dialog.get_by_text("Estado", exact=True)).to_have_count(0)  # what is filled in is not the agent's
    dialog.get_by_test_id("input_update_name").fill("incidencias_de_tecnico")
    dialog.get_by_test_id("input_update_description").fill("Incidencias de un técnico.")
    dialog.get_by_test_id("btn_close_tools_modal").click()
    canvas.refreshed(lambda: canvas.page.keyboard.press("Escape"))
    expect(canvas.node().get_by_test_id("tool_incidencias_de_tecnico")).to_be_visible()

    canvas.saved(lambda template: template["tools_metadata"]["value"][0]["name"] == "incidencias_de_tecnico")
    canvas.reload()
    expect(canvas.node().get_by_test_id("tool_incidencias_de_tecnico")).to_be_visible()
    canvas.write("cypher", CYPHER + " LIMIT $limite", refreshes=True)
    canvas.saved(lambda template: set(template["tools_metadata"]["value"][0]["args"]) == {"tecnico", "limite"})
    (tool,) = canvas.stored()["tools_metadata"]["value"]
    assert (tool["name"], tool["description"]) == ("incidencias_de_tecnico", "Incidencias de un técnico.")


ERRORS = {
    "nothing filled in": ({"cypher": CYPHER}, "The query has no value for $estado, $tecnico. Fill in its field below Cypher."),
    "a query that writes": ({"cypher": "MATCH (n) DETACH DELETE n"}, "would write (DETACH"),
    "no server": (
        {"cypher": "RETURN 1 AS uno", "uri": "bolt://127.0.0.1:9"},
        "No Neo4j answers at 127.0.0.1:9. Check host and port in Neo4j URI",
    ),
    "a wrong password": (
        {"cypher": "RETURN 1 AS uno", "uri": "SERVER", "username": "neo4j", "password": "hunter2"},
        "refused the user name or the password. Check Neo4j Username and Neo4j Password.",
    ),
    "an unknown database": ({"cypher": "RETURN 1 AS uno", "database": "ningunabase"}, "There is no database 'ningunabase'"),
}


def test_a_result_and_five_errors_as_they_are_read(canvas, langflow, connection, picture):
    flow, _ = only_node(langflow, operation="Cypher Query")
    canvas.open(flow)
    before: set[str] = set()
    for values, said in ERRORS.values():
        for name in before - set(values):
            canvas.write(name, "")
        for name, value in values.items():
            changed = value != canvas.field(name).input_value()
            canvas.write(name, value.replace("SERVER", connection.uri), refreshes=name == "cypher" and changed)
        before = set(values)
        canvas.run()
        failure = canvas.page.get_by_role("region", name="Flow build failed")
        expect(failure).to_contain_text(said)
        text = canvas.page.locator("body").inner_text()
        for never in ("Traceback", "hunter2", "Neo.ClientError", connection.password):
            assert never not in text
        if "password" in values:
            picture(canvas.page, "error_password")
        canvas.page.get_by_role("button", name="Dismiss", exact=True).first.click()
        expect(failure).to_have_count(0)

    canvas.write("database", "")
    canvas.write("cypher", "UNWIND ['Lucía', 'Rocío'] AS tecnico RETURN tecnico", refreshes=True)
    canvas.run()
    canvas.reads(re.compile("- tecnico: Lucía\n- tecnico: Rocío"))


def test_stop_ends_a_long_load_at_once_and_keeps_what_was_saved(canvas, langflow, connection):
    """The editor cuts the node's events at Stop: what was saved is said in its log (test_progress.py) and seen in the graph."""

    def saved() -> int:
        ((number,),) = driver.execute_query("MATCH (f:Fila) RETURN count(f)").records
        return number

    values = {"operation": "Add Records", "node_label": "Fila", "key_property": "codigo", "relationships": "grupo -> EN -> Grupo.numero"}
    flow, node_id = only_node(langflow, **values)
    canvas.open(with_rows(flow, node_id, ROWS))
    with GraphDatabase.driver(connection.uri, auth=(connection.username, connection.password), notifications_min_severity="OFF") as driver:
        canvas.run()
        deadline = time.monotonic() + 120
        while not saved() and time.monotonic() < deadline:
            canvas.page.wait_for_timeout(50)
        stop = canvas.page.get_by_test_id("stop_building_button")
        stop.click()
        expect(canvas.page.get_by_text("Build stopped").first).to_be_visible()
        expect(stop).to_have_count(0)
        canvas.page.wait_for_timeout(1000)
        kept = saved()
        assert 0 < kept < ROWS, "it had ended before"
        canvas.page.wait_for_timeout(1500)
        assert saved() == kept, "nothing is saved a second after Stop"


def test_update_all_keeps_values_fields_and_the_names_of_tools(canvas, langflow):
    flow, _ = only_node(langflow, operation="Cypher Query", cypher=CYPHER)
    (node,) = flow["data"]["nodes"]
    answer = langflow.refresh(node["data"]["node"], "tool_mode", True, tool_mode=True)
    node["data"]["node"].update({name: answer.json()[name] for name in ("template", "outputs", "tool_mode")})
    template = node["data"]["node"]["template"]
    template["param_estado"]["value"] = "abierta"
    template["uri"]["value"] = "bolt://db.example:7687"
    template["tools_metadata"]["value"][0].update(name="incidencias_de_tecnico", description="Incidencias de un técnico.")
    template["code"]["value"] = template["code"]["value"].replace("The query, read only;", "Your query, read only;")  # an older version
    node["data"]["node"]["metadata"]["code_hash"] = "000000000000"
    canvas.open(flow)
    canvas.page.get_by_test_id("update-all-button").click()
    canvas.saved(lambda stored: "The query, read only;" in stored["code"]["value"])
    stored = canvas.stored()
    kept = [stored[name]["value"] for name in ("param_estado", "uri", "cypher")]
    assert kept == ["abierta", "bolt://db.example:7687", CYPHER]
    (tool,) = stored["tools_metadata"]["value"]
    assert (tool["name"], tool["description"], set(tool["args"])) == ("incidencias_de_tecnico", "Incidencias de un técnico.", {"tecnico"})
    assert canvas.titles()[-4:-1] == ["cypher", "estado", "tecnico"]


def test_a_spanish_editor_has_spanish_titles_and_hints(canvas, langflow, picture):
    flow, _ = only_node(langflow, operation="Text2Cypher")
    canvas.page.add_init_script("localStorage.setItem('languagePreference', 'es')")
    canvas.open(flow)
    shown = ("operation", *CONNECTION, "llm", "query", "examples")
    expect(canvas.node().get_by_test_id(f"title-{SPANISH['examples'][0].lower()}")).to_be_visible()
    canvas.shows({SPANISH[name][0].lower() for name in shown})
    canvas.node().get_by_test_id("icon-Info").nth(shown.index("examples")).hover()
    expect(canvas.page.get_by_role("tooltip")).to_contain_text("Preguntas con el Cypher que las responde")
    picture(canvas.page, "editor_en_espanol")
