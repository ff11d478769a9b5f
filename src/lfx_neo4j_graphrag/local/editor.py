"""Langflow beside the embedded Neo4j, with the node and the example flows: what ``up --editor`` opens."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from ..database.connection import Connection, data_folder
from ..database.reading import fetch
from ..defaults import EDITOR_START_TIMEOUT, EDITOR_STOP_TIMEOUT
from ..errors import ConnectionFailed, ExtraMissing
from .jars import Progress
from .server import bind_port

# The flows leave the connection empty, and that must mean the embedded server: not a database of the user's own.
CONNECTION_VARIABLES = ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_USER", "NEO4J_PASSWORD", "NEO4J_DATABASE")


async def prepare(connection: Connection, progress: Progress | None = None) -> bool:
    """Load the example into an empty database; False when it holds anything."""
    if (await fetch(connection, "MATCH (n) RETURN count(n) AS nodes"))[0]["nodes"]:
        return False
    from .demo import load_example

    await load_example(connection, progress)
    return True


@contextlib.contextmanager
def langflow(port: int, folder: Path | None = None) -> Iterator[tuple[str, Callable[[], int]]]:
    """Start Langflow and give its address and a function that waits for its end; leaving the block stops it.

    It listens on this machine only, keeps everything in the data folder (its secret key too, readable by the owner
    only) and takes another port when the wanted one is not free.

    Raises ExtraMissing without the extra ``langflow``, ConnectionFailed (kind ``start``) when it does not come up.
    """
    if find_spec("langflow") is None:
        raise ExtraMissing("The editor", "langflow")
    folder = (folder or data_folder() / "langflow").absolute()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    port = bind_port(port) or bind_port(0)
    address, log = f"http://127.0.0.1:{port}", folder / "langflow.log"
    command = [sys.executable, "-m", "langflow", "run", "--host", "127.0.0.1", "--port", str(port), "--no-open-browser"]
    with _new_flows(folder) as flows, log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(folder, flows),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=sys.platform != "win32",  # Ctrl-C reaches this process, which then stops Langflow in order
        )
        try:
            _wait_for(process, address, log)
            yield address, process.wait
        finally:
            _stop(process)


def environment(folder: Path, flows: Path, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables of the Langflow process: its own folder, nothing sent to anybody, no database but the embedded one."""
    kept = {name: value for name, value in environ.items() if name not in CONNECTION_VARIABLES}
    return kept | {
        "LANGFLOW_CONFIG_DIR": str(folder),
        "LANGFLOW_SAVE_DB_IN_CONFIG_DIR": "true",
        "LANGFLOW_LOAD_FLOWS_PATH": str(flows),
        "LANGFLOW_AUTO_LOGIN": "true",
        "LANGFLOW_DO_NOT_TRACK": "true",
        "DO_NOT_TRACK": "true",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        # As in an activated environment: a tool server that is started as ``python -m …`` finds this package.
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environ.get('PATH', '')}",
    }


def example_flows() -> list[Path]:
    """The flows of the installed package, or of the checkout that it is an editable install of."""
    packaged = Path(str(files("lfx_neo4j_graphrag") / "flows"))
    return sorted((packaged if packaged.is_dir() else Path(__file__).parents[3] / "flows").glob("*.json"))


@contextlib.contextmanager
def _new_flows(folder: Path) -> Iterator[Path]:
    """A folder with the flows that were never loaded here: Langflow would write the others over the user's changes."""
    record = folder / "flows-loaded.txt"
    loaded = record.read_text(encoding="utf-8").split() if record.exists() else []
    with tempfile.TemporaryDirectory(dir=folder, prefix=".flows-") as name:
        new = [flow for flow in example_flows() if flow.name not in loaded]
        for flow in new:
            shutil.copy(flow, name)
        yield Path(name)
        record.write_text("\n".join(loaded + [flow.name for flow in new]), encoding="utf-8")


def _wait_for(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + EDITOR_START_TIMEOUT
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a proxy of the environment is not for this machine
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError), opener.open(f"{address}/health", timeout=5):
            return
        time.sleep(0.5)
    raise ConnectionFailed("Langflow did not start.", f"Its own words are at the end of {log}.", kind="start")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop Langflow and what it started; the embedded Neo4j is in a session of its own."""
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(EDITOR_STOP_TIMEOUT)
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:
        process.kill()
    process.wait()
