"""From any text of a user to a Lucene query that always parses: quoted words, whole codes, faint prefixes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .words import Word, fold, quoted_phrases, words

# A query may hold 1,024 clauses, counted as words times properties (measured on both servers; the rest is reserve).
MAX_CLAUSES = 1000
MAX_WORDS = 64
# Analyzers that leave upper and lower case apart: a code is searched in both.
CASE_SENSITIVE = frozenset({"whitespace", "unicode_whitespace", "keyword"})
# Light stemmers join plurals, not verb forms (dosifica, dosificar): the beginning of a longer word finds the others,
# at a weight that cannot outrank the word itself. Chosen on the ranking sets (docs/measurements.md).
PREFIX_FROM = 6
PREFIX_WEIGHT = 0.3

_PARTS = re.compile(r"[^\W\d_]+|\d+")
_FIELD_SPECIAL = re.compile(r'([+\-!(){}\[\]^"~*?:\\/&|<>=\s])')


@dataclass(frozen=True)
class TextQuery:
    """``lucene`` is empty when the question holds no word; ``codes`` and ``terms`` are what was searched."""

    lucene: str
    codes: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()


def text_query(question: str, text_properties: Sequence[str], other_properties: Sequence[str] = (), analyzer: str | None = None) -> TextQuery:
    """Build the query: every word in the text, and in the other properties only what may be a value there.

    A word that equals a short column by chance (``estado: 'pierde'``) would win at once, so the other properties get
    only words that hold a digit, are capitalised inside the sentence, or were quoted by the user.
    """
    fields = [name for name in text_properties if _searchable(name)]
    others = [name for name in other_properties if _searchable(name)]
    if not fields:
        fields, others = others, []
    found = words(question)
    if not found or not fields:
        return TextQuery("")
    both_cases = (analyzer or "") in CASE_SENSITIVE
    codes = _codes(question, found)
    each = max(1, len(fields) * 2 + len(others) * 3)
    found = found[: min(MAX_WORDS, MAX_CLAUSES // each)]
    plain = [word for word in found if not word.code]
    texts = [_quoted(word.text) for word in plain] + [_prefix(word.text) for word in plain if len(word.text) >= PREFIX_FROM]
    values = [_quoted(word.text) for word in plain if word.name]
    whole = [clause for code in codes for clause in _code_clauses(code, both_cases)]
    phrases = [_quoted(phrase) for phrase in quoted_phrases(question)]
    parts = [f"{_field(name)}:({' '.join(texts + whole + phrases)})" for name in fields]
    if values or whole or phrases:
        parts += [f"{_field(name)}:({' '.join(values + whole + phrases)})" for name in others]
    return TextQuery(" ".join(parts), tuple(code.replace("\0", "") for code in codes), tuple(word.text for word in plain))


def _searchable(name: str) -> bool:
    # The parser reads these three as operators even when they are the name of a field.
    return bool(name) and name not in ("AND", "OR", "NOT")


def _field(name: str) -> str:
    return _FIELD_SPECIAL.sub(r"\\\1", name)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", " ").replace('"', " ") + '"'


def _prefix(text: str) -> str:
    """The beginning of a word; prefixes are not analyzed, so it is folded as the stemming analyzers fold."""
    stem = fold(text)
    return f"{stem[: max(PREFIX_FROM - 1, len(stem) - 3)]}*^{PREFIX_WEIGHT}"


def _codes(question: str, found: Sequence[Word]) -> list[str]:
    return [word.text for word in found if word.code][:MAX_WORDS]


def _code_clauses(code: str, both_cases: bool) -> list[str]:
    """A code as a phrase of its parts and as one word: INC-2608-07, VL1180 for VL-1180, E-07 for E07."""
    parts = _PARTS.findall(code)
    forms = dict.fromkeys([code, " ".join(parts), "".join(parts)])
    if both_cases:
        forms = dict.fromkeys(form for text in forms for form in (text, text.upper(), text.lower()))
    return [_quoted(form) for form in forms]
