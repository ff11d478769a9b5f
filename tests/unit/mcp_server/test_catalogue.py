"""The catalogue with a database of dictionaries in place of a server."""

import asyncio
import re
from dataclasses import replace

import pytest

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.database.indexes import Index
from lfx_neo4j_graphrag.errors import ConnectionFailed, QueryTimeout
from lfx_neo4j_graphrag.mcp_server import catalogue as module
from lfx_neo4j_graphrag.mcp_server.catalogue import Catalogue, text_index_for
from lfx_neo4j_graphrag.schema.model import Hidden

DOC = Index("doc_vector", "VECTOR", "NODE", ("Doc",), ("embedding", "lang", "rare"), "ONLINE", 100.0, 4, "cosine", False)
TEXT = Index("doc_text", "FULLTEXT", "NODE", ("Doc",), ("body", "lang"), "ONLINE", 100.0)
LINK = Index("link_vector", "VECTOR", "RELATIONSHIP", ("LINKS",), ("embedding",), "ONLINE", 100.0, 4, "cosine", False)


def row(name, kind="STRING NOT NULL", values=("a",), longest=1, position=0):
    return {"position": position, "name": name, "type": kind, "count": 3, "values": list(values), "low": "a", "high": "b", "longest": longest}


class World:
    """What the database would answer."""

    def __init__(self):
        self.indexes = [DOC, TEXT]
        self.rows = [row("lang", values=("en", "es"), longest=2), row("secret"), row("body", longest=9)]
        self.having = [row("rare"), row("lang")]
        self.down = None
        self.looks = self.samples = 0

    async def list_indexes(self, _connection):
        self.looks += 1
        await asyncio.sleep(0.01)
        if self.down:
            raise self.down
        return self.indexes

    async def fetch(self, _connection, text, parameters, **_options):
        self.samples += 1
        if "groups" not in parameters:
            self.asked_having = "IS NOT NULL" in text
            positions = sorted(set(re.findall(r"RETURN (\d+) AS position", text))) or ["0"]
            return [{"position": int(i), "ids": [1, 2]} for i in positions]
        return self.having if self.asked_having else self.rows


@pytest.fixture
def world(monkeypatch):
    world = World()
    monkeypatch.setattr(module, "list_indexes", world.list_indexes)
    monkeypatch.setattr(module, "fetch", world.fetch)
    return world


def catalogue(changes=None, **options):
    async def connect():
        return Connection("bolt://localhost")

    async def on_change():
        if changes is not None:
            changes.append(1)

    return Catalogue(connect, on_change=on_change, **options)


async def test_an_index_becomes_a_tool_with_filters_of_index_and_sample(world):
    targets = await catalogue().listed()
    assert list(targets) == ["search_doc_vector"]
    target = targets["search_doc_vector"]
    assert target.text_index == "doc_text"
    # "rare" is of the index and was on none of the first nodes; "body" is what the full-text index reads first.
    assert [argument.name for argument in target.filters] == ["lang", "rare", "secret"]


async def test_only_online_vector_indexes(world):
    world.indexes = [replace(DOC, state="POPULATING"), replace(DOC, name="broken", state="FAILED"), TEXT]
    assert await catalogue().listed() == {}


async def test_changes_are_told_to_those_who_listed(world, monkeypatch):
    monkeypatch.setattr(module, "_FRESH_SECONDS", 0.0)
    changes = []
    tools = catalogue(changes)
    await tools.listed()
    await tools.look()
    assert changes == []
    world.indexes = [DOC, TEXT, LINK]
    await tools.look()
    assert changes == [1] and set(tools.targets) == {"search_doc_vector", "search_link_vector"}
    world.indexes = [LINK]
    await tools.look()
    assert changes == [1, 1] and set(tools.targets) == {"search_link_vector"}


async def test_new_values_alone_are_no_news(world, monkeypatch):
    monkeypatch.setattr(module, "INDEX_VALUES_SECONDS", 0.0)
    changes = []
    tools = catalogue(changes)
    await tools.listed()
    world.rows[0] = row("lang", values=("en", "es", "fr"), longest=2)
    await tools.look()
    assert changes == []
    assert '"fr"' in tools.targets["search_doc_vector"].filters[0].words


