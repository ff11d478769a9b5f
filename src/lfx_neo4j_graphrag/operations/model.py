"""Asking a language model: any LangChain chat model, with retries where waiting helps and plain words where it doesn't."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from ..defaults import MODEL_RETRIES, MODEL_TIMEOUT, MODEL_WAIT_MOST, MODEL_WAITS
from ..errors import InputError, ModelFailed

_STATUS_IN_TEXT = re.compile(r"(?:^\W*|(?:status|error|code|http)\D{0,15})([45]\d\d)\b|\b(429)\b", re.IGNORECASE)
_WAIT_IN_TEXT = re.compile(r"(?:try again|retry)\s*(?:in|after)?\s*:?\s*(\d+(?:\.\d+)?)\s*(ms|s\b|sec|m\b|min)?", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context.{0,10}length|context window|maximum context|too many tokens|too long|token limit|exceeds the (?:maximum|limit)",
    re.I,
)
_NO_CREDIT = re.compile(r"insufficient_quota|exceeded your current quota|billing|credit balance", re.IGNORECASE)
_LOST_CONNECTION = (
    "ConnectionError",
    "ConnectError",
    "APIConnectionError",
    "ReadError",
    "RemoteProtocolError",
    "ServerDisconnected",
)
_SECRET = re.compile(r"(?:sk|pk|key|token|bearer)[-_ :=]+\S+|[A-Za-z0-9+/_-]{24,}", re.IGNORECASE)
_TIMEOUT_ATTEMPTS = 2  # a call that took minutes is repeated once only
_sleep = asyncio.sleep  # tests look at the waits instead of sitting through them


@dataclass(frozen=True)
class Answer:
    """``finish_reason`` as the provider words it ("" when it doesn't say); tokens are 0 when it doesn't count them."""

    text: str
    finish_reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0


class CallFailed(ModelFailed):
    """``kind``: ``model_key`` (login, unknown model, no credit: every other call will fail alike), ``model_too_long`` (the
    prompt is longer than the model reads), ``model_busy`` (429), ``model_timeout`` or ``model``."""


async def ask(
    model: Any,
    messages: Sequence[tuple[str, str]] | str,
    *,
    timeout: float = MODEL_TIMEOUT,
    retries: int = MODEL_RETRIES,
    slot: AbstractAsyncContextManager | None = None,
) -> Answer:
    """Send ``messages``, as (role, text) with the roles system, user and assistant, and return the answer's text.

    ``timeout`` is in seconds and per attempt. 429, 5xx and lost connections are tried again up to ``retries`` times, after
    what Retry-After says or growing waits; a time-out once. ``slot`` (a semaphore) is held during attempts, not while waiting.

    Raises CallFailed (a ModelFailed); InputError when ``model`` is no language model.
    """
    from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt

    if not callable(getattr(model, "ainvoke", None)) and not callable(getattr(model, "invoke", None)):
        raise InputError("Language Model is not a chat model.", "Connect the Language Model output of a model.")
    sent = _messages(messages)
    attempts = AsyncRetrying(
        stop=stop_after_attempt(retries + 1),
        wait=lambda state: _wait(state.outcome.exception(), state.attempt_number),
        retry=retry_if_exception(_Worthwhile()),
        sleep=_sleep,
        reraise=True,
    )
    number = 0
    try:
        async for attempt in attempts:
            with attempt:
                number = attempt.retry_state.attempt_number
                async with slot or nullcontext():
                    async with asyncio.timeout(timeout):
                        reply = await _invoke(model, sent)
    except Exception as error:
        raise _explained(error, number, timeout) from error
    return _answer(reply)


def _messages(messages: Sequence[tuple[str, str]] | str) -> list[Any]:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    if isinstance(messages, str):
        messages = [("user", messages)]
    kinds = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
    return [kinds[role](content=text) for role, text in messages]


async def _invoke(model: Any, messages: list[Any]) -> Any:
    if callable(getattr(model, "ainvoke", None)):
        return await model.ainvoke(messages)
    return await asyncio.to_thread(model.invoke, messages)


def _answer(reply: Any) -> Answer:
    metadata = getattr(reply, "response_metadata", None) or {}
    usage = getattr(reply, "usage_metadata", None) or metadata.get("token_usage") or {}
    reason = metadata.get("finish_reason") or metadata.get("stop_reason") or metadata.get("done_reason") or ""
    text = _text(reply)
    if not text:
        text = str((getattr(reply, "additional_kwargs", None) or {}).get("refusal") or "")
    return Answer(
        text,
        str(getattr(reason, "name", reason)),
        int(usage.get("input_tokens") or usage.get("prompt_tokens") or 0),
        int(usage.get("output_tokens") or usage.get("completion_tokens") or 0),
    )


def _text(reply: Any) -> str:
    """The text of a reply: a string, or the text parts of a list (reasoning and images left out)."""
    content = getattr(reply, "content", reply)
    if isinstance(content, str):
        return content
    if not isinstance(content, (list, tuple)):
        return "" if content is None else str(content)
    parts = [part if isinstance(part, str) else part.get("text") or "" for part in content if _is_text(part)]
    return "".join(parts)


def _is_text(part: Any) -> bool:
    return isinstance(part, str) or (isinstance(part, dict) and part.get("type", "text") in ("text", "output_text"))


# --------------------------------------------------------------------------------------------------------- failures


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(5):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _status(error: BaseException) -> int | None:
    """The HTTP status of a provider's error, whatever library wraps it; None when there was no answer."""
    for one in _chain(error):
        response = getattr(one, "response", None)
        if isinstance(response, dict):
            response = response.get("ResponseMetadata", {})
            candidates = [response.get("HTTPStatusCode")]
        else:
            candidates = [getattr(one, "status_code", None), getattr(response, "status_code", None)]
        candidates += [getattr(one, "http_status", None), getattr(one, "code", None), getattr(one, "status", None)]
        for found in candidates:
            if isinstance(found, int) and 400 <= found < 600:
                return int(found)
        if "RateLimit" in type(one).__name__:
            return 429
    if match := _STATUS_IN_TEXT.search(str(error)):
        return int(match[1] or match[2])
    return 429 if re.search(r"rate.?limit|too many requests", str(error), re.IGNORECASE) else None


def _is_timeout(error: BaseException) -> bool:
    return any(isinstance(one, TimeoutError) or "Timeout" in type(one).__name__ for one in _chain(error))


def _is_lost(error: BaseException) -> bool:
    return any(isinstance(one, OSError) or any(name in type(one).__name__ for name in _LOST_CONNECTION) for one in _chain(error))


def _asked_wait(error: BaseException) -> float | None:
    """Seconds that the provider asked to wait: Retry-After in seconds or as a date, or the words of its message."""
    for one in _chain(error):
        headers = getattr(getattr(one, "response", None), "headers", None) or getattr(one, "headers", None) or {}
        lowered = {str(name).lower(): value for name, value in dict(headers).items()}
        if (milliseconds := lowered.get("retry-after-ms")) is not None:
            return float(milliseconds) / 1000
        value = lowered.get("retry-after", getattr(one, "retry_after", None))
        if value is None:
            continue
        try:
            return max(0.0, float(value))
        except (TypeError, ValueError):
            pass
        try:
            return max(0.0, (parsedate_to_datetime(str(value)) - datetime.now(UTC)).total_seconds())
        except (TypeError, ValueError):
            continue
    if match := _WAIT_IN_TEXT.search(str(error)):
        return float(match[1]) * {"ms": 0.001, "m": 60, "min": 60}.get((match[2] or "s").lower(), 1)
    return None


class _Worthwhile:
    """Whether to try again; remembers time-outs, which are tried again once only."""

    def __init__(self) -> None:
        self.timeouts = 0

    def __call__(self, error: BaseException) -> bool:
        if not isinstance(error, Exception) or isinstance(error, InputError):
            return False
        status = _status(error)
        if status is None and _is_timeout(error):
            self.timeouts += 1
            return self.timeouts < _TIMEOUT_ATTEMPTS
        if status is None:
            return _is_lost(error)
        if status == 429 and (_NO_CREDIT.search(str(error)) or (_asked_wait(error) or 0) > MODEL_WAIT_MOST):
            return False
        return status in (408, 409, 429) or status >= 500


def _wait(error: BaseException, attempt: int) -> float:
    asked = _asked_wait(error)
    if asked is not None:
        return min(asked, MODEL_WAIT_MOST)
    return MODEL_WAITS[min(attempt, len(MODEL_WAITS)) - 1] * random.uniform(0.8, 1.2)  # not all callers at the same moment


def _explained(error: Exception, attempts: int, timeout: float) -> Exception:
    if isinstance(error, (InputError, CallFailed)):
        return error
    status = _status(error)
    times = f" ({attempts} attempts)" if attempts > 1 else ""
    said = _SECRET.sub("…", " ".join(str(error).split()))[:160]
    if status in (401, 403):
        return CallFailed(
            f"The model's provider refused the key ({status}).", "Check the API key of the model.", kind="model_key"
        )
    if status == 429 and _NO_CREDIT.search(str(error)):
        return CallFailed(
            "The model's provider answered 429: no credit is left.", "Check the account of the model.", kind="model_key"
        )
    if status == 404:
        return CallFailed(
            "The model's provider doesn't know the model (404).", "Check the model's name and address.", kind="model_key"
        )
    if status == 429:
        return CallFailed(f"The model's provider answered 429, too many requests{times}.", "Try again later.", kind="model_busy")
    if status is not None and status >= 500:
        return CallFailed(f"The model's provider failed with {status}{times}.", "Try again later.")
    if status in (400, 413, 422) and _TOO_LONG.search(str(error)):
        return CallFailed("The prompt is longer than the model reads.", "Use a model that reads more.", kind="model_too_long")
    if status is not None:
        return CallFailed(f"The model's provider answered {status}: {said}", "Check the settings of the model.")
    if _is_timeout(error):
        return CallFailed(
            f"The model did not answer within {timeout:g} s{times}.", "Try again, or use a faster model.", kind="model_timeout"
        )
    if _is_lost(error):
        return CallFailed(f"The model could not be reached{times}.", "Check its address and the network.")
    return CallFailed(f"The model failed: {type(error).__name__}: {said}", "Check the settings of the model.")
