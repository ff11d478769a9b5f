"""Spanish or not: only to name the key of a type for which the fields name none (``nombre`` or ``name``)."""

from __future__ import annotations

import re

_SPANISH = frozenset("de la el los las del que y en un una con por para se su al es no".split())
_ENGLISH = frozenset("the of and to in is for with on by at from was it an this that".split())


def is_spanish(text: str) -> bool:
    words = re.findall(r"\w+", text.lower())
    spanish = sum(word in _SPANISH for word in words) + 2 * sum(char in "ñ¿¡" for char in text.lower())
    return spanish > sum(word in _ENGLISH for word in words)
