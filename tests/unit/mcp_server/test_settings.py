import pytest

from lfx_neo4j_graphrag.errors import InputError
from lfx_neo4j_graphrag.mcp_server.settings import Settings, is_loopback, load, options


def test_defaults_are_real_values():
    settings = load({}, {})
    assert (settings.query_timeout, settings.token_limit, settings.max_rows, settings.format) == (10.0, 2048, 100, "yaml")
    assert (settings.transport, settings.host, settings.allow_writes, settings.sample_values) == ("stdio", "127.0.0.1", False, True)


def test_flags_win_over_the_environment_and_blanks_count_as_not_set():
    environ = {"QUERY_TIMEOUT": "5", "TOKEN_LIMIT": "300", "FORMAT": "  ", "MAX_ROWS": ""}
    settings = load({"query_timeout": "2.5", "token_limit": None, "namespace": ""}, environ)
    assert (settings.query_timeout, settings.token_limit, settings.format, settings.max_rows) == (2.5, 300, "yaml", 100)


@pytest.mark.parametrize("text", ["true", "TRUE", "1", "yes", "On"])
def test_writes_are_allowed_only_when_said_so(text):
    assert load({}, {"ALLOW_WRITES": text}).allow_writes is True
    assert load({"allow_writes": False}, {"ALLOW_WRITES": text}).allow_writes is False
    assert load({}, {"ALLOW_WRITES": "off"}).allow_writes is False


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"QUERY_TIMEOUT": "ten"}, "QUERY_TIMEOUT is 'ten', which is no number of seconds"),
        ({"QUERY_TIMEOUT": "0"}, "out of range"),
        ({"QUERY_TIMEOUT": "nan"}, "out of range"),
        ({"TOKEN_LIMIT": "2048.5"}, "no whole number"),
        ({"TOKEN_LIMIT": "5"}, "too small"),
        ({"MAX_ROWS": "0"}, "from 1 to"),
        ({"FORMAT": "xml"}, "yaml, json, table"),
        ({"ALLOW_WRITES": "maybe"}, "neither true nor false"),
        ({"SAMPLE_VALUES": "2"}, "neither true nor false"),
        ({"MCP_NAMESPACE": "my ns"}, "prefix for tool names"),
        ({"MCP_TRANSPORT": "sse"}, "stdio, http"),
        ({"MCP_PORT": "70000"}, "from 1 to 65535"),
        ({"EMBEDDING_MODEL": "text-embedding-3"}, "provider:model"),
        ({"LOG_LEVEL": "loud"}, "debug, info"),
        ({"MAX_WRITES": "-1"}, "from 1"),
    ],
)
def test_each_wrong_setting_has_its_sentence(environ, said):
    with pytest.raises(InputError) as caught:
        load({}, environ)
    assert said in str(caught.value)
    assert next(iter(environ)) in str(caught.value)


def test_a_token_is_never_shown():
    with pytest.raises(InputError) as caught:
        load({"token": "geheim mit leer"}, {})
    assert "geheim" not in str(caught.value) and "--token" in str(caught.value)
    assert "s3cret" not in repr(load({}, {"MCP_TOKEN": "s3cret"}))


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "mcp.example.org"])
def test_an_address_that_others_reach_needs_a_token(host):
    with pytest.raises(InputError, match="MCP_TOKEN"):
        load({"transport": "http", "host": host}, {})
    assert load({"transport": "http", "host": host, "token": "t0ken"}, {}).host == host


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.5.5.5"])
def test_this_machine_needs_none(host):
    assert is_loopback(host)
    assert load({"transport": "http", "host": host}, {}).token == ""


def test_every_setting_is_an_option_with_help_and_a_variable():
    listed = options()
    assert {option.name for option in listed} == set(Settings.__dataclass_fields__)
    assert all(option.help.endswith(".") and option.environment.isupper() for option in listed)
    assert next(o for o in listed if o.name == "query_timeout").shown == "10"
    assert next(o for o in listed if o.name == "token").shown is None
    assert len({option.environment for option in listed}) == len(listed)
