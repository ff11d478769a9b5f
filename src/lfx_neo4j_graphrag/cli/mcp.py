"""``mcp``: the graph as tools of any MCP client."""

from __future__ import annotations

import contextlib
import inspect
from functools import partial
from typing import Annotated, Any

import typer

from ..errors import InputError
from ..mcp_server.settings import Option, load, options
from .common import Connect, command, embedding_model


def register(app: typer.Typer) -> None:
    """Add the command to the app. Its options are the settings of the server, checked there."""

    async def mcp(connect: Connect, **flags: Any) -> None:
        """Serve the graph to MCP clients (Claude Desktop, VS Code, Cursor, Langflow …)."""
        settings = load(flags)
        with contextlib.suppress(InputError):  # no database yet: said in tool results
            connect(start=False)
        from ..mcp_server.server import serve

        await serve(settings, connect, partial(embedding_model, settings.embedding_model))

    connect = inspect.signature(mcp, eval_str=True).parameters["connect"]
    mcp.__signature__ = inspect.Signature([connect, *map(_parameter, options())])  # type: ignore[attr-defined]
    command(app, "mcp")(mcp)


def _parameter(option: Option) -> inspect.Parameter:
    """An option that may be left out. Values are read by the settings, which say more about a wrong one than typer would."""
    names = (f"{option.flag}/--no-{option.flag[2:]}",) if option.switch else (option.flag,)
    help = f"{option.help} ({option.environment})"
    kind = bool | None if option.switch else str | None
    annotation = Annotated[kind, typer.Option(*names, help=help, show_default=option.shown or False, metavar=None if option.switch else "TEXT")]
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
