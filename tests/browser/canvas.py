"""What a person does with the node in the editor."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

TITLE = "Neo4j GraphRAG"
IN_THE_SIDEBAR = f"neo4j_graphrag{TITLE}"


class Canvas:
    """One flow, open in the editor."""

    def __init__(self, page: Page, langflow: Any) -> None:
        self.page, self.langflow = page, langflow
        self.flow_id = ""

    def open(self, flow: dict[str, Any] | Path | None = None) -> None:
        """Import a flow, or an empty one, and open it."""
        self.flow_id = self.langflow.upload(flow or {"data": {"nodes": [], "edges": []}})
        self.reload()

    def reload(self) -> None:
        self.page.goto(f"/flow/{self.flow_id}")
        expect(self.page.get_by_test_id("sidebar-search-input")).to_be_visible()
        expect(self.page.locator(".react-flow__pane")).to_be_visible()

    def drag_in(self, words: str, test_id: str, x: int, y: int) -> None:
        """Look for a component in the sidebar and drag it to a place of the canvas."""
        self.page.get_by_test_id("sidebar-search-input").fill(words)
        self.page.get_by_test_id(test_id).drag_to(self.page.locator("#react-flow-id"), target_position={"x": x, "y": y})

    def node(self, title: str = TITLE) -> Locator:
        return self.page.locator(".react-flow__node").filter(has=self.page.get_by_test_id(f"title-{title}"))

    def titles(self) -> list[str]:
        """The fields of the node that are to be seen, in lower case as the editor's test ids are."""
        found = self.node().locator("[data-testid^=title-]").evaluate_all("all => all.map(each => each.dataset.testid.slice(6))")
        return [title for title in found if title != TITLE]

    def shows(self, titles: set[str]) -> None:
        """Wait until the node has these fields and no others."""
        for _ in range(60):
            if set(self.titles()) == titles:
                return
            self.page.wait_for_timeout(250)
        assert set(self.titles()) == titles

    def choose(self, operation: str) -> None:
        self.node().get_by_test_id("dropdown_str_operation").click()
        self.refreshed(lambda: self.page.get_by_role("option", name=operation, exact=True).click())

    def field(self, name: str) -> Locator:
        """The box of a text field."""
        return self.node().get_by_test_id(re.compile(rf"^(textarea_str_|popover-anchor-input-){name}$"))

    def write(self, name: str, text: str, *, refreshes: bool = False) -> None:
        if refreshes:
            self.refreshed(lambda: self.field(name).fill(text))
        else:
            self.field(name).fill(text)

    def refreshed(self, act: Callable[[], Any]) -> None:
        """Act, and wait for the node as the server answers it."""
        with self.page.expect_response(lambda answer: "/custom_component/update" in answer.url):
            act()

    def connect(self, source: Locator, target: Locator) -> None:
        """Draw a line from an output to an input; both are the small circles at the side of a node."""
        source.drag_to(target)

    def click_until(self, button: Locator, shown: Locator) -> None:
        """Click until something shows: the editor draws a node again after a run, and a click meanwhile is lost."""
        expect(button).to_be_enabled()
        for _ in range(6):
            button.click()
            try:
                expect(shown).to_be_visible(timeout=5000)
                return
            except AssertionError:
                continue
        expect(shown).to_be_visible()

    def run(self) -> None:
        self.node().get_by_test_id(f"button_run_{TITLE.lower()}").click()

    def reads(self, text: re.Pattern[str]) -> None:
        """Open the first output after a run, and wait for this text in it."""
        result = self.page.get_by_role("dialog").locator("textarea")
        self.click_until(self.node().get_by_test_id(re.compile("^output-inspection-result-")), result)
        expect(result).to_have_value(text)

    def stored(self) -> dict[str, Any]:
        """The template of the node as it is stored."""
        flow = self.langflow.http.get(f"/api/v1/flows/{self.flow_id}").json()
        return next(node for node in flow["data"]["nodes"] if "Neo4jGraphRAG" in node["id"])["data"]["node"]["template"]

    def saved(self, holds: Callable[[dict[str, Any]], Any]) -> None:
        """Wait until the editor has saved, by itself, a node of which ``holds`` is true."""
        for _ in range(60):
            with contextlib.suppress(KeyError):  # a field that is not stored yet
                if holds(self.stored()):
                    return
            self.page.wait_for_timeout(500)
        raise AssertionError("The editor did not save what was typed.")
