"""Build Graph on a real server: what is saved, joined and indexed."""

from __future__ import annotations

import itertools

from build_stubs import HashEmbedder, ReadingModel
from building import graph_of, home, incident, query, run  # noqa: F401

from lfx_neo4j_graphrag.database.reading import Origin
from lfx_neo4j_graphrag.operations import build_graph as room


async def test_entities_links_constraints_and_the_word_index(connection):
    answers = {
        "uno": incident("INC-1", "abierta", EN_MAQUINA="Brío 2G"),
        "dos": incident("INC-2", "cerrada", "Bar Sol") | {"Maquina": [{"modelo": "Brío 2G", "marca": "Jaltec"}]},
    }
    report = await run(connection, ["uno", "dos"], answers.get)
    assert (report["nodes_created"], report["relationships_created"], report["status"]) == (5, 3, "ok")
    assert report["nodes"] == {"Cliente": {"created": 2}, "Incidencia": {"created": 2}, "Maquina": {"created": 1}}
    assert await query(connection, "MATCH (i:Incidencia {codigo: 'INC-1'}) RETURN valueType(i.fecha), i.estado") == [
        ["DATE NOT NULL", "abierta"]
    ]
    assert await query(connection, "MATCH (m:Maquina) RETURN m.modelo, m.marca") == [["Brío 2G", "Jaltec"]]
    constraints = await query(
        connection, "SHOW CONSTRAINTS YIELD labelsOrTypes, properties RETURN labelsOrTypes[0], properties[0]"
    )
    assert sorted(constraints) == [["Cliente", "nombre"], ["Incidencia", "codigo"], ["Maquina", "modelo"]]
    assert [i["name"] for i in report["indexes"]] == ["incidencia_text"] and report["indexes"][0]["state"] == "ONLINE"
    hits = await query(
        connection, "CALL db.index.fulltext.queryNodes('incidencia_text', '\"Bar Sol\"') YIELD node RETURN node.codigo"
    )
    assert hits == [["INC-2"]], "the line of a node names its neighbours"


async def test_nothing_of_ours_is_in_the_graph_but_what_is_searched(connection):
    await run(connection, ["uno"], lambda t: incident("INC-1", "abierta"), embedder=HashEmbedder())
    keys = await query(connection, "MATCH (n) UNWIND keys(n) AS k RETURN DISTINCT labels(n)[0], k")
    assert sorted(map(tuple, keys)) == [
        ("Cliente", "nombre"),
        *(("Incidencia", k) for k in ("codigo", "embedding", "estado", "fecha", "text")),
    ]
    assert sorted(await query(connection, "CALL db.labels()")) == [["Cliente"], ["Incidencia"]]


async def test_vectors_and_filters_of_the_first_type(connection, server_version):
    embedder = HashEmbedder()
    report = await run(connection, ["uno"], lambda t: incident("INC-1", "abierta"), embedder=embedder)
    assert {i["name"] for i in report["indexes"]} == {"incidencia_vector", "incidencia_text"}
    assert await query(connection, "MATCH (i:Incidencia) RETURN size(i.embedding), i.text") == [[8, embedder.texts[-1]]]
    (row,) = await query(connection, "SHOW VECTOR INDEXES YIELD properties RETURN properties")
    assert row[0] == (["embedding", "estado", "fecha"] if server_version.startswith("2026") else ["embedding"])


async def test_a_line_that_changes_without_a_model_leaves_no_vector_of_the_old_one(connection):
    answers = {"uno": incident("INC-1", "abierta"), "dos": incident("INC-2", "abierta"), "tres": incident("INC-1", "cerrada")}
    await run(connection, ["uno", "dos"], answers.get, embedder=HashEmbedder())
    await run(connection, ["tres"], answers.get)
    found = "MATCH (i:Incidencia) RETURN i.codigo, i.text CONTAINS 'cerrada', i.embedding IS NOT NULL ORDER BY i.codigo"
    assert await query(connection, found) == [["INC-1", True, False], ["INC-2", False, True]]
    embedder = HashEmbedder()
    await run(connection, ["tres"], answers.get, embedder=embedder)
    assert await query(connection, found) == [["INC-1", True, True], ["INC-2", False, True]] and len(embedder.texts) == 2


