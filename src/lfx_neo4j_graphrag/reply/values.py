"""Driver values as plain values: what JSON and YAML can carry and a model can read.

The shapes, documented for whoever reads a reply:

* node: ``{"labels": [...], "properties": {...}}``
* relationship: ``{"type": "...", "properties": {...}}``
* path: ``{"path": [node, relationship, node, ...]}``, each relationship with ``"direction": "->"`` or ``"<-"``
* point: ``{"crs": "wgs-84", "longitude": x, "latitude": y}`` (``height`` in 3D; ``x``, ``y``, ``z`` when cartesian)
* temporal values and durations: ISO 8601 text, a named zone as ``…+02:00[Europe/Madrid]``
* NaN and infinities: the texts ``NaN``, ``Infinity``, ``-Infinity``
* vectors, bytes, lists of LONG_LIST items or more, values nested too deep: a marker in square brackets with the size
* strings over LONG_STRING characters: cut, followed by ``…(+1234 characters)``

Internal ids are left out: they mean nothing to a reader and change when the store is compacted.
``plain`` of a plain value is the same value, so applying it twice does no harm.
"""

from __future__ import annotations

import datetime
import json
import math
import re
import sys
import zoneinfo
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from enum import Enum
from typing import Any

from ..defaults import LONG_LIST, LONG_STRING

# Deeper nesting than this is no data anybody reads; the bound also keeps recursion far from Python's limit.
MAX_DEPTH = 32
# Values in one converted value; bounds shared and self-containing containers, which would unfold without end.
MAX_VALUES = 10_000
# Integers wider than this exceed what Python itself converts to text (and are no database's integers).
MAX_INTEGER_BITS = 1024

# What stands at the end of a text that was cut; the number is that of the characters that are missing.
CUT_NOTE = re.compile(r"…\(\+(\d{1,12}) characters\)\Z")
# The driver writes nine digits of a second whatever they are.
_IDLE_ZEROS = re.compile(r"(\.\d*[1-9])0+(?!\d)|\.0+(?!\d)")
_TOO_DEEP = "[nested too deep to show]"
_TOO_MANY = "[more values left out]"
_CRS = {4326: "wgs-84", 4979: "wgs-84-3d", 7203: "cartesian", 9157: "cartesian-3d"}


def plain(value: Any, *, longest: int | None = LONG_STRING) -> Any:
    """``value`` as None, bool, int, float, str, list or dict with text keys; never raises, linear time.

    ``longest`` bounds strings in characters, the note of what was cut included; None leaves them whole.
    """
    return _Converter(longest).convert(value, 0)


def plain_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    """Rows of driver values as plain dicts. A repeated column becomes ``name (2)``, a nameless one ``column 3``."""
    rows = list(rows)
    width = max([len(columns), *map(len, rows)])
    names = unique_names([*columns, *[""] * (width - len(columns))])
    return [{name: plain(value) for name, value in zip(names, row, strict=False)} for row in rows]


def unique_names(names: Iterable[Any]) -> list[str]:
    """The names as distinct texts, in order; a name that comes first keeps its spelling."""
    wanted = [str(name) if str(name).strip() else f"column {position}" for position, name in enumerate(names, 1)]
    original, taken, result = set(wanted), set(), []
    repeats: dict[str, int] = {}
    for name in wanted:
        unique = name
        while unique in taken or (unique != name and unique in original):
            repeats[name] = repeats.get(name, 1) + 1
            unique = f"{name} ({repeats[name]})"
        taken.add(unique)
        result.append(unique)
    return result


