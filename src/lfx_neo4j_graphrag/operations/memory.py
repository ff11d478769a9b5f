"""What this user's machine remembers between runs: model answers, and which document set a value. Nothing of it is in the graph.

One SQLite file in the per-user folder, readable by the user only. Without it (switched off, another machine) everything works;
a second run asks the model again, and which of two documents is newer is judged from the graph alone (``extraction.states``).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..database.connection import data_folder
from ..defaults import ANSWERS_MOST
from ..extraction.states import Rank
from .model import Answer

_TABLES = """
CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, text TEXT, reason TEXT, input INTEGER, output INTEGER, used REAL);
CREATE TABLE IF NOT EXISTS documents (graph TEXT, digest TEXT, number INTEGER, PRIMARY KEY (graph, digest));
CREATE TABLE IF NOT EXISTS evidence (
  graph TEXT, owner TEXT, property TEXT, value TEXT, day TEXT, number INTEGER, PRIMARY KEY (graph, owner, property)
) WITHOUT ROWID;
"""


def memory_file() -> Path:
    return data_folder() / "build-graph.sqlite"


class Memory:
    """``path`` None remembers for the life of the object only."""

    def __init__(self, path: Path | None = None) -> None:
        self._file = self._open(path)
        self._file.executescript(_TABLES)
        self._used: set[str] = set()  # answers that were read, marked together at the end

    @staticmethod
    def _open(path: Path | None) -> sqlite3.Connection:
        if path is None:
            return sqlite3.connect(":memory:")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            file = sqlite3.connect(path, timeout=5)
            file.execute("PRAGMA journal_mode=WAL")
            file.execute("PRAGMA synchronous=NORMAL")
            return file
        except (OSError, sqlite3.Error):  # a read-only home must not stop a load
            return sqlite3.connect(":memory:")

    def close(self) -> None:
        with contextlib.suppress(sqlite3.Error), self._file:
            self._file.executemany("UPDATE answers SET used = ? WHERE key = ?", [(time.time(), key) for key in self._used])
        self._file.close()

    # -------------------------------------------------------------------------------------------------- answers

    def answer(self, key: str) -> Answer | None:
        row = self._file.execute("SELECT text, reason, input, output FROM answers WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        self._used.add(key)
        return Answer(*row)

    def keep_answer(self, key: str, answer: Answer) -> None:
        row = (key, answer.text, answer.finish_reason, answer.input_tokens, answer.output_tokens, time.time())
        with self._file:
            self._file.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)", row)
            (count,) = self._file.execute("SELECT count(*) FROM answers").fetchone()
            if count > ANSWERS_MOST:
                oldest = "SELECT key FROM answers ORDER BY used LIMIT ?"
                self._file.execute(f"DELETE FROM answers WHERE key IN ({oldest})", (ANSWERS_MOST // 10,))

    # ------------------------------------------------------------------------------------------- documents, evidence

    def numbers(self, graph: str, digests: Sequence[str]) -> list[int]:
        """The number of each document in ``graph``: that of its first load, or the next ones in the given order."""
        (last,) = self._file.execute("SELECT coalesce(max(number), 0) FROM documents WHERE graph = ?", (graph,)).fetchone()
        numbers = []
        with self._file:
            for digest in digests:
                row = self._file.execute(
                    "SELECT number FROM documents WHERE graph = ? AND digest = ?", (graph, digest)
                ).fetchone()
                if row is None:
                    last += 1
                    self._file.execute("INSERT INTO documents VALUES (?, ?, ?)", (graph, digest, last))
                numbers.append(row[0] if row else last)
        return numbers

    def evidence(self, graph: str, owner: str, name: str, value: Any) -> Rank | None:
        """The rank of the document that set this very value of this property; None when somebody else did."""
        row = self._file.execute(
            "SELECT value, day, number FROM evidence WHERE graph = ? AND owner = ? AND property = ?", (graph, owner, name)
        ).fetchone()
        return (row[1], row[2]) if row and row[0] == _digest(value) else None

    def keep_evidence(self, graph: str, entries: Iterable[tuple[str, str, Any, Rank]]) -> None:
        """``entries`` are (owner, property, value, rank)."""
        rows = [(graph, owner, name, _digest(value), rank[0], rank[1]) for owner, name, value, rank in entries]
        with self._file:
            self._file.executemany("INSERT OR REPLACE INTO evidence VALUES (?, ?, ?, ?, ?, ?)", rows)

    def forget(self, graph: str) -> None:
        """The graph was emptied: what is known of it is no longer true."""
        with self._file, contextlib.suppress(sqlite3.Error):
            self._file.execute("DELETE FROM documents WHERE graph = ?", (graph,))
            self._file.execute("DELETE FROM evidence WHERE graph = ?", (graph,))


def answer_key(model: Any, messages: Sequence[tuple[str, str]]) -> str | None:
    """The key of an answer: text, prompt and model. None when the model doesn't say which one it is."""
    named = [getattr(model, name, None) for name in ("model_name", "model", "model_id", "deployment_name", "azure_deployment")]
    names = [name for name in named if isinstance(name, str) and name]
    if not names:
        return None
    settings = [str(getattr(model, name, "")) for name in ("temperature", "top_p", "seed", "openai_api_base", "base_url")]
    return hashlib.sha256(json.dumps([type(model).__qualname__, names, settings, list(messages)]).encode()).hexdigest()


def _digest(value: Any) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]