async def test_the_second_run_asks_nothing_and_writes_nothing(connection, monkeypatch):
    model = ReadingModel({"uno": incident("INC-1", "abierta"), "dos": incident("INC-2", "cerrada")}.get, name="m")
    embedder = HashEmbedder()
    await run(connection, ["uno", "dos"], model, embedder=embedder, save_source_chunks=True)
    before, asked, embedded = await graph_of(connection), len(model.texts), len(embedder.texts)
    written = []
    from lfx_neo4j_graphrag.database import writing

    for module in (
        writing,
        room,
        __import__("lfx_neo4j_graphrag.operations.build_writing", fromlist=["x"]),
        __import__("lfx_neo4j_graphrag.operations.build_indexes", fromlist=["x"]),
    ):
        if hasattr(module, "write"):
            original = module.write

            async def spy(connection, statements, *args, original=original, **kwargs):
                counters = await original(connection, statements, *args, **kwargs)
                written.append(counters)
                return counters

            monkeypatch.setattr(module, "write", spy)
    report = await run(connection, ["uno", "dos"], model, embedder=embedder, save_source_chunks=True)
    assert len(model.texts) == asked and report["model_calls"] == 0 and report["cached_answers"] == 2
    assert (report["nodes_created"], report["nodes_updated"], report["relationships_created"]) == (0, 0, 0)
    assert report["nodes_unchanged"] == 3 and report["relationships_unchanged"] == 2
    assert (
        sum(
            c.nodes_created + c.nodes_deleted + c.relationships_created + c.relationships_deleted + c.properties_set
            for c in written
        )
        == 0
    )
    assert await graph_of(connection) == before and len(embedder.texts) == embedded + 1, "only the model's dimension is asked for"


async def test_an_unnamed_text_is_remembered_wherever_it_stands(connection):
    model = ReadingModel(lambda t: incident(f"INC-{t}"), name="m")
    await run(connection, ["uno", "dos"], model)
    model.texts.clear()
    report = await run(connection, ["# Tres", "dos", "uno"], model)
    assert model.texts == ["# Tres"] and [row["document"] for row in report["rows"]][0] == "document 1 (Tres)"


async def test_every_statement_carries_the_name_of_the_operation(connection, monkeypatch):
    carried, metadata = set(), Origin.metadata
    monkeypatch.setattr(Origin, "metadata", lambda origin: carried.add(origin.operation) or metadata(origin))
    await run(connection, ["uno"], lambda t: incident("INC-1"), embedder=HashEmbedder(), save_source_chunks=True)
    assert "build_graph" in carried and "add_records" not in carried


async def test_without_the_cache_the_model_is_asked_again_and_the_graph_stays(connection):
    model = ReadingModel(lambda t: incident("INC-1", "abierta"), name="m")
    await run(connection, ["uno"], model, use_cache=False)
    before = await graph_of(connection)
    report = await run(connection, ["uno"], model, use_cache=False)
    assert len(model.texts) == 2 and report["nodes_created"] == 0 and await graph_of(connection) == before


async def test_names_join_whatever_their_case_accents_and_spaces_also_with_the_graph(connection):
    await query(
        connection,
        "CREATE (:Cliente {nombre: 'Bar Ñandú', telefono: '600'}) "
        "CREATE (:Incidencia {codigo: 'INC-2607-01', text: 'La del registro.'})",
    )
    answers = {"uno": incident("inc 2607 01", "abierta", "BAR  ÑANDU"), "dos": incident("INC–2607–01", "cerrada", "bar ñandú")}
    report = await run(connection, ["uno", "dos"], answers.get)
    assert report["nodes_created"] == 0 and report["relationships_created"] == 1
    rows = await query(connection, "MATCH (i:Incidencia)-->(c:Cliente) RETURN i.codigo, i.estado, i.text, c.nombre, c.telefono")
    assert rows == [["INC-2607-01", "cerrada", "La del registro.", "Bar Ñandú", "600"]]


async def test_a_key_that_is_a_number_in_the_graph_is_the_same_key(connection):
    await query(connection, "CREATE (:Incidencia {codigo: 101})")
    await run(connection, ["uno"], lambda t: incident("101", "abierta"))
    assert await query(connection, "MATCH (i:Incidencia) RETURN i.codigo, i.estado") == [[101, "abierta"]]


async def test_near_names_are_reported_not_merged(connection):
    answers = {"uno": incident("INC-1", EN_MAQUINA="Brío 2G"), "dos": incident("INC-2", EN_MAQUINA="Jaltec Brío 2G")}
    report = await run(connection, ["uno", "dos"], answers.get)
    assert {"type": "Maquina", "names": ["Brío 2G", "Jaltec Brío 2G"]} in report["candidates"]
    assert "Brío 2G / Jaltec Brío 2G" in report["text"] and "say in Extraction Instructions how such names" in report["text"]
    assert await query(connection, "MATCH (m:Maquina) RETURN count(m)") == [[2]]


