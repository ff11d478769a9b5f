"""Which texts are taken for uploaded spreadsheets."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from openpyxl import Workbook

from lfx_neo4j_graphrag.node.uploads import opened


class Message:
    """As Langflow's: known by its methods."""

    def __init__(self, text):
        self.text = text

    def get_text(self):
        return self.text

    def format_text(self):
        raise AssertionError


@pytest.fixture
def storage(tmp_path, monkeypatch):
    """Langflow's check, for one folder."""
    allowed = tmp_path / "storage"
    allowed.mkdir()

    def enforce_current_file_access(path):
        resolved = type(allowed)(path).resolve()
        if not resolved.is_relative_to(allowed):
            raise ValueError("outside")
        return resolved

    module = ModuleType("lfx.utils.file_path_security")
    module.enforce_current_file_access = enforce_current_file_access
    monkeypatch.setitem(sys.modules, "lfx", ModuleType("lfx"))
    monkeypatch.setitem(sys.modules, "lfx.utils", ModuleType("lfx.utils"))
    monkeypatch.setitem(sys.modules, "lfx.utils.file_path_security", module)
    return allowed


def workbook(path):
    book = Workbook()
    for row in (["codigo", "estado"], ["INC-1", "abierta"], ["INC-2", None]):
        book.active.append(row)
    book.save(path)
    return path


def test_the_rows_of_an_uploaded_file(storage):
    path = workbook(storage / "2026-10-01_incidencias (2).XLSX".replace("XLSX", "xlsx"))
    rows = [{"codigo": "INC-1", "estado": "abierta"}, {"codigo": "INC-2", "estado": None}]
    assert opened([Message(f"{path}\n")]) == [rows]
    assert opened(Message(f"{path}\n{path}")) == rows * 2


def test_everything_else_stays_as_it_is(storage, tmp_path):
    outside = workbook(tmp_path / "outside.xlsx")
    inside = workbook(storage / "inside.xlsx")
    link = storage / "link.xlsx"
    link.symlink_to(outside)
    texts = [str(outside), str(link), f"{inside}\nde ayer", "inside.xlsx", f"{inside}/../../outside.xlsx", str(storage / "none.xlsx"), "", "[1]"]
    for text in texts:
        message = Message(text)
        assert opened([message]) == [message], text
    assert opened(str(inside)) == str(inside), "a text that is no message names nothing"
    assert opened([{"a": 1}]) == [{"a": 1}] and opened(None) is None
