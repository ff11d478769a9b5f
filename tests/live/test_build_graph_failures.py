"""What goes wrong with documents, answers and the model, and what is left of a run that was stopped."""

from __future__ import annotations

import asyncio
import json

import pytest
from build_stubs import HashEmbedder, ProviderError, ReadingModel
from building import home, incident, query, request, run, state  # noqa: F401

from lfx_neo4j_graphrag.errors import IndexProblem, InputError, ModelFailed
from lfx_neo4j_graphrag.operations.build_graph import BuildGraphRequest, build_graph


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
