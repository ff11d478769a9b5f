"""One's own documents in place of the example: delete its texts, add Read File, upload, connect, run."""

from __future__ import annotations

import json
import re

from langflow_server import FLOWS, ROOT
from playwright.sync_api import expect
from relay import SELECTED

PDFS = sorted((ROOT / "assets" / "informes").glob("*.pdf"))


def move_to_the_left_of(page, title, other):
    """Where the texts were: a new node lies in the middle, over the handles of others."""
    moved, fixed = (page.locator(".react-flow__node", has=page.get_by_test_id(f"title-{name}")).bounding_box() for name in (title, other))
    grip = page.get_by_test_id(f"title-{title}").bounding_box()
    x, y = grip["x"] + 5, grip["y"] + grip["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + fixed["x"] - moved["x"] - moved["width"] - 40, y + fixed["y"] - moved["y"], steps=10)
    page.mouse.up()


def test_the_three_pdfs_in_read_file_give_the_same_graph(page, langflow, relay):
    flow = json.loads((FLOWS / "guardar_documentos.json").read_text(encoding="utf-8"))
    (model,) = [node for node in flow["data"]["nodes"] if node["id"].endswith("-modelo")]
    model["data"]["node"]["template"]["model"]["value"] = SELECTED
    page.goto(f"/flow/{langflow.upload(flow)}")
    for month in ("julio", "agosto", "septiembre"):
        text = page.get_by_test_id(f"title-Informe de {month}")
        text.click()
        page.keyboard.press("Backspace")
        expect(text).to_have_count(0)

    page.get_by_test_id("sidebar-search-input").fill("Read File")
    page.get_by_test_id("add-component-button-read-file").click()
    page.get_by_test_id("button_open_file_management").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_test_id("drag-files-component").click()
    chooser.value.set_files(PDFS)
    for path in PDFS:
        expect(page.get_by_text(path.stem).first).to_be_visible()
    page.get_by_test_id("select-files-modal-button").click()
    move_to_the_left_of(page, "Read File", "Neo4j GraphRAG · Leer")
    page.get_by_test_id("handle-file-shownode-files-right").drag_to(page.get_by_test_id("handle-neo4jgraphrag-shownode-data-left"))

    page.get_by_test_id("playground-btn-flow-io").click()
    page.get_by_role("button", name="Run Flow").click()
    expect(page.get_by_text("40 nodes and 72 relationships created")).to_be_visible()
    expect(page.get_by_text(re.compile(r"\(:Incidencia\)-\[:EN_MAQUINA\]->\(:Maquina\) 24"))).to_be_visible()
    assert relay.unanswered == []
