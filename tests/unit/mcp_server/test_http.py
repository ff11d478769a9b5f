import json

import pytest

from lfx_neo4j_graphrag.errors import InputError
from lfx_neo4j_graphrag.mcp_server.http import Guard, _listen
from lfx_neo4j_graphrag.mcp_server.settings import Settings

OPEN = Settings(transport="http")
TOKEN = Settings(transport="http", host="0.0.0.0", token="a-long-token", allowed_hosts=("mcp.example.org",), allowed_origins=("https://app.example.org",))


async def status(settings, path="/mcp", **headers):
    sent = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    raw = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    await Guard(app, settings)({"type": "http", "path": path, "headers": raw}, None, send)
    if len(sent) > 1:
        assert json.loads(sent[1]["body"])["error"].endswith(".")
    return sent[0]["status"]


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "localhost:9", "[::1]:8000", "LOCALHOST:8000"])
async def test_this_machine_is_served_under_its_own_names(host):
    assert await status(OPEN, host=host) == 200


@pytest.mark.parametrize("host", ["evil.example.com", "127.0.0.1.evil.example.com:8000", "192.168.1.5:8000", "", "localhost.evil.com", "x@localhost:1@evil.com"])
async def test_another_name_for_this_machine_is_refused(host):
    assert await status(OPEN, host=host) == 421


async def test_a_request_without_host_is_refused():
    assert await status(OPEN) == 421


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("http://localhost:6274", 200),
        ("http://127.0.0.1:8000", 200),
        ("https://evil.example.com", 403),
        ("null", 403),
        ("http://localhost.evil.com", 403),
        ("file://", 403),
    ],
)
async def test_web_pages_of_others_are_refused(origin, expected):
    assert await status(OPEN, host="127.0.0.1:8000", origin=origin) == expected


async def test_allowed_hosts_and_origins():
    bearer = {"authorization": "Bearer a-long-token"}
    assert await status(TOKEN, host="mcp.example.org", origin="https://app.example.org", **bearer) == 200
    assert await status(TOKEN, host="10.0.0.7:8000", **bearer) == 200
    assert await status(TOKEN, host="other.example.org", **bearer) == 421
    assert await status(TOKEN, host="mcp.example.org", origin="https://other.example.org", **bearer) == 403
    assert await status(TOKEN, host="mcp.example.org", origin="https://mcp.example.org", **bearer) == 200


@pytest.mark.parametrize(
    ("authorization", "expected"),
    [
        ("Bearer a-long-token", 200),
        ("bearer a-long-token", 200),
        ("Bearer a-long-toke", 401),
        ("Bearer a-long-token2", 401),
        ("Basic a-long-token", 401),
        ("Bearer ", 401),
        ("Bearer ñ", 401),
        ("", 401),
    ],
)
async def test_the_token_must_fit(authorization, expected):
    assert await status(TOKEN, host="10.0.0.7", authorization=authorization) == expected


async def test_no_token_is_asked_for_health_but_the_host_still_counts():
    assert await status(TOKEN, "/healthz", host="10.0.0.7") == 200
    assert await status(TOKEN, "/mcp", host="10.0.0.7") == 401
    assert await status(TOKEN, "/healthz", host="evil.example.org") == 421


def test_an_address_in_use_is_said():
    taken = _listen("127.0.0.1", 0)
    with taken, pytest.raises(InputError, match="another program uses it"):
        _listen("127.0.0.1", taken.getsockname()[1])
    with pytest.raises(InputError, match="does not have it"):
        _listen("203.0.113.9", 8000)
