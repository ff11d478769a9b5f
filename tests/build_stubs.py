"""Stand-ins for Build Graph's tests: a chat model that answers from the text it is shown, and an embedder."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Callable
from typing import Any


class ReadingModel:
    """Gives ``answer(text of the document)``: a dict (sent as JSON), a text, or an exception (raised).

    ``name`` makes its answers rememberable. ``delay(text)`` is in seconds. ``texts`` are the documents it was shown, ``prompts``
    the whole prompts, ``most`` how many calls ran at once.
    """

    def __init__(self, answer: Callable[[str], Any], *, name: str = "", delay: Callable[[str], float] = lambda text: 0.0) -> None:
        self.answer, self.model_name, self.delay = answer, name, delay
        self.texts: list[str] = []
        self.prompts: list[str] = []
        self.running = self.most = 0

    async def ainvoke(self, messages: list[Any]) -> Any:
        from langchain_core.messages import AIMessage

        prompt = messages[-1].content
        text = document_of(prompt)
        self.prompts.append(prompt)
        self.texts.append(text)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await asyncio.sleep(self.delay(text))
        finally:
            self.running -= 1
        answer = self.answer(text)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, AIMessage):
            return answer
        content = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        return AIMessage(
            content, usage_metadata={"input_tokens": len(prompt) // 4, "output_tokens": len(content) // 4, "total_tokens": 0}
        )


def document_of(prompt: str) -> str:
    found = re.findall(r"^<(document(?:-\d+)?)>\n(.*?)\n</\1>$", prompt, re.DOTALL | re.MULTILINE)
    return found[-1][1] if found else prompt


class ProviderError(Exception):
    """The shape of the errors of the usual clients."""

    def __init__(self, status: int, retry_after: float | None = None) -> None:
        super().__init__(f"Error code: {status}")
        self.status_code = status
        self.response = type(
            "Response", (), {"status_code": status, "headers": {"Retry-After": str(retry_after)} if retry_after else {}}
        )()


class HashEmbedder:
    """A vector of ``size`` numbers seeded by the text; ``texts`` are those it was sent, ``batches`` their counts."""

    def __init__(self, size: int = 8) -> None:
        self.size, self.texts, self.batches = size, [], []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.texts += texts
        self.batches.append(len(texts))
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        digest = hashlib.sha256(text.encode()).digest()
        return [digest[i] / 255 + 0.01 for i in range(self.size)]
