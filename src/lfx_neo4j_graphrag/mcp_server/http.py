"""Streamable HTTP at ``/mcp``, ``/healthz`` beside it, and who may speak to them."""

from __future__ import annotations

import hmac
import ipaddress
import json
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..errors import InputError
from .settings import Settings, is_loopback

if TYPE_CHECKING:
    from .server import McpServer

_log = logging.getLogger("lfx_neo4j_graphrag.mcp")
_GRACE_SECONDS = 3  # for open event streams when the process is told to end
Scope = MutableMapping[str, Any]
App = Callable[[Scope, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]


class Guard:
    """In front of ``app``: Host and Origin of every request, the bearer token of all but ``/healthz``.

    Host and Origin keep a web page from reaching a server on this machine under a name of its own (DNS rebinding);
    an address in numbers cannot be such a name.
    """

    def __init__(self, app: App, settings: Settings) -> None:
        self.app, self.settings = app, settings
        self._token = settings.token.encode()
        self._hosts = {name.lower() for name in (*settings.allowed_hosts, "localhost")}
        if not settings.loopback:
            self._hosts |= {settings.host.lower(), socket.gethostname().lower()}

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
            if refusal := self._refusal(scope["path"], headers):
                await _respond(send, *refusal)
                return
        await self.app(scope, receive, send)

    def _refusal(self, path: str, headers: dict[str, str]) -> tuple[int, str] | None:
        if not self._host_is_ours(headers.get("host", "")):
            return 421, "The Host header names another server. The operator lists it in MCP_ALLOWED_HOSTS."
        if not self._origin_may(headers.get("origin"), headers.get("host", "")):
            return 403, "Web pages of this Origin may not send requests. The operator lists it in MCP_ALLOWED_ORIGINS."
        if self._token and path != "/healthz":
            kind, _, given = headers.get("authorization", "").partition(" ")
            if kind.lower() != "bearer" or not hmac.compare_digest(given.strip().encode("latin-1"), self._token):
                return 401, "The bearer token is missing or wrong. Send the header Authorization: Bearer <MCP_TOKEN>."
        return None

    def _host_is_ours(self, host: str) -> bool:
        name = (urlsplit(f"//{host}").hostname or "").lower() if host else ""
        if name in self._hosts:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self.settings.loopback

    def _origin_may(self, origin: str | None, host: str) -> bool:
        if origin is None:
            return True
        if origin in self.settings.allowed_origins:
            return True
        parts = urlsplit(origin)
        return bool(parts.hostname) and (parts.netloc == host or is_loopback(parts.hostname))


async def _respond(send: Any, status: int, sentence: str) -> None:
    headers = [(b"content-type", b"application/json")] + ([(b"www-authenticate", b"Bearer")] if status == 401 else [])
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"error": sentence}).encode()})


def http_app(server: McpServer) -> App:
    """The ASGI application of a server."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    manager = StreamableHTTPSessionManager(app=server.protocol.server)

    class Endpoint:  # an instance, because Starlette takes functions for something else
        async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
            await manager.handle_request(scope, receive, send)

    async def healthz(_request: Any) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        async with server.watching(), manager.run():
            yield

    routes = [Route("/healthz", healthz), Route("/mcp", Endpoint()), Route("/mcp/", Endpoint())]
    return Guard(Starlette(routes=routes, lifespan=lifespan), server.settings)


async def serve_http(server: McpServer) -> None:
    """Listen until the process is told to end. Raises InputError when the address cannot be listened on."""
    import uvicorn

    settings = server.settings
    listener = _listen(settings.host, settings.port)
    config = uvicorn.Config(
        http_app(server), log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=_GRACE_SECONDS
    )
    place = f"http://{f'[{settings.host}]' if ':' in settings.host else settings.host}:{settings.port}/mcp"
    _log.warning("MCP server on %s (%s)", place, "bearer token needed" if settings.token else "no token: this machine only")
    await uvicorn.Server(config).serve(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, reuse_port=False)
    except OSError as error:
        why = "another program uses it" if error.errno in (48, 98, 10048) else "this machine does not have it, or it may not be used"
        raise InputError(f"The MCP server cannot listen on {host}, port {port}: {why}.", "Choose another with --host and --port.") from None
