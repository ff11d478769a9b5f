"""Comparing names as people write them: case and accents folded, small misspellings tolerated."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_WORD = re.compile(r"\w+(?:[-./'’]\w+)*")


def fold(text: str) -> str:
    """Lower case, accents removed (ñ stays apart from n), white space and hyphens as one space."""
    kept = text.lower().replace("ñ", "\0")
    decomposed = unicodedata.normalize("NFKD", kept)
    plain = "".join(c for c in decomposed if not unicodedata.combining(c)).replace("\0", "ñ")
    return re.sub(r"[\s_\-‐-―]+", " ", plain).strip()


def distance(a: str, b: str, most: int) -> int:
    """Optimal string alignment distance (insert, delete, replace, swap of neighbours); ``most + 1`` if larger."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        row = [i] + [0] * len(b)
        for j, cb in enumerate(b, 1):
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (ca != cb))
            if i > 1 and j > 1 and ca == b[j - 2] and a[i - 2] == cb:
                row[j] = min(row[j], before[j - 2] + 1)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]


def tolerance(text: str) -> int:
    """Misspellings tolerated in a folded name: none up to 4 letters, one up to 8, two above; codes none."""
    if any(c.isdigit() for c in text):
        return 0
    return 0 if len(text) <= 4 else 1 if len(text) <= 8 else 2


def nearest(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known names that look most like ``name``, best first; names that share nothing are left out.

    A name is near when it is the same but for case and accents, contains the other, shares a word, or is
    within a third of its length in edits.
    """
    wanted = fold(name)
    words = set(wanted.split())
    scored = []
    for candidate in dict.fromkeys(known):
        folded = fold(candidate)
        if not folded:
            continue
        allowed = max(1, len(wanted) // 3)
        edits = distance(wanted, folded, allowed)
        shared = len(words & set(folded.split()))
        if folded == wanted:
            scored.append((0, 0, candidate))
        elif edits <= allowed:
            scored.append((1, edits, candidate))
        elif shared:
            scored.append((2, -shared, candidate))
        elif len(wanted) > 3 and len(folded) > 3 and (wanted in folded or folded in wanted):
            scored.append((3, abs(len(folded) - len(wanted)), candidate))
    return [candidate for *_, candidate in sorted(scored)[:most]]


def spans(question: str, longest: int = 5) -> list[str]:
    """Runs of up to ``longest`` words of the question as written, longest first, without punctuation at the ends."""
    words = [(m.start(), m.end()) for m in _WORD.finditer(question)]
    runs = []
    for size in range(min(longest, len(words)), 0, -1):
        for i in range(len(words) - size + 1):
            text = question[words[i][0] : words[i + size - 1][1]]
            if "?" not in text and "," not in text and ";" not in text:
                runs.append(text)
    return list(dict.fromkeys(runs))
