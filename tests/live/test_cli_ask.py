"""``ask`` and ``evaluate`` as a user types them, with an OpenAI-compatible endpoint whose answers are given."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import yaml

from lfx_neo4j_graphrag.operations.add_records import AddRecordsRequest, add_records

ANSWERS = {
    "abiertas": "MATCH (p:Parte {estado: 'abierta'}) RETURN count(p) AS total",
    "todas": "```cypher\nMATCH (p:Parte) RETURN p.codigo AS codigo ORDER BY codigo\n```",
    "precio": "NO_QUERY: el grafo no guarda precios",
}


class _Model(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        question = body["messages"][-1]["content"].rsplit("# Question", 1)[-1]
        content = next(answer for word, answer in ANSWERS.items() if word in question)
        message = {"role": "assistant", "content": content}
        reply = {"id": "x", "object": "chat.completion", "created": 0, "model": body["model"], "choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}}  # fmt: skip
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


@pytest.fixture
async def command(connection):
    rows = [{"codigo": "P-1", "estado": "abierta"}, {"codigo": "P-2", "estado": "cerrada"}]
    await add_records(connection, AddRecordsRequest(rows=rows, node_label="Parte", key_property="codigo"))
    model = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    environment = os.environ | {
        "NEO4J_URI": connection.uri,
        "NEO4J_USERNAME": connection.username,
        "NEO4J_PASSWORD": connection.password,
        "OPENAI_BASE_URL": f"http://127.0.0.1:{model.server_port}/v1",
        "MODEL": "given",
    }

    def run(*arguments: str) -> subprocess.CompletedProcess:
        call = [sys.executable, "-c", "from lfx_neo4j_graphrag.cli import main; main()", *arguments]
        return subprocess.run(call, env=environment, capture_output=True, text=True, timeout=120)

    yield run
    model.shutdown()


async def test_ask_prints_rows_and_the_query(command):
    done = command("ask", "¿Cuántas abiertas hay?", "--format", "json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["rows"] == [{"total": 1}] and answer["query"] == ANSWERS["abiertas"]


async def test_evaluate_scores_writes_reports_and_compares(command, tmp_path):
    file, before, page = tmp_path / "q.yaml", tmp_path / "before.json", tmp_path / "page.html"
    questions = [
        {"question": "¿Cuántas abiertas?", "expect": 1},
        {"question": "Lista todas", "cypher": "MATCH (p:Parte) RETURN p.codigo"},
        {"question": "¿Qué precio?", "cypher": "RETURN 'P-1' AS c"},
    ]
    file.write_text(yaml.safe_dump({"questions": questions}, allow_unicode=True), encoding="utf-8")
    done = command("evaluate", str(file), "--json", str(before), "--html", str(page), "--suggest")
    assert done.returncode == 1
    assert "2 of 3 right" in done.stdout and "WRONG  ¿Qué precio?" in done.stdout and "Question: ¿Qué precio?\nCypher: RETURN 'P-1' AS c" in done.stdout
    assert json.loads(before.read_text(encoding="utf-8"))["summary"]["right"] == 2 and "2 of 3 right" in page.read_text(encoding="utf-8")
    again = command("evaluate", str(file), "--min", "2", "--compare", str(before))
    assert again.returncode == 0 and "Nothing changed." in again.stdout


async def test_evaluate_asks_a_search(command, tmp_path):
    file, outcomes = tmp_path / "q.yaml", tmp_path / "outcomes.json"
    questions = [
        {"question": "abierta", "expect": "P-1"},
        {"question": "cerrada", "cypher": "MATCH (p:Parte {estado: 'cerrada'}) RETURN p.codigo AS codigo"},
        {"question": "abierta", "expect": "P-2"},
    ]
    file.write_text(yaml.safe_dump({"questions": questions}), encoding="utf-8")
    done = command("evaluate", str(file), "--operation", "hybrid", "--min", "2", "--json", str(outcomes))
    assert done.returncode == 0, done.stderr
    assert "2 of 3 right, 0 model calls" in done.stdout and "expected 'P-2'" in done.stdout
    assert [o["right"] for o in json.loads(outcomes.read_text(encoding="utf-8"))["outcomes"]] == [True, True, False]
    assert command("evaluate", str(file), "--operation", "hybrid").returncode == 1
    refused = command("evaluate", str(file), "--operation", "hybrid", "--suggest")
    assert refused.returncode == 1 and "Only Text2Cypher has Examples" in refused.stderr


async def test_a_file_that_is_not_there_is_a_sentence(command):
    wrong = command("evaluate", "no-such-file.yaml")
    assert wrong.returncode == 1 and "no-such-file.yaml" in wrong.stderr and "Traceback" not in wrong.stderr
