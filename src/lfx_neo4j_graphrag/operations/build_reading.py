"""Reading passages with the model: remembered answers, one more try for an answer without data, halves for what is too long."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..defaults import READ_LEAST
from ..errors import ModelFailed
from ..extraction.answer import read_answer
from ..extraction.conform import Extraction, conform
from ..extraction.prompt import Passage, extraction_messages, retry_messages
from ..extraction.sections import halves
from ..extraction.shapes import read_shapes
from ..extraction.vocabulary import Vocabulary
from .memory import Memory, answer_key
from .model import Answer, CallFailed, ask

_DEEPEST = 6  # halves of halves: 60,000 characters become passages of 1,000


@dataclass
class Reading:
    """What a passage gave; ``problem`` says what of it could not be read, "" when everything was."""

    extraction: Extraction
    problem: str = ""


@dataclass
class Reader:
    """Asks ``model``; at most ``slots`` calls at once. The numbers add up over all calls."""

    model: Any
    vocabulary: Vocabulary
    instructions: str
    memory: Memory
    slots: asyncio.Semaphore
    timeout: float
    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    async def read(self, passage: Passage, depth: int = 0) -> Reading:
        """Read one passage.

        Raises ModelFailed when nothing of it could be read.
        """
        messages = extraction_messages(self.vocabulary, passage, self.instructions)
        divisible = len(passage.text) > READ_LEAST and depth < _DEEPEST
        try:
            answer = await self.ask(messages)
        except CallFailed as failure:
            if failure.kind != "model_too_long" or not divisible:
                raise
            return await self._halves(passage, depth, Extraction())
        extraction, found, cut = self._understood(answer, passage)
        if cut and divisible:
            return await self._halves(passage, depth, extraction)
        if found and not cut:
            return Reading(extraction)
        again = await self.ask(retry_messages(messages), keep=False)
        second, found_again, cut_again = self._understood(again, passage)
        if found_again and not cut_again:
            self._keep(messages, again)
            return Reading(second)
        if not found and not found_again:
            said = " ".join((again.text or answer.text).split())[:120]
            raise ModelFailed(
                f"The model answered without data: “{said}”" if said else "The model's answer was empty.", kind="model_answer"
            )
        return Reading(merged([extraction, second]), "the model's answer broke off; what was complete is saved")

    async def _halves(self, passage: Passage, depth: int, first: Extraction) -> Reading:
        parts = [
            replace(passage, text=piece.text, before=passage.text[max(0, piece.start - 300) : piece.start] or passage.before)
            for piece in halves(passage.text)
        ]
        readings: list[Reading] = []
        problems: list[str] = []
        for outcome in await asyncio.gather(*(self.read(part, depth + 1) for part in parts), return_exceptions=True):
            if isinstance(outcome, Reading):
                readings.append(outcome)
            elif isinstance(outcome, CallFailed) and outcome.kind == "model_key" or not isinstance(outcome, ModelFailed):
                raise outcome
            else:
                problems.append(outcome.sentence)
        if not readings:
            raise ModelFailed(problems[0], kind="model_answer")
        problems += [reading.problem for reading in readings if reading.problem]
        return Reading(merged([first, *(reading.extraction for reading in readings)]), "; ".join(dict.fromkeys(problems)))

    def _understood(self, answer: Answer, passage: Passage) -> tuple[Extraction, bool, bool]:
        found = read_answer(answer.text, answer.finish_reason)
        raw = read_shapes(found.values, self.vocabulary.schema)
        return conform(raw, self.vocabulary, passage.text), raw.recognised, found.cut

    # --------------------------------------------------------------------------------------------------- asking

    async def ask(self, messages: Sequence[tuple[str, str]], *, keep: bool = True) -> Answer:
        """The remembered answer to these messages, else a new one (remembered when it holds data)."""
        key = answer_key(self.model, messages)
        if key and keep and (known := self.memory.answer(key)):
            self.cached += 1
            return known
        answer = await ask(self.model, messages, timeout=self.timeout, slot=self.slots)
        self.calls += 1
        self.input_tokens += answer.input_tokens
        self.output_tokens += answer.output_tokens
        if keep and read_answer(answer.text, answer.finish_reason).values:
            self._keep(messages, answer)
        return answer

    def _keep(self, messages: Sequence[tuple[str, str]], answer: Answer) -> None:
        if key := answer_key(self.model, messages):
            self.memory.keep_answer(key, answer)


def merged(extractions: Sequence[Extraction]) -> Extraction:
    """One extraction of several parts of a text, in order: what comes later in the text wins."""
    result = Extraction()
    for extraction in extractions:
        for identity, entity in extraction.entities.items():
            known = result.entities.setdefault(identity, entity)
            known.properties |= entity.properties
        result.links += extraction.links
        result.dropped += extraction.dropped
        result.nested |= extraction.nested
    return result
