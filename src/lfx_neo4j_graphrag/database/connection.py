"""Where the database is, and one cached async driver per running event loop and connection."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from .. import __version__
from ..defaults import CONNECT_TIMEOUT, IDLE_DRIVERS, REFUSED_SECONDS
from ..errors import ConnectionFailed, GraphRAGError, InputError

if TYPE_CHECKING:
    from neo4j import AsyncDriver

SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
USER_AGENT = f"lfx-neo4j-graphrag/{__version__}"


@dataclass(frozen=True)
class Connection:
    """A Neo4j server and a database on it. ``database`` None is the server's home database."""

    uri: str
    username: str = ""
    password: str = field(default="", repr=False)
    database: str | None = None


def state_file(environ: Mapping[str, str] = os.environ) -> Path:
    """The per-user file in which ``up`` records the embedded server (mode 600)."""
    return data_folder(environ) / "server.json"


def data_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The per-user folder of the embedded server; ``NEO4J_GRAPHRAG_HOME`` moves it."""
    if home := environ.get("NEO4J_GRAPHRAG_HOME"):
        return Path(home)
    if os.name == "nt":
        return Path(environ.get("LOCALAPPDATA", str(Path.home()))) / "neo4j-graphrag"
    return Path(environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "neo4j-graphrag"


def resolve(
    uri: str = "",
    username: str = "",
    password: str = "",
    database: str = "",
    environ: Mapping[str, str] = os.environ,
) -> Connection:
    """Find the connection: what was given, else the environment, else the embedded server.

    Credentials of the environment or of the embedded server are never sent to a URI that was given.

    Raises InputError when a password comes without a URI, or when there is nothing to connect to;
    ConnectionFailed for an unknown scheme or a public host over an unencrypted scheme.
    """
    uri, username, database = (uri or "").strip(), (username or "").strip(), (database or "").strip()
    if uri:
        return _checked(Connection(uri, username or ("neo4j" if password else ""), password or "", database or None), environ)
    if password:
        raise InputError(
            "A Neo4j password was given without a Neo4j URI.",
            "Fill in Neo4j URI too, or leave both empty to use the environment or the embedded server.",
        )
    if env_uri := environ.get("NEO4J_URI", "").strip():
        env_password = environ.get("NEO4J_PASSWORD", "")
        user = username or environ.get("NEO4J_USERNAME") or environ.get("NEO4J_USER") or ("neo4j" if env_password else "")
        return _checked(Connection(env_uri, user, env_password, database or environ.get("NEO4J_DATABASE") or None), environ)
    try:
        saved = json.loads(state_file(environ).read_text(encoding="utf-8"))
        return Connection(saved["uri"], saved["username"], saved["password"], database or None)
    except (OSError, ValueError, KeyError):
        raise InputError(
            "There is no Neo4j to connect to.",
            "Fill in Neo4j URI, Username and Password (or set NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD), "
            "or start the embedded server with: neo4j-graphrag up",
        ) from None


def _checked(connection: Connection, environ: Mapping[str, str]) -> Connection:
    parts = urlsplit(connection.uri)
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise ConnectionFailed(
            f"'{_without_secret(connection.uri)}' is not a Neo4j address.",
            "It starts with neo4j+s:// (Aura), neo4j:// (a cluster) or bolt:// (one server), for example bolt://localhost:7687.",
            kind="scheme",
        )
    if parts.username or parts.password:
        raise InputError("The Neo4j URI holds a user name or a password.", "Put them in Neo4j Username and Neo4j Password.")
    allowed = {h.strip().lower() for h in environ.get("NEO4J_GRAPHRAG_HOSTS", "").split(",") if h.strip()}
    if "+s" not in parts.scheme and _is_public(parts.hostname) and parts.hostname.lower() not in allowed:
        raise ConnectionFailed(
            f"{parts.scheme}:// to the public address {parts.hostname} would send the password unencrypted.",
            f"Use {parts.scheme}+s://, or let the operator list the host in NEO4J_GRAPHRAG_HOSTS.",
            kind="refused_host",
        )
    return connection


def _without_secret(uri: str) -> str:
    return uri.rsplit("@", 1)[-1][:80]


def _is_public(host: str) -> bool:
    """True for a public IP address or a name with a dot that is not of a private zone; no look-up is made."""
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        name = host.lower().rstrip(".")
        return "." in name and not name.endswith((".local", ".internal", ".lan", ".home", ".localhost", ".test", ".svc", ".intranet"))


# The driver logs notifications with the whole statement, and retries with the server's whole text, as warnings that
# land on stderr. Ours are in the replies and reports; those of other users of the driver in this process stay.
_ours: ContextVar[bool] = ContextVar("lfx_neo4j_graphrag_statement", default=False)
_DRIVER_LOGGERS = ("neo4j.notifications", "neo4j.session", "neo4j.io", "neo4j.pool")


def _not_ours(record: logging.LogRecord) -> bool:
    return not _ours.get()


# loop -> {(uri, username, password): [driver, users, keeper]}, least recently used first. The driver holds
# its loop, so weak references would never die; loops that closed are dropped at the next call instead.
_loops: dict[asyncio.AbstractEventLoop, OrderedDict[tuple, list]] = {}
_lock = threading.Lock()
# (uri, username, password) -> until when and how the server refused them
_refused: dict[tuple[str, str, str], tuple[float, ConnectionFailed]] = {}


class _Login:
    """The first login of a driver. Whoever comes while it is tried waits for what comes of it."""

    def __init__(self) -> None:
        self.done, self.failures, self.lock = False, 0, asyncio.Lock()
        self.error: GraphRAGError | None = None

    async def once(self, driver: AsyncDriver, connection: Connection) -> None:
        if self.done:
            return
        failures = self.failures
        async with self.lock:
            if not self.done and failures == self.failures:
                try:
                    await _log_in(driver, connection)
                    self.done = True
                except GraphRAGError as error:
                    self.error, self.failures = error, self.failures + 1
        if not self.done and self.error:
            raise type(self.error)(self.error.sentence, self.error.advice, kind=self.error.kind)


async def _close_with_loop(driver: AsyncDriver) -> AsyncIterator[None]:
    """Registered with the loop: asyncio.run, Runner and uvicorn close async generators before the loop.

    Never a background task: Langflow waits for all pending tasks of a loop for ever.
    """
    try:
        yield
    finally:
        await driver.close()


@asynccontextmanager
async def driver_for(connection: Connection) -> AsyncIterator[AsyncDriver]:
    """The driver of this connection in the running loop. Making one costs 10 ms, using it again nothing.

    Raises ConnectionFailed when the server cannot be reached or refuses the login: that is found out once, before anything
    else, however many statements begin at the same moment. Each would try the password, and the third locks the user out.
    """
    loop = asyncio.get_running_loop()
    with _lock:
        for dead in [known for known in _loops if known.is_closed()]:
            del _loops[dead]
        table = _loops.setdefault(loop, OrderedDict())
    key = (connection.uri, connection.username, connection.password)
    entry = table.get(key)
    if entry is None:
        driver = _new_driver(connection)
        entry = table[key] = [driver, 0, _close_with_loop(driver), _Login()]
        await anext(entry[2])
    table.move_to_end(key)
    entry[1] += 1
    ours = _ours.set(True)
    try:
        await entry[3].once(entry[0], connection)
        yield entry[0]
    finally:
        _ours.reset(ours)
        entry[1] -= 1
        for old in [k for k, e in table.items() if not e[1]][: max(0, len(table) - IDLE_DRIVERS)]:
            await table.pop(old)[2].aclose()


async def _log_in(driver: AsyncDriver, connection: Connection) -> None:
    """Raises ConnectionFailed. A refused password is not sent again for REFUSED_SECONDS."""
    from neo4j.exceptions import DriverError, Neo4jError

    from .failures import explain

    key, now = (connection.uri, connection.username, connection.password), time.monotonic()
    with _lock:
        for old in [one for one, (until, _) in _refused.items() if until < now]:
            del _refused[old]
        if key in _refused:
            raise _refused[key][1]
    try:
        await driver.verify_connectivity()
    except (DriverError, Neo4jError, OSError) as error:
        known = explain(error, connection)
        if known.kind == "database":
            return  # the home database's fault; what is asked for may be another
        if isinstance(known, ConnectionFailed) and known.kind == "password":
            with _lock:
                _refused[key] = (time.monotonic() + REFUSED_SECONDS, known)
        raise known from None


def _new_driver(connection: Connection) -> AsyncDriver:
    for name in _DRIVER_LOGGERS:
        logging.getLogger(name).addFilter(_not_ours)  # added once: a logger keeps one of each
    from neo4j import AsyncGraphDatabase  # 0.3 s, 2 s where pandas is installed: at first use, not at import

    auth: Any = (connection.username, connection.password) if connection.username or connection.password else None
    return AsyncGraphDatabase.driver(
        connection.uri,
        auth=auth,
        user_agent=USER_AGENT,
        connection_timeout=CONNECT_TIMEOUT,
        connection_acquisition_timeout=CONNECT_TIMEOUT,  # bounds the handshake too, which a silent port never answers
        liveness_check_timeout=1.0,  # a server that was restarted, or a firewall, leaves dead connections in the pool
        max_transaction_retry_time=15.0,
        initial_retry_delay=0.05,  # two writing streams that meet in a deadlock would sleep 1 s each by default
        warn_notification_severity="OFF",
    )
