"""``ask``: a question in your own words, and ``evaluate``: a file of questions with the answers they should get."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from ..defaults import NUMBER_OF_RESULTS, QUERY_TIMEOUT, TOKEN_LIMIT
from ..errors import ConnectionFailed, GraphRAGError, InputError
from .common import (
    Connect,
    EmbeddingOption,
    Format,
    FormatOption,
    TimeoutOption,
    TokenLimitOption,
    command,
    print_answer,
    progress_bar,
    say,
    text_or_file,
)
from .models import ModelOption, chat_model
from .search import Operation, run_search, search_embedder

ExamplesOption = Annotated[str, typer.Option("--examples", help="Question/Cypher pairs, or @file.")]
DescriptionOption = Annotated[str, typer.Option("--graph-description", help="What the graph is about, or @file.")]


# What answers a question of an evaluation.
Asked = Enum("Asked", {"text2cypher": "text2cypher"} | {search.name: search.value for search in Operation}, type=str)


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""

    @command(app, "ask")
    async def ask(
        connect: Connect,
        question: Annotated[str, typer.Argument(help="The question, in your own words.")],
        model: ModelOption = "",
        examples: ExamplesOption = "",
        graph_description: DescriptionOption = "",
        number_of_results: Annotated[int, typer.Option("--number-of-results", min=1, help="20 rows for each.")] = NUMBER_OF_RESULTS,
        query_timeout: TimeoutOption = QUERY_TIMEOUT,
        token_limit: TokenLimitOption = TOKEN_LIMIT,
        format: FormatOption = Format.yaml,
    ) -> None:
        """Answer a question: a language model writes the query, which is checked, run, and shown with its rows."""
        from ..operations.text2cypher import Text2CypherRequest, text2cypher

        request = Text2CypherRequest(
            query=question,
            model=chat_model(model),
            examples=text_or_file(examples),
            graph_description=text_or_file(graph_description),
            number_of_results=number_of_results,
            timeout=query_timeout,
            token_limit=token_limit,
            format=format.value,
        )
        print_answer((await text2cypher(connect(), request)).text)

    @command(app, "evaluate")
    async def evaluate(
        connect: Connect,
        file: Annotated[Path, typer.Argument(help="YAML: questions: [{question, expect: value or rows, or cypher}].")],
        operation: Annotated[
            Asked, typer.Option("--operation", help="What answers: for a search the expected values must be among its results.")
        ] = Asked.text2cypher,
        model: ModelOption = "",
        examples: ExamplesOption = "",
        graph_description: DescriptionOption = "",
        embedding: EmbeddingOption = "",
        number_of_results: Annotated[int, typer.Option("--number-of-results", min=1, help="Of a search.")] = NUMBER_OF_RESULTS,
        minimum: Annotated[int | None, typer.Option("--min", help="Right answers below which the exit status is 1; default: all.")] = None,
        json_file: Annotated[Path | None, typer.Option("--json", help="Write the outcomes here.")] = None,
        html_file: Annotated[Path | None, typer.Option("--html", help="Write a page here.")] = None,
        compare_with: Annotated[Path | None, typer.Option("--compare", help="The --json of an earlier run.")] = None,
        suggest: Annotated[bool, typer.Option("--suggest", help="Propose Examples for the misses that have a gold query.")] = False,
        query_timeout: TimeoutOption = QUERY_TIMEOUT,
    ) -> None:
        """Ask each question of a file through Text2Cypher or a search and score the answer by what it returned."""
        from ..asking.evaluation import compare, parse_questions, summary, to_html, to_json

        if suggest and operation is not Asked.text2cypher:
            raise InputError("Only Text2Cypher has Examples that could be suggested.", "Leave out --suggest or --operation.")
        questions = parse_questions(text_or_file(f"@{file}"))
        earlier = text_or_file(f"@{compare_with}") if compare_with else ""
        if operation is Asked.text2cypher:
            fields = {"examples": text_or_file(examples), "graph_description": text_or_file(graph_description)}
            answer = _by_model(chat_model(model), fields, query_timeout)
        else:
            answer = _by_search(Operation(operation.value), embedding, number_of_results, query_timeout)
        connection, outcomes = connect(), []
        with progress_bar() as progress:
            for number, question in enumerate(questions, 1):
                outcomes.append(await _outcome(connection, answer, question, query_timeout))
                progress(number, len(questions), "questions")
        _print_outcomes(outcomes)
        if json_file:
            json_file.write_text(to_json(outcomes), encoding="utf-8")
        if html_file:
            by = model if operation is Asked.text2cypher else operation.value
            html_file.write_text(to_html(outcomes, f"{file.name} · {by}"), encoding="utf-8")
        if earlier:
            print_answer("\n".join(compare(earlier, outcomes)) or "Nothing changed.")
        if suggest:
            _print_suggestions(questions, outcomes)
        total = summary(outcomes)
        if total["right"] < (len(outcomes) if minimum is None else minimum):
            raise typer.Exit(1)


# Takes the connection, a question and what is expected; gives (right, rows, query, error, calls of the model).
Answer = Callable[[Any, str, Any], Awaitable[tuple[bool, list[dict[str, Any]], str, str, int]]]


def _by_model(model: Any, fields: dict[str, str], timeout: float) -> Answer:
    from ..asking.scoring import matches
    from ..operations.text2cypher import Text2CypherRequest, text2cypher

    async def answer(connection: Any, question: str, expected: Any) -> tuple[bool, list[dict[str, Any]], str, str, int]:
        result = await text2cypher(connection, Text2CypherRequest(question, model, **fields, timeout=timeout, token_limit=0))
        details = result.details
        error = f"refused: {details['refused']}" if details["refused"] else ""
        return not error and matches(expected, result.rows), result.rows, details["query"], error, details["model_calls"]

    return answer


def _by_search(operation: Operation, embedding: str, number_of_results: int, timeout: float) -> Answer:
    from ..asking.scoring import contains

    fields = {"number_of_results": number_of_results, "timeout": timeout, "token_limit": 0}
    embedder = search_embedder(embedding)

    async def answer(connection: Any, question: str, expected: Any) -> tuple[bool, list[dict[str, Any]], str, str, int]:
        rows = (await run_search(connection, operation, question, embedder, **fields)).rows
        return contains(expected, rows), rows, "", "", 0

    return answer


async def _outcome(connection: Any, answer: Answer, question: Any, timeout: float) -> Any:
    from ..asking.evaluation import Outcome

    expected = await _gold(connection, question.cypher, timeout) if question.cypher else question.expect
    started = time.perf_counter()
    right, rows, query, error, calls = False, [], "", "", 0
    try:
        right, rows, query, error, calls = await answer(connection, question.question, expected)
    except ConnectionFailed:
        raise
    except GraphRAGError as failed:
        error = str(failed)
    return Outcome(question.question, right, expected, rows, query, error, question.kind, calls, round(time.perf_counter() - started, 2))


async def _gold(connection: Any, cypher: str, timeout: float) -> list[list[Any]]:
    from ..operations.cypher_query import CypherQueryRequest, cypher_query

    result = await cypher_query(connection, CypherQueryRequest(cypher=cypher, parameters={}, timeout=timeout, token_limit=0, max_rows=1000))
    if result.details["more"]:
        raise InputError("A gold query gives more than 1,000 rows.", "Ask for less: answers of this length are not compared.")
    return [list(row.values()) for row in result.rows]


def _print_outcomes(outcomes: list[Any]) -> None:
    from ..asking.evaluation import summary

    for outcome in outcomes:
        print_answer(f"{'right' if outcome.right else 'WRONG'}  {outcome.question}")
        if not outcome.right:
            print_answer(f"       expected {outcome.expected!r}\n       got      {_cut(repr(outcome.error or outcome.got[:10]))}")
            if outcome.query:
                print_answer("       query    " + "\n                ".join(outcome.query.splitlines()))
    total = summary(outcomes)
    print_answer(f"{total['right']} of {total['questions']} right, {total['model_calls']} model calls, {total['seconds']} s")
    if len(total["by_kind"]) > 1:
        print_answer("\n".join(f"  {kind}: {counts}" for kind, counts in total["by_kind"].items()))


def _cut(text: str, most: int = 600) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _print_suggestions(questions: list[Any], outcomes: list[Any]) -> None:
    missed = [(q, o) for q, o in zip(questions, outcomes, strict=True) if not o.right]
    with_gold = [q for q, _ in missed if q.cypher]
    if with_gold:
        print_answer("\nExamples to add:\n\n" + "\n\n".join(f"Question: {q.question}\nCypher: {q.cypher}" for q in with_gold))
    if without := len(missed) - len(with_gold):
        say(f"{without} of the misses have no gold query (cypher) in the file: add one, and it is proposed as an example.")
