"""The errors a user or a model reads: what happened in one sentence, what to do in another.

``kind`` is stable and meant for programs; the texts may be reworded. No error carries a password,
a parameter value, a stack trace or a Java class name.
"""

from __future__ import annotations


class GraphRAGError(Exception):
    """Base of every error that leaves the engine.

    ``sentence`` says what happened, ``advice`` what to do about it; ``str(error)`` is both.
    """

    kind = "error"

    def __init__(self, sentence: str, advice: str = "", *, kind: str | None = None) -> None:
        self.sentence = sentence
        self.advice = advice
        if kind is not None:
            self.kind = kind
        super().__init__(f"{sentence} {advice}".strip())


class InputError(GraphRAGError):
    """A field, a row or an argument is missing or cannot be understood."""

    kind = "input"


class ConnectionFailed(GraphRAGError):
    """The server could not be reached or refused the login.

    ``kind`` is one of ``host``, ``scheme``, ``password``, ``locked``, ``database``, ``connection``,
    ``refused_host``.
    """

    kind = "connection"


class QueryRefused(GraphRAGError):
    """A statement was stopped before it ran, because it could do more than it may."""

    kind = "refused"


class QueryFailed(GraphRAGError):
    """The server ran or parsed a statement and reported an error."""

    kind = "failed"


class QueryTimeout(GraphRAGError):
    """A statement took longer than the query timeout."""

    kind = "timeout"


class IndexProblem(GraphRAGError):
    """An index is missing, not ready, ambiguous, or made for other data or another dimension."""

    kind = "index"


class EmbeddingProblem(GraphRAGError):
    """There is no embedding model, or it gave vectors that cannot be used."""

    kind = "embedding"


class ModelFailed(GraphRAGError):
    """The language model refused, answered something unreadable, or could not be reached."""

    kind = "model"


class ExtraMissing(GraphRAGError):
    """A library of an optional extra is needed and not installed."""

    kind = "extra"

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs the optional extra '{extra}', which is not installed.",
            f'Run: pip install "lfx-neo4j-graphrag[{extra}]"',
        )
