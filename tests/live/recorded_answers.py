"""Answers of a capable model, recorded in folders (``bench/recorded.py``), as one model."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from recorded import Pending, RecordedModel, key_of  # noqa: E402

# Which value of many a prompt shows depends on the order in which the server stored them.
_SHOWN_VALUE = re.compile(r"(e\.g\. )'[^']*'")


class Answers(RecordedModel):
    """Knows the answers of all folders; a request that has none is written to ``asked`` of the last one."""

    model_name = "recorded"  # answers of a model with a name are remembered

    def __init__(self, *folders: Path) -> None:
        super().__init__(folders[-1])
        self._known: dict[str, Path] = {}
        for folder in folders:
            for asked in (folder / "asked").glob("*.json"):
                answer = folder / "answers" / asked.name
                if answer.exists():
                    self._known[_key(json.loads(asked.read_text(encoding="utf-8"))["messages"])] = answer

    async def ainvoke(self, messages: list[Any]) -> Any:
        from langchain_core.messages import AIMessage

        roles = {"human": "user", "ai": "assistant"}
        sent = [{"role": roles.get(m.type, m.type), "content": m.content} for m in messages]
        answer = self._known.get(_key(sent))
        if answer is None:
            self._ask(key_of(sent), sent)
            raise Pending(key_of(sent))
        return AIMessage(json.loads(answer.read_text(encoding="utf-8"))["content"])


def _key(messages: list[dict[str, str]]) -> str:
    return key_of([m | {"content": _SHOWN_VALUE.sub(r"\1…", m["content"])} for m in messages])
