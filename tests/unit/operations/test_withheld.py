import pytest

from lfx_neo4j_graphrag.errors import QueryRefused
from lfx_neo4j_graphrag.operations.withheld import check_names, without_hidden
from lfx_neo4j_graphrag.schema.model import Hidden

HIDDEN = Hidden.parse("Secret, password, User.name")


@pytest.mark.parametrize(
    "query",
    ["MATCH (u:User) RETURN u.password", "MATCH (s:Secret) RETURN s", "MATCH (u) RETURN u['password']", "MATCH (u:User) RETURN u.`name`"],
)
def test_statements_that_name_something_hidden_are_refused(query):
    with pytest.raises(QueryRefused, match="hidden"):
        check_names(query, HIDDEN)


@pytest.mark.parametrize("query", ["MATCH (c:City) RETURN c.name", "MATCH (u:User) RETURN u.age", "RETURN 1 // password"])
def test_others_are_not(query):
    check_names(query, HIDDEN)
    check_names(query, Hidden())


def test_replies_lose_what_is_hidden_wherever_it_is():
    rows = [
        {"u": {"labels": ["User"], "properties": {"name": "Ana", "age": 3, "password": "x"}}, "password": "x"},
        {"c": {"labels": ["City"], "properties": {"name": "Lugo"}}, "tags": ["password"], "s": {"labels": ["Secret"], "properties": {"a": 1}}},
        {"path": [{"type": "HAS", "properties": {"password": 1, "since": 2}}]},
    ]
    assert without_hidden(rows, HIDDEN) == [
        {"u": {"labels": ["User"], "properties": {"age": 3}}},
        {"c": {"labels": ["City"], "properties": {"name": "Lugo"}}, "tags": ["password"], "s": "[hidden]"},
        {"path": [{"type": "HAS", "properties": {"since": 2}}]},
    ]
    assert without_hidden(rows, Hidden()) is rows
