"""A headless Chromium in front of a Langflow server of its own, as a person starts one: custom components allowed."""

from __future__ import annotations

import os
import sys
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[1] / "langflow")]

from canvas import Canvas  # noqa: E402
from langflow_server import ROOT, LangflowServer  # noqa: E402
from playwright.sync_api import Locator, Page, expect, sync_playwright  # noqa: E402
from relay import Relay  # noqa: E402

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"]
PATIENCE = 60_000  # milliseconds: two cores do the editor, the server, the database and the browser
IMAGES = ROOT / "docs" / "images"

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def relay():
    """The provider of the model nodes; its answers are recorded."""
    running = Relay(*(ROOT / "tests" / "fixtures" / name for name in ("relay_build", "agent")))
    yield running
    running.close()


@pytest.fixture(scope="session")
def langflow(server, relay, tmp_path_factory: pytest.TempPathFactory):
    running = LangflowServer(tmp_path_factory.mktemp("langflow"), server, **relay.environment)
    yield running
    running.stop()


@pytest.fixture
def page(connection, langflow):
    """A page of a fresh visitor, and an empty database.

    A browser for each test: while one is open its thread has a running loop, in which no async fixture can be prepared.
    """
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        page = chromium.new_page(base_url=langflow.url, viewport={"width": 1600, "height": 1000}, locale="en-US")
        page.set_default_timeout(PATIENCE)
        yield page
        chromium.close()


@pytest.fixture
def canvas(page, langflow):
    return Canvas(page, langflow)


@pytest.fixture
def picture():
    """``picture(page or part of it, name)`` keeps a screenshot for the documentation when UPDATE_SCREENSHOTS=1."""

    def keep(what: Page | Locator, name: str) -> None:
        if os.environ.get("UPDATE_SCREENSHOTS") == "1":
            path = IMAGES / f"{name}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            few = Image.open(BytesIO(what.screenshot())).convert("RGB").quantize(128, dither=Image.Dither.NONE)
            few.save(path, optimize=True)  # a third of the size; nobody sees the difference

    return keep