class _Converter:
    def __init__(self, longest: int | None) -> None:
        self.longest = longest
        self.left = MAX_VALUES

    def convert(self, value: Any, depth: int) -> Any:
        self.left -= 1
        if value is None or isinstance(value, bool):
            return value
        if self.left < 0:
            return _TOO_MANY
        if depth > MAX_DEPTH:
            return self._number_or_text(value) if isinstance(value, int | float | str) else _TOO_DEEP
        try:
            return self._convert(value, depth)
        except Exception:  # a foreign object may raise anything from any attribute; the reply must still be made
            return f"[{type(value).__name__}]"

    def _convert(self, value: Any, depth: int) -> Any:
        if isinstance(value, Enum):
            return self.convert(value.value, depth + 1)
        if isinstance(value, int | float | str | Decimal):
            return self._number_or_text(value)
        if isinstance(value, bytes | bytearray | memoryview):
            return f"[{memoryview(value).nbytes} bytes]"
        if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
            return _python_temporal(value)
        special = self._driver_value(value, depth)
        if special is not None:
            return special
        if hasattr(value, "dtype") and hasattr(value, "tolist"):
            return self._numpy(value, depth)
        if isinstance(value, Mapping):
            return self._mapping(value.items(), depth)
        if isinstance(value, Set):
            return self._list(sorted(value, key=repr), depth)
        if isinstance(value, Sequence):
            return self._list(value, depth)
        if isinstance(value, Iterator):  # reading it would use it up, or never end
            return f"[{type(value).__name__}]"
        kind = type(value)
        if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
            return f"[{kind.__name__}]"  # the default text is a memory address, another one at every run
        return self._text(str(value))

    def _number_or_text(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(str.__str__(value))
        if isinstance(value, Decimal):
            number = float(value)
            return number if math.isfinite(number) and Decimal(repr(number)) == value else self._text(str(value))
        if isinstance(value, int):
            bits = value.bit_length()
            return int(value) if bits <= MAX_INTEGER_BITS else f"[integer of {bits} bits]"
        number = float(value)
        if math.isfinite(number):
            return number
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"

    def _text(self, text: str) -> str:
        return shortened(whole_characters(text), self.longest)

    def _driver_value(self, value: Any, depth: int) -> Any:
        """A node, relationship, path, point, vector or temporal value of the driver; None for anything else.

        Looked up among the modules already imported: a value of the driver cannot exist without them.
        """
        module = type(value).__module__
        if not module.startswith("neo4j"):
            bases = [base for base in type(value).__mro__ if base.__module__.startswith("neo4j")]
            if not bases:
                return None
            module = bases[0].__module__
        if graph := sys.modules.get("neo4j.graph"):
            if isinstance(value, graph.Node):
                return self._node(value, depth)
            if isinstance(value, graph.Relationship):
                return self._relationship(value, depth)
            if isinstance(value, graph.Path):
                return self._path(value, depth)
        if module.startswith("neo4j.vector"):
            return f"[vector of {len(value)} numbers]"
        if hasattr(value, "srid"):
            return self._point(value)
        if hasattr(value, "iso_format"):
            return _driver_temporal(value)
        return None

    def _node(self, node: Any, depth: int) -> dict[str, Any]:
        return {"labels": sorted(node.labels), "properties": self._mapping(node.items(), depth + 1)}

    def _relationship(self, relationship: Any, depth: int) -> dict[str, Any]:
        return {"type": relationship.type, "properties": self._mapping(relationship.items(), depth + 1)}

    def _path(self, path: Any, depth: int) -> Any:
        length = len(path.relationships)
        if 2 * length + 1 >= LONG_LIST:
            return f"[path of {length} relationships]"
        steps = [self._node(path.nodes[0], depth + 2)]
        for before, relationship, after in zip(path.nodes, path.relationships, path.nodes[1:], strict=False):
            forwards = relationship.start_node is None or relationship.start_node == before
            steps.append({"direction": "->" if forwards else "<-", **self._relationship(relationship, depth + 2)})
            steps.append(self._node(after, depth + 2))
        return {"path": steps}

    def _point(self, point: Any) -> dict[str, Any]:
        names = ("longitude", "latitude", "height") if point.srid in (4326, 4979) else ("x", "y", "z")
        shown: dict[str, Any] = {"crs": _CRS.get(point.srid, f"srid {point.srid}")}
        shown.update(zip(names, (self._number_or_text(float(c)) for c in point), strict=False))
        return shown

    def _numpy(self, value: Any, depth: int) -> Any:
        kind = getattr(value.dtype, "kind", "O")
        if getattr(value, "ndim", 0):
            if value.size >= LONG_LIST:
                what = "numbers" if kind in "iufc" else "items"
                return f"[array of {' x '.join(map(str, value.shape))} {what}]"
            return self._list(value.tolist(), depth)
        if kind in "mM":
            return self._text(str(value))
        return self.convert(float(value) if kind == "f" else value.item(), depth + 1)

    def _mapping(self, items: Iterable[tuple[Any, Any]], depth: int) -> dict[str, Any]:
        pairs, result = [], {}
        for key, value in items:
            if self.left <= 0:
                pairs.append(("…", _TOO_MANY))
                break
            pairs.append((key if type(key) is str else str(key), self.convert(value, depth + 1)))
        names = [self._text(key) for key, _ in pairs]
        if len(set(names)) < len(names):  # keys of other types, or cut, may have become equal
            names = unique_names(names)
        result.update((name, value) for name, (_, value) in zip(names, pairs, strict=True))
        return result

    def _list(self, items: Sequence[Any], depth: int) -> Any:
        if len(items) < LONG_LIST:
            return [self.convert(item, depth + 1) for item in items]
        if all(isinstance(item, int | float) and not isinstance(item, bool) for item in items):
            return f"[list of {len(items)} numbers]"
        first = [item for item in items[:3] if isinstance(item, str | int | float) and len(str(item)) <= 40]
        if len(first) < 3:
            return f"[list of {len(items)} items]"
        examples = json.dumps([self._number_or_text(item) for item in first], ensure_ascii=False)[1:-1]
        return f"[list of {len(items)} items: {examples}, …]"


def shortened(text: str, longest: int | None) -> str:
    """``text`` in at most ``longest`` characters, ending in a count of those cut off."""
    if longest is None or len(text) <= longest:
        return text
    keep = max(0, longest - len(f"…(+{len(text)} characters)"))
    return f"{text[:keep]}…(+{len(text) - keep} characters)"


def whole_characters(text: str) -> str:
    """``text`` with lone surrogates replaced: no encoder takes them, so one would lose the whole reply."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _python_temporal(value: Any) -> str:
    if not isinstance(value, datetime.timedelta):
        return value.isoformat() + _zone(value)
    seconds = f"{value.seconds}.{value.microseconds:06d}".rstrip("0").rstrip(".") if value.microseconds else value.seconds
    return f"P{value.days}DT{seconds}S"


def _driver_temporal(value: Any) -> str:
    """ISO text. Zones of ``zoneinfo`` read the memory of what is no Python datetime and take the process down with them,
    so those (the server's own come with other zones) are asked about the Python datetime of the same moment.
    """
    if isinstance(getattr(value, "tzinfo", None), zoneinfo.ZoneInfo):
        offset = value.to_native().isoformat(timespec="seconds")[19:] if hasattr(value, "year") else ""
        text = value.replace(tzinfo=None).iso_format() + offset
    else:
        text = value.iso_format()
    return _IDLE_ZEROS.sub(lambda found: found[1] or "", text) + _zone(value)


def _zone(value: Any) -> str:
    zone = getattr(value, "tzinfo", None)
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)
    return f"[{name}]" if name else ""