async def test_a_type_too_large_to_read_is_matched_exactly(connection, monkeypatch):
    from lfx_neo4j_graphrag.operations import build_writing

    monkeypatch.setattr(build_writing, "KEYS_MOST", 2)
    await query(connection, "UNWIND ['Ana', 'Blas', 'Eva'] AS n CREATE (:Cliente {nombre: n, alta: 2020})")
    report = await run(connection, ["uno"], lambda t: incident("INC-1", client="Ana"))
    assert report["nodes_created"] == 1 and any("matched exactly" in warning for warning in report["warnings"])


async def test_open_types_out_of_patterns_alone(connection):
    answers = {
        "uno": {
            "nodes": [
                {"id": "0", "label": "Parte", "properties": {"codigo": "P-1"}},
                {"id": "1", "label": "Cliente", "properties": {"nombre": "Ana"}},
            ],
            "relationships": [{"type": "DE", "start": "1", "end": "0"}],
        },
        "dos": {"Parte": [{"codigo": "P-2", "nota": "x", "DE": "ana"}]},
    }
    await run(connection, ["uno", "dos"], answers.get, allowed_patterns="(Parte)-[:DE]->(Cliente)", node_types="")
    assert sorted(await query(connection, "MATCH (p:Parte)-[:DE]->(c:Cliente) RETURN p.codigo, p.nota, c.nombre")) == [
        ["P-1", None, "Ana"],
        ["P-2", "x", "Ana"],
    ]


async def test_relationship_properties_are_stored_and_kept_current(connection):
    more = {
        "allowed_patterns": "(Incidencia)-[:ASIGNADA_A]->(Tecnico)",
        "node_types": "Incidencia(codigo), Tecnico(nombre)",
        "relationship_types": "ASIGNADA_A(desde: date, rol: apoyo | titular)",
    }

    def answer(text):
        day, role = text.split("|")
        return {"Incidencia": [{"codigo": "INC-1", "ASIGNADA_A": {"nombre": "Eva", "desde": day, "rol": role}}]}

    document = [{"text": "2026-07-03|apoyo", "fecha": "2026-07-03"}]
    await run(connection, document, answer, **more)
    report = await run(connection, [{"text": "2026-08-01|titular", "fecha": "2026-08-01"}], answer, **more)
    assert report["relationships_created"] == 0 and report["state_changes"]
    report = await run(connection, document, answer, **more)
    assert len(report["older_not_applied"]) == 2
    rows = await query(connection, "MATCH ()-[r:ASIGNADA_A]->() RETURN toString(r.desde), r.rol")
    assert rows == [["2026-08-01", "titular"]]


async def test_the_order_in_which_answers_arrive_does_not_matter(connection):
    answers = {
        "a": incident("INC-1", "abierta", "bar sol", EN_MAQUINA="Brío 2G"),
        "b": incident("INC-1", "cerrada", "Bar Sol", "2026-07-04"),
        "c": incident("inc 1", "abierta", "BAR SOL", "2026-07-05") | {"Maquina": [{"modelo": "brio 2g", "marca": "Jaltec"}]},
    }
    graphs = []
    for order in itertools.permutations("abc"):
        await query(connection, "MATCH (n) DETACH DELETE n")
        model = ReadingModel(answers.get, delay=lambda text, order=order: 0.15 * order.index(text))
        report = await run(connection, ["a", "b", "c"], model, use_cache=False)
        assert [(c["from"], c["to"]) for c in report["state_changes"] if c["property"] == "estado"] == [
            ("abierta", "cerrada"),
            ("cerrada", "abierta"),
        ]
        graphs.append(await graph_of(connection))
    assert all(graph == graphs[0] for graph in graphs)
    assert await query(connection, "MATCH (i:Incidencia)-->(c:Cliente) RETURN i.codigo, i.estado, c.nombre") == [
        ["INC-1", "abierta", "bar sol"]
    ]


async def test_a_graph_from_odd_names_is_stored_literally_and_nothing_else_happens(connection):
    await query(connection, "UNWIND range(1,3) AS i CREATE (:Centinela {id: i})")
    label = "Parte`) WITH 1 AS x MATCH (m:Centinela) DETACH DELETE m //"
    kind = "R`]->() WITH 1 AS x MATCH (m:Centinela) DETACH DELETE m //\\u0060"
    graph = {
        "nodes": [
            {"id": "0", "label": label, "properties": {"k`\\u0060": "D"}},
            {"id": "1", "label": label, "properties": {"k`\\u0060": "E"}},
        ],
        "relationships": [{"type": kind, "start": "0", "end": "1"}],
    }
    await run(connection, ["d"], lambda t: graph, allowed_patterns="", node_types="")
    assert await query(connection, "MATCH (m:Centinela) RETURN count(m)") == [[3]]
    assert await query(connection, "MATCH (n) WHERE NOT n:Centinela RETURN DISTINCT labels(n)[0]") == [[label]]
    assert await query(connection, "MATCH ()-[r]->() RETURN count(r)") == [[1]]
