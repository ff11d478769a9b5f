"""``up`` and ``down``: the embedded Neo4j, and Langflow beside it."""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import Annotated

import typer

from ..database.connection import Connection, data_folder
from .common import command, own_name, progress_bar, say


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""

    @command(app, "up")
    def up(
        editor: Annotated[bool, typer.Option("--editor", help="Open Langflow with the node and the example flows too.")] = False,
        port: Annotated[int, typer.Option("--port", help="Port of Langflow; another one when it is taken.")] = 7860,
    ) -> None:
        """Start the embedded Neo4j; its data and its password stay in a folder that only you can read."""
        from ..local import server

        with progress_bar("Downloading") as progress:
            started = server.start(progress=progress)
        if started.already:
            typer.echo(f"Neo4j {started.version} runs already at {started.connection.uri}.")
        else:
            typer.echo(f"Neo4j {started.version} runs at {started.connection.uri} (after {started.seconds:.0f} s).")
        typer.echo(f"User name and password: {server.state_path(data_folder())}. Stop it with: {own_name()} down")
        if editor:
            _open_editor(started.connection, port)

    @command(app, "down")
    def down(
        delete_data: Annotated[bool, typer.Option("--delete-data", help="Delete the database and its password too.")] = False,
        yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    ) -> None:
        """Stop the embedded Neo4j; its data stays."""
        from ..local import server

        if delete_data and not yes:
            typer.confirm(f"Delete the embedded database in {data_folder()} for ever?", abort=True)
        stopped = server.stop()
        typer.echo("Neo4j is stopped." if stopped else "The embedded Neo4j was not running.")
        if delete_data:
            server.delete_data()
            typer.echo("Its data is deleted.")


def _open_editor(connection: Connection, port: int) -> None:
    from ..local.editor import langflow, prepare

    with progress_bar() as progress:
        if asyncio.run(prepare(connection, progress)):
            say("The database was empty: the 24 example incidents are in it now.")
    if os.environ.get("NEO4J_URI"):
        say("The flows use the embedded Neo4j, not the one of NEO4J_URI.")
    say("Starting Langflow (half a minute) …")
    with langflow(port) as (address, wait):
        typer.echo(f"Langflow is open at {address}. Ctrl-C stops it; Neo4j goes on running.")
        with contextlib.suppress(KeyboardInterrupt):
            wait()
