"""The embedded server's bookkeeping: secrets, processes, ports, and why a start failed. Java is not started here."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from lfx_neo4j_graphrag.errors import ConnectionFailed, InputError
from lfx_neo4j_graphrag.local import server


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def sleeper(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", *arguments])


def test_the_state_file_is_private_from_its_first_byte_and_replaced_whole(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        server._write_state(tmp_path, {"password": "secret"})
    finally:
        os.umask(old)
    assert mode(server.state_path(tmp_path)) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["server.json"]


@pytest.mark.parametrize("content", ["", "{", "[1]", "null"])
def test_a_broken_state_file_is_no_server(tmp_path: Path, content: str) -> None:
    server.state_path(tmp_path).write_text(content)
    assert server.running(tmp_path) is None
    assert server.stop(tmp_path) is False


def test_a_recycled_process_id_is_neither_running_nor_stopped(tmp_path: Path) -> None:
    other = sleeper("--home-dir=/somewhere/else")
    try:
        server._write_state(tmp_path, {"uri": "bolt://127.0.0.1:1", "username": "neo4j", "password": "p", "pid": other.pid, "port": 1})
        assert server.running(tmp_path) is None
        assert server.stop(tmp_path) is False
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_stop_ends_the_process_of_this_folder_and_keeps_the_password_without_the_address(tmp_path: Path) -> None:
    own = sleeper(server._home_option(tmp_path))
    try:
        server._write_state(tmp_path, {"uri": "bolt://127.0.0.1:1", "username": "neo4j", "password": "p", "pid": own.pid, "port": 1})
        assert server.running(tmp_path).uri == "bolt://127.0.0.1:1"
        assert server.stop(tmp_path) is True
        assert not psutil.pid_exists(own.pid)
        assert server._read_state(tmp_path) == {"username": "neo4j", "password": "p", "port": 1}
        assert server.running(tmp_path) is None
    finally:
        own.kill()


def test_stopping_where_nothing_was_makes_nothing(tmp_path: Path) -> None:
    assert server.stop(tmp_path / "never") is False
    assert not (tmp_path / "never").exists()


def test_deleting_takes_only_what_is_ours(tmp_path: Path) -> None:
    (tmp_path / "embedded-neo4j" / "data").mkdir(parents=True)
    (tmp_path / "neo4j").mkdir()
    (tmp_path / "mine.txt").write_text("keep")
    server._write_state(tmp_path, {"password": "p"})
    server.delete_data(tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {"neo4j", "mine.txt", ".lock"}


def test_two_commands_take_turns(tmp_path: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with server._only_one(tmp_path):
            order.append("second")

    with server._only_one(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.2)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_the_last_port_is_taken_again_unless_somebody_else_has_it() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        assert server._free_port(taken, patience=0.2) not in (0, taken)
    assert server._free_port(taken) == taken
    assert server._free_port(None) > 0


def test_a_port_that_is_no_bolt_server_does_not_answer() -> None:
    with socket.socket() as web:
        web.bind(("127.0.0.1", 0))
        web.listen()

        def hang_up() -> None:
            web.accept()[0].close()

        threading.Thread(target=hang_up).start()
        assert server._answers(web.getsockname()[1]) is False
    assert server._answers(server._free_port(None)) is False


def test_a_database_that_lost_its_password_is_said_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "embedded-neo4j" / "data" / "databases").mkdir(parents=True)
    with pytest.raises(InputError, match="lost its password.*--delete-data"):
        server._set_first_password(tmp_path, "java", tmp_path)


def test_the_password_is_never_in_a_command_line_and_its_file_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, object] = {}

    def run(command: list[str], **options: object) -> None:
        file = Path(command[-1].removeprefix("@"))
        seen.update(command=command, mode=mode(file), lines=file.read_text().splitlines(), env=options["env"])

    monkeypatch.setattr(subprocess, "run", run)
    state = server._set_first_password(tmp_path, "java", tmp_path / "lib")
    assert seen["lines"] == ["dbms", "set-initial-password", state["password"]]
    assert seen["mode"] == 0o600 and not list(tmp_path.glob(".arguments-*"))
    assert state["password"] not in " ".join(seen["command"])
    # The tool takes a password that begins with "-" for an option.
    assert state["password"].isalnum() and len(state["password"]) >= 32
    assert state["password"] != server._set_first_password(tmp_path / "b", "java", tmp_path)["password"]


def test_the_server_inherits_no_neo4j_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "secret")
    monkeypatch.setenv("NEO4J_server_memory_heap_max__size", "1k")
    assert not [name for name in server._clean_environment() if name.upper().startswith("NEO4J")]
    assert server._clean_environment()["PATH"] == os.environ["PATH"]


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ("Caused by: java.net.BindException: Address already in use", "its port is taken"),
        ("java.lang.OutOfMemoryError: Java heap space", "too little memory"),
        ("There is insufficient memory for the Java Runtime Environment to continue.", "too little memory"),
        ("java.io.IOException: No space left on device", "the disk is full"),
        ("java.lang.UnsupportedClassVersionError: org/neo4j/X", "its Java is too old"),
        ("Lock file has been locked by another process: store_lock", "another Neo4j uses the same data"),
    ],
)
def test_the_log_of_a_failed_start_is_put_into_words(tmp_path: Path, log: str, reason: str) -> None:
    server.log_path(tmp_path).parent.mkdir(parents=True)
    server.log_path(tmp_path).write_text("INFO Starting\n" + log + "\n\tat java.base/x\n")
    error = server._failed_start(tmp_path)
    assert reason in error.sentence and error.advice and "java." not in str(error)


def test_an_unknown_failure_names_the_log(tmp_path: Path) -> None:
    assert str(server.log_path(tmp_path)) in str(server._failed_start(tmp_path))


def test_a_process_that_ends_at_once_is_a_failed_start_not_a_long_wait(tmp_path: Path) -> None:
    state = {"pid": 2**22 + 1, "port": server._free_port(None)}
    began = time.monotonic()
    with pytest.raises(ConnectionFailed, match="did not start"):
        server._wait_until_it_answers(tmp_path, state)
    assert time.monotonic() - began < 5


def test_a_server_that_repairs_its_data_is_waited_for_as_long_as_its_log_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was ended after three minutes, and at the next start it began anew."""
    log = server._home(tmp_path) / "logs" / "debug.log"
    log.parent.mkdir(parents=True)
    clock, lines = [0.0], list(range(5))

    def answers(port: int) -> bool:
        if lines:
            log.write_text(f"{lines.pop()}0% completed\n" * (5 - len(lines)))
        return False

    monkeypatch.setattr(server.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(server.time, "sleep", lambda _: clock.__setitem__(0, clock[0] + server.SERVER_START_TIMEOUT - 1))
    monkeypatch.setattr(server, "_answers", answers)
    ended: list[object] = []
    monkeypatch.setattr(server, "_process", lambda folder, state: "process")
    monkeypatch.setattr(server, "_end", ended.append)
    with pytest.raises(ConnectionFailed, match="did not start"):
        server._wait_until_it_answers(tmp_path, {"port": 1})
    assert not lines and clock[0] > 5 * (server.SERVER_START_TIMEOUT - 1)
    assert ended == ["process"], "silent for too long: it hangs"


def test_a_process_whose_command_line_is_not_there_yet_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine it is empty for a moment after the start; the server was taken for one that had ended."""
    home = tmp_path / "embedded-neo4j"
    for name in ("conf", "logs"):
        (home / name).mkdir(parents=True)
    started = sleeper(server._home_option(tmp_path))
    monkeypatch.setattr(server.subprocess, "Popen", lambda *command, **options: started)
    reads, shown = [], psutil.Process.cmdline
    monkeypatch.setattr(psutil.Process, "cmdline", lambda self: shown(self) if reads.append(1) or len(reads) > 3 else [])
    try:
        state = {"version": server.DEFAULT_VERSION, "port": 1}
        assert server._launch(tmp_path, "java", tmp_path, state, {}) == started.pid
        assert len(reads) == 4 and server._process(tmp_path, {"pid": started.pid})
    finally:
        started.kill()
        started.wait()
