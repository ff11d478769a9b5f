"""The command build-graph with real files and a model behind HTTP, in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from build_stubs import document_of
from building import query

FIELDS = [
    "--allowed-patterns",
    "(Aviso)-[:DE_CLIENTE]->(Cliente)",
    "--node-types",
    "Aviso(codigo, estado: abierto | cerrado), Cliente(nombre)",
]


class Provider(BaseHTTPRequestHandler):
    """Answers with the notices that the document names; ``faults`` are statuses for the next calls."""

    faults: list[tuple[int, dict[str, str]]] = []
    calls = 0

    def log_message(self, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).calls += 1
        if self.faults:
            status, headers = self.faults.pop(0)
            return self._send(status, {"error": {"message": "no"}}, headers)
        text = document_of(body["messages"][-1]["content"])
        found = re.findall(r"(AV-\d+) \w+ (abierto|cerrado) para (Bar \w+)", text)
        content = json.dumps({"Aviso": [{"codigo": c, "estado": s, "DE_CLIENTE": b} for c, s, b in found]})
        message = {"role": "assistant", "content": content}
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        self._send(
            200,
            {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "m",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": usage,
            },
            {},
        )

    def _send(self, status: int, value: dict, headers: dict[str, str]) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        for name, content in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, content)
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def provider():
    Provider.faults, Provider.calls = [], 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


@pytest.fixture
def command(connection, provider, tmp_path):
    """Run the command; a dict with status, out and err."""

    def run(*arguments: str, key: str = "secret-key-123") -> dict:
        environ = {
            "NEO4J_URI": connection.uri,
            "NEO4J_USERNAME": connection.username,
            "NEO4J_PASSWORD": connection.password,
            "NEO4J_GRAPHRAG_HOME": str(tmp_path / "home"),
            "OPENAI_BASE_URL": provider,
            "OPENAI_API_KEY": key,
            "PATH": os.environ["PATH"],
            "PYTHONIOENCODING": "utf-8",
            "COLUMNS": "200",
        }
        code = "from lfx_neo4j_graphrag.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code, "build-graph", *arguments], capture_output=True, text=True, env=environ, timeout=120
        )
        return {"status": done.returncode, "out": done.stdout, "err": done.stderr}

    return run


@pytest.fixture
def files(tmp_path) -> Path:
    from docx import Document

    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a_2026_07.md").write_text("El AV-1 sigue abierto para Bar Sol.", encoding="utf-8")
    (folder / "b_2026_08.txt").write_text("El AV-1 queda cerrado para Bar Sol.", encoding="utf-8")
    file = Document()
    file.add_paragraph("El AV-2 sigue abierto para Bar Luna.")
    file.save(str(folder / "c.docx"))
    return folder


async def test_a_folder_of_documents_twice(connection, command, files):
    first = command(str(files), "--model", "m", *FIELDS)
    assert first["status"] == 0, first["err"]
    assert "Read 3 of 3 documents" in first["out"] and "300 tokens in" in first["out"]
    assert "abierto -> cerrado (b_2026_08.txt)" in first["out"]
    assert "documents read" in first["err"] and "3 entities" in first["err"] or "4 entities" in first["err"], "the progress bar"
    rows = await query(connection, "MATCH (a:Aviso)-->(c:Cliente) RETURN a.codigo, a.estado, c.nombre ORDER BY a.codigo")
    assert rows == [["AV-1", "cerrado", "Bar Sol"], ["AV-2", "abierto", "Bar Luna"]]
    calls = Provider.calls
    second = command(str(files), "--model", "m", *FIELDS)
    assert (
        Provider.calls == calls
        and "0 model calls, 3 remembered answers" in second["out"]
        and "0 nodes and 0 relationships created" in second["out"]
    )


async def test_a_real_client_is_asked_again_after_429_and_500(connection, command, files):
    Provider.faults = [(429, {"Retry-After": "0"}), (500, {})]
    done = command(str(files), "--model", "m", *FIELDS)
    assert done["status"] == 0 and "Read 3 of 3" in done["out"]


async def test_failures_are_sentences_without_a_trace_or_a_secret(connection, command, files, tmp_path):
    Provider.faults = [(401, {})] * 20
    refused = command(str(files), "--model", "m", *FIELDS)
    assert refused["status"] == 1 and "refused the key (401)" in refused["err"]
    (tmp_path / "empty.md").write_text("")
    empty = command(str(tmp_path / "empty.md"), "--model", "m", *FIELDS)
    assert empty["status"] == 1 and "empty.md: it has no text" in empty["out"]
    bad = command(str(files), "--model", "m", "--node-types", "Aviso(codigo")
    assert bad["status"] == 1 and "Node Types, line 1" in bad["err"]
    missing = command(str(tmp_path / "no.pdf"), "--model", "m")
    assert missing["status"] == 1 and "There is no file" in missing["err"]
    nobody = command(str(files), *FIELDS)
    assert nobody["status"] == 1 and "No language model" in nobody["err"]
    for done in (refused, empty, bad, missing, nobody):
        assert "Traceback" not in done["err"] and "secret-key-123" not in done["out"] + done["err"]


async def test_one_broken_file_among_others(connection, command, files):
    (files / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    done = command(str(files), "--model", "m", *FIELDS, "--save-source-chunks")
    assert (
        done["status"] == 0 and "Read 3 of 4 documents" in done["out"] and "broken.pdf: it cannot be read as PDF" in done["out"]
    )
    assert await query(connection, "MATCH (c:Chunk)-[:MENTIONS]->(:Aviso) RETURN count(DISTINCT c.document)") == [[3]]
