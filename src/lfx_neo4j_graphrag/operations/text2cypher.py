"""Text2Cypher: a language model writes the statement that answers a question; it is checked, run, and revised once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from ..asking.answer import read_answer
from ..asking.examples import choose_examples, parse_examples
from ..asking.hops import wrong_way_round
from ..asking.linking import Inventory, Link, Missing
from ..asking.literals import comparisons, property_uses
from ..asking.notices import misplaced_properties, unknown_names
from ..asking.prompt import Message, first_messages, revision_messages
from ..database.connection import Connection
from ..database.reading import Limits, Origin, Reading, read
from ..defaults import NUMBER_OF_RESULTS, PROMPT_SCHEMA_TOKENS, QUERY_TIMEOUT, ROWS_PER_RESULT, TOKEN_LIMIT
from ..errors import ConnectionFailed, GraphRAGError, InputError, ModelFailed, QueryRefused, QueryTimeout
from ..reply.fitting import fit
from ..reply.tokens import count_tokens
from ..reply.values import plain_rows
from ..schema import render
from ..schema.model import Hidden, Schema
from ..schema.prompting import known_names, mark, prompt_text, text_places, whole_labels
from .graph_schema import read_schema
from .model import ask
from .operator import hidden_names, shows_values
from .result import Result
from .value_linking import inventory, link_values, unknown_texts
from .withheld import check_names, without_hidden


@dataclass(frozen=True)
class Text2CypherRequest:
    """``model`` is a LangChain chat model; ``examples`` are Pregunta/Cypher pairs; ``timeout`` in seconds for each statement."""

    query: str
    model: Any
    examples: str = ""
    graph_description: str = ""
    number_of_results: int = NUMBER_OF_RESULTS
    timeout: float = QUERY_TIMEOUT
    token_limit: int = TOKEN_LIMIT
    format: str = "yaml"
    hidden: frozenset[str] = frozenset()
    sample_values: bool = True
    today: date | None = None
    client: str = "engine"


class _UnknownNames(GraphRAGError):
    """Stops a statement that names what the graph does not have."""


@dataclass(frozen=True)
class _Attempt:
    """One answer of the model. ``cause`` is '' when it gave rows, else why not (see ``prompt.revision_messages``) or 'refusal'."""

    answer: str
    query: str = ""
    cause: str = ""
    what: str = ""
    error: GraphRAGError | None = None
    reading: Reading | None = None
    missing: list[Missing] = field(default_factory=list)


class _Cost:
    def __init__(self) -> None:
        self.calls = self.prompt_tokens = self.answer_tokens = 0

    async def ask(self, model: Any, messages: Sequence[Message]) -> str:
        answer = await ask(model, messages)
        self.calls += 1
        self.prompt_tokens += answer.input_tokens
        self.answer_tokens += answer.output_tokens
        return answer.text


async def text2cypher(connection: Connection, request: Text2CypherRequest) -> Result:
    """Answer ``request.query`` by a statement that the model writes.

    One call of the model, two when the first statement fails, names what is not there, finds nothing or takes too long.
    ``rows`` are plain values; ``text`` holds the rows, then the query used and what was revised; ``details`` has query,
    refused, revised, missing, more, model_calls, prompt_tokens, answer_tokens and milliseconds spent beside the model.

    Raises InputError, ModelFailed, ConnectionFailed, and what ``read`` raises when the second statement fails too,
    with the statement in the advice.
    """
    question = request.query.strip()
    if not question:
        raise InputError("There is no question.", "Write it in Query.")
    if request.model is None:
        raise InputError("There is no language model.", "Connect Language Model in the node, or name one with --model.")
    examples = choose_examples(parse_examples(request.examples), question)
    started, cost = time.perf_counter(), _Cost()
    schema = await read_schema(
        connection, timeout=request.timeout, hidden=request.hidden, sample_values=request.sample_values
    )
    known, links, missing = await _names(connection, question, schema, request.sample_values and shows_values())
    messages = first_messages(
        question,
        prompt_text(schema, question, {x.label for x in links}, PROMPT_SCHEMA_TOKENS, render.to_prompt, count_tokens),
        examples=examples,
        description=request.graph_description,
        links=links,
        missing=missing,
        today=request.today or date.today(),
    )
    prepared = time.perf_counter() - started
    answer = await cost.ask(request.model, messages)
    first = last = await _attempt(connection, request, schema, known, answer)
    revised = ""
    if first.cause not in ("", "refusal"):
        revised = first.cause
        answer = await cost.ask(request.model, revision_messages(messages, first.answer, first.cause, first.what))
        last = await _attempt(connection, request, schema, known, answer, before=first)
        if last.reading is None and first.reading is not None and last.cause != "refusal":
            last = first  # the first found nothing, the second failed: nothing found is the better answer
    details = {
        "revised": revised,
        "model_calls": cost.calls,
        "prompt_tokens": cost.prompt_tokens,
        "answer_tokens": cost.answer_tokens,
        "preparation_ms": round(prepared * 1000, 1),
    }
    return _result(request, last, [*missing, *last.missing], details)


async def _names(connection: Connection, question: str, schema: Schema, values: bool) -> tuple[Inventory, list[Link], list[Missing]]:
    if not values:
        return Inventory(), [], []
    known = await inventory(connection, text_places(schema), mark(schema))
    return known, *await link_values(connection, question, known)


async def _attempt(
    connection: Connection, request: Text2CypherRequest, schema: Schema, known: Inventory, text: str, before: _Attempt | None = None
) -> _Attempt:
    """Check and run one answer. On the second, names that are not in the graph no longer stop it: nothing is found then."""
    answer = read_answer(text)
    if not answer.query:
        return _Attempt(text, cause="refusal" if answer.refusal else "blank", what=answer.refusal)
    if before and before.reading is not None and answer.query == before.query:
        return before
    missing: list[Missing] = []
    astray: list[str] = []

    def stop_unknown(notifications: list[dict[str, Any]]) -> None:
        lines = [*unknown_names(notifications, known_names(schema)), *astray, *(str(m) for m in missing)]
        if lines and before is None:
            raise _UnknownNames("\n".join(f"- {line}" for line in lines))

    try:
        check_names(answer.query, _hidden(request))
        astray = wrong_way_round(answer.query, ((p.start, p.type, p.end) for p in schema.patterns))
        astray += misplaced_properties(property_uses(answer.query), whole_labels(schema))
        missing = await _missing_texts(connection, answer.query, known)
        limits = Limits(request.timeout, request.number_of_results * ROWS_PER_RESULT)
        reading = await read(
            connection, answer.query, limits=limits, origin=Origin("text2cypher", request.client), before_run=stop_unknown
        )
    except _UnknownNames as error:
        return _Attempt(text, answer.query, "unknown", str(error), error, missing=missing)
    except QueryRefused as error:
        return _Attempt(text, answer.query, "refused", str(error), error)
    except QueryTimeout as error:
        return _Attempt(text, answer.query, "slow", str(error), error)
    except ConnectionFailed:
        raise
    except GraphRAGError as error:
        return _Attempt(text, answer.query, "failed", str(error), error)
    return _Attempt(text, answer.query, "" if reading.rows else "empty", reading=reading, missing=missing)


def _hidden(request: Text2CypherRequest) -> Hidden:
    return Hidden(request.hidden | hidden_names())


async def _missing_texts(connection: Connection, query: str, known: Inventory) -> list[Missing]:
    texts = [(c.labels, c.property, c.value) for c in comparisons(query)]
    return await unknown_texts(connection, texts, known) if texts else []


def _result(request: Text2CypherRequest, last: _Attempt, missing: Sequence[Missing], details: dict[str, Any]) -> Result:
    notes = list({m.asked: f"{m}." for m in missing}.values())
    if last.cause == "refusal":
        text = last.what if not notes else f"{last.what}\n" + "\n".join(notes)
        return Result(text, [], details | {"query": "", "refused": last.what, "missing": notes, "more": False, "milliseconds": 0.0})
    if last.cause == "blank":
        raise ModelFailed("The model gave no query.", "Ask in other words, or use another model.")
    if last.reading is None:
        raise _failed(last)
    rows = without_hidden(plain_rows(last.reading.columns, last.reading.rows), _hidden(request))
    tail = {"query": last.query}
    if details["revised"]:
        tail["revised"] = _REVISED[details["revised"]]
    found = {} if rows else {"answer": "No rows: nothing in the graph meets what the query asks."}
    fitted = fit(
        rows, token_limit=request.token_limit, format=request.format, more=last.reading.more, extra=found, tail=tail, notes=notes
    )
    return Result(
        fitted.text,
        rows,
        details
        | {
            "query": last.query,
            "refused": "",
            "missing": notes,
            "more": last.reading.more,
            "milliseconds": round(last.reading.milliseconds, 1),
            "truncated": fitted.truncated,
        },
    )


_REVISED = {
    "failed": "once, because the first query failed",
    "refused": "once, because the first query was not allowed",
    "unknown": "once, because the first query named what the graph does not have",
    "empty": "once, because the first query found nothing",
    "slow": "once, because the first query took too long",
    "blank": "once, because the first answer held no query",
}


def _failed(last: _Attempt) -> GraphRAGError:
    """The error of the last statement, with the statement, so that the reader can see what was tried."""
    error = last.error
    advice = f"Ask in other words or add an example of this kind to Examples. The query was:\n{last.query}"
    return type(error)(error.sentence, advice, kind=error.kind)
