"""The node as Langflow loads it: from the text of its file, in this process or in a server of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else importing Langflow asks the network
os.environ.setdefault("DO_NOT_TRACK", "true")
os.environ.setdefault("LANGFLOW_DO_NOT_TRACK", "true")
sys.path.insert(0, str(Path(__file__).parent))

import pytest  # noqa: E402
from langflow_server import NODE_FILE, ROOT, LangflowServer  # noqa: E402
from relay import Relay  # noqa: E402


@pytest.fixture(scope="session")
def node_code() -> str:
    return NODE_FILE.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def node_class(node_code: str) -> type:
    """The class as every run of a flow makes it from the saved text."""
    from lfx.custom.eval import eval_custom_component_code

    return eval_custom_component_code(node_code)


@pytest.fixture
def live(connection, monkeypatch: pytest.MonkeyPatch):
    """An empty database that the node finds through the environment of its process."""
    monkeypatch.setenv("NEO4J_URI", connection.uri)
    monkeypatch.setenv("NEO4J_USERNAME", connection.username)
    monkeypatch.setenv("NEO4J_PASSWORD", connection.password)
    return connection


@pytest.fixture(scope="session")
def relay():
    """The provider of the model nodes; its answers are recorded."""
    running = Relay(ROOT / "tests" / "fixtures" / "relay_build")
    yield running
    running.close()


@pytest.fixture(scope="session")
def langflow(server, relay, tmp_path_factory: pytest.TempPathFactory):
    """One Langflow server for all tests, with custom components disallowed: only known nodes run in it."""
    folder = tmp_path_factory.mktemp("langflow")
    running = LangflowServer(folder, server, LANGFLOW_ALLOW_CUSTOM_COMPONENTS="false", **relay.environment)
    yield running
    running.stop()
