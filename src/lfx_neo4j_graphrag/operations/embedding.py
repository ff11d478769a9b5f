"""Texts into vectors by whatever embedding model is connected, checked before anything relies on them."""

from __future__ import annotations

import asyncio
import inspect
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from ..defaults import EMBED_BATCH
from ..errors import EmbeddingProblem, GraphRAGError
from ..retrieval.parts import packed, parts

_SECRET = re.compile(
    r"(?i)\b(?:sk|pk|key|hf|gsk)[-_][\w-]{8,}|bearer\s+\S+|(?<=key=)[^\s&]+|(?<=api_key: )\S+|://[^/\s:@]+:[^/\s@]+@"
)
_SENTENCE_CHARS = 200


async def embed_documents(
    embedder: Any, texts: Sequence[str], *, on_batch: Callable[[int, int], Any] | None = None
) -> list[list[float]]:
    """One vector per text, in order, all of one dimension. ``on_batch(done, total)`` follows each batch.

    ``embedder`` has LangChain's methods; an asynchronous one is awaited, another runs in a thread. Equal texts are
    sent once.

    Raises EmbeddingProblem when the model fails, gives another number of vectors than texts, vectors of several
    dimensions, or numbers that cannot be searched (not finite, all zero).
    """
    different = list(dict.fromkeys(texts))
    vectors: dict[str, list[float]] = {}
    for start in range(0, len(different), EMBED_BATCH):
        batch = different[start : start + EMBED_BATCH]
        answer = await _call(embedder, "embed_documents", batch)
        vectors.update(zip(batch, _checked(answer, len(batch), embedder)))
        if on_batch:
            on_batch(len(vectors), len(different))
    sizes = {len(vector) for vector in vectors.values()}
    if len(sizes) > 1:
        raise EmbeddingProblem(
            f"{_name(embedder)} gave vectors of several sizes: {', '.join(map(str, sorted(sizes)))}.",
            "Use a model with one dimension.",
        )
    return [vectors[text] for text in texts]


def wants_parts(embedder: Any) -> bool:
    """True for a model that says (``in_parts``) that one vector of it is not enough for a long text."""
    return getattr(embedder, "in_parts", False) is True


async def embed_parts(embedder: Any, texts: Sequence[str]) -> list[bytes | None]:
    """The packed vectors of each text's parts (``retrieval.parts``); None for a short text, and for a model without parts.

    Raises EmbeddingProblem like ``embed_documents``.
    """
    if not wants_parts(embedder):
        return [None] * len(texts)
    split = [parts(text) for text in texts]
    vectors = iter(await embed_documents(embedder, [part for each in split for part in each]))
    return [packed([next(vectors) for _ in each]) if each else None for each in split]


async def embed_query(embedder: Any, text: str) -> list[float]:
    """The vector of a question. Raises EmbeddingProblem like ``embed_documents``."""
    return _checked([await _call(embedder, "embed_query", text)], 1, embedder)[0]


async def _call(embedder: Any, method: str, argument: Any) -> Any:
    native = getattr(embedder, "a" + method, None)
    try:
        if native is not None and inspect.iscoroutinefunction(native):
            return await native(argument)
        return await asyncio.to_thread(getattr(embedder, method), argument)
    except GraphRAGError:
        raise
    except Exception as error:
        raise EmbeddingProblem(
            f"The embedding model {_name(embedder)} failed: {provider_sentence(error)}",
            "Check its settings, key and limits, and try again; texts that have a vector already are not sent again.",
        ) from None


def provider_sentence(error: BaseException) -> str:
    """The first line of what a model's provider said, shortened, without keys; the error's name when it said nothing."""
    lines = str(error).strip().splitlines()
    text = _SECRET.sub("…", lines[0].strip()) if lines else ""
    text = text if len(text) <= _SENTENCE_CHARS else text[: _SENTENCE_CHARS - 1] + "…"
    return (text or type(error).__name__).rstrip(".") + "."


def _checked(answer: Any, count: int, embedder: Any) -> list[list[float]]:
    try:
        vectors = [[float(number) for number in vector] for vector in answer]
    except (TypeError, ValueError):
        raise EmbeddingProblem(
            f"{_name(embedder)} gave something that is no list of vectors.", "Connect an embedding model."
        ) from None
    if len(vectors) != count:
        raise EmbeddingProblem(
            f"{_name(embedder)} gave {len(vectors)} vectors for {count} texts.",
            "Try again; if it stays so, use another embedding model.",
        )
    for vector in vectors:
        if not vector or not math.isfinite(sum(vector)) or not any(vector):
            raise EmbeddingProblem(
                f"{_name(embedder)} gave a vector that is empty, all zero or not finite.",
                "Such vectors cannot be searched: use another model.",
            )
    return vectors


def _name(embedder: Any) -> str:
    """What a person calls the model: its own name if it tells one, else its class."""
    for attribute in ("model", "model_name"):
        if isinstance(name := getattr(embedder, attribute, None), str) and name:
            return f"{type(embedder).__name__} ({name[:60]})"
    return type(embedder).__name__
