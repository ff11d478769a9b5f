"""A chat model whose answers are recorded in files, so that what needs a capable model can be repeated without one.

A folder has ``answers/<key>.json`` ({"content": …}) and, for requests that have no answer yet, ``asked/<key>.json`` and
a readable ``asked/<key>.md``. The key is a hash of model name and messages, as an OpenAI-compatible endpoint gets them.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

MODEL = "relay"


class Pending(Exception):
    """The request has no recorded answer; it was written to ``asked``."""


class RecordedModel:
    """Has the ``ainvoke`` of a LangChain chat model. ``calls`` counts the answered requests, ``sent`` is the last one's messages."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.calls = folder, 0
        self.sent: list[dict[str, str]] = []

    async def ainvoke(self, messages: list[Any]) -> Any:
        from langchain_core.messages import AIMessage

        roles = {"human": "user", "ai": "assistant"}
        sent = [{"role": roles.get(m.type, m.type), "content": m.content} for m in messages]
        key, self.sent = key_of(sent), sent
        answer = self.folder / "answers" / f"{key}.json"
        if not answer.exists():
            self._ask(key, sent)
            raise Pending(key)
        self.calls += 1
        return AIMessage(json.loads(answer.read_text(encoding="utf-8"))["content"])

    def _ask(self, key: str, sent: list[dict[str, str]]) -> None:
        keep_question(self.folder, key, {"model": MODEL, "messages": sent})


def keep_question(folder: Path, key: str, body: dict[str, Any]) -> None:
    """Write a request that has no answer yet: as it came, and to be read."""
    asked = folder / "asked"
    asked.mkdir(parents=True, exist_ok=True)
    (asked / f"{key}.json").write_text(json.dumps(body, ensure_ascii=False, indent=1), encoding="utf-8")
    parts = []
    for message in body["messages"]:
        calls = [call["function"] for call in message.get("tool_calls") or []]
        lines = [message.get("content") or "", *(f"-> {call['name']}({call['arguments']})" for call in calls)]
        parts.append(f"## {message['role']}\n" + "\n".join(line for line in lines if line))
    if tools := [tool["function"] for tool in body.get("tools") or []]:
        parts.append("## tools that may be called\n" + "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools))
    (asked / f"{key}.md").write_text("\n\n".join(parts), encoding="utf-8")


def key_of(messages: list[dict[str, Any]], *, tools: Any = None, response_format: Any = None, tool_choice: Any = None) -> str:
    """The hash under which the answer to a request is kept. The ids of tool calls are random and don't count."""
    rest = {"tools": tools, "response_format": response_format, "tool_choice": tool_choice}
    body = {"model": MODEL, "messages": [_without_ids(message) for message in messages], **rest}
    return hashlib.sha256(json.dumps(body, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]


def _without_ids(message: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in message.items() if name not in ("id", "tool_call_id")}
    if calls := kept.get("tool_calls"):
        kept["tool_calls"] = [{name: value for name, value in call.items() if name != "id"} for call in calls]
    return kept
