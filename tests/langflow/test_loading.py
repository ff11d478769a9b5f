"""Every way Langflow loads the pack, each in an environment of its own where the pack is not installed otherwise."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from langflow_server import FLOWS, ROOT, environment

from lfx_neo4j_graphrag.database.reading import fetch

SAVE_ROWS = FLOWS / "guardar_registros.json"
# What a server does at start to find bundles, without the 400 components of Langflow itself.
FIND = """
import asyncio, json, sys
from lfx.services.deps import get_settings_service
from lfx.interface.components import import_extension_components
found = asyncio.run(import_extension_components(get_settings_service()))
print("FOUND", json.dumps(list(found.get("neo4j_graphrag", {}))))
from pathlib import Path
from lfx.run.base import RunError, run_flow
try:  # without looking for distributions first: the path of components needs none
    said = asyncio.run(run_flow(script_path=Path(sys.argv[1]), check_dependencies=False))
    print("RAN", json.dumps(said["success"]))
except RunError as error:
    print("RAN", json.dumps(str(error)))
"""


@pytest.fixture(scope="session")
def bare(tmp_path_factory):
    """The Python of an environment with everything that is installed here, but neither this pack nor other packs."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    here, there = Path(sysconfig.get_path("purelib")), Path(_purelib(python))
    for entry in here.iterdir():
        if not re.match(r"(_editable_impl_)?lfx_", entry.name) and not (there / entry.name).exists():
            (there / entry.name).symlink_to(entry)
    return python


def _purelib(python):
    command = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def load(python, folder, neo4j, **env):
    """(types of the node that were found; True, or how running the flow failed)."""
    command = [str(python), "-c", FIND, str(SAVE_ROWS)]
    run = subprocess.run(command, env=environment(folder, neo4j, **env), cwd=folder, capture_output=True, text=True, timeout=300)
    said = dict(re.findall(r"^(FOUND|RAN) (.*)$", run.stdout, re.M))
    assert "RAN" in said, run.stderr[-3000:]
    return json.loads(said["FOUND"]), json.loads(said["RAN"])


async def incidents(connection):
    return (await fetch(connection, "MATCH (i:Incidencia) RETURN count(i) AS n"))[0]["n"]


async def test_through_the_path_of_components(bare, connection, tmp_path):
    found, ran = load(bare, tmp_path, connection, LANGFLOW_COMPONENTS_PATH=str(ROOT / "components"))
    assert found == ["ext:neo4j_graphrag:Neo4jGraphRAGComponent@extra"]
    assert ran is True, ran
    assert await incidents(connection) == 24


async def test_through_the_development_command(bare, connection, tmp_path):
    command = [str(bare), "-m", "lfx", "extension", "dev", str(ROOT), "--skip-launch"]
    registered = subprocess.run(command, env=environment(tmp_path, connection), cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert registered.returncode == 0, registered.stdout + registered.stderr
    found, ran = load(bare, tmp_path, connection, PYTHONPATH=str(ROOT / "src"))
    assert found == ["ext:neo4j_graphrag:Neo4jGraphRAGComponent@official"]
    assert ran is True, ran
    assert await incidents(connection) == 24


async def test_through_an_installed_wheel_and_without_the_pack(bare, connection, tmp_path):
    found, ran = load(bare, tmp_path, connection)
    assert found == []
    assert "The Neo4j GraphRAG package is not installed in this Langflow. Run: pip install" in ran
    assert "Traceback" not in ran

    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    subprocess.run([uv, "build", "--quiet", "--wheel", "--out-dir", str(tmp_path), str(ROOT)], check=True, timeout=180)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.stat().st_size < 1_000_000
    subprocess.run([uv, "pip", "install", "--quiet", "--no-deps", "--python", str(bare), str(wheel)], check=True, timeout=180)
    try:
        found, ran = load(bare, tmp_path, connection)
    finally:
        subprocess.run([uv, "pip", "uninstall", "--quiet", "--python", str(bare), "lfx-neo4j-graphrag"], check=True, timeout=180)
    assert found == ["ext:neo4j_graphrag:Neo4jGraphRAGComponent@official"]
    assert ran is True, ran
    assert await incidents(connection) == 24
