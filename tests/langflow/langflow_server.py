"""A real Langflow server and what the editor does with it over HTTP."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

ROOT = Path(__file__).resolve().parents[2]
NODE_FILE = ROOT / "components" / "neo4j_graphrag" / "neo4j_graphrag.py"
FLOWS = ROOT / "flows"
START_SECONDS = 420  # a start takes 25 s on two free cores, and minutes when others use them


def environment(folder: Path, neo4j: Any = None, **more: str) -> dict[str, str]:
    """Variables of a Langflow with its own folder and, for flows whose connection fields are empty, a Neo4j."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "LANGFLOW_"))}
    env |= {
        "LANGFLOW_CONFIG_DIR": str(folder),
        "LANGFLOW_SAVE_DB_IN_CONFIG_DIR": "true",
        "LANGFLOW_AUTO_LOGIN": "true",
        "LANGFLOW_DO_NOT_TRACK": "true",
        "DO_NOT_TRACK": "true",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        # What the tests do not use and the start would wait for.
        "LANGFLOW_CREATE_STARTER_PROJECTS": "false",
        "LANGFLOW_AGENTIC_EXPERIENCE": "false",
        "LANGFLOW_MCP_SERVER_ENABLED": "false",
        "NEO4J_GRAPHRAG_HOME": str(folder / "neo4j-graphrag"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",  # as in an activated environment
    }
    if neo4j is not None:
        env |= {"NEO4J_URI": neo4j.uri, "NEO4J_USERNAME": neo4j.username, "NEO4J_PASSWORD": neo4j.password}
    return env | more


class LangflowServer:
    """Started at once, usable when the constructor returns; ``stop`` ends it."""

    def __init__(self, folder: Path, neo4j: Any = None, **env: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.log = folder / "server.log"
        command = [sys.executable, "-m", "langflow", "run", "--host", "127.0.0.1", "--port", str(port), "--no-open-browser"]
        with self.log.open("w") as log:
            self._process = subprocess.Popen(command, env=environment(folder, neo4j, **env), cwd=folder, stdout=log, stderr=log)
        self.http = httpx.Client(base_url=self.url, timeout=120)
        try:
            self._wait()
            self.http.headers["Authorization"] = f"Bearer {self.http.get('/api/v1/auto_login').json()['access_token']}"
            key = self.http.post("/api/v1/api_key/", json={"name": "tests"}).json()["api_key"]
        except BaseException:
            self.stop()
            raise
        self._key = {"x-api-key": key}

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                if self.http.get("/health", timeout=5).status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.5)
        raise RuntimeError(f"Langflow did not start:\n{self.log.read_text()[-3000:]}")

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.http.close()

    def node(self) -> dict[str, Any]:
        """The node as the sidebar offers it: {"type": its key there, "node": its description}."""
        ((kind, node),) = self.http.get("/api/v1/all").json()["neo4j_graphrag"].items()
        return {"type": kind, "node": node}

    def refresh(self, node: dict[str, Any], field: str, value: Any, *, tool_mode: bool = False) -> httpx.Response:
        """What the editor posts when a refreshing field has changed."""
        template = node["template"]
        body = {"code": template["code"]["value"], "template": template, "field": field, "field_value": value, "tool_mode": tool_mode}
        return self.http.post("/api/v1/custom_component/update", json=body)

    def upload(self, flow: dict[str, Any] | Path) -> str:
        """Import a flow; its id. A flow that is no file is another one each time."""
        content = flow.read_bytes() if isinstance(flow, Path) else json.dumps(flow | {"id": str(uuid4()), "name": uuid4().hex}).encode()
        answer = self.http.post("/api/v1/flows/upload/", files={"file": ("flow.json", content, "application/json")})
        answer.raise_for_status()
        return answer.json()[0]["id"]

    def upload_file(self, path: Path) -> str:
        """Put a file where Read File finds it; the path to write into its field."""
        answer = self.http.post("/api/v2/files", files={"file": (path.name, path.read_bytes())})
        answer.raise_for_status()
        return answer.json()["path"]

    def run(self, flow_id: str, **body: Any) -> httpx.Response:
        return self.http.post(f"/api/v1/run/{flow_id}", json={"output_type": "chat", "input_type": "chat", **body}, headers=self._key)


def only_node(langflow: LangflowServer, **values: Any) -> tuple[dict[str, Any], str]:
    """A flow of one node from the sidebar after these fields were set, as the editor saves it, and the id of that node."""
    described = langflow.node()["node"]
    for name, value in values.items():
        answer = langflow.refresh(described, name, value)
        assert answer.status_code == 200, answer.text
        described["template"] = answer.json()["template"]
        described["template"][name]["value"] = value
    return {"data": {"nodes": [placed("Neo4jGraphRAG", described)], "edges": []}}, "Neo4jGraphRAG-nodo"


def placed(kind: str, described: dict[str, Any], x: int = 0, y: int = 0) -> dict[str, Any]:
    """A node on the canvas."""
    id_ = f"{kind}-nodo"
    return {"id": id_, "type": "genericNode", "position": {"x": x, "y": y}, "data": {"id": id_, "type": kind, "node": described, "showNode": True}}


def texts(answer: httpx.Response) -> dict[str, str]:
    """The messages of a run: the id of each output node and its text."""
    assert answer.status_code == 200, answer.text[:2000]
    found = [each for output in answer.json()["outputs"] for each in output["outputs"]]
    return {each["component_id"]: each["results"]["message"]["text"] for each in found if "message" in each["results"]}


def with_rows(flow: dict[str, Any], node_id: str, number: int) -> dict[str, Any]:
    """The flow with a Prompt before the node that gives it so many rows as CSV."""
    original = json.loads((FLOWS / "guardar_registros.json").read_text(encoding="utf-8"))["data"]
    (source,) = [node for node in original["nodes"] if node["id"] == "PromptTemplate-filas"]
    (edge,) = [edge for edge in original["edges"] if edge["source"] == "PromptTemplate-filas"]
    source["data"]["node"]["template"]["template"]["value"] = "codigo,grupo\n" + "\n".join(f"{i},{i % 50}" for i in range(number))
    edge = json.loads(json.dumps(edge).replace(edge["target"], node_id))
    flow["data"].update(nodes=[source, *flow["data"]["nodes"]], edges=[edge])
    return flow