async def test_values_are_looked_at_once_for_some_minutes(world):
    tools = catalogue()
    await tools.listed()
    seen = world.samples
    await tools.look()
    assert world.samples == seen and world.looks == 2
    world.indexes = [replace(DOC, properties=("embedding", "lang")), TEXT]  # rebuilt with other filters
    await tools.look()
    assert world.samples > seen


async def test_a_database_that_is_down_keeps_what_is_known_and_heals(world):
    tools = catalogue()
    await tools.listed()
    world.down = ConnectionFailed("No Neo4j answers.", kind="host")
    await tools.look()
    assert list(tools.targets) == ["search_doc_vector"] and tools.problem is world.down
    world.down = None
    await tools.look()
    assert tools.problem is None


async def test_tools_that_come_after_an_empty_list_are_told(world):
    changes = []
    tools = catalogue(changes)
    world.down = ConnectionFailed("No Neo4j answers.", kind="host")
    assert await tools.listed() == {} and changes == []
    world.down = None
    await tools.look()
    assert changes == [1]


async def test_a_slow_database_does_not_hold_up_the_list(world, monkeypatch):
    monkeypatch.setattr(module, "TOOL_LIST_WAIT", 0.05)

    async def slow(_connection):
        await asyncio.sleep(0.3)
        return [DOC]

    monkeypatch.setattr(module, "list_indexes", slow)
    changes = []
    tools = catalogue(changes)
    assert await tools.listed() == {}
    await tools.look()
    assert changes == [1] and list(tools.targets) == ["search_doc_vector"]


async def test_many_clients_share_one_look(world):
    tools = catalogue()
    await asyncio.gather(*(tools.listed() for _ in range(20)))
    assert world.looks == 1


async def test_values_that_cannot_be_looked_at_cost_the_filters_not_the_tool(world, monkeypatch):
    async def slow(*_arguments, **_options):
        raise QueryTimeout("Too slow.")

    monkeypatch.setattr(module, "fetch", slow)
    [target] = (await catalogue().listed()).values()
    assert target.filters == ()


async def test_hidden_labels_and_properties_do_not_show(world):
    [target] = (await catalogue(hidden=Hidden.parse("Doc.secret")).listed()).values()
    assert "secret" not in [argument.name for argument in target.filters]
    assert await catalogue(hidden=Hidden.parse("Doc")).listed() == {}


async def test_values_can_be_left_out(world):
    [target] = (await catalogue(sample_values=False).listed()).values()
    assert not any('"en"' in argument.words for argument in target.filters)


async def test_a_rebuilt_index_answers_to_its_old_name(world):
    world.indexes = [replace(DOC, name="doc_vector_2"), TEXT]
    tools = catalogue()
    assert (await tools.find("search_doc_vector")).index.name == "doc_vector_2"
    assert await tools.find("search_other") is None


async def test_a_new_index_is_found_when_it_is_called(world):
    tools = catalogue()
    await tools.listed()
    world.indexes = [DOC, LINK]
    assert (await tools.find("search_link_vector")).index is LINK


async def test_relationship_indexes_are_looked_at_as_relationships(world, monkeypatch):
    texts = []

    async def fetch(_connection, text, parameters, **_options):
        texts.append(text)
        return await World.fetch(world, _connection, text, parameters)

    monkeypatch.setattr(module, "fetch", fetch)
    world.indexes = [LINK]
    assert list(await catalogue().listed()) == ["search_link_vector"]
    assert all(re.search(r"\(\)-\[x", text) for text in texts)


def test_the_text_index_that_shares_most_labels_goes_with_a_vector_index():
    wide = replace(TEXT, name="a_wide", labels=("Doc", "Note", "Mail"))
    assert text_index_for(DOC, [wide, TEXT]) is TEXT
    assert text_index_for(DOC, [wide]) is wide
    assert text_index_for(DOC, [replace(TEXT, labels=("Other",)), replace(TEXT, state="POPULATING")]) is None
    assert text_index_for(LINK, [replace(TEXT, labels=("LINKS",))]) is None


async def test_a_database_that_answers_gets_time_for_its_values(world, monkeypatch):
    monkeypatch.setattr(module, "TOOL_LIST_WAIT", 0.05)

    async def slow(*arguments, **options):
        await asyncio.sleep(0.05)
        return await World.fetch(world, *arguments, **options)

    monkeypatch.setattr(module, "fetch", slow)
    [target] = (await catalogue().listed()).values()
    assert [argument.name for argument in target.filters] == ["lang", "rare", "secret"]
