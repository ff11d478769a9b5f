"""The pictures that the command writes, opened in a browser as a person opens them."""

from __future__ import annotations

import os
import subprocess
import sys

from langflow_server import ROOT
from playwright.sync_api import expect

RULES = ["cliente -> DE_CLIENTE -> Cliente.nombre", "tecnico -> ASIGNADA_A -> Tecnico.nombre", "modelo -> EN_MAQUINA -> Maquina.modelo"]


def run(connection, *arguments: str) -> None:
    login = {"NEO4J_URI": connection.uri, "NEO4J_USERNAME": connection.username, "NEO4J_PASSWORD": connection.password}
    command = [sys.executable, "-c", "from lfx_neo4j_graphrag.cli import main; main()", *arguments]
    subprocess.run(command, check=True, env=os.environ | login, timeout=300, capture_output=True)


def test_pictures_stand_alone_and_show_labels_and_arrows(page, connection, tmp_path, picture):
    rules = [part for rule in RULES for part in ("--relationship", rule)]
    run(connection, "add-records", str(ROOT / "assets" / "incidencias.json"), "--label", "Incidencia", "--key", "codigo", *rules)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.startswith("http") else None)
    for name, command in {
        "picture_schema": ["schema"],
        "picture_search": ["search", "INC-2608-07", "--operation", "hybrid-graph", "--results", "3"],
    }.items():
        file = tmp_path / f"{name}.html"
        run(connection, *command, "--html", str(file))
        page.goto(file.as_uri())
        for label in ("Incidencia", "Cliente", "Tecnico", "Maquina"):
            expect(page.get_by_text(label, exact=True).first).to_be_visible()  # the legend
        expect(page.locator("canvas").last).to_be_visible()
        page.wait_for_timeout(3000)  # the layout settles
        # Circles, captions and arrows were drawn: the last of the layers has more than a few colours.
        assert page.locator("canvas").last.evaluate(
            "c => new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size > 100"
        )
        picture(page, name)
    assert asked == []
