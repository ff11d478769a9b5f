"""An embedded server for one measurement: in a folder that is gone afterwards, without a password."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import psutil

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.local import server

# Only this machine can connect; the scripts log in as nobody. A million nodes are deleted in one go between measurements.
SETTINGS = {"dbms.security.auth_enabled": "false", "db.memory.transaction.max": "0"}


@dataclass(frozen=True)
class Own:
    """``connection`` without a user."""

    connection: Connection
    folder: Path

    def disk_mb(self) -> float:
        """What the database and its log take on disk."""
        data = self.folder / "embedded-neo4j" / "data"
        return sum(file.stat().st_size for file in data.rglob("*") if file.is_file()) / 1e6

    def memory_mb(self) -> float:
        """What the server's process takes."""
        home = f"--home-dir={self.folder.absolute() / 'embedded-neo4j'}"
        found = (p for p in psutil.process_iter(["cmdline"]) if home in (p.info["cmdline"] or ()))
        return next(found).memory_info().rss / 1e6


@contextmanager
def own_server(neo4j: str = server.DEFAULT_VERSION, heap: str = "2g", plugins: Path | None = None) -> Iterator[Own]:
    """Starts it, with the jars of ``plugins`` (such as APOC's), and stops it at the end."""
    with tempfile.TemporaryDirectory() as name:
        settings = dict(SETTINGS)
        if plugins:
            settings["dbms.security.procedures.unrestricted"] = "apoc.*"
            shutil.copytree(plugins, Path(name) / "embedded-neo4j" / "plugins")
        started = server.start(Path(name), version=neo4j, settings=settings, java_options=[f"-Xmx{heap}"])
        try:
            yield Own(Connection(started.connection.uri), Path(name))
        finally:
            server.stop(Path(name))


def circumstances(neo4j: str, heap: str) -> dict[str, str]:
    """The machine and the versions, as a measurement has to name them."""
    packages = {"lfx-neo4j-graphrag": "lfx-neo4j-graphrag", "driver": "neo4j", "neo4j-rust-ext": "neo4j-rust-ext"}
    memory = psutil.virtual_memory().total / 2**30
    return {
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB",
        "python": platform.python_version(),
        "Neo4j": f"{neo4j} with a heap of {heap}",
        **{name: version(package) for name, package in packages.items()},
        "load average at the start": f"{os.getloadavg()[0]:.1f}",
    }
