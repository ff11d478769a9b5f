"""Build Graph without a server: reading with the model, the user's memory, the report."""

import asyncio
import json
import stat
from datetime import date

import pytest
from build_stubs import ProviderError, ReadingModel

from lfx_neo4j_graphrag.errors import ModelFailed
from lfx_neo4j_graphrag.extraction.grammar import parse_schema
from lfx_neo4j_graphrag.extraction.prompt import Passage
from lfx_neo4j_graphrag.extraction.vocabulary import Vocabulary
from lfx_neo4j_graphrag.operations import model as model_room
from lfx_neo4j_graphrag.operations.build_reading import Reader
from lfx_neo4j_graphrag.operations.build_report import BuildReport, DocumentOutcome
from lfx_neo4j_graphrag.operations.memory import Memory, answer_key
from lfx_neo4j_graphrag.operations.model import Answer

SCHEMA = parse_schema(node_types="Parte(codigo, estado: abierta | cerrada)")


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(model_room, "_sleep", lambda seconds: asyncio.sleep(0))


def reader(answer, memory=None, name="m"):
    model = answer if isinstance(answer, ReadingModel) else ReadingModel(answer, name=name)
    return Reader(model, Vocabulary(SCHEMA), "", memory or Memory(), asyncio.Semaphore(2), 5.0)


def keys(reading):
    return sorted(entity.key for entity in reading.extraction.entities.values())


GOOD = {"Parte": [{"codigo": "P-1", "estado": "abierta"}]}


async def test_an_answer_with_data_takes_one_call():
    one = reader(lambda t: GOOD)
    reading = await one.read(Passage("texto", "d"))
    assert keys(reading) == ["P-1"] and reading.problem == "" and (one.calls, one.cached) == (1, 0)


@pytest.mark.parametrize("empty", ["{}", '{"Parte":[]}', '{"nodes":[],"relationships":[]}'])
async def test_nothing_in_the_text_is_an_answer_too(empty):
    one = reader(lambda t: empty)
    assert keys(await one.read(Passage("texto", "d"))) == [] and one.calls == 1


@pytest.mark.parametrize("bad", ["", "Lo siento, no puedo ayudar con eso.", "No es JSON: {"])
async def test_an_answer_without_data_gets_one_more_try(bad):
    answers = [bad, json.dumps(GOOD)]
    one = reader(lambda t: answers.pop(0))
    assert keys(await one.read(Passage("texto", "d"))) == ["P-1"] and one.calls == 2
    with pytest.raises(ModelFailed) as caught:
        await reader(lambda t: bad).read(Passage("texto", "d"))
    assert "empty" in caught.value.sentence or bad[:20] in caught.value.sentence


async def test_both_attempts_together_when_both_break_off():
    answers = ['{"Parte":[{"codigo":"P-1"},{"codigo":"P-2"},{"cod', '{"Parte":[{"codigo":"P-3"},{"co']
    reading = await reader(lambda t: answers.pop(0)).read(Passage("texto", "d"))
    assert keys(reading) == ["P-1", "P-2", "P-3"] and "broke off" in reading.problem


async def test_a_long_text_is_divided_until_the_model_can_answer():
    text = "\n".join(f"El parte P-{n:03d} está cerrado desde ayer por la tarde." for n in range(200))

    def answer(part):
        codes = [word for word in part.replace("\n", " ").split() if word.startswith("P-")]
        if len(codes) > 30:
            raise type("BadRequest", (Exception,), {"status_code": 400})("maximum context length exceeded")
        return {"Parte": [{"codigo": code} for code in codes]}

    one = reader(answer)
    reading = await one.read(Passage(text, "d"))
    assert len(keys(reading)) == 200 and reading.problem == ""
    assert any("<before>" in prompt for prompt in one.model.prompts), "the second half knows what stands before it"


async def test_of_a_divided_text_what_can_be_read_is_kept():
    text = "VENENO " * 300 + "\n\n" + "El parte P-1 sigue abierto. " * 60

    def answer(part):
        if len(part) > 3000:
            return '{"Parte":[{"codigo":"P-0"},{"codi'
        return ProviderError(500) if "VENENO" in part else GOOD

    reading = await reader(answer).read(Passage(text, "d"))
    assert keys(reading) == ["P-0", "P-1"] and "500" in reading.problem


async def test_a_refused_key_is_not_swallowed_by_dividing():
    text = "a b c " * 1000
    answers = ['{"Parte":[{"codigo":"P-0"},{"codi']
    with pytest.raises(ModelFailed, match="refused the key"):
        await reader(lambda t: answers.pop() if answers else ProviderError(401)).read(Passage(text, "d"))


# ------------------------------------------------------------------------------------------------------------ memory


async def test_answers_are_remembered_by_text_prompt_and_model(tmp_path):
    memory = Memory(tmp_path / "m.sqlite")
    for _ in range(2):
        assert keys(await reader(lambda t: GOOD, memory).read(Passage("texto", "d"))) == ["P-1"]
    again = reader(lambda t: GOOD, memory)
    await again.read(Passage("texto", "d"))
    assert (again.calls, again.cached) == (0, 1)
    other_text, other_model = reader(lambda t: GOOD, memory), reader(lambda t: GOOD, memory, name="n")
    await other_text.read(Passage("otro", "d"))
    await other_model.read(Passage("texto", "d"))
    assert other_text.calls == other_model.calls == 1
    memory.close()
    reopened = reader(lambda t: GOOD, Memory(tmp_path / "m.sqlite"))
    await reopened.read(Passage("texto", "d"))
    assert reopened.cached == 1


