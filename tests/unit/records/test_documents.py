"""Documents out of every container, those of Langflow and LangChain the real ones."""

import datetime as dt

import pandas as pd
import pytest
from langchain_community.graphs.graph_document import GraphDocument, Node, Relationship
from langchain_core.documents import Document as LangChainDocument
from lfx.schema.data import Data
from lfx.schema.dataframe import DataFrame
from lfx.schema.message import Message

from lfx_neo4j_graphrag.errors import InputError
from lfx_neo4j_graphrag.records.documents import documents_from


def texts(value):
    return [d.text for d in documents_from(value)]


@pytest.mark.parametrize(
    "value",
    [
        "hola",
        ["hola"],
        Message(text="hola"),
        Data(text="hola"),
        Data(data={"content": "hola"}, text_key="content"),
        [Data(text="hola")],
        DataFrame([{"text": "hola"}]),
        pd.DataFrame([{"texto": "hola"}]),
        LangChainDocument(page_content="hola"),
        {"text": "hola"},
        {"contenido": "hola"},
        {"value": "hola"},
        {"value": '[{"text": "hola"}]'},
        '[{"text": "hola"}]',
        [[("hola",)]],
    ],
)
def test_one_text_in_many_containers(value):
    assert texts(value) == ["hola"]


def test_nothing():
    assert documents_from(None) == [] and documents_from([]) == []


def test_text_with_braces_is_text():
    for text in ("[no json", '{"a": 1}', '[{"codigo": 1}]', "{x}"):
        assert texts(text) == [text]


def test_names_come_from_the_usual_metadata_without_folder_and_upload_stamp():
    items = [
        Data(text="a", data={"file_path": "/u/7/2026-11-29_22-58-24_informe.pdf"}),
        Message(text="b", file_path="C:\\x\\nota.txt"),
        LangChainDocument(page_content="c", metadata={"source": "https://x.org/a/b?c=1"}),
        {"text": "d", "filename": "d.md", "file_path": "/files/uuid"},
    ]
    assert [(d.name, d.given) for d in documents_from(items)] == [
        ("informe.pdf", True),
        ("nota.txt", True),
        ("https://x.org/a/b?c=1", True),
        ("d.md", True),
    ]


def test_the_same_file_name_in_two_folders_is_two_documents():
    items = [{"text": "a", "file_path": "/1/x.md"}, {"text": "b", "file_path": "/2/x.md"}, {"text": "c", "file_path": "/1/x.md"}]
    assert [d.name for d in documents_from(items)] == ["1/x.md", "2/x.md", "1/x.md"]


def test_a_text_without_a_name_is_named_by_its_content_and_never_joined():
    one, two, three = documents_from(["a", "b", "a"])
    assert not one.given and len({one.name, two.name, three.name}) == 3
    assert documents_from(["a"])[0].name == one.name
    assert [d.position for d in (one, two, three)] == [1, 2, 3]


def test_read_file_with_several_files_gives_each_its_own_document():
    files = [{"file_path": "/x/a.md", "text": "uno"}, {"file_path": "/x/b.md", "text": "dos"}]
    found = documents_from(Message(text="uno\n\ndos", source_files=files))
    assert [(d.name, d.text) for d in found] == [("a.md", "uno"), ("b.md", "dos")]


def test_a_passage_of_it_stays_a_passage():
    """Split Text copies the metadata of the whole to each passage."""
    files = [{"file_path": "/x/a.md", "text": "uno y mucho más"}]
    assert texts(Message(text="uno", source_files=files)) == ["uno"]


def test_split_text_behind_read_file():
    from lfx.components.processing.split_text import SplitTextComponent

    message = Message(text="uno dos tres. " * 40 + "\n" + "cuatro. " * 60, file_path="/u/2026-01-01_00-00-00_a.md")
    component = SplitTextComponent(
        data_inputs=message,
        chunk_size=300,
        chunk_overlap=0,
        separator="\n",
        text_key="text",
        keep_separator="False",
        clean_output=False,
    )
    found = documents_from(component.split_text())
    assert len(found) >= 2 and {d.name for d in found} == {"a.md"}


def test_what_read_file_could_not_read_is_a_document_with_a_problem():
    (document,) = documents_from([Data(data={"error": "Unsafe path /home/secret", "file_path": "/x/a.pdf"})])
    assert document.text == "" and document.problem and document.name == "a.pdf" and "secret" not in document.problem


def test_blank_texts_stay_to_be_reported():
    assert texts(["", "  ", Data(text=""), DataFrame([{"text": float("nan"), "source": "x"}]), {"text": None}]) == [
        "",
        "  ",
        "",
        "",
        "",
    ]


def test_a_record_without_a_text_becomes_lines():
    (document,) = documents_from({"codigo": "INC-1", "fecha": dt.date(2026, 7, 3), "vacio": None, "file_path": "x.csv"})
    assert document.text == "codigo: INC-1\nfecha: 2026-07-03" and document.name == "x.csv"


@pytest.mark.parametrize(
    "metadata, page",
    [
        ({"page": 0, "page_label": "1"}, 1),
        ({"page_number": 3.0}, 3),
        ({"page": "7"}, 7),
        ({"page_label": "iv"}, None),
        ({}, None),
    ],
)
def test_pages(metadata, page):
    assert documents_from(LangChainDocument(page_content="x", metadata=metadata))[0].page == page


def test_a_graph_document_carries_its_graph_and_its_text():
    ana, acme = (
        Node(id="Ana", type="Person", properties={"age": 3, "nested": {"a": 1}, "odd": object()}),
        Node(id="Acme", type="Company"),
    )
    link = Relationship(source=ana, target=acme, type="WORKS_AT", properties={"since": dt.date(2020, 1, 1)})
    graph = GraphDocument(
        nodes=[ana], relationships=[link], source=LangChainDocument(page_content="Ana works.", metadata={"source": "a.txt"})
    )
    (document,) = documents_from([graph])
    assert document.text == "Ana works." and document.name == "a.txt"
    assert document.graph.nodes == (("Ana", "Person", {"age": 3, "nested": '{"a": 1}'}), ("Acme", "Company", {}))
    assert document.graph.links == ((0, "WORKS_AT", 1, {"since": dt.date(2020, 1, 1)}),)


def test_things_that_hold_no_text():
    with pytest.raises(InputError, match="type int"):
        documents_from(5)
    with pytest.raises(InputError, match="type object"):
        documents_from([object()])
