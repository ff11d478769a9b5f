"""A language model for the runtime whose answers are recorded: an OpenAI-compatible endpoint on this machine.

A folder holds ``asked/<key>.json`` (the request: messages and tools) and ``answers/<key>.json`` (``content`` and
``tool_calls`` of the reply). With MODEL_UPSTREAM=http://host/v1 a request without an answer is passed on to that
endpoint and its answer recorded; without it such a request fails, and so does the test.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

HOST = "127.0.0.2"  # in a container Langflow takes 127.0.0.1 and localhost for the machine around it
MODEL = "recorded"
SELECTED = [{"name": MODEL, "provider": "OpenAI", "icon": "OpenAI", "metadata": {}}]  # the value of Language Model in a flow


class RecordedModel:
    """Serves from ``with`` to the end of the block. ``requests`` are the bodies that came, in their order."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.requests: list[dict[str, Any]] = []
        self._server = ThreadingHTTPServer((HOST, 0), type("Handler", (_Handler,), {"model": self}))
        self.url = f"http://{HOST}:{self._server.server_port}/v1"

    def __enter__(self) -> RecordedModel:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def environment(self) -> dict[str, str]:
        """What makes Langflow's OpenAI models ask here."""
        return {"OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": "none", "LANGFLOW_SSRF_ALLOWED_HOSTS": HOST}

    def answer(self, body: dict[str, Any]) -> dict[str, Any] | None:
        """The recorded message for a request, None when there is none."""
        self.requests.append(body)
        asked = {name: body[name] for name in ("messages", "tools", "response_format") if body.get(name)}
        key = hashlib.sha256(json.dumps(_without_ids(asked), sort_keys=True).encode()).hexdigest()[:16]
        path = self.folder / "answers" / f"{key}.json"
        if not path.exists():
            if not (upstream := os.environ.get("MODEL_UPSTREAM")):
                return None
            reply = httpx.post(f"{upstream}/chat/completions", json={"model": "relay", **asked}, timeout=900).raise_for_status()
            self._keep("asked", key, asked)
            self._keep("answers", key, _plain(reply.json()["choices"][0]["message"]))
        return json.loads(path.read_text(encoding="utf-8"))

    def _keep(self, kind: str, key: str, value: Any) -> None:
        path = self.folder / kind / f"{key}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


class _Handler(BaseHTTPRequestHandler):
    model: RecordedModel

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = self.model.answer(body)
        if message is None:
            return self._send(400, "application/json", json.dumps({"error": {"message": "There is no recorded answer to this."}}))
        calls = [
            {"index": i, "id": f"call_{len(self.model.requests)}_{i}", "type": "function"}
            | {"function": {"name": call["name"], "arguments": json.dumps(call["arguments"], ensure_ascii=False)}}
            for i, call in enumerate(message.get("tool_calls", []))
        ]
        spoken = {"role": "assistant", "content": message.get("content")} | ({"tool_calls": calls} if calls else {})
        reason = "tool_calls" if calls else "stop"
        whole = {"id": "recorded", "created": 0, "model": MODEL, "object": "chat.completion"}
        if not body.get("stream"):
            choice = {"index": 0, "message": spoken, "finish_reason": reason}
            return self._send(200, "application/json", json.dumps(whole | {"choices": [choice]}))
        parts = [{"delta": spoken, "finish_reason": None}, {"delta": {}, "finish_reason": reason}]
        chunks = [json.dumps(whole | {"object": "chat.completion.chunk", "choices": [{"index": 0, **part}]}) for part in parts]
        self._send(200, "text/event-stream", "".join(f"data: {chunk}\n\n" for chunk in [*chunks, "[DONE]"]))

    def _send(self, status: int, kind: str, text: str) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _without_ids(value: Any) -> Any:
    """Ids of tool calls are made up anew in each run."""
    if isinstance(value, dict):
        drop = {"tool_call_id"} | ({"id"} if "function" in value else set())
        return {name: _without_ids(item) for name, item in value.items() if name not in drop}
    return [_without_ids(item) for item in value] if isinstance(value, list) else value


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    calls = [call["function"] for call in message.get("tool_calls") or []]
    if calls:
        return {"tool_calls": [{"name": call["name"], "arguments": json.loads(call["arguments"])} for call in calls]}
    return {"content": message["content"]}