async def test_what_failed_is_not_remembered(tmp_path):
    memory = Memory(tmp_path / "m.sqlite")
    with pytest.raises(ModelFailed):
        await reader(lambda t: "No puedo.", memory).read(Passage("texto", "d"))
    again = reader(lambda t: GOOD, memory)
    assert keys(await again.read(Passage("texto", "d"))) == ["P-1"] and again.calls == 1


async def test_an_answer_of_the_second_attempt_is_the_one_remembered(tmp_path):
    memory, answers = Memory(tmp_path / "m.sqlite"), ["nada", json.dumps(GOOD)]
    await reader(lambda t: answers.pop(0), memory).read(Passage("texto", "d"))
    again = reader(lambda t: GOOD, memory)
    assert keys(await again.read(Passage("texto", "d"))) == ["P-1"] and again.calls == 0


def test_a_model_without_a_name_is_not_remembered():
    assert answer_key(object(), [("user", "x")]) is None


def test_settings_of_a_model_make_another_answer():
    class Model:
        model_name, temperature = "m", 0.0

    one, other = Model(), Model()
    other.temperature = 1.0
    assert answer_key(one, [("user", "x")]) != answer_key(other, [("user", "x")])
    assert answer_key(one, [("user", "x")]) == answer_key(Model(), [("user", "x")])


def test_only_the_user_can_read_the_file(tmp_path):
    Memory(tmp_path / "a" / "m.sqlite").close()
    assert stat.S_IMODE((tmp_path / "a" / "m.sqlite").stat().st_mode) == 0o600


def test_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path):
    (tmp_path / "file").write_text("")
    memory = Memory(tmp_path / "file" / "m.sqlite")
    memory.keep_answer("k", Answer("x"))
    assert memory.answer("k") == Answer("x")


def test_the_oldest_answers_go_first(tmp_path, monkeypatch):
    from lfx_neo4j_graphrag.operations import memory as room

    monkeypatch.setattr(room, "ANSWERS_MOST", 20)
    memory = Memory(tmp_path / "m.sqlite")
    for n in range(30):
        memory.keep_answer(f"k{n}", Answer(str(n)))
    assert memory.answer("k0") is None and memory.answer("k29") == Answer("29")


def test_numbers_of_documents_and_evidence_belong_to_a_graph(tmp_path):
    memory = Memory(tmp_path / "m.sqlite")
    assert memory.numbers("g", ["a", "b"]) == [1, 2]
    assert memory.numbers("g", ["b", "c", "a"]) == [2, 3, 1] and memory.numbers("h", ["c"]) == [1]
    memory.keep_evidence("g", [("x", "estado", "cerrada", ("2026-07-31", 1))])
    assert memory.evidence("g", "x", "estado", "cerrada") == ("2026-07-31", 1)
    assert memory.evidence("g", "x", "estado", "abierta") is None, "somebody else changed it"
    assert memory.evidence("h", "x", "estado", "cerrada") is None
    memory.keep_evidence("g", [("x", "fecha", date(2026, 7, 1), ("", 2))])
    assert memory.evidence("g", "x", "fecha", date(2026, 7, 1)) == ("", 2)
    memory.forget("g")
    assert memory.evidence("g", "x", "estado", "cerrada") is None and memory.numbers("g", ["z"]) == [1]


# ------------------------------------------------------------------------------------------------------------ report


def test_status_and_text_of_a_report():
    good, partly, bad = (
        DocumentOutcome("a", 1, entities=2),
        DocumentOutcome("b", 2, entities=1, reasons=["x"]),
        DocumentOutcome("c", 3, reasons=["y"]),
    )
    assert BuildReport([good]).status == "ok" and BuildReport([good, bad]).status == "partial"
    assert BuildReport([partly]).status == "partial" and BuildReport([bad]).status == "failed"
    text = BuildReport(
        [good, partly, bad],
        older_not_applied=[{"node": "I 1", "property": "e", "kept": "c", "not_applied": "a", "document": "d", "why": "w"}],
    ).as_text()
    assert "Read 2 of 3 documents" in text and "- b: x" in text and "- c: y" in text and "c kept, not a" in text


def test_parts_that_failed_alike_are_named_together():
    def reason(*reasons):
        return DocumentOutcome("a", 1, reasons=list(reasons)).reason

    assert reason("no text") == "no text" and reason("part 2 of 3: x") == "part 2 of 3: x" and reason() == ""
    assert reason("part 1 of 3: x", "part 3 of 3: x", "part 2 of 3: y") == "parts 1, 3 of 3: x; part 2 of 3: y"
    assert reason("part 1 of 2: x", "part 2 of 2: x") == "all 2 parts: x"
    assert reason(*(f"part {n} of 30: x" for n in range(1, 20))) == "parts 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … of 30: x"


def test_long_lists_are_cut_in_the_text_and_counted():
    report = BuildReport([DocumentOutcome(f"d{n}", n, reasons=["x"]) for n in range(25)])
    assert "… and 15 more" in report.as_text() and len(report.as_dict()["failed_documents"]) == 25
    json.dumps(report.as_dict())


def test_a_flush_is_one_transaction_unless_it_is_too_large_for_one():
    from lfx_neo4j_graphrag.operations.build_writing import _ROWS_TOGETHER, _transactions

    def sizes(*counts):
        return [[len(rows["rows"]) for _, rows in group] for group in _transactions([("x", {"rows": [0] * n}) for n in counts])]

    half = _ROWS_TOGETHER // 2
    assert sizes() == [] and sizes(1, 2, 3) == [[1, 2, 3]]
    assert sizes(half, half, 1, half, 5) == [[half, half], [1, half, 5]]
