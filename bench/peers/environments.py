"""Each peer's own environment in ``.envs``, made by uv at first use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ENVIRONMENTS = Path(__file__).parents[2] / ".envs"
# These two need the same packages, and this project beside them for the answers that both are given (run_scripted.py).
TOGETHER = ["neo4j-graphrag", "langchain-neo4j", "langchain-classic", "neo4j-rust-ext", "--editable", str(ENVIRONMENTS.parent)]
# Contender -> folder of its environment and what is installed there, each library at its newest.
PEERS = {
    "neo4j-graphrag": ("peers", TOGETHER),
    "langchain-neo4j": ("peers", TOGETHER),
    "mcp-neo4j-cypher": ("peers-mcp", ["mcp-neo4j-cypher", "neo4j-rust-ext"]),
}


def python_of(peer: str) -> Path:
    """The Python of a peer's environment. Raises subprocess.CalledProcessError or OSError when it cannot be made."""
    folder, packages = PEERS[peer]
    python = ENVIRONMENTS / folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    uv = Path(sys.executable).with_name("uv")
    command = str(uv) if uv.exists() else "uv"
    if not python.exists():
        subprocess.run([command, "venv", "--quiet", "--python", sys.executable, str(ENVIRONMENTS / folder)], check=True, timeout=300)
    if not version_of(python, peer):
        subprocess.run([command, "pip", "install", "--quiet", "--python", str(python), *packages], check=True, timeout=900)
    return python


def version_of(python: Path, package: str) -> str:
    """The installed version, '' when there is none."""
    code = f"from importlib.metadata import version; print(version({json.dumps(package)}))"
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True)
    return done.stdout.strip()
