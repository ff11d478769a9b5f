"""How many items a literal ``range(…)`` has, to refuse the ones that no server can stop."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .tokens import Token

_ROUNDING = {"TOINTEGER", "TOFLOAT", "FLOOR", "CEIL", "ROUND", "ABS"}
_DEPTH = 40  # brackets around a bound; nobody writes more, and each costs five frames here


def range_size(tokens: Sequence[Token], opening: int) -> float | None:
    """Items of ``range(…)`` whose bracket opens at ``opening``; None when its bounds are no plain numbers."""
    reader = _Reader(tokens, opening + 1)
    bounds = [reader.sum()]
    while reader.take(","):
        bounds.append(reader.sum())
    if None in bounds or len(bounds) not in (2, 3):
        return None
    first, last, step = bounds if len(bounds) == 3 else (*bounds, 1)
    return abs(last - first) / abs(step) + 1 if step else None


class _Reader:
    """Evaluates + - * / % ^, brackets and rounding functions over number literals; gives None for anything else."""

    def __init__(self, tokens: Sequence[Token], position: int) -> None:
        self.tokens, self.position, self.depth = tokens, position, 0

    def take(self, *texts: str) -> str | None:
        token = self.tokens[self.position] if self.position < len(self.tokens) else None
        if token is None or token.kind != "operator" or token.text not in texts:
            return None
        self.position += 1
        return token.text

    def sum(self) -> float | None:
        value = self._product()
        while operator := self.take("+", "-"):
            value = _apply(operator, value, self._product())
        return value

    def _product(self) -> float | None:
        value = self._power()
        while operator := self.take("*", "/", "%"):
            value = _apply(operator, value, self._power())
        return value

    def _power(self) -> float | None:
        value = self._atom()
        while self.take("^"):
            value = _apply("^", value, self._atom())
        return value

    def _atom(self) -> float | None:
        sign = 1.0
        while unary := self.take("-", "+"):
            sign = -sign if unary == "-" else sign
        value = self._unsigned()
        return None if value is None else sign * value

    def _unsigned(self) -> float | None:
        if self.take("("):
            return self._bracketed()
        if self.position >= len(self.tokens):
            return None
        token = self.tokens[self.position]
        self.position += 1
        if token.kind == "number":
            return number(token.text)
        if token.kind == "string":
            return number(token.text[1:-1].strip())
        if token.upper in _ROUNDING and self.take("("):
            return self._bracketed()
        return None

    def _bracketed(self) -> float | None:
        if self.depth >= _DEPTH:
            return math.inf
        self.depth += 1
        value = self.sum()
        self.depth -= 1
        return value if self.take(")") else None


def number(text: str) -> float | None:
    """The value of a Cypher number literal: 1_000, 0xff, 0o17, 1e9, 1.5f; None when it is none."""
    text = text.replace("_", "").lower()
    try:
        if text.startswith(("0x", "0o")):
            return float(int(text, 0))
        return float(text.rstrip("df"))
    except (ValueError, OverflowError):
        return None


def _apply(operator: str, left: float | None, right: float | None) -> float | None:
    if left is None or right is None:
        return None
    try:
        match operator:
            case "+":
                value = left + right
            case "-":
                value = left - right
            case "*":
                value = left * right
            case "/":
                value = left / right
            case "%":
                value = math.fmod(left, right)
            case _:
                value = left**right
    except (ArithmeticError, ValueError):
        return math.inf
    return value if isinstance(value, float) else None
