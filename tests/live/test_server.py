"""The embedded server for real: start, find, crash, recover, stop, delete. A folder of its own, never the user's."""

from __future__ import annotations

import os
import signal
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from lfx_neo4j_graphrag.database.connection import Connection, resolve
from lfx_neo4j_graphrag.database.reading import fetch
from lfx_neo4j_graphrag.database.writing import write
from lfx_neo4j_graphrag.errors import ConnectionFailed, InputError
from lfx_neo4j_graphrag.local import server as embedded


@pytest.fixture(scope="module")
def version(request: pytest.FixtureRequest) -> str:
    return request.config.getoption("--neo4j")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, version: str, quick_java: tuple[str, ...]) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("embedded") / "home"
    embedded.start(folder, version=version, java_options=quick_java)
    yield folder
    embedded.delete_data(folder)


def process(folder: Path) -> psutil.Process:
    return psutil.Process(embedded._read_state(folder)["pid"])


async def test_it_answers_with_the_password_that_only_its_owner_can_read(folder: Path, version: str) -> None:
    connection = embedded.running(folder)
    rows = await fetch(connection, "CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions[0] AS version")
    assert rows == [{"version": version}]
    assert stat.S_IMODE(embedded.state_path(folder).stat().st_mode) == 0o600
    with pytest.raises(ConnectionFailed) as refused:
        await fetch(Connection(connection.uri, "neo4j", "neo4j"), "RETURN 1")
    assert refused.value.kind == "password"
    secret = connection.password.encode()
    holders = [p.name for p in folder.rglob("*") if p.is_file() and secret in p.read_bytes()]
    assert holders == ["server.json"]
    assert connection.password not in " ".join(process(folder).cmdline())


def test_only_this_machine_can_connect(folder: Path) -> None:
    listening = [c.laddr for c in process(folder).net_connections("inet") if c.status == psutil.CONN_LISTEN]
    assert [a.port for a in listening] == [embedded._read_state(folder)["port"]]
    assert all(a.ip in ("127.0.0.1", "::1", "::ffff:127.0.0.1") for a in listening)


def test_the_state_file_is_what_an_empty_uri_means(folder: Path) -> None:
    assert resolve(environ={"NEO4J_GRAPHRAG_HOME": str(folder)}) == embedded.running(folder)


def test_a_second_start_leaves_it_alone(folder: Path, version: str) -> None:
    before = process(folder)
    again = embedded.start(folder, version=version)
    assert again.already and again.seconds < 5 and again.connection == embedded.running(folder)
    assert process(folder) == before


async def test_one_query_cannot_take_all_memory(folder: Path) -> None:
    from lfx_neo4j_graphrag.errors import QueryFailed

    with pytest.raises(QueryFailed) as stopped:
        await fetch(embedded.running(folder), "UNWIND range(1, 20000000) AS x WITH collect(x) AS xs RETURN size(xs)", timeout=60)
    assert stopped.value.kind == "memory"


async def test_after_a_crash_it_starts_again_with_the_data_and_the_password(folder: Path, version: str, quick_java: tuple[str, ...]) -> None:
    connection = embedded.running(folder)
    await write(connection, "CREATE (:Kept {x: $x})", {"x": 7})
    os.kill(process(folder).pid, signal.SIGKILL)
    process_gone(folder)
    assert embedded.running(folder) is None
    started = embedded.start(folder, version=version, java_options=quick_java)
    assert not started.already and started.connection == connection, "the same port and password"
    assert await fetch(connection, "MATCH (n:Kept) RETURN n.x AS x") == [{"x": 7}]


def process_gone(folder: Path) -> None:
    deadline = time.monotonic() + 10
    while embedded.running(folder) and time.monotonic() < deadline:
        time.sleep(0.05)


async def test_stopped_it_is_no_address_any_more_and_another_program_may_take_its_port(
    folder: Path, version: str, quick_java: tuple[str, ...]
) -> None:
    port = embedded._read_state(folder)["port"]
    assert embedded.stop(folder) is True
    assert embedded.stop(folder) is False
    with pytest.raises(InputError, match="no Neo4j to connect to"):
        resolve(environ={"NEO4J_GRAPHRAG_HOME": str(folder)})
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        started = embedded.start(folder, version=version, java_options=quick_java)
    assert not started.connection.uri.endswith(f":{port}")
    assert await fetch(started.connection, "MATCH (n:Kept) RETURN n.x AS x") == [{"x": 7}]


def test_a_start_that_fails_says_why(folder: Path, version: str) -> None:
    with pytest.raises(ConnectionFailed, match="did not start") as failed:
        embedded.start(folder.with_name("broken"), version=version, settings={"no.such.setting": "1"})
    assert failed.value.kind == "start" and "console.log" in failed.value.advice
    assert embedded.running(folder.with_name("broken")) is None


def test_deleting_the_data_leaves_no_trace_and_no_process(folder: Path) -> None:
    running = process(folder)
    embedded.delete_data(folder)
    assert not running.is_running()
    assert [p.name for p in folder.iterdir()] == [".lock"]
