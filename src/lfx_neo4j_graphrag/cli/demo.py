"""``demo``: the example, from nothing to answers."""

from __future__ import annotations

import typer

from .common import command, own_name, print_answer, progress_bar, say

NEXT = """\
The embedded Neo4j goes on running. What next:
  {command} query "MATCH (t:Tecnico) RETURN t.nombre"    ask it something
  {command} up --editor    open Langflow with the node (or: make editor)
  {command} down    stop it"""


def register(app: typer.Typer) -> None:
    """Add the command to the app."""

    @command(app, "demo")
    async def demo() -> None:
        """Start the embedded Neo4j, save 24 example records in it and ask it some questions; needs no key."""
        from ..local import server
        from ..local.demo import ask_example, load_example

        # Always the embedded server: the example must not land in a database that NEO4J_URI happens to name.
        with progress_bar("Downloading") as progress:
            started = server.start(progress=progress)
        say(f"Neo4j {started.version} runs at {started.connection.uri}.")
        with progress_bar() as progress:
            report = await load_example(started.connection, progress)
        _print_step("Add Records: assets/incidencias.json", report.text)
        async for title, answer in ask_example(started.connection):
            _print_step(title, answer)
        print_answer("\n" + NEXT.format(command=own_name()))


def _print_step(title: str, answer: str) -> None:
    print_answer(f"\n== {title} ==\n\n{answer}")
