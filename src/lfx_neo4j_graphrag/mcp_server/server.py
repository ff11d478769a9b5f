"""The MCP server put together: settings, database, tools, protocol, transport.

It starts without a database, an index or a model, and says in tool results what is missing. The driver is imported
after the handshake, the embedding model at the first search.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from io import TextIOWrapper
from typing import Any

from .. import __version__
from ..database.connection import Connection
from ..defaults import TOOL_LIST_WAIT
from ..errors import ConnectionFailed
from ..schema.model import Hidden
from .calls import Calls, Reply
from .catalogue import Catalogue
from .protocol import Protocol
from .settings import Settings
from .tools import Tool, base_tools, search_tool

_log = logging.getLogger("lfx_neo4j_graphrag.mcp")
_LINE_CHARS = 300
# The driver looks for these to convert their values, which this process does not send. Where Langflow is installed they
# take two seconds to import.
_NOT_FOR_THE_DRIVER = ("pandas", "numpy", "pyarrow")


class Connector:
    """Finds the database once; while there is none, it is looked for again at each use."""

    def __init__(self, find: Callable[[], Connection]) -> None:
        self._find = find
        self._search: asyncio.Task[Connection] | None = None

    async def __call__(self) -> Connection:
        """Raises what ``find`` raises, ConnectionFailed while it takes long (an embedded server that is being started)."""
        if self._search is None or (self._search.done() and self._search.exception()):
            self._search = asyncio.create_task(self._searching())
        done, _ = await asyncio.wait({self._search}, timeout=TOOL_LIST_WAIT)
        if not done:
            raise ConnectionFailed("The embedded Neo4j is being started.", "Try again in a moment; the first time takes a minute or two.")
        return self._search.result()

    async def _searching(self) -> Connection:
        await asyncio.to_thread(import_driver)
        return await asyncio.to_thread(self._find)


def import_driver() -> None:
    """Import the driver without the libraries that it only looks for."""
    if "neo4j" in sys.modules:
        return
    absent = [name for name in _NOT_FOR_THE_DRIVER if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))
    try:
        import neo4j  # noqa: F401
    finally:
        for name in absent:
            sys.modules.pop(name, None)


class McpServer:
    """``find`` gives the Connection (it may block, and raise); ``make_embedder`` the embedding model of the settings."""

    def __init__(self, settings: Settings, find: Callable[[], Connection], make_embedder: Callable[[], Any]) -> None:
        self.settings = settings
        self._prefix = f"{settings.namespace}_" if settings.namespace else ""
        self._connect = Connector(find)
        self.protocol = Protocol(self.list_tools, self.call_tool)
        self.catalogue = Catalogue(
            self._connect,
            self._prefix,
            hidden=Hidden(frozenset(settings.hidden)),
            sample_values=settings.sample_values,
            on_change=self.protocol.tools_changed,
        )
        self._calls = Calls(settings, self._connect, self.catalogue, make_embedder)

    async def list_tools(self) -> list[Tool]:
        """The tools of the moment; without a database the first ones, and why there are no more."""
        settings = self.settings
        targets = await self.catalogue.listed()
        note = ""
        if self.catalogue.problem:
            note = f"(There may be search tools too, but: {self.catalogue.problem.sentence})"
        tools = base_tools(self._prefix, allow_writes=settings.allow_writes, max_writes=settings.max_writes, note=note)
        by_meaning = bool(settings.embedding_model)
        return tools + [search_tool(name, target, by_meaning=by_meaning) for name, target in targets.items()]

    async def call_tool(self, name: str, arguments: Any) -> Reply:
        """See Calls."""
        return await self._calls.call(name, arguments)

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """While it lasts, changed indexes are noticed."""
        watch = asyncio.create_task(self.catalogue.watch())
        try:
            yield
        finally:
            watch.cancel()


async def serve(settings: Settings, find: Callable[[], Connection], make_embedder: Callable[[], Any]) -> None:
    """Run until the client goes (stdio) or the process is told to end (http)."""
    log_to_stderr(settings.log_level)
    server = McpServer(settings, find, make_embedder)
    if settings.transport == "http":
        from .http import serve_http

        await serve_http(server)
    else:
        await serve_stdio(server)


async def serve_stdio(server: McpServer) -> None:
    """Speak over the process's own stdin and stdout; whatever else would print there goes to stderr."""
    from mcp.server.stdio import stdio_server

    # A thread waits for the next line of stdin and cannot be interrupted, so Ctrl-C ends the process itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _log.info("neo4j-graphrag mcp %s over stdio", __version__)
    stdin, stdout = _own_wires()
    async with server.watching(), stdio_server(stdin, stdout) as (read, write):
        await server.protocol.server.run(read, write, server.protocol.server.create_initialization_options())


def _own_wires() -> tuple[Any, Any]:
    """stdin and stdout as files of ours alone: a stray print, of a library or its C code, would break the protocol."""
    import anyio

    sys.stdout.flush()
    stdin, stdout = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    reader = TextIOWrapper(os.fdopen(stdin, "rb"), encoding="utf-8", errors="replace")
    writer = TextIOWrapper(os.fdopen(stdout, "wb"), encoding="utf-8", newline="\n")
    return anyio.wrap_file(reader), anyio.wrap_file(writer)


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """Of other libraries' lines the first: what follows may print a request with its values."""
        if not record.name.startswith("lfx_neo4j_graphrag"):
            record.msg, record.args = (record.getMessage().splitlines() or [""])[0][:_LINE_CHARS], ()
        return super().format(record)

    def formatException(self, info: Any) -> str:
        """Where it happened, without the error's text, which may hold values or secrets."""
        frames = traceback.extract_tb(info[2])
        return "\n".join([*(f"  {frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-8:]), f"  {info[0].__name__}"])


def _not_a_client_that_left(record: logging.LogRecord) -> bool:
    """The protocol package reports a session that has ended as an error."""
    return not (record.exc_info and record.exc_info[0] and "ResourceError" in record.exc_info[0].__name__)


def log_to_stderr(level: str) -> None:
    """Ours from ``level`` on, other libraries' from warning on. The driver's own lines hold statements: errors only."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    if level != "debug":
        handler.addFilter(_not_a_client_that_left)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("lfx_neo4j_graphrag").setLevel(level.upper())
    logging.getLogger("neo4j").setLevel(logging.CRITICAL)
