"""A provider of chat models on this machine whose answers are recorded: what Langflow's own model nodes talk to in the tests.

An answer is ``answers/<key>.json`` in one of the folders: ``{"content": "text"}`` or
``{"tool_calls": [{"name": …, "arguments": {…}}]}``. A request without one gets status 400. With RELAY_WAIT=<seconds> it is written
to ``asked`` of the first folder and waits that long for somebody to answer it, which is how recordings are made.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from recorded import MODEL, keep_question, key_of  # noqa: E402

# Langflow in a container takes 127.0.0.1 for the host of the container; macOS has no other address of this machine.
HOST = "127.0.0.1" if sys.platform == "darwin" else "127.0.0.2"
SELECTED = [{"name": MODEL, "provider": "OpenAI", "icon": "OpenAI", "category": "OpenAI", "metadata": {}}]  # the value of a ModelInput


class Relay:
    """Serves from the moment it is made until ``close``.

    ``keys`` and ``requests`` are what it was asked, ``unanswered`` the keys without an answer.
    """

    def __init__(self, *folders: Path) -> None:
        self.folders, self.wait = folders, float(os.environ.get("RELAY_WAIT", "0"))
        self.keys: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self.unanswered: list[str] = []
        self._server = ThreadingHTTPServer((HOST, 0), type("Handler", (_Handler,), {"relay": self}))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def environment(self) -> dict[str, str]:
        """Variables with which OpenAI's client and Langflow's model nodes find it."""
        url = f"http://{HOST}:{self._server.server_port}/v1"
        return {"OPENAI_BASE_URL": url, "OPENAI_API_BASE": url, "OPENAI_API_KEY": "of-no-use", "LANGFLOW_SSRF_ALLOWED_HOSTS": HOST}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, body: dict[str, Any]) -> dict[str, Any] | None:
        """The recorded answer to a request, None when there is none."""
        # Langflow keeps edges in a set: an agent's tools come in another order each time.
        tools = sorted(body.get("tools") or [], key=lambda tool: tool["function"]["name"]) or None
        key = key_of(body["messages"], tools=tools, response_format=body.get("response_format"), tool_choice=body.get("tool_choice"))
        self.keys.append(key)
        self.requests.append(body)
        deadline = time.monotonic() + self.wait
        while True:
            for folder in self.folders:
                if (file := folder / "answers" / f"{key}.json").exists():
                    return json.loads(file.read_text(encoding="utf-8"))
            if time.monotonic() >= deadline:
                self.unanswered.append(key)
                return None
            keep_question(self.folders[0], key, body)
            time.sleep(0.5)


class _Handler(BaseHTTPRequestHandler):
    relay: Relay
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self._send(200, "application/json", json.dumps({"object": "list", "data": [{"id": MODEL, "object": "model"}]}))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        found = self.relay.answer(body)
        if found is None:
            return self._send(400, "application/json", json.dumps({"error": {"message": "No answer is recorded."}}))
        message = {"role": "assistant", "content": found.get("content")}
        calls = [
            {"id": f"call_{len(self.relay.keys)}_{number}", "type": "function", "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}
            for number, call in enumerate(found.get("tool_calls") or [])
        ]
        reason = "tool_calls" if calls else "stop"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        base = {"id": "chatcmpl-1", "created": 1, "model": MODEL}
        if not body.get("stream"):
            choice = {"index": 0, "message": message | ({"tool_calls": calls} if calls else {}), "finish_reason": reason}
            whole = base | {"object": "chat.completion", "choices": [choice], "usage": usage}
            return self._send(200, "application/json", json.dumps(whole))
        delta = message | ({"tool_calls": [call | {"index": number} for number, call in enumerate(calls)]} if calls else {})
        choices = [{"index": 0, "delta": delta, "finish_reason": None}], [{"index": 0, "delta": {}, "finish_reason": reason}], []
        events = [base | {"object": "chat.completion.chunk", "choices": each} for each in choices]
        events[-1]["usage"] = usage
        self._send(200, "text/event-stream", "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n")

    def _send(self, status: int, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
