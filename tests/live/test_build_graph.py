"""Build Graph on a real server: what is saved, joined, kept, reported."""

from __future__ import annotations

import asyncio
import itertools
import json

import pytest
from build_stubs import HashEmbedder, ProviderError, ReadingModel

from lfx_neo4j_graphrag.database.connection import driver_for
from lfx_neo4j_graphrag.errors import IndexProblem, InputError, ModelFailed
from lfx_neo4j_graphrag.operations import build_graph as room
from lfx_neo4j_graphrag.operations import model as model_room
from lfx_neo4j_graphrag.operations.build_graph import BuildGraphRequest, build_graph

PATTERNS = "(Incidencia)-[:DE_CLIENTE]->(Cliente)\n(Incidencia)-[:EN_MAQUINA]->(Maquina)"
TYPES = "Incidencia(codigo, fecha: date, estado: abierta | cerrada), Cliente(nombre), Maquina(modelo, marca)"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A user who has never built a graph, and waits that take no time."""
    monkeypatch.setenv("NEO4J_GRAPHRAG_HOME", str(tmp_path / "home"))

    async def sleep(seconds):
        await asyncio.sleep(0)

    monkeypatch.setattr(model_room, "_sleep", sleep)
    return tmp_path / "home"


async def query(connection, cypher, **parameters):
    async with driver_for(connection) as driver:
        return [record.values() for record in (await driver.execute_query(cypher, parameters)).records]


async def graph_of(connection):
    """Everything but texts and vectors, comparable."""
    nodes = await query(connection, "MATCH (n) RETURN labels(n), properties(n)")
    links = await query(connection, "MATCH (a)-[r]->(b) RETURN properties(a), type(r), properties(r), properties(b)")

    def plain(value):
        if isinstance(value, dict):
            return tuple(sorted((k, str(v)) for k, v in value.items() if k not in ("embedding",)))
        return str(value)

    return sorted(tuple(map(plain, row)) for row in nodes), sorted(tuple(map(plain, row)) for row in links)


def incident(code, state=None, client="Ana", day="2026-07-03", **more):
    properties = {"codigo": code, "fecha": day} | ({"estado": state} if state else {})
    return {"Incidencia": [properties | {"DE_CLIENTE": client} | more]}


def request(documents, model, **more):
    return BuildGraphRequest(
        **({"documents": documents, "model": model, "allowed_patterns": PATTERNS, "node_types": TYPES} | more)
    )


async def run(connection, documents, answer, **more):
    model = answer if isinstance(answer, ReadingModel) else ReadingModel(answer)
    result = await build_graph(connection, request(documents, model, **more))
    return result.details["report"] | {"status": result.details["status"], "text": result.text, "rows": result.rows}


# ------------------------------------------------------------------------------------------------------ what is saved


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
    assert "Brío 2G / Jaltec Brío 2G" in report["text"]
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


# ------------------------------------------------------------------------------------------------------------- states

MONTHS = {
    "julio": incident("INC-1", "abierta") | {"Cliente": [{"nombre": "Ana"}]},
    "agosto": incident("INC-1", "cerrada"),
    "septiembre": incident("INC-9", "abierta", day="2026-09-29"),
}
REPORTS = [
    {"text": f"{month}", "filename": f"informe_2026_{number:02d}.pdf"}
    for month, number in (("julio", 7), ("agosto", 8), ("septiembre", 9))
]


async def state(connection, code="INC-1"):
    return (await query(connection, "MATCH (i:Incidencia {codigo: $code}) RETURN i.estado", code=code))[0][0]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
async def test_the_final_state_wins_whatever_the_order_of_the_documents(connection, order):
    report = await run(connection, [REPORTS[i] for i in order], MONTHS.get)
    assert await state(connection) == "cerrada"
    assert report["state_changes"] == [
        {"node": "Incidencia INC-1", "property": "estado", "from": "abierta", "to": "cerrada", "document": "informe_2026_08.pdf"}
    ]
    assert report["older_not_applied"] == []


@pytest.mark.parametrize("remembered", [True, False])
@pytest.mark.parametrize("types", [TYPES, "Incidencia(codigo, fecha, estado), Cliente(nombre), Maquina(modelo)"])
async def test_an_older_document_loaded_again_does_not_reopen(connection, remembered, types):
    more = {"node_types": types, "use_cache": remembered}
    await run(connection, REPORTS, MONTHS.get, **more)
    before = await graph_of(connection)
    report = await run(connection, REPORTS[:1], MONTHS.get, **more)
    assert await graph_of(connection) == before
    (refused,) = report["older_not_applied"]
    assert (refused["kept"], refused["not_applied"], refused["document"]) == ("cerrada", "abierta", "informe_2026_07.pdf")
    assert "2026-0" in refused["why"] and "cerrada kept, not abierta" in report["text"]


async def test_without_any_date_the_order_of_the_listed_values_holds(connection):
    await run(connection, ["julio", "agosto"], MONTHS.get, use_cache=False)
    assert await state(connection) == "cerrada"
    await run(connection, ["julio"], MONTHS.get, use_cache=False)
    assert await state(connection) == "cerrada"


async def test_the_memory_knows_undated_documents_and_real_reopenings(connection):
    types = {"node_types": "Incidencia(codigo, fecha, estado), Cliente(nombre), Maquina(modelo)"}
    await run(connection, ["julio", "agosto"], MONTHS.get, **types)
    await run(connection, ["julio"], MONTHS.get, **types)
    assert await state(connection) == "cerrada"
    await run(connection, ["octubre"], lambda t: incident("INC-1", "abierta"), **types)
    assert await state(connection) == "abierta"


async def test_a_newer_document_reopens(connection):
    await run(connection, REPORTS[:2], MONTHS.get)
    report = await run(connection, [{"text": "x", "filename": "informe_2026_10.pdf"}], lambda t: incident("INC-1", "abierta"))
    assert await state(connection) == "abierta" and report["older_not_applied"] == []


async def test_an_older_document_still_adds_what_is_missing(connection):
    await run(connection, REPORTS[1:], MONTHS.get)
    older = {
        "Incidencia": [
            {"codigo": "INC-1", "estado": "abierta", "EN_MAQUINA": "Brío 2G"},
            {"codigo": "INC-0", "estado": "abierta", "fecha": "2026-07-01"},
        ]
    }
    await run(connection, REPORTS[:1], lambda t: older)
    assert await state(connection) == "cerrada" and await state(connection, "INC-0") == "abierta"
    assert await query(connection, "MATCH (:Incidencia {codigo: 'INC-1'})-[:EN_MAQUINA]->(m) RETURN m.modelo") == [["Brío 2G"]]


async def test_a_list_of_pending_work_does_not_overwrite_an_allowed_value(connection):
    answers = {"julio": incident("INC-1", "abierta"), "pendientes": incident("INC-1", "pendiente")}
    report = await run(connection, ["julio", "pendientes"], answers.get)
    assert await state(connection) == "abierta" and report["dropped"] == {"value not allowed": 1}


async def test_what_is_remembered_of_an_emptied_graph_is_forgotten(connection):
    await run(connection, ["agosto", "julio"], MONTHS.get)
    assert await state(connection) == "abierta", "without dates the order given counts"
    await query(connection, "MATCH (n) DETACH DELETE n")
    await run(connection, ["julio", "agosto"], MONTHS.get)
    assert await state(connection) == "cerrada"


# ----------------------------------------------------------------------------------------------------------- failures


async def test_every_failure_is_named_the_others_are_saved_and_a_second_run_does_the_rest(connection):
    good = {f"d{n}": incident(f"INC-{n}", "abierta") for n in range(1, 10)}
    faults = {
        "d2": ProviderError(429, 0.1),
        "d3": ProviderError(500),
        "d4": TimeoutError(),
        "d5": "Lo siento, no puedo ayudar con eso.",
        "d6": "",
        "d7": "Aquí no hay JSON.",
    }
    flaky = {"d8": ProviderError(429, 0.1), "d9": "{broken"}
    model = ReadingModel(lambda t: flaky.pop(t) if t in flaky else faults[t] if t in faults else good[t], name="m")
    documents = [
        {"text": text, "filename": name} for name, text in [*((d, d) for d in good), ("vacio.md", ""), ("escaneado.pdf", "  \n ")]
    ]
    report = await run(connection, documents, model)
    assert report["status"] == "partial"
    reasons = {d["document"]: d["reason"] for d in report["failed_documents"]}
    assert set(reasons) == {*faults, "vacio.md", "escaneado.pdf"}
    assert "429" in reasons["d2"] and "500" in reasons["d3"] and "180 s" in reasons["d4"] and "Lo siento" in reasons["d5"]
    assert "empty" in reasons["d6"] and "no text" in reasons["escaneado.pdf"]
    assert all(name in report["text"] for name in reasons)
    assert [d["position"] for d in report["failed_documents"]] == [2, 3, 4, 5, 6, 7, 10, 11]
    assert sorted(await query(connection, "MATCH (i:Incidencia) RETURN i.codigo")) == [["INC-1"], ["INC-8"], ["INC-9"]]
    assert model.texts.count("d2") == 5 and model.texts.count("d4") == 2 and model.texts.count("d5") == 2

    faults.clear()
    model.texts.clear()
    report = await run(connection, documents, model)
    assert sorted(model.texts) == ["d2", "d3", "d4", "d5", "d6", "d7"], "only what was missing is asked for"
    assert len(await query(connection, "MATCH (i:Incidencia)-->(:Cliente) RETURN i")) == 9 and report["nodes_created"] == 6


async def test_a_refused_key_stops_the_run_at_once(connection):
    model = ReadingModel(lambda t: ProviderError(401))
    with pytest.raises(ModelFailed, match="refused the key"):
        await run(connection, [f"d{n}" for n in range(40)], model)
    assert len(model.texts) < 40


async def test_a_document_of_two_megabytes_is_read_in_sections(connection):
    filler = "Se comprobó la presión del agua y se dejó constancia de la visita en el libro de mantenimiento del bar.\n"
    lines = [filler * 9 + f"El parte INC-{n} sigue abierto y se espera la pieza que falta.\n" for n in range(2_050)]

    def answer(text):
        import re

        return {"Incidencia": [{"codigo": code} for code in re.findall(r"INC-\d+(?= sigue)", text)]}

    model = ReadingModel(answer)
    report = await run(connection, [{"text": "".join(lines), "filename": "largo.txt"}], model)
    assert report["status"] == "ok" and 30 <= report["model_calls"] <= 40
    assert max(map(len, model.texts)) <= 60_000
    assert await query(connection, "MATCH (i:Incidencia) RETURN count(i)") == [[2_050]]


@pytest.mark.parametrize("sign", ["finish_reason", "unterminated", "too long"])
async def test_an_answer_that_breaks_off_is_continued_by_dividing_the_document(connection, sign):
    from langchain_core.messages import AIMessage

    sentences = [f"El parte INC-{n:03d} está cerrado desde la última visita del técnico al bar." for n in range(120)]

    def answer(text):
        import re

        found = {"Incidencia": [{"codigo": code, "estado": "cerrada"} for code in re.findall(r"INC-\d+", text)]}
        whole = json.dumps(found)
        if len(found["Incidencia"]) <= 20:
            return whole
        if sign == "too long":
            return type("BadRequest", (Exception,), {"status_code": 400})("maximum context length is 8192 tokens")
        return AIMessage(whole[:800], response_metadata={"finish_reason": "length"} if sign == "finish_reason" else {})

    report = await run(connection, ["\n".join(sentences)], answer)
    assert report["status"] == "ok"
    assert await query(connection, "MATCH (i:Incidencia {estado: 'cerrada'}) RETURN count(i)") == [[120]]


async def test_a_short_answer_that_breaks_off_twice_is_saved_as_far_as_it_goes_and_reported(connection):
    whole = json.dumps(incident("INC-1", "abierta") | {"Maquina": [{"modelo": "Brío 2G"}]})
    model = ReadingModel(lambda t: whole[:-20])
    report = await run(connection, ["uno"], model)
    assert report["status"] == "partial" and "broke off" in report["failed_documents"][0]["reason"]
    assert len(model.texts) == 2 and await state(connection) == "abierta"


async def test_one_section_that_fails_does_not_lose_the_others(connection):
    text = "a " * 40_000 + "VENENO" + " b" * 40_000

    def answer(part):
        return ProviderError(500) if "VENENO" in part else incident("INC-1" if part.startswith("a") else "INC-2", "abierta")

    report = await run(connection, [{"text": text, "filename": "x.txt"}], answer)
    (failed,) = report["failed_documents"]
    assert failed["reason"].startswith("part 2 of 3") and report["status"] == "partial"
    assert await query(connection, "MATCH (i:Incidencia) RETURN count(i)") == [[2]]


async def test_stop_leaves_what_was_done_and_no_task_behind(connection):
    model = ReadingModel(lambda t: incident(f"INC-{t}", "abierta"), name="m", delay=lambda t: 0.0 if t < "5" else 60.0)
    documents = [f"{n}" for n in range(10)]
    task = asyncio.create_task(build_graph(connection, request(documents, model, concurrency=10)))
    for _ in range(200):
        await asyncio.sleep(0.05)
        if len(await query(connection, "MATCH (i:Incidencia) RETURN i")) == 5:
            break
    others = asyncio.all_tasks() - {task, asyncio.current_task()}
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert all(other.done() for other in others if "work" in str(other))
    assert await query(connection, "MATCH (i:Incidencia)-->(c:Cliente) RETURN count(*)") == [[5]]
    model.delay = lambda t: 0.0
    model.texts.clear()
    await run(connection, documents, model)
    assert sorted(model.texts) == list("56789")


async def test_progress_counts_documents_entities_and_failures(connection):
    seen = []
    model = ReadingModel(lambda t: ProviderError(400) if t == "2" else incident(f"INC-{t}"))
    await build_graph(connection, request(["1", "2", "3"], model, concurrency=1), lambda *step: seen.append(step))
    read = [step for step in seen if "documents" in step[2]]
    assert read[-1][:2] == (3, 3) and "3 entities" in read[-1][2] and "1 failed" in read[-1][2]


@pytest.mark.parametrize("concurrency", [1, 4])
async def test_at_most_so_many_calls_at_once(connection, concurrency):
    model = ReadingModel(lambda t: incident(f"INC-{t}"), delay=lambda t: 0.02)
    await run(connection, [f"{n}" for n in range(12)], model, concurrency=concurrency)
    assert model.most == concurrency


async def test_what_is_wrong_with_the_input_is_said_before_anything_is_asked(connection):
    model = ReadingModel(lambda t: incident("INC-1"))
    for bad, words in (
        ({"node_types": "A(b"}, "Node Types, line 1"),
        ({"documents": []}, "no documents"),
        ({"model": None}, "No language model"),
        ({"fulltext_analyzer": "klingon"}, "klingon"),
        ({"save_source_chunks": True, "node_types": "Chunk(id)", "allowed_patterns": ""}, "Chunk"),
    ):
        with pytest.raises(InputError, match=words):
            await build_graph(
                connection,
                request(["x"], model, **bad)
                if "documents" not in bad and "model" not in bad
                else BuildGraphRequest(**({"documents": ["x"], "model": model} | bad)),
            )
    await query(
        connection,
        "CREATE VECTOR INDEX incidencia_vector FOR (n:Incidencia) ON (n.embedding) "
        "OPTIONS {indexConfig: {`vector.dimensions`: 4, `vector.similarity_function`: 'cosine'}}",
    )
    with pytest.raises(IndexProblem, match="4"):
        await run(connection, ["x"], model, embedder=HashEmbedder(8))
    assert model.texts == [] and await query(connection, "MATCH (n) RETURN count(n)") == [[0]]


# ---------------------------------------------------------------------------------- no schema, graph documents


async def test_without_a_schema_one_is_proposed_used_and_shown(connection):
    proposal = {
        "node_types": ["Incidencia(codigo, estado: abierta | cerrada)", "Cliente(nombre)"],
        "allowed_patterns": ["(Incidencia)-[:DE_CLIENTE]->(Cliente)"],
        "extraction_instructions": "Sin marca.",
    }
    model = ReadingModel(lambda t: incident(f"INC-{t[-1]}", "abierta") if t.startswith("doc") else proposal, name="m")

    def answer(prompt_text):
        return incident(f"INC-{prompt_text[-1]}", "abierta") | {"Repuesto": [{"nombre": "Junta"}]}

    model.answer = lambda t: proposal if "node_types" in model.prompts[-1] else answer(t)
    report = await run(connection, ["doc1", "doc2"], model, allowed_patterns="", node_types="")
    assert report["model_calls"] == 3 and all(text in model.prompts[0] for text in ("doc1", "doc2"))
    assert report["proposal"]["node_types"] == "Incidencia(codigo, estado: abierta | cerrada),\nCliente(nombre)"
    assert report["proposal"]["extraction_instructions"] == "Sin marca." and "Sin marca." in model.prompts[1]
    assert "(Incidencia)-[:DE_CLIENTE]->(Cliente)" in report["text"]
    assert report["nodes"] == {"Cliente": {"created": 1}, "Incidencia": {"created": 2}}
    assert [i["name"] for i in report["indexes"]] == ["incidencia_text"]
    again = await run(connection, ["doc1", "doc2"], model, allowed_patterns="", node_types="")
    assert again["model_calls"] == 0 and again["nodes_created"] == 0


async def test_without_a_usable_proposal_the_documents_are_read_all_the_same(connection):
    model = ReadingModel(lambda t: "No sé." if t != "doc1" else {"Cliente": [{"nombre": "Ana", "VIVE_EN": {"Ciudad": "Lugo"}}]})
    model.answer = lambda t, inner=model.answer: "No sé." if "node_types" in model.prompts[-1] else inner(t)
    report = await run(connection, ["doc1"], model, allowed_patterns="", node_types="")
    assert report["status"] == "ok" and any("no schema" in warning for warning in report["warnings"])
    assert await query(connection, "MATCH (a:Cliente)-[:VIVE_EN]->(b:Ciudad) RETURN count(*)") == [[1]]


async def test_graph_documents_are_saved_without_a_model(connection):
    from langchain_community.graphs.graph_document import GraphDocument, Node, Relationship
    from langchain_core.documents import Document

    ana, acme = Node(id="Ana", type="Person", properties={"age": 3}), Node(id="Acme", type="Company")
    graph = GraphDocument(
        nodes=[ana, acme],
        relationships=[Relationship(source=ana, target=acme, type="WORKS_AT", properties={"since": 2020})],
        source=Document(page_content="Ana works at Acme.", metadata={"source": "a.txt"}),
    )
    for _ in range(2):
        report = (await build_graph(connection, BuildGraphRequest([graph], save_source_chunks=True))).details["report"]
    assert report["nodes_created"] == 0 and report["model_calls"] == 0
    rows = await query(
        connection, "MATCH (c:Chunk)-[:MENTIONS]->(p:Person)-[r:WORKS_AT]->(o:Company) RETURN c.text, p.id, p.age, r.since, o.id"
    )
    assert rows == [["Ana works at Acme.", "Ana", 3, 2020, "Acme"]]


async def test_graph_documents_take_the_keys_of_the_fields(connection):
    from langchain_community.graphs.graph_document import GraphDocument, Node
    from langchain_core.documents import Document

    nodes = [Node(id="Ana", type="cliente"), Node(id="x", type="Otro")]
    graph = GraphDocument(nodes=nodes, relationships=[], source=Document(page_content=""))
    report = (await build_graph(connection, BuildGraphRequest([graph], node_types="Cliente(nombre)"))).details["report"]
    assert await query(connection, "MATCH (c:Cliente) RETURN c.nombre") == [["Ana"]]
    assert report["dropped"] == {"type not in the schema": 1}
