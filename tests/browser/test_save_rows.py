"""The first thing that a person does: import the flow, press Run, read what was saved."""

from __future__ import annotations

import re

from langflow_server import FLOWS
from playwright.sync_api import expect


def test_import_run_and_read_the_report(page, picture, langflow):
    langflow.upload({"name": "otro", "data": {"nodes": [], "edges": []}})  # an empty Langflow offers no upload button
    page.goto("/flows")
    with page.expect_file_chooser() as chooser:
        page.get_by_test_id("upload-project-button").first.click()
    chooser.value.set_files(FLOWS / "guardar_registros.json")
    card = page.get_by_test_id("list-card").filter(has_text="Neo4j GraphRAG · guardar registros")
    card.get_by_test_id("list-card-open-button").click()

    expect(page.get_by_text("Neo4j GraphRAG · Guardar", exact=True)).to_be_visible()
    expect(page.get_by_text("Guardar registros en un grafo")).to_be_visible()
    picture(page, "editor_guardar_registros")
    page.get_by_test_id("playground-btn-flow-io").click()
    page.get_by_role("button", name="Run Flow").click()

    expect(page.get_by_text("24 rows saved: 40 nodes and 72 relationships created")).to_be_visible()
    expect(page.get_by_text(re.compile(r"\(:Incidencia\)-\[:EN_MAQUINA\]->\(:Maquina\) 24"))).to_be_visible()
    picture(page, "playground_guardar_registros")
