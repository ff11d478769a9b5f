"""Names that every MCP client takes: tools and arguments, unique, and the same at every start."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

LONGEST = 64  # letters a to z, digits, _ and -: what the strictest clients and models allow
_ODD = re.compile(r"[^a-zA-Z0-9_-]+")


def safe_names(originals: Sequence[str], prefix: str = "") -> dict[str, str]:
    """Each of ``originals`` with a name of at most 64 safe characters that begins with ``prefix``.

    A name that is safe already stays. Of those that would become equal, each gets a mark made of its original, so
    that its name does not depend on the others' order.
    """
    wished = {original: _safe(original, LONGEST - len(prefix)) for original in dict.fromkeys(originals)}
    taken: dict[str, list[str]] = {}
    for original, name in wished.items():
        taken.setdefault(name, []).append(original)
    for same in taken.values():
        keeps = [original for original in same if wished[original] == original] or (same if len(same) == 1 else [])
        for original in same:
            if original not in keeps[:1]:
                mark = "_" + hashlib.sha256(original.encode("utf-8", "replace")).hexdigest()[:6]
                wished[original] = wished[original][: LONGEST - len(prefix) - len(mark)] + mark
    return {original: prefix + name for original, name in wished.items()}


def _safe(original: str, longest: int) -> str:
    """Accents removed, other characters as one ``_``; a name that was cut, or of which little is left, gets a mark."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", original) if not unicodedata.combining(c))
    name = _ODD.sub("_", plain)
    if name.strip("_") and len(name) <= longest:
        return name
    mark = hashlib.sha256(original.encode("utf-8", "replace")).hexdigest()[:6]
    return f"{name.strip('_')[: longest - 7]}_{mark}".lstrip("_")
