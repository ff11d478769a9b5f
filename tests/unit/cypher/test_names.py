"""Quoting of identifiers, read back by the tokenizer that reads Cypher as the server does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.cypher.names import quote
from lfx_neo4j_graphrag.cypher.tokens import tokenize
from lfx_neo4j_graphrag.errors import InputError


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        ("Incidencia", "`Incidencia`"),
        ("código error", "`código error`"),
        ("a`b", "`a``b`"),
        ("A\\u0060) CREATE (h:Pwned) //", "`A\\u005cu0060) CREATE (h:Pwned) //`"),
        ("DELETE", "`DELETE`"),
        ("``", "``````"),
    ],
)
def test_quotes(name: str, quoted: str) -> None:
    assert quote(name) == quoted


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_refuses_what_is_no_name(name: str) -> None:
    with pytest.raises(InputError):
        quote(name)


@given(st.text(min_size=1).filter(lambda name: "\0" not in name))
def test_any_name_stays_one_token(name: str) -> None:
    tokens = tokenize(f"MATCH (n:{quote(name)}) RETURN n")
    assert [token.text for token in tokens[:4]] == ["MATCH", "(", "n", ":"]
    assert [token.text for token in tokens[5:]] == [")", "RETURN", "n"]
    assert tokens[4].kind == "quoted"
    assert tokens[4].name.replace("\\u005c", "\\") == name
