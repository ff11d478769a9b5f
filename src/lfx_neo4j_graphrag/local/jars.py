"""The jars of an embedded Neo4j: a checked list shipped with the pack, fetched once per user.

``jars-<version>.tsv`` holds what Maven resolves for ``org.neo4j.app:neo4j-server`` and ``org.neo4j:neo4j``
(group, artifact, version, classifier, bytes, sha256). Starting from the list instead of resolving again
means no POM is read, every file is verified, and the progress bar can count.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ..defaults import DOWNLOAD_THREADS, DOWNLOAD_TIMEOUT
from ..errors import ConnectionFailed, ExtraMissing, InputError

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Jar:
    """One file of the list. ``size`` is in bytes, ``sha256`` in lower-case hexadecimal."""

    group: str
    artifact: str
    version: str
    classifier: str
    size: int
    sha256: str

    @property
    def filename(self) -> str:
        """The name that Maven gives the file; unique within one list."""
        return "-".join(part for part in (self.artifact, self.version, self.classifier) if part) + ".jar"


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The per-user folder of what can be fetched again; ``NEO4J_GRAPHRAG_CACHE`` moves it."""
    if folder := environ.get("NEO4J_GRAPHRAG_CACHE"):
        return Path(folder)
    if os.name == "nt":
        return Path(environ.get("LOCALAPPDATA", str(Path.home()))) / "neo4j-graphrag" / "cache"
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "neo4j-graphrag"


def jar_list(version: str) -> list[Jar]:
    """The list of one Neo4j version. Raises InputError for a version that the pack has no list of."""
    table = files(__package__) / f"jars-{version}.tsv"
    if not table.is_file():
        known = sorted(f.name[5:-4] for f in files(__package__).iterdir() if f.name.startswith("jars-"))
        raise InputError(f"There is no embedded Neo4j {version}.", f"Choose one of: {', '.join(known)}.")
    lines = table.read_text(encoding="utf-8").splitlines()[1:]
    return [Jar(g, a, v, c, int(size), sha) for g, a, v, c, size, sha in (line.split("\t") for line in lines)]


def ensure_jars(version: str, *, folder: Path | None = None, progress: Progress | None = None) -> Path:
    """The folder that holds every jar of the version, each verified; what is missing is fetched first.

    May be interrupted at any point and called by several processes at once: a jar is fetched into a private
    folder, verified and then moved into place whole.

    Raises ConnectionFailed when a jar cannot be fetched, ExtraMissing without the extra ``local``.
    """
    target = folder or cache_folder() / f"neo4j-{version}"
    jars = jar_list(version)
    with ThreadPoolExecutor(DOWNLOAD_THREADS) as pool:
        good = pool.map(lambda jar: _is_good(target / jar.filename, jar), jars)
        missing = [jar for jar, ok in zip(jars, good, strict=True) if not ok]
    if missing:
        _fetch_all(missing, target, len(jars), f"Neo4j {version}", progress)
    return target


def _is_good(path: Path, jar: Jar) -> bool:
    try:
        if path.stat().st_size != jar.size:
            return False
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == jar.sha256
    except OSError:
        return False


def _fetch_all(missing: list[Jar], target: Path, total: int, what: str, progress: Progress | None) -> None:
    target.mkdir(parents=True, exist_ok=True)
    random.shuffle(missing)  # two processes that start at once then share the work instead of fetching all twice
    done = total - len(missing)
    staging = Path(tempfile.mkdtemp(prefix=".fetching-", dir=target))
    pool = ThreadPoolExecutor(DOWNLOAD_THREADS)
    try:
        pending = [pool.submit(_fetch, jar, staging, target) for jar in missing]
        for finished in as_completed(pending):
            finished.result()
            done += 1
            if progress:
                progress(done, total, what)
    finally:
        pool.shutdown(cancel_futures=True)
        shutil.rmtree(staging, ignore_errors=True)


def _fetch(jar: Jar, staging: Path, target: Path) -> None:
    final = target / jar.filename
    if _is_good(final, jar):
        return
    try:
        from jgo.maven import MavenContext
    except ImportError:
        raise ExtraMissing("The embedded Neo4j", "local") from None
    repository = Path(tempfile.mkdtemp(dir=staging))
    context = MavenContext(repo_cache=repository, timeout=DOWNLOAD_TIMEOUT)
    artifact = context.project(jar.group, jar.artifact).at_version(jar.version).artifact(jar.classifier, "jar")
    try:
        fetched = artifact.resolve()
    except Exception as error:  # requests' errors and jgo's RuntimeError; their texts hold addresses
        raise ConnectionFailed(
            f"{jar.filename}, a part of the embedded Neo4j, could not be downloaded ({type(error).__name__}).",
            "Check the internet connection and run the command again: it goes on where it stopped. "
            f"Or copy the folder {target} from a machine that has it.",
            kind="download",
        ) from error
    if not _is_good(fetched, jar):
        raise ConnectionFailed(
            f"{jar.filename}, a part of the embedded Neo4j, arrived damaged: its checksum is wrong.",
            "Run the command again. If it happens again, something between here and the registry changes the file.",
            kind="download",
        )
    try:
        os.replace(fetched, final)
    except OSError:  # Windows: another process put it there and its Java holds it open
        if not _is_good(final, jar):
            raise
