"""What a person does in the editor, by the names of its test ids."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

TITLE = "Neo4j GraphRAG"


class Canvas:
    """The editor with one flow open."""

    def __init__(self, page: Page, langflow: object) -> None:
        self.page, self.langflow = page, langflow

    def open(self, flow: dict | Path) -> str:
        """Import a flow by the API and open it; its id."""
        self.flow_id = self.langflow.upload(flow)
        self.page.goto(f"/flow/{self.flow_id}")
        expect(self.page.get_by_test_id("sidebar-search-input")).to_be_visible()
        return self.flow_id
