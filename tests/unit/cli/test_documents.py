"""Documents of every kind of file that build-graph reads, and models by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from lfx_neo4j_graphrag.cli.build_graph import _listed, documents_of_file
from lfx_neo4j_graphrag.cli.models import chat_model
from lfx_neo4j_graphrag.errors import InputError

ASSETS = Path(__file__).parents[3] / "assets"


def test_a_pdf_page_by_page() -> None:
    pages = documents_of_file(ASSETS / "informes" / "informe_2026_07.pdf")
    assert [page.page for page in pages] == list(range(1, len(pages) + 1)) and len(pages) > 1
    assert {page.name for page in pages} == {"informe_2026_07.pdf"} and "Julio de 2026" in pages[0].text


def test_docx_with_headings_and_tables_in_their_order(tmp_path: Path) -> None:
    from docx import Document

    file = Document()
    file.add_heading("Informe", 1)
    file.add_paragraph("El aviso AV-1 sigue abierto.")
    table = file.add_table(rows=2, cols=2)
    for row, cells in zip(table.rows, (("Aviso", "Cliente"), ("AV-2", "Bar Sol")), strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    file.add_heading("Pendientes", 2)
    file.save(str(tmp_path / "a.docx"))
    (document,) = documents_of_file(tmp_path / "a.docx")
    assert document.text == "# Informe\n\nEl aviso AV-1 sigue abierto.\n\nAviso | Cliente\nAV-2 | Bar Sol\n\n## Pendientes"


@pytest.mark.parametrize("ending", [".md", ".txt"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_text_in_its_encodings(tmp_path: Path, ending: str, encoding: str) -> None:
    path = tmp_path / f"a{ending}"
    path.write_bytes("Máquina averiada: Ñandú.".encode(encoding))
    (document,) = documents_of_file(path)
    assert document.text == "Máquina averiada: Ñandú." and document.name == f"a{ending}"


@pytest.mark.parametrize("name", ["a.pdf", "a.docx"])
def test_a_broken_file_is_a_document_with_a_problem(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"%PDF-1.4 nothing" + bytes(range(200)))
    (document,) = documents_of_file(tmp_path / name)
    assert document.text == "" and "cannot be read" in document.problem and document.name == name


def test_a_scan_has_pages_without_text(tmp_path: Path) -> None:
    from pypdf import PdfWriter

    writer = PdfWriter()
    for _ in range(2):
        writer.add_blank_page(width=200, height=200)
    writer.write(tmp_path / "scan.pdf")
    assert [page.text for page in documents_of_file(tmp_path / "scan.pdf")] == ["", ""]


def test_files_that_are_missing_or_of_another_kind(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file"):
        documents_of_file(tmp_path / "x.pdf")
    (tmp_path / "x.exe").write_bytes(b"MZ")
    with pytest.raises(InputError, match="kind"):
        documents_of_file(tmp_path / "x.exe")


def test_a_folder_stands_for_its_files_in_order(tmp_path: Path) -> None:
    for name in ("b.md", "a.txt", "x.exe", "sub/c.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    assert [path.name for path in _listed([tmp_path])] == ["a.txt", "b.md", "c.md"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no documents"):
        _listed([tmp_path / "empty"])


def test_a_bare_name_is_a_model_of_the_server_that_is_set() -> None:
    model = chat_model("relay", {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})
    assert model.model_name == "relay" and str(model.openai_api_base).startswith("http://127.0.0.1:1")


@pytest.mark.parametrize("name", ["", "  ", "gpt-4.1-mini", "nobody:model", ":x"])
def test_a_name_that_means_nothing_says_how_to_write_one(name: str) -> None:
    with pytest.raises(InputError) as caught:
        chat_model(name, {})
    assert "provider:model" in str(caught.value) or "package" in str(caught.value)


def test_a_provider_whose_key_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InputError, match="cannot be used"):
        chat_model("openai:gpt-4.1-mini", {})
