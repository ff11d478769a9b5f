"""Every container that Langflow or Python hands over gives the same rows."""

from __future__ import annotations

import json
import sys

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from lfx.schema import Data, DataFrame, Message

from lfx_neo4j_graphrag.errors import InputError
from lfx_neo4j_graphrag.records.rows import rows_from
from lfx_neo4j_graphrag.records.text import BrokenRow

ROWS = [{"codigo": "A1", "horas": 2}, {"codigo": "A2", "horas": 5}]
TEXT = json.dumps(ROWS)
CSV = "codigo,horas\nA1,2\nA2,5\n"


@pytest.mark.parametrize(
    "value",
    [
        ROWS,
        tuple(ROWS),
        [ROWS[:1], [ROWS[1:]]],
        {"rows": ROWS},
        {"value": TEXT},
        TEXT,
        "\ufeff" + TEXT,
        f"```json\n{TEXT}\n```",
        "\n".join(json.dumps(row) for row in ROWS),
        CSV,
        CSV.replace(",", ";"),
        CSV.replace(",", "\t"),
        CSV.replace(",", "|").replace("\n", "\r\n"),
        "sep=;\n" + CSV.replace(",", ";"),
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS).set_index("codigo"),
        DataFrame(ROWS),
        Data(data={"value": TEXT}),
        Data(data={"data": ROWS}),
        [Data(data=row) for row in ROWS],
        [[Data(data=ROWS[0])], ROWS[1]],
        Message(text=TEXT),
        Message(text=CSV),
        [Message(text=json.dumps(row)) for row in ROWS],
        pd.DataFrame([{"file_path": "/x/a.json", "text": TEXT, "encoding": "utf-8"}]),
        pd.DataFrame(
            [{"file_path": "a.csv", "text": "codigo,horas\nA1,2"}, {"file_path": "b.CSV", "text": "codigo,horas\nA2,5"}]
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_same_rows(value):
    assert rows_from(value) == ROWS


def test_document_is_its_text_and_metadata():
    document = Document(page_content="Gotea.", metadata={"codigo": "A1", "text": "otro"})
    assert rows_from([document]) == [{"codigo": "A1", "text": "Gotea."}]


def test_nothing_is_no_rows():
    for nothing in (None, "", "  \n", [], (), pd.DataFrame(), Message(text="")):
        assert rows_from(nothing) == []


def test_one_object_is_one_row():
    assert rows_from({"codigo": "A1", "lineas": [{"n": 1}]}) == [{"codigo": "A1", "lineas": [{"n": 1}]}]
    assert rows_from('{"codigo": "A1"}') == [{"codigo": "A1"}]
    assert rows_from({"value": "hola"}) == [{"value": "hola"}]


def test_data_with_a_column_called_like_an_attribute():
    row = {"page_content": "x", "columns": 1, "iloc": 2}
    assert rows_from(Data(data=row)) == [row]


def test_columns_get_text_names_and_repeated_ones_stay():
    frame = pd.DataFrame([[1, 2, 3]], columns=["a", "a", 7])
    assert rows_from(frame) == [{"a": 1, "a_2": 2, "7": 3}]
    assert rows_from([{1: "x", "b": 2}]) == [{"1": "x", "b": 2}]
    assert rows_from([{" a": 1, "": 2, "a": 3}, {"a ": 4}]) == [{"a": 1, "column_2": 2, "a_2": 3}, {"a_3": 4}]
    assert rows_from("a,a,\n1,2,3") == [{"a": 1, "a_2": 2, "column_3": 3}]


def test_broken_csv_lines_keep_their_place_and_are_named():
    rows = rows_from('codigo,nota\n1,a\n2,b,c\n3,"sin cerrar\n4,d\n5,"x"y\n6,"dos\nlíneas"\n')
    assert [dict(row) for row in rows] == [
        {"codigo": 1, "nota": "a"},
        {},
        {},
        {"codigo": 4, "nota": "d"},
        {},
        {"codigo": 6, "nota": "dos\nlíneas"},
    ]
    reasons = [row.reason for row in rows if isinstance(row, BrokenRow)]
    assert "Line 3 has 3 cells, the header has 2; a cell that holds ',' must be in quotation marks" in reasons[0]
    assert "Line 4" in reasons[1] and "quotation mark" in reasons[1]
    assert "Line 6" in reasons[2]


def test_several_unclosed_quotes_do_not_swallow_the_lines_between():
    rows = rows_from('id,t\n1,"a\n2,b\n3,"c\n4,d\n')
    assert [row.get("id") for row in rows] == [None, 2, None, 4]


def test_broken_json_lines_are_named():
    rows = rows_from('{"a": 1}\n{"a": \n[3]\n{"a": 4}')
    assert [row.get("a") for row in rows] == [1, None, None, 4]
    assert "Line 2 is not valid JSON" in rows[1].reason and "Line 3 is a list" in rows[2].reason


def test_items_of_a_json_list_that_are_no_objects_are_named():
    rows = rows_from('[{"a": 1}, 2, null, "x"]')
    assert [getattr(row, "reason", None) for row in rows] == [
        None,
        "It is a number, not an object with columns.",
        "It is null, not an object with columns.",
        "It is a text, not an object with columns.",
    ]


def test_columns_of_csv_are_numbers_only_as_a_whole():
    rows = rows_from("cp,n,precio,mixta,exp,grande,vacia\n08001,7,12.50,1,1e5,123456789012345678901,\n28001,,3,x,2e5,1,\n")
    assert rows == [
        {"cp": "08001", "n": 7, "precio": 12.5, "mixta": "1", "exp": "1e5", "grande": "123456789012345678901", "vacia": ""},
        {"cp": "28001", "n": None, "precio": 3.0, "mixta": "x", "exp": "2e5", "grande": "1", "vacia": ""},
    ]


def test_null_of_a_database_export_is_blank_and_said():
    rows = rows_from("id,region,jefe\n1,NULL,2\n2,\\N,NULL\n3,Null,1\n")
    assert [row["region"] for row in rows] == [None, None, "Null"]
    assert [row["jefe"] for row in rows] == [2, None, 1]
    assert rows.notes == ["Cells NULL were read as blank, in region, jefe.", "Cells \\N were read as blank, in region."]
    assert rows_from(["id,r\n1,NULL", "id,r\n2,NULL"]).notes == ["Cells NULL were read as blank, in r."]


def test_a_cell_of_a_megabyte():
    text = "x" * 1_000_000
    assert rows_from(f'id,t\n1,"{text}"')[0]["t"] == text


@pytest.mark.parametrize("text", ["Hola, mundo", "Texto libre.\nOtra línea, sin más.", "7", '"x"'])
def test_free_text_is_refused_with_a_remedy(text):
    with pytest.raises(InputError, match="neither JSON nor a table") as caught:
        rows_from(text)
    assert "Build Graph" in caught.value.advice


@pytest.mark.parametrize("text", ['[{"a": 1}, {"b"]', '{"a": 1,\n "b" 2}', '[{"a": 1}'])
def test_broken_json_says_where(text):
    with pytest.raises(InputError, match=r"breaks off at line \d+, column \d+"):
        rows_from(text)


def test_deep_json_is_refused():
    with pytest.raises(InputError):
        rows_from("[" * 200_000)


def test_other_objects_are_refused_by_type():
    with pytest.raises(InputError, match="object of type object"):
        rows_from([object()])

    class GraphDocument:
        nodes: list = []
        relationships: list = []

    with pytest.raises(InputError) as caught:
        rows_from(GraphDocument())
    assert "Build Graph" in caught.value.advice


cells = st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12).map(lambda text: f"t{text}")


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=8), st.sampled_from(",;\t|"))
def test_csv_written_by_the_library_reads_back(records, delimiter):
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerow(["c1", "c2", "c3"])
    writer.writerows(records)
    assert rows_from(out.getvalue()) == [dict(zip(("c1", "c2", "c3"), record)) for record in records]


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
def test_any_text_gives_rows_or_a_sentence(text):
    try:
        rows = rows_from(text)
    except InputError as error:
        assert error.sentence and error.advice
    else:
        assert all(isinstance(row, dict) for row in rows)


def test_reading_rows_imports_no_library():
    import subprocess

    code = (
        "import sys; from lfx_neo4j_graphrag.records import rows, table, report; rows.rows_from('[{}]'); "
        "print([m for m in ('pandas', 'neo4j', 'langflow', 'lfx', 'numpy') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
