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
    """Has the ``ainvoke`` of a LangChain chat model. ``calls`` counts the requests that were answered."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.calls = folder, 0

    async def ainvoke(self, messages: list[Any]) -> Any:
        from langchain_core.messages import AIMessage

        roles = {"human": "user", "ai": "assistant"}
        sent = [{"role": roles.get(m.type, m.type), "content": m.content} for m in messages]
        key = key_of(sent)
        answer = self.folder / "answers" / f"{key}.json"
        if not answer.exists():
            self._ask(key, sent)
            raise Pending(key)
        self.calls += 1
        return AIMessage(json.loads(answer.read_text(encoding="utf-8"))["content"])

    def _ask(self, key: str, sent: list[dict[str, str]]) -> None:
        asked = self.folder / "asked"
        asked.mkdir(parents=True, exist_ok=True)
        body = {"model": MODEL, "messages": sent}
        (asked / f"{key}.json").write_text(json.dumps(body, ensure_ascii=False, indent=1), encoding="utf-8")
        readable = "\n\n".join(f"## {m['role']}\n{m['content']}" for m in sent)
        (asked / f"{key}.md").write_text(readable, encoding="utf-8")


def key_of(messages: list[dict[str, str]]) -> str:
    """The hash under which the answer to ``messages`` is kept."""
    body = {"model": MODEL, "messages": messages, "tools": None, "response_format": None, "tool_choice": None}
    return hashlib.sha256(json.dumps(body, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]
