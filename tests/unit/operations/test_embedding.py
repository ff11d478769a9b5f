"""Texts into vectors: batches, checks, and sentences of providers without their secrets."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

from lfx_neo4j_graphrag.defaults import EMBED_BATCH
from lfx_neo4j_graphrag.errors import EmbeddingProblem, ExtraMissing
from lfx_neo4j_graphrag.operations.embedding import embed_documents, embed_query, provider_sentence


class Embedder:
    """Only synchronous, as most are. Records what it was asked."""

    model = "prueba"

    def __init__(self, answer=lambda texts: [[float(len(text)), 1.0] for text in texts]):
        self.answer, self.batches, self.threads = answer, [], set()

    def embed_documents(self, texts):
        self.batches.append(list(texts))
        self.threads.add(threading.get_ident())
        return self.answer(texts)

    def embed_query(self, text):
        return self.answer([text])[0]


class AsyncEmbedder(Embedder):
    async def aembed_documents(self, texts):
        await asyncio.sleep(0)
        return self.embed_documents(texts)

    async def aembed_query(self, text):
        return self.embed_query(text)


@pytest.mark.parametrize("kind", [Embedder, AsyncEmbedder])
async def test_in_order_in_batches_and_equal_texts_once(kind):
    embedder, seen = kind(), []
    texts = [f"t{n % 100:0{n % 100 + 1}d}" for n in range(150)]
    vectors = await embed_documents(embedder, texts, on_batch=lambda done, total: seen.append((done, total)))
    assert vectors == [[float(len(text)), 1.0] for text in texts]
    assert [len(batch) for batch in embedder.batches] == [EMBED_BATCH, 100 - EMBED_BATCH]
    assert seen == [(EMBED_BATCH, 100), (100, 100)]
    assert await embed_query(embedder, "abc") == [3.0, 1.0]


async def test_a_synchronous_embedder_does_not_stop_the_loop():
    embedder = Embedder()
    await embed_documents(embedder, ["a"])
    assert embedder.threads and threading.get_ident() not in embedder.threads


async def test_no_texts_no_call():
    embedder = Embedder()
    assert await embed_documents(embedder, []) == [] and embedder.batches == []


async def test_vectors_of_numpy_are_lists_of_floats():
    vectors = await embed_documents(Embedder(lambda texts: np.ones((len(texts), 3), dtype=np.float32)), ["a", "b"])
    assert vectors == [[1.0, 1.0, 1.0]] * 2 and type(vectors[0][0]) is float


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda texts: [], "0 vectors for 2 texts"),
        (lambda texts: [[1.0]] * 3, "3 vectors for 2 texts"),
        (lambda texts: [[1.0], [1.0, 2.0]], "several sizes: 1, 2"),
        (lambda texts: [[0.0, 0.0]] * 2, "all zero"),
        (lambda texts: [[float("nan"), 1.0]] * 2, "not finite"),
        (lambda texts: [[float("inf"), 1.0]] * 2, "not finite"),
        (lambda texts: [[], []], "empty"),
        (lambda texts: None, "no list of vectors"),
        (lambda texts: ["ab", "cd"], "no list of vectors"),
    ],
)
async def test_what_cannot_be_searched_is_an_error_that_names_the_model(answer, words):
    with pytest.raises(EmbeddingProblem) as caught:
        await embed_documents(Embedder(answer), ["a", "b"])
    assert words in caught.value.sentence and "prueba" in caught.value.sentence and caught.value.advice


async def test_the_providers_sentence_without_its_secrets():
    def fail(texts):
        raise RuntimeError("Error code: 429 - rate limit reached for key sk-proj-abcdefghijkl1234, wait 2s.\nTraceback…")

    with pytest.raises(EmbeddingProblem) as caught:
        await embed_documents(Embedder(fail), ["a"])
    text = str(caught.value)
    assert "429" in text and "abcdefgh" not in text and "Traceback" not in text and caught.value.__cause__ is None


async def test_our_own_errors_pass():
    def fail(texts):
        raise ExtraMissing("Local embeddings", "local")

    with pytest.raises(ExtraMissing):
        await embed_query(Embedder(fail), "a")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("", "ValueError."),
        ("Bad Bearer abc.def", "Bad …."),
        ("https://user:secreto@host/x?api_key=abcdef", "https…host/x?api_key=…."),
        ("x" * 500, "x" * 199 + "…."),
    ],
)
def test_sentences_of_providers(message, expected):
    assert provider_sentence(ValueError(message)) == expected
