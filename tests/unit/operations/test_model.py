"""Asking a model: what comes back, what is tried again, and what a person reads when it fails."""

import asyncio
import time

import pytest

from lfx_neo4j_graphrag.errors import InputError, ModelFailed
from lfx_neo4j_graphrag.operations import model as room
from lfx_neo4j_graphrag.operations.model import ask


class Reply:
    def __init__(self, content, metadata=None, usage=None):
        self.content, self.response_metadata, self.usage_metadata = content, metadata or {}, usage


class Model:
    """Gives its outcomes in turn, the last one for ever; an exception is raised."""

    def __init__(self, *outcomes):
        self.outcomes, self.calls = list(outcomes), []

    async def ainvoke(self, messages):
        self.calls.append(messages)
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        if isinstance(outcome, BaseException):
            raise outcome
        return await outcome() if callable(outcome) else outcome


class Response:
    def __init__(self, status_code, headers=None):
        self.status_code, self.headers = status_code, headers or {}


class ProviderError(Exception):
    """The shape of the errors of openai, anthropic and httpx."""

    def __init__(self, status, message="", headers=None):
        super().__init__(message or f"Error code: {status}")
        self.status_code, self.response = status, Response(status, headers)


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """Short waits, and the list of those that were asked for."""
    asked = []

    async def sleep(seconds):
        asked.append(seconds)

    monkeypatch.setattr(room, "_sleep", sleep)
    return asked


async def test_text_reason_and_tokens_of_a_langchain_message():
    from langchain_core.messages import AIMessage

    message = AIMessage(
        "hola",
        response_metadata={"finish_reason": "length"},
        usage_metadata={"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
    )
    answer = await ask(Model(message), [("system", "s"), ("user", "u {x}")])
    assert (answer.text, answer.finish_reason, answer.input_tokens, answer.output_tokens) == ("hola", "length", 3, 2)


@pytest.mark.parametrize(
    "content, text",
    [
        ("hola", "hola"),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "ho"}, "la"], "hola"),
        ([], ""),
        (None, ""),
    ],
)
async def test_content_as_text_or_as_parts(content, text):
    assert (await ask(Model(Reply(content)), "u")).text == text


async def test_the_messages_arrive_untouched():
    model = Model(Reply("x"))
    await ask(model, [("system", "a {b}"), ("user", "%s {{c}}")])
    assert [(m.type, m.content) for m in model.calls[0]] == [("system", "a {b}"), ("human", "%s {{c}}")]


async def test_a_model_that_only_knows_synchronous_calls():
    class Sync:
        def invoke(self, messages):
            return "texto"

    assert (await ask(Sync(), "u")).text == "texto"


async def test_something_that_is_no_model():
    with pytest.raises(InputError, match="not a chat model"):
        await ask("gpt-4", "u")


# -------------------------------------------------------------------------------------------------- trying again


@pytest.mark.parametrize(
    "error",
    [
        ProviderError(429),
        ProviderError(500),
        ProviderError(503),
        ProviderError(529),
        ConnectionResetError("reset"),
        type("APIConnectionError", (Exception,), {})("lost"),
        type("RateLimitError", (Exception,), {})("slow down"),
        ValueError("429 Too Many Requests"),
        RuntimeError("HTTP status 502"),
    ],
)
async def test_passing_faults_are_tried_again(error):
    model = Model(error, error, Reply("x"))
    assert (await ask(model, "u")).text == "x" and len(model.calls) == 3


async def test_waits_grow_or_are_those_that_the_provider_asks_for(waits):
    await ask(Model(ProviderError(500), ProviderError(500), Reply("x")), "u")
    assert 0.7 < waits[0] < 1.3 and 3 < waits[1] < 5
    waits.clear()
    errors = [
        ProviderError(429, headers={"Retry-After": "7"}),
        ProviderError(429, headers={"retry-after-ms": "250"}),
        ProviderError(429, "Please try again in 1.5s."),
        ProviderError(503, headers={"Retry-After": time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 30))}),
    ]
    await ask(Model(*errors, Reply("x")), "u")
    assert waits[:3] == [7.0, 0.25, 1.5] and 25 < waits[3] <= 30


async def test_it_gives_up_after_its_retries_and_says_429():
    model = Model(ProviderError(429, headers={"Retry-After": "0.1"}))
    with pytest.raises(ModelFailed) as caught:
        await ask(model, "u", retries=4)
    assert len(model.calls) == 5 and caught.value.kind == "model_busy"
    assert "429" in caught.value.sentence and "5 attempts" in caught.value.sentence


@pytest.mark.parametrize(
    "error, kind, words",
    [
        (ProviderError(401, "Incorrect API key provided: sk-abcdef123456"), "model_key", "401"),
        (ProviderError(404, "model gpt-9 not found"), "model_key", "404"),
        (ProviderError(429, "You exceeded your current quota"), "model_key", "credit"),
        (ProviderError(429, headers={"Retry-After": "3600"}), "model_busy", "429"),
        (ProviderError(400, "This model's maximum context length is 8192 tokens"), "model_too_long", "longer"),
        (ProviderError(400, "Invalid parameter: temperature"), "model", "400"),
        (KeyError("boom"), "model", "KeyError"),
    ],
)
async def test_what_waiting_does_not_cure_fails_at_once(error, kind, words):
    model = Model(error)
    with pytest.raises(ModelFailed) as caught:
        await ask(model, "u")
    assert len(model.calls) == 1 and caught.value.kind == kind
    assert words in caught.value.sentence and caught.value.advice
    assert "sk-abcdef123456" not in str(caught.value)


async def test_a_time_out_is_tried_again_once():
    model = Model(lambda: asyncio.Event().wait())
    with pytest.raises(ModelFailed) as caught:
        await ask(model, "u", timeout=0.02)
    assert len(model.calls) == 2 and caught.value.kind == "model_timeout" and "0.02 s" in caught.value.sentence


async def test_a_cancelled_caller_is_not_kept():
    model = Model(lambda: asyncio.Event().wait())
    task = asyncio.create_task(ask(model, "u"))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(model.calls) == 1


async def test_a_slot_is_free_while_a_call_waits_for_its_next_attempt(monkeypatch):
    slot = asyncio.Semaphore(1)
    free = []

    async def sleep(seconds):
        free.append(not slot.locked())

    monkeypatch.setattr(room, "_sleep", sleep)
    await ask(Model(ProviderError(429), Reply("x")), "u", slot=slot)
    assert free == [True] and not slot.locked()


@pytest.mark.parametrize(
    "text, status",
    [
        ("Error code: 429 - x", 429),
        ("status=503", 503),
        ("500 Internal Server Error", 500),
        ("Field must be <= 500", None),
        ("2 of 429", 429),
    ],
)
def test_a_status_in_the_text_of_an_error(text, status):
    assert room._status(Exception(text)) == status


def test_a_status_behind_another_error():
    try:
        try:
            raise ProviderError(503)
        except ProviderError as inner:
            raise ValueError("generation failed") from inner
    except ValueError as outer:
        assert room._status(outer) == 503
