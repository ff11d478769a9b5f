"""The example's documents with the fields of the flow and the recorded answers of a capable model; records beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from build_stubs import HashEmbedder
from building import graph_of, home, query  # noqa: F401
from recorded_answers import RecordedModel

from lfx_neo4j_graphrag.cli.build_graph import documents_of_file
from lfx_neo4j_graphrag.operations.add_records import AddRecordsRequest, add_records
from lfx_neo4j_graphrag.operations.build_graph import BuildGraphRequest, build_graph


ROOT = Path(__file__).parents[2]
ASSETS = ROOT / "assets"
RECORDINGS = ROOT / "tests" / "fixtures" / "relay_build"
REPORTS = sorted(ASSETS.glob("informes/*.pdf"))
MANUALS = sorted(ASSETS.glob("base_conocimiento/*.md"))
ROWS = json.loads((ASSETS / "incidencias.json").read_text(encoding="utf-8"))
COUNTS = {"Incidencia": 24, "Cliente": 8, "Tecnico": 4, "Maquina": 4}


def node_of(flow: str, word: str) -> dict:
    """The values of a node of a shipped flow."""
    nodes = json.loads((ROOT / "flows" / f"{flow}.json").read_text(encoding="utf-8"))["data"]["nodes"]
    (node,) = [node for node in nodes if node["id"].endswith(f"-{word}")]
    return {name: field["value"] for name, field in node["data"]["node"]["template"].items() if "value" in field}


async def read(connection, files, **more):
    fields = node_of("guardar_documentos", "leer")
    kept = ("allowed_patterns", "node_types", "relationship_types", "extraction_instructions", "fulltext_analyzer")
    documents = [document for file in files for document in documents_of_file(file)]
    request = BuildGraphRequest(documents, RecordedModel(RECORDINGS), **{name: fields[name] for name in kept}, **more)
    report = (await build_graph(connection, request)).details["report"]
    assert report["failed_documents"] == []
    return report


async def save_rows(connection, embedder):
    fields = node_of("guardar_registros", "guardar")
    kept = ("node_label", "key_property", "relationships", "fulltext_analyzer")
    request = AddRecordsRequest(ROWS, **{name: fields[name] for name in kept}, embedder=embedder)
    return (await add_records(connection, request)).details["report"]


async def counts(connection):
    return dict(await query(connection, "MATCH (n) WHERE NOT n:Chunk RETURN labels(n)[0], count(*)"))


async def test_july_after_september_reopens_nothing_and_says_what_it_would_have_changed(connection):
    await read(connection, REPORTS)
    states = dict(await query(connection, "MATCH (i:Incidencia) RETURN i.codigo, i.estado"))
    assert states == {row["codigo"]: row["estado"] for row in ROWS}
    before = await graph_of(connection)
    for remembered in (True, False):
        report = await read(connection, REPORTS[:1], use_cache=remembered)
        assert await graph_of(connection) == before
        refused = {entry["node"].split()[-1] for entry in report["older_not_applied"] if entry["property"] == "estado"}
        assert refused and all(states[code] == "cerrada" for code in refused)
        assert all("2026-0" in entry["why"] for entry in report["older_not_applied"])


async def search_indexes(connection) -> dict[tuple[str, str], set[str]]:
    """(label, kind) -> properties; one of each, all of them ready."""
    cypher = (
        "SHOW INDEXES YIELD type, labelsOrTypes, properties, state WHERE type IN ['VECTOR', 'FULLTEXT'] "
        "RETURN labelsOrTypes[0], type, properties, state"
    )
    rows = await query(connection, cypher)
    found = {(label, kind): set(properties) for label, kind, properties, _ in rows}
    assert len(found) == len(rows) and {state for *_, state in rows} == {"ONLINE"}
    return found


@pytest.mark.parametrize("first", ["records", "manuals"])
async def test_records_and_manuals_are_one_graph_in_either_order(connection, first, server_version):
    embedder = HashEmbedder()

    async def manuals():
        return await read(connection, MANUALS, save_source_chunks=True, embedder=embedder)

    if first == "manuals":
        await manuals()
    await save_rows(connection, embedder)
    if first == "records":
        await manuals()
    assert await counts(connection) == COUNTS, "entities join by key"
    columns = {"fecha", "estado", "codigo_error"}
    vector = {"embedding"} | (columns if server_version.startswith("2026") else set())
    found = await search_indexes(connection)
    assert set(found) == {("Incidencia", "VECTOR"), ("Incidencia", "FULLTEXT"), ("Chunk", "VECTOR"), ("Chunk", "FULLTEXT")}
    assert (found["Incidencia", "VECTOR"], found["Incidencia", "FULLTEXT"]) == (vector, {"text", "codigo"} | columns)
    texts = await query(connection, "MATCH (i:Incidencia) WHERE i.embedding IS NOT NULL RETURN i.text")
    assert {text for (text,) in texts} == {row["text"] for row in ROWS}, "the text is that of the records"
    (total,) = (await query(connection, "MATCH (c:Chunk) RETURN count(c)"))[0]
    assert total == 53
    by_machine = "MATCH (c:Chunk)-[:MENTIONS]->(m:Maquina)<-[:EN_MAQUINA]-(i:Incidencia) RETURN count(DISTINCT m), count(DISTINCT i)"
    assert await query(connection, by_machine) == [[4, 24]], "passages reach the incidents of the machines that they speak of"
    before = await graph_of(connection)
    again = await manuals()
    assert again["nodes_created"] == again["relationships_created"] == again["chunks"]["created"] == 0
    assert (await save_rows(connection, embedder))["nodes_created"] == 0
    assert await graph_of(connection) == before, "nothing is doubled"
