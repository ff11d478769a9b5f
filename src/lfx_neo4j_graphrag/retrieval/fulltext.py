"""From any text of a user to Lucene queries that always parse: quoted words, whole codes, faint prefixes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from .words import Word, fold, quoted_phrases, words

# A query may hold 1,024 clauses, counted as words times properties (measured on both servers; the rest is reserve).
MAX_CLAUSES = 1000
MAX_WORDS = 64
MAX_CODES = 8
# Analyzers that leave upper and lower case apart: a code is searched in both.
CASE_SENSITIVE = frozenset({"whitespace", "unicode_whitespace", "keyword"})
# Light stemmers join plurals, not verb forms (dosifica, dosificar): the beginning of a longer word finds the others,
# at a weight that cannot outrank the word itself. Chosen on the ranking sets (docs/benchmarks.md).
PREFIX_FROM = 6
PREFIX_WEIGHT = 0.1
# Letters that are words of their own: a stemming analyzer drops them, and "E 07" would find every 07.
_LETTER_WORDS = frozenset("aeiouy")
_FRAGILE_WEIGHT = 0.2

_PARTS = re.compile(r"[^\W\d_]+|\d+")
_FIELD_SPECIAL = re.compile(r'([+\-!(){}\[\]^"~*?:\\/&|<>=\s])')


@dataclass(frozen=True)
class TextQuery:
    """``words`` and ``codes`` are Lucene queries, empty when the question has none; ``stems`` are the folded beginnings of the
    words, decomposed (NFD), to count how many of them a text holds."""

    words: str = ""
    codes: str = ""
    stems: tuple[str, ...] = ()


def text_query(
    question: str, text_properties: Sequence[str], other_properties: Sequence[str] = (), analyzer: str | None = None
) -> TextQuery:
    """Build the queries: every word in the text, and in the other properties only what may be a value there.

    A word that equals a short column by chance (``estado: 'pierde'``) would win at once, so the other properties get
    only words that hold a digit, are capitalised inside the sentence, or were quoted by the user.
    """
    fields = [name for name in text_properties if _searchable(name)]
    others = [name for name in other_properties if _searchable(name)]
    if not fields:
        fields, others = others, []
    found = words(question)
    if not found or not fields:
        return TextQuery()
    room = MAX_CLAUSES // (2 * len(fields) + len(others))
    plain = [word for word in found if not word.code][: min(MAX_WORDS, room)]
    phrases = [_quoted(phrase) for phrase in quoted_phrases(question)][:MAX_CODES]
    texts = [_quoted(word.text) for word in plain] + [_prefix(word) for word in plain if _has_forms(word)] + phrases
    values = [_quoted(word.text) for word in plain if word.name or word.digit] + phrases
    both_cases = (analyzer or "") in CASE_SENSITIVE
    codes = [form for word in found if word.code for form in code_forms(word.text, both_cases)]
    codes = codes[: min(MAX_CODES * 6, MAX_CLAUSES // (3 * (len(fields) + len(others))))]
    return TextQuery(
        " ".join([*_in(fields, texts), *_in(others, values)]),
        " ".join(_in([*fields, *others], codes)),
        tuple(unicodedata.normalize("NFD", stem(word.text)) for word in plain),
    )


def stem(word: str) -> str:
    """The folded beginning by which other forms of a word are known: averí for avería and averías."""
    folded = fold(word)
    return folded if len(folded) < PREFIX_FROM else folded[: max(PREFIX_FROM - 1, len(folded) - 3)]


def code_forms(code: str, both_cases: bool = False) -> list[str]:
    """A code as a phrase of its parts and as one word: INC-2608-07 for INC260807, VL1180 for VL-1180, P21 for P-21."""
    parts = _PARTS.findall(code)
    joined, spaced = "".join(parts), " ".join(parts)
    fragile = any(part.lower() in _LETTER_WORDS for part in parts)
    texts = [joined] if fragile else [code, spaced, joined]
    digits = parts[-1]
    if len(parts) == 2 and len(digits) > 4 and not fragile:
        texts += [f"{parts[0]} {digits[:cut]} {digits[cut:]}" for cut in range(2, len(digits) - 1)][:MAX_CODES]
    if both_cases:
        texts = [form for text in [code, *texts] for form in (text, text.upper(), text.lower())]
    forms = [_quoted(text) for text in dict.fromkeys(texts)]
    if fragile and joined != code:
        forms.append(f"{_quoted(code)}^{_FRAGILE_WEIGHT}")
    return forms


def _in(fields: Sequence[str], clauses: Sequence[str]) -> list[str]:
    return [f"{_FIELD_SPECIAL.sub(_ESCAPED, name)}:({' '.join(clauses)})" for name in fields] if clauses else []


_ESCAPED = r"\\\1"


def _searchable(name: str) -> bool:
    # The parser reads these three as operators even when they are the name of a field.
    return bool(name) and name not in ("AND", "OR", "NOT")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", " ").replace('"', " ") + '"'


def _has_forms(word: Word) -> bool:
    return not word.digit and len(word.text) >= PREFIX_FROM


def _prefix(word: Word) -> str:
    """Prefixes are not analyzed, so this one is folded as the stemming analyzers fold."""
    return f"{stem(word.text)}*^{PREFIX_WEIGHT}"
