"""The adapter to the ``mcp`` package that is installed, with its own client, in this process."""

import asyncio
import contextlib

from mcp_support.client import VERSION_1, in_memory

from lfx_neo4j_graphrag import __version__
from lfx_neo4j_graphrag.mcp_server.calls import Reply
from lfx_neo4j_graphrag.mcp_server.protocol import Protocol
from lfx_neo4j_graphrag.mcp_server.tools import Tool

TOOL = Tool("read", "Read it", "Reads.", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False})


class Speaker:
    """Stands for a McpServer: one tool, and what was called."""

    def __init__(self):
        self.calls, self.cancelled = [], False
        self.protocol = Protocol(self.list_tools, self.call_tool)

    async def list_tools(self):
        return [TOOL]

    async def call_tool(self, name, arguments):
        self.calls.append((name, arguments))
        if name == "slow":
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                self.cancelled = True
                raise
        return Reply(f"{name} said", failed=name == "bad")


async def test_tools_and_answers_come_through_unchanged():
    speaker = Speaker()
    async with in_memory(speaker) as client:
        assert await client.tools() == {"read": {"description": "Reads.", "schema": TOOL.input_schema, "reads": True, "output": None}}
        answer = await client.call("read", a="not validated here, but by the tool, with a better sentence")
        assert (answer.text, answer.failed, answer.structured) == ("read said", False, None)
        assert (await client.call("bad")).failed
        assert [name for name, _ in speaker.calls] == ["read", "bad"]


async def test_the_server_says_who_it_is_and_that_its_tools_may_change():
    options = Speaker().protocol.server.create_initialization_options()
    assert (options.server_name, options.server_version) == ("neo4j-graphrag", __version__)
    assert options.capabilities.tools.model_dump(by_alias=True)["listChanged"] is True
    assert "get_schema" in options.instructions


async def test_clients_that_listed_are_told_of_changes():
    speaker = Speaker()
    async with in_memory(speaker) as client, in_memory(speaker) as other:
        await client.tools()
        await speaker.protocol.tools_changed()
        assert await client.changed(5)
        assert not other.changes
    await speaker.protocol.tools_changed()  # both have gone


async def test_a_slow_call_does_not_hold_up_another_and_ends_with_the_session():
    speaker = Speaker()
    async with in_memory(speaker) as client:
        slow = asyncio.create_task(client.call("slow"))
        await asyncio.sleep(0.05)
        assert (await client.call("read", a=1)).text == "read said"
        assert not slow.done()
    assert speaker.cancelled
    slow.cancel()
    with contextlib.suppress(BaseException):
        await slow


if not VERSION_1:

    async def test_the_protocol_without_handshake_works_too():
        from mcp import Client

        speaker = Speaker()
        async with Client(speaker.protocol.server, mode="2026-07-28") as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["read"]
            assert (await client.call_tool("read", {"a": 1})).content[0].text == "read said"
            async with client.listen(tools_list_changed=True) as events:
                await speaker.protocol.tools_changed()
                async with asyncio.timeout(5):
                    assert "ToolsListChanged" in type(await anext(aiter(events))).__name__
