"""The same rows in every kind of file that the command reads."""

from __future__ import annotations

import csv
import datetime
import io
import json
from pathlib import Path

import pytest

from lfx_neo4j_graphrag.local.files import rows_of_file
from lfx_neo4j_graphrag.errors import InputError

ROWS = [{"codigo": "A-1", "nombre": "Peña", "horas": 3}, {"codigo": "A-2", "nombre": "Añil, S.L.", "horas": 4}]


def as_csv(delimiter: str = ",") -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, ROWS[0], delimiter=delimiter)
    writer.writeheader()
    writer.writerows(ROWS)
    return text.getvalue()


def test_json_and_json_lines(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(ROWS), encoding="utf-8")
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    assert rows_of_file(tmp_path / "a.json") == rows_of_file(tmp_path / "a.jsonl") == ROWS


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_csv_in_the_encodings_that_spreadsheets_write(tmp_path: Path, encoding: str, delimiter: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(as_csv(delimiter).encode(encoding))
    assert [(row["codigo"], row["nombre"], str(row["horas"])) for row in rows_of_file(path)] == [
        ("A-1", "Peña", "3"),
        ("A-2", "Añil, S.L.", "4"),
    ]


def test_xlsx_skips_empty_sheets_rows_and_nameless_columns(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.create_sheet("datos")
    for cells in ([], ["codigo", "nombre", None, "fecha"], ["A-1", "Peña", "x", datetime.datetime(2026, 7, 3)], [], ["A-2", None, None, None]):
        sheet.append(cells)
    book.save(tmp_path / "a.xlsx")
    assert rows_of_file(tmp_path / "a.xlsx") == [
        {"codigo": "A-1", "nombre": "Peña", "fecha": datetime.datetime(2026, 7, 3)},
        {"codigo": "A-2", "nombre": None, "fecha": None},
    ]


def test_parquet_keeps_types(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(ROWS), tmp_path / "a.parquet")
    assert rows_of_file(tmp_path / "a.parquet") == ROWS


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.docx", b"x", "a.docx is of a kind"),
        ("a.xlsx", b"not a zip", "a.xlsx is not an XLSX file"),
        ("a.parquet", b"not parquet", "a.parquet is not a Parquet file"),
        ("a.csv", b"a,b\n\x81\x8d\x90", "a.csv is not text"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=said):
        rows_of_file(tmp_path / name)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "gone.csv", tmp_path):
        with pytest.raises(InputError, match="There is no file"):
            rows_of_file(path)
