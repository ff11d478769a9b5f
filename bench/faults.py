"""Faults for the soak: a proxy that cuts the network, and an embedded server that is killed and whose disk gets full."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from lfx_neo4j_graphrag.database.connection import Connection
from lfx_neo4j_graphrag.errors import GraphRAGError
from lfx_neo4j_graphrag.local import server

MARGIN = 300_000  # bytes that a full disk still takes
# An hour of writing would fill a small disk with the log of what is in the store already.
SETTINGS = {
    "dbms.security.auth_max_failed_attempts": "0",
    "db.tx_log.rotation.size": "64M",
    "db.tx_log.rotation.retention_policy": "200M size",
}


class Proxy:
    """Passes TCP connections on to a port of this machine, until it is told not to."""

    def __init__(self, target: Callable[[], int]) -> None:
        self.target, self.port = target, 0
        self._open: set[asyncio.StreamWriter] = set()
        self._flowing, self._refusing = asyncio.Event(), False
        self._flowing.set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        self._server.close()
        self._abort()

    async def cut(self, seconds: float) -> None:
        """All connections break, and new ones are refused for so long."""
        self._refusing = True
        self._abort()
        await asyncio.sleep(seconds)
        self._refusing = False

    async def silence(self, seconds: float) -> None:
        """Nothing passes for so long, as behind a firewall that forgot the connections; then they break."""
        self._flowing.clear()
        await asyncio.sleep(seconds)
        self._abort()
        self._flowing.set()

    def _abort(self) -> None:
        for writer in list(self._open):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends = {writer}
        try:
            if self._refusing:
                return
            other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self.target())
            ends.add(other_writer)
            self._open |= ends
            await asyncio.gather(self._pass(reader, other_writer), self._pass(other_reader, writer))
        except OSError:
            pass  # either end is gone: so is the other
        finally:
            for end in ends:
                end.transport.abort()
            self._open -= ends

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            await self._flowing.wait()
            writer.write(data)
            await writer.drain()
        writer.transport.abort()


class Server:
    """An embedded server in ``folder``. ``full_disk`` is tmpfs, limit or none; see ``choose_full_disk``."""

    def __init__(self, folder: Path, version: str, java_options: tuple[str, ...] = (), full_disk: str = "none") -> None:
        self.folder, self.version, self.java_options, self.full_disk = folder, version, java_options, full_disk
        self.connection = Connection("")

    def start(self) -> float:
        """Seconds until it answers. A server that does not start shows its own log: the folder goes with the run."""
        try:
            started = server.start(self.folder, version=self.version, settings=SETTINGS, java_options=self.java_options)
        except GraphRAGError:
            print(server.log_path(self.folder).read_text(encoding="utf-8", errors="replace")[-6000:], file=sys.stderr)
            raise
        self.connection = started.connection
        return started.seconds

    def port(self) -> int:
        return urlsplit(self.connection.uri).port or 0

    def process(self) -> psutil.Process:
        """The only Java whose home is this folder."""
        home = f"--home-dir={self.folder.absolute() / 'embedded-neo4j'}"
        return next(p for p in psutil.process_iter(["cmdline"]) if home in (p.info["cmdline"] or ()))

    def kill(self) -> None:
        process = self.process()
        process.kill()
        process.wait(30)

    def stop(self) -> None:
        server.stop(self.folder)

    @contextmanager
    def without_space(self) -> Iterator[None]:
        """The server can't make its files larger while this lasts."""
        if self.full_disk == "tmpfs":
            ballast = self.folder / "ballast"
            free = os.statvfs(self.folder).f_bavail * os.statvfs(self.folder).f_frsize
            with ballast.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, max(1, free - MARGIN))
            try:
                yield
            finally:
                ballast.unlink()
            return
        import resource

        process = self.process()
        logs = (self.folder / "embedded-neo4j" / "data" / "transactions" / "neo4j").glob("neostore.transaction.db.*")
        newest = max(logs, key=lambda file: file.stat().st_mtime).stat().st_size
        before = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (newest + MARGIN, before[1]))
        try:
            yield
        finally:
            if process.is_running():
                resource.prlimit(process.pid, resource.RLIMIT_FSIZE, before)


def choose_full_disk(folder: Path, megabytes: int) -> str:
    """``tmpfs`` when a small file system of its own could be mounted at ``folder``; else ``limit``, a limit on the size of the
    server's files (Linux); else ``none``."""
    if not sys.platform.startswith("linux"):
        return "none"
    folder.mkdir(parents=True, exist_ok=True)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "tmpfs", str(folder)], capture_output=True)
    return "tmpfs" if mounted.returncode == 0 else "limit"


def unmount(folder: Path) -> None:
    subprocess.run(["umount", str(folder)], check=True)
