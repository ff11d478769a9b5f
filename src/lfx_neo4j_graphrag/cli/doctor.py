"""``doctor``: what is wrong with the connection, the indexes or the embeddings, and what to do."""

from __future__ import annotations

from functools import partial
from typing import Any

import typer

from ..local.embeddings import local_embeddings_available
from .common import Connect, EmbeddingOption, command, embedding_model, print_answer, say

MARKS = {"ok": "ok   ", "note": "note ", "wrong": "WRONG"}


def register(app: typer.Typer) -> None:
    """Add the command to the app."""

    @command(app, "doctor")
    async def doctor(connect: Connect, model: EmbeddingOption = "") -> None:
        """Check host, scheme, password, database, version, indexes and embeddings; exit status 1 when one is wrong."""
        from ..local.doctor import examine

        findings = await examine(partial(_find, connect), partial(_model, model))
        for finding in findings:
            print_answer(f"{MARKS[finding.state]}  {finding.step}: {finding.text}".rstrip(": "))
            if finding.advice:
                print_answer(f"       {finding.advice}")
        wrong = sum(finding.state == "wrong" for finding in findings)
        if wrong:
            say(f"{wrong} thing{'s are' if wrong > 1 else ' is'} wrong.")
            raise typer.Exit(1)


def _find(connect: Connect) -> Any:
    """Without starting anything: a server that does not run is a finding."""
    return connect(start=False)


def _model(name: str) -> Any:
    return embedding_model(name or ("local" if local_embeddings_available() else ""))
