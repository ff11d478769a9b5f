"""The command ``neo4j-graphrag``. One module per group of commands, each with ``register(app)``."""

from __future__ import annotations

from importlib import import_module

# In the order of the help. A module imports nothing heavy before one of its commands runs.
GROUPS = ("demo", "server", "doctor", "add_records", "build_graph", "search", "query", "ask", "graph_schema", "mcp")


def main() -> None:
    """Run the command line; ends the process with 0, with 1 after a sentence on stderr, with 2 for a wrong option."""
    from .common import new_app, stop_at_once

    stop_at_once()
    app = new_app()
    for group in GROUPS:
        import_module(f"{__name__}.{group}").register(app)
    app(prog_name="neo4j-graphrag")
