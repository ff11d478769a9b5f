"""The one place that knows the ``mcp`` package, in its versions 1 (from 1.30) and 2, which differ in how handlers are set.

Handlers are registered directly, not by the decorators of version 1: those validate arguments with messages that echo
values, and list the tools again before a call.
"""

from __future__ import annotations

import logging
import sys
import weakref
from collections.abc import Awaitable, Callable, Sequence
from importlib.util import find_spec, module_from_spec
from typing import Any

from .. import __version__
from .calls import Reply
from .tools import INSTRUCTIONS, Tool


def _when_needed(package: str) -> None:
    """Let a package run its own imports only when somebody asks for a name of it; its modules can be imported before.

    ``mcp`` and ``mcp.server`` import the client, the high-level server and the HTTP transports, a quarter of the time until a
    client over stdio has its tools.
    """
    if package in sys.modules or (spec := find_spec(package)) is None or spec.loader is None:
        return
    module, loader = module_from_spec(spec), spec.loader

    def whole(name: str) -> Any:
        if vars(module).pop("__getattr__", None):
            loader.exec_module(module)
        return getattr(module, name)

    vars(module)["__getattr__"] = whole
    sys.modules[package] = module
    parent, _, own = package.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, module)


_when_needed("mcp")
_when_needed("mcp.server")

import mcp.types as types  # noqa: E402
from mcp.server.lowlevel import NotificationOptions, Server  # noqa: E402

NAME = "neo4j-graphrag"
_log = logging.getLogger("lfx_neo4j_graphrag.mcp")

ListTools = Callable[[], Awaitable[Sequence[Tool]]]
CallTool = Callable[[str, Any], Awaitable[Reply]]


class _Server(Server):
    def create_initialization_options(self, notification_options: Any = None, *rest: Any, **more: Any) -> Any:
        """Says that the list of tools may change, also where a transport asks for the options itself."""
        return super().create_initialization_options(notification_options or NotificationOptions(tools_changed=True), *rest, **more)


class Protocol:
    """``server`` is the low-level server of the installed version, to be run on a transport."""

    def __init__(self, list_tools: ListTools, call_tool: CallTool) -> None:
        self._list_tools, self._call_tool = list_tools, call_tool
        self._clients: weakref.WeakSet[Any] = weakref.WeakSet()  # those that have listed the tools
        self._bus: Any = None
        self.server = self._version_1() if hasattr(Server, "list_tools") else self._version_2()

    async def tools_changed(self) -> None:
        """Tell every client that has listed the tools to list them again."""
        for client in list(self._clients):
            try:
                await client.send_tool_list_changed()
            except Exception as error:  # a client that has gone
                _log.debug("A client could not be told of changed tools (%s).", type(error).__name__)
        if self._bus is not None:
            from mcp.server.subscriptions import ToolsListChanged

            await self._bus.publish(ToolsListChanged())

    def _version_1(self) -> Server:
        server = _Server(NAME, __version__, INSTRUCTIONS)

        async def on_list(_request: Any) -> types.ServerResult:
            self._clients.add(server.request_context.session)
            return types.ServerResult(await self._listed())

        async def on_call(request: Any) -> types.ServerResult:
            return types.ServerResult(await self._called(request.params))

        server.request_handlers[types.ListToolsRequest] = on_list
        server.request_handlers[types.CallToolRequest] = on_call
        return server

    def _version_2(self) -> Server:
        from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler

        self._bus = InMemorySubscriptionBus()

        async def on_list(context: Any, _params: Any) -> types.ListToolsResult:
            # The session lives for one request; what it speaks through lives as long as the client.
            self._clients.add(getattr(context.session, "_connection", context.session))
            return await self._listed()

        async def on_call(_context: Any, params: Any) -> types.CallToolResult:
            return await self._called(params)

        server = _Server(
            NAME,
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=on_list,
            on_call_tool=on_call,
            on_subscriptions_listen=ListenHandler(self._bus),
            get_tool_input_schema=lambda _name: None,  # else every call would list the tools first
        )
        server.middleware.clear()  # it is there for tracing
        return server

    async def _listed(self) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(tool) for tool in await self._list_tools()])

    async def _called(self, params: Any) -> types.CallToolResult:
        reply = await self._call_tool(params.name, params.arguments)
        return types.CallToolResult.model_validate({"content": [{"type": "text", "text": reply.text}], "isError": reply.failed})


def _tool(tool: Tool) -> types.Tool:
    hints = {"readOnlyHint": tool.reads, "destructiveHint": not tool.reads, "idempotentHint": tool.reads, "openWorldHint": False}
    return types.Tool.model_validate(
        {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "annotations": {"title": tool.title, **hints},
        }
    )
