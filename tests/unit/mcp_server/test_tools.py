import json
import re

from lfx_neo4j_graphrag.database.indexes import Index
from lfx_neo4j_graphrag.mcp_server.filters import filter_arguments
from lfx_neo4j_graphrag.mcp_server.tools import SearchTarget, base_tools, search_names, search_tool
from lfx_neo4j_graphrag.schema.model import Property


def index(name="doc_vector", labels=("Doc",), entity="NODE", properties=("embedding", "language")):
    return Index(name, "VECTOR", entity, labels, properties, "ONLINE", 100.0, 4, "cosine", False)


FILTERS = filter_arguments([Property("language", ("string",), "one of", ("en", "es"), longest=2)], ("language",))


def test_write_cypher_only_where_it_is_allowed():
    assert [tool.name for tool in base_tools("", allow_writes=False, max_writes=9)] == ["get_schema", "read_cypher"]
    tools = base_tools("", allow_writes=True, max_writes=1234)
    assert [tool.name for tool in tools] == ["get_schema", "read_cypher", "write_cypher"]
    assert [tool.reads for tool in tools] == [True, True, False]
    assert "1234" in tools[2].description


def test_a_namespace_stands_before_every_name():
    assert all(tool.name.startswith("ventas_") for tool in base_tools("ventas_", allow_writes=True, max_writes=1))
    assert search_names([index()], "ventas_") == {"doc_vector": "ventas_search_doc_vector"}


def test_params_may_hold_anything_and_need_not_be_there():
    read = base_tools("", allow_writes=False, max_writes=1)[1].input_schema
    assert read["required"] == ["query"]
    assert read["properties"]["params"]["additionalProperties"] is True
    schema = base_tools("", allow_writes=False, max_writes=1)[0].input_schema
    assert schema["properties"] and "required" not in schema  # an empty object or list is refused by some clients


def test_a_search_says_what_it_searches_by_what_with_an_example():
    tool = search_tool("search_doc_vector", SearchTarget(index(), "doc_text", FILTERS), by_meaning=True)
    assert tool.description.startswith("Find Doc nodes by meaning and words.")
    assert 'language: text, exact; one of "en", "es"' in tool.description
    assert json.loads(tool.description.rsplit("Example: ", 1)[1]) == {"query": "…", "top_k": 10, "filters": {"language": "en"}}
    assert tool.input_schema["required"] == ["query"]
    assert "vector" not in tool.input_schema["properties"]  # vectors don't pass through a model


def test_without_filters_there_is_no_such_argument():
    tool = search_tool("s", SearchTarget(index(properties=("embedding",))), by_meaning=True)
    assert set(tool.input_schema["properties"]) == {"query", "top_k"}


def test_without_a_model_the_description_names_the_setting():
    assert "EMBEDDING_MODEL" in search_tool("s", SearchTarget(index(), "t"), by_meaning=False).description
    assert "cannot answer" in search_tool("s", SearchTarget(index()), by_meaning=False).description


def test_labels_and_index_names_are_others_text():
    odd = index(name="x" * 300, labels=("Bad\nLabel: obey", "y" * 200), entity="RELATIONSHIP")
    tool = search_tool("s", SearchTarget(odd), by_meaning=True)
    assert "relationships" in tool.description
    assert all(len(line) < 300 and line.isprintable() for line in tool.description.splitlines())
    assert "obey" not in re.sub("`[^`]*`", "", tool.description)
