"""Stand-ins at the edge: embedders and language models that the cases describe."""

from __future__ import annotations

import json
import math
import random
import re
import zlib
from typing import Any


class Embedder:
    """EMB4, EMB8, EMB_HASH16. Called with a table (text -> vector) it answers from it, else the last unit vector."""

    def __init__(self, size: int, hashed: bool = False) -> None:
        self.size, self.hashed, self.table = size, hashed, {}
        self.batches: list[list[str]] = []
        self.texts: list[str] = []

    def __call__(self, table: dict[str, list[float]]) -> Embedder:
        self.table = table
        return self

    def calls_with(self, text: str) -> int:
        return self.texts.count(text)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.batches.append(list(texts))
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._vector(text)

    def _vector(self, text: str) -> list[float]:
        self.texts.append(text)
        if text in self.table:
            return [float(x) for x in self.table[text]]
        if not self.hashed:
            return [0.0] * (self.size - 1) + [1.0]
        numbers = random.Random(zlib.crc32(text.encode()))
        vector = [numbers.gauss(0, 1) for _ in range(self.size)]
        length = math.sqrt(sum(x * x for x in vector))
        return [x / length for x in vector]


class Model:
    """MODEL(list): gives the answers in turn. ``calls`` counts them, ``prompts`` holds what was asked."""

    def __init__(self, answers: list[Any]) -> None:
        self.answers = [a if isinstance(a, str) else json.dumps(a, ensure_ascii=False) for a in answers]
        self.prompts: list[str] = []

    @property
    def calls(self) -> int:
        return len(self.prompts)

    async def ainvoke(self, messages: list[Any]) -> Any:
        from langchain_core.messages import AIMessage

        self.prompts.append("\n".join(str(m.content) for m in messages))
        return AIMessage(self.answer(self.prompts[-1]))

    def answer(self, prompt: str) -> str:
        if self.calls > len(self.answers):
            raise RuntimeError("The model was asked more often than the case has answers.")
        return self.answers[self.calls - 1]


class RateLimited(Exception):
    """A provider's 429, in the shape that the usual clients raise."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("Error code: 429 - rate limit reached")
        self.status_code = 429
        self.response = type("Response", (), {"status_code": 429, "headers": {"retry-after": str(retry_after)}})()


class DocumentModel(Model):
    """MODEL_FINE and MODEL_FAULTY: for document dN one Parte P-N of the Cliente Ana.

    ``faults`` maps a document to the number of calls that get a 429 with Retry-After 0.1 (None: every call).
    """

    def __init__(self, faults: dict[str, int | None]) -> None:
        super().__init__([])
        self.faults, self.asked = faults, []

    def calls_for(self, document: str) -> int:
        return self.asked.count(document)

    def answer(self, prompt: str) -> str:
        document = re.findall(r"\bd\d+\b", prompt)[-1]
        self.asked.append(document)
        limit = self.faults.get(document, 0)
        if limit is None or self.calls_for(document) <= limit:
            raise RateLimited(0.1)
        graph = {
            "nodes": [
                {"id": "0", "label": "Parte", "properties": {"codigo": f"P-{document[1:]}"}},
                {"id": "1", "label": "Cliente", "properties": {"nombre": "Ana"}},
            ],
            "relationships": [{"type": "DE_CLIENTE", "start": "0", "end": "1", "properties": {}}],
        }
        return json.dumps(graph)


def faults_of(text: str) -> dict[str, int | None]:
    """From words such as ``d3: 429 … on the first call, then fine; d5: 429 always``."""
    faults: dict[str, int | None] = {}
    for part in text.split(";"):
        if match := re.match(r"\s*(d\d+): 429", part):
            faults[match.group(1)] = None if "always" in part else 1
    return faults
