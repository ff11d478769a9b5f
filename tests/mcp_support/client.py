"""The official client of the installed ``mcp`` package, of version 1 or 2, with one face for the tests."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

VERSION_1 = not hasattr(__import__("mcp"), "Client")
SOURCE = Path(__file__).parents[2] / "src"


@dataclass
class Answer:
    """A tool's result."""

    text: str
    failed: bool
    structured: Any = None


@dataclass
class Client:
    """``changes`` counts the notifications that the list of tools has changed."""

    session: Any
    changes: list[Any] = field(default_factory=list)

    async def tools(self) -> dict[str, Any]:
        """Tools by name: ``description``, ``schema``, ``reads``."""
        found = {}
        for tool in (await self.session.list_tools()).tools:
            plain = tool.model_dump(by_alias=True)
            found[tool.name] = {
                "description": tool.description,
                "schema": plain["inputSchema"],
                "reads": plain["annotations"]["readOnlyHint"],
                "output": plain.get("outputSchema"),
            }
        return found

    async def call(self, name: str, **arguments: Any) -> Answer:
        return await self.call_with(name, arguments)

    async def call_with(self, name: str, arguments: Any) -> Answer:
        result = await self.session.call_tool(name, arguments)
        plain = result.model_dump(by_alias=True)
        text = "".join(part.text for part in result.content if part.type == "text")
        return Answer(text, bool(plain["isError"]), plain.get("structuredContent"))

    async def changed(self, seconds: float) -> bool:
        """Whether the server says within ``seconds`` that the list of tools has changed."""
        until = asyncio.get_running_loop().time() + seconds
        while not self.changes and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(0.05)
        return bool(self.changes)


def command(python: str, *flags: str) -> list[str]:
    """The server as a process of ``python``, from the source of this tree."""
    return [python, "-c", "from lfx_neo4j_graphrag.cli import main; main()", "mcp", *flags]


def environment(**variables: str) -> dict[str, str]:
    """Nothing of the user's own settings, only what a process needs."""
    kept = ("PATH", "HOME", "LANG", "SYSTEMROOT", "TEMP", "TMPDIR", "NEO4J_GRAPHRAG_HOME")
    base = {name: os.environ[name] for name in kept if name in os.environ}
    return base | {"PYTHONPATH": str(SOURCE), "PYTHONUNBUFFERED": "1"} | variables


@contextmanager
def _one_error() -> Iterator[None]:
    """What a test asserts fails as itself, not in the groups of the client's tasks."""
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None


@asynccontextmanager
async def over_stdio(
    *flags: str, python: str = sys.executable, errors: TextIO | None = None, **variables: str
) -> AsyncIterator[Client]:
    """A server process and a client that has shaken hands with it."""
    line = command(python, *flags)
    parameters = StdioServerParameters(command=line[0], args=line[1:], env=environment(**variables))
    with open(os.devnull, "w") as nothing, _one_error():
        async with stdio_client(parameters, errlog=errors or nothing) as (read, write):
            async with _session(read, write) as client:
                yield client


@asynccontextmanager
async def in_memory(server: Any) -> AsyncIterator[Client]:
    """A client of a McpServer in this process: the protocol without a transport."""
    import anyio
    from mcp.shared.memory import create_client_server_memory_streams

    speaker = server.protocol.server
    with _one_error():
        async with create_client_server_memory_streams() as (client_streams, server_streams):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(speaker.run, *server_streams, speaker.create_initialization_options())
                async with _session(*client_streams) as client:
                    yield client
                tasks.cancel_scope.cancel()


@asynccontextmanager
async def over_http(url: str, headers: Mapping[str, str] | None = None) -> AsyncIterator[Client]:
    """A client of a server that runs already."""
    from mcp.client.streamable_http import streamable_http_client

    http = importlib.import_module("httpx" if VERSION_1 else "httpx2")
    session = http.AsyncClient(headers=dict(headers or {}), follow_redirects=True, timeout=http.Timeout(60, read=300))
    transport = streamable_http_client(url, http_client=session)
    with _one_error():
        async with transport as streams:
            async with _session(*streams[:2]) as client:
                yield client


@asynccontextmanager
async def _session(read: Any, write: Any) -> AsyncIterator[Client]:
    client = Client(None)

    async def heard(message: Any) -> None:
        if "ToolListChanged" in type(getattr(message, "root", message)).__name__:
            client.changes.append(message)

    async with ClientSession(read, write, message_handler=heard) as session:
        await session.initialize()
        client.session = session
        yield client
