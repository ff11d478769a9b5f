"""Value linking: which names, places and codes of a question are in the graph, and how they are written there."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..defaults import SAMPLE_VALUE_CHARS
from .names import distance, fold, nearest, spans, tolerance

MOST_LINKS = 12  # more would be noise: a question names a few things
MOST_MISSING = 3
MOST_PLACES = 3  # one value that stands in many properties is shown at so many of them

Place = tuple[str, str]  # (label, property)
_JOINING = {"de", "del", "la", "las", "los", "el", "y", "e", "of", "the", "and", "von", "van", "da", "do", "dos"}
_ASKING = set(
    "que quien quienes cual cuales cuanto cuanta cuantos cuantas como donde cuando por para en de dime dame lista muestra hay "
    "el la los las un una unos unas al del tiene tienen ha han hubo es son fue si no se a con y o "
    "what who which how where when why list show give tell is are was were has have does do did the a an in on of for from with and or "
    "name count find all any most least enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre "
    "january february march april may june july august september october november december".split()
)


@dataclass(frozen=True)
class Link:
    """A value of the graph that the question names; ``asked`` is how the question writes it."""

    label: str
    property: str
    value: str
    asked: str

    def __str__(self) -> str:
        return f"{_name(self.label)}.{_name(self.property)}: {quoted(self.value)}"


@dataclass(frozen=True)
class Missing:
    """A proper name of the question that is nowhere in the graph, with the nearest values there are."""

    asked: str
    near: tuple[Link, ...] = ()
    place: str = ""  # where it was looked for, as Label.property; '' for everywhere

    def __str__(self) -> str:
        near = ", ".join(str(link) for link in self.near)
        where = f"no {self.place} is {quoted(self.asked)}" if self.place else f"{quoted(self.asked)} was not found"
        return where + (f"; nearest are {near}" if near else "")


@dataclass
class Inventory:
    """The short text values of a graph by place; ``complete`` holds the places of which every value is known."""

    values: dict[Place, list[str]] = field(default_factory=dict)
    complete: set[Place] = field(default_factory=set)
    _folded: dict[str, list[tuple[Place, str]]] | None = None
    _words: dict[str, list[tuple[Place, str]]] | None = None
    _grams: dict[str, set[str]] | None = None

    def folded(self) -> dict[str, list[tuple[Place, str]]]:
        if self._folded is None:
            table: dict[str, list[tuple[Place, str]]] = defaultdict(list)
            for place in sorted(self.values):
                for value in self.values[place]:
                    if key := fold(value):
                        table[key].append((place, value))
            self._folded = dict(table)
        return self._folded

    def words(self) -> dict[str, list[tuple[Place, str]]]:
        if self._words is None:
            table: dict[str, list[tuple[Place, str]]] = defaultdict(list)
            for key, entries in self.folded().items():
                for word in set(key.split()):
                    if word != key:
                        table[word].extend(entries)
            self._words = dict(table)
        return self._words

    def alike(self, folded: str, most: int = 40) -> list[str]:
        """Folded values that share the most trigrams with ``folded``: the only ones worth measuring."""
        if self._grams is None:
            table: dict[str, set[str]] = defaultdict(set)
            for key in self.folded():
                for gram in _grams(key):
                    table[gram].add(key)
            self._grams = dict(table)
        counted: Counter[str] = Counter()
        for gram in _grams(folded):
            counted.update(self._grams.get(gram, ()))
        return [key for key, _ in sorted(counted.items(), key=lambda kv: (-kv[1], kv[0]))[:most]]


def link(question: str, inventory: Inventory, most: int = MOST_LINKS) -> tuple[list[Link], list[Missing]]:
    """Find the values that the question names: the same but for case and accents, then misspelt, then by a part.

    A part of a name ('Giralda') counts only where few values have it and it is not the end of a longer
    name that is not there ('Ana Ruiz' is not 'Javier Ruiz'). Returns the links and the proper names without one.
    """
    taken: list[str] = []
    links: list[Link] = []

    def take(asked: str, entries: Iterable[tuple[Place, str]]) -> None:
        taken.append(asked)
        for place, value in list(dict.fromkeys(entries))[:MOST_PLACES]:
            links.append(Link(*place, value, asked))

    runs = spans(question)
    for asked in runs:
        key = fold(asked)
        if key in _ASKING or any(_within(asked, done) for done in taken):
            continue
        if entries := inventory.folded().get(key):
            take(asked, entries)
    for asked in runs:
        key = fold(asked)
        allowed = tolerance(key)
        if not allowed or key in _ASKING or any(_overlap(asked, done) for done in taken):
            continue
        near = [k for k in inventory.alike(key) if distance(key, k, allowed) <= allowed]
        if near and _could_be_name(asked, question):
            best = min(near, key=lambda k: (distance(key, k, allowed), k))
            take(asked, inventory.folded()[best])
    missing: list[Missing] = []
    for name in proper_names(question):
        if any(_overlap(name, done) for done in taken):
            continue
        entries = _by_part(name, inventory)
        if entries:
            take(name, entries)
        elif " " in name or any(c.isdigit() for c in name):
            missing.append(Missing(name, tuple(_nearest(name, inventory))))
    for asked in runs:  # a lower-case question: 'las de giralda'
        key = fold(asked)
        if " " in key or len(key) < 5 or key in _ASKING or any(_overlap(asked, t) for t in [*taken, *(m.asked for m in missing)]):
            continue
        entries = inventory.words().get(key, [])
        if 0 < len({value for _, value in entries}) <= 2:
            take(asked, entries)
    return links[:most], missing[:MOST_MISSING]


def proper_names(question: str) -> list[str]:
    """Runs of capitalised words (joined by de, la, of …), quoted texts and codes with a digit, in order."""
    names = [m.group(1).strip() for m in re.finditer(r"[\"«“'‘]([^\"»”'’]{2,60})[\"»”'’]", question)]
    words = list(re.finditer(r"\w+(?:[-./'’]\w+)*", question))
    i = 0
    while i < len(words):
        word = words[i].group()
        first = i == 0 or re.search(r"[.?!¿¡:]\s*[¿¡]?$", question[: words[i].start()].rstrip() or ".") is not None
        opens = (word[0].isupper() and not (first and fold(word) in _ASKING) and fold(word) not in _ASKING) or _is_code(word)
        if not opens:
            i += 1
            continue
        j = end = i + 1
        while j < len(words) and question[words[j - 1].end() : words[j].start()].strip() == "":
            nxt = words[j].group()
            if nxt[0].isupper() or _is_code(nxt):
                end = j + 1
            elif nxt.lower() not in _JOINING:
                break
            j += 1
        names.append(question[words[i].start() : words[end - 1].end()])
        i = end
    return [n for n in dict.fromkeys(names) if fold(n) not in _ASKING]


def quoted(value: str) -> str:
    """A value on one line, cut at SAMPLE_VALUE_CHARS and quoted, so that stored text cannot pose as instructions."""
    one_line = " ".join(value.split())
    if len(one_line) > SAMPLE_VALUE_CHARS:
        one_line = one_line[: SAMPLE_VALUE_CHARS - 1] + "…"
    return "'" + json.dumps(one_line, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"


def _name(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d]\w*", name) else "`" + name.replace("`", "``") + "`"


def _grams(text: str) -> set[str]:
    padded = f" {text} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def _is_code(word: str) -> bool:
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word)


def _within(a: str, b: str) -> bool:
    return f" {a} " in f" {b} "


def _overlap(a: str, b: str) -> bool:
    return bool(set(fold(a).split()) & set(fold(b).split()) - _JOINING)


def _could_be_name(asked: str, question: str) -> bool:
    """A misspelling is looked for in names: of several words, capitalised, or in a question that uses no capitals at all."""
    return " " in asked or asked[0].isupper() or not any(w[0].isupper() for w in question.split()[1:] if w[0].isalpha())


def _by_part(name: str, inventory: Inventory) -> list[tuple[Place, str]]:
    """Values that hold all the words of ``name``; none when they are many, for then the name is a common word."""
    words = [w for w in fold(name).split() if w not in _JOINING]
    if not words:
        return []
    lists = []
    for word in words:
        entries = inventory.words().get(word)
        if entries is None and (allowed := tolerance(word)):
            close = [w for w in inventory.words() if abs(len(w) - len(word)) <= allowed and distance(word, w, allowed) <= allowed]
            entries = inventory.words()[min(close)] if close else None
        if entries is None:
            return []
        lists.append(entries)
    shared = [entry for entry in lists[0] if all(entry in other for other in lists[1:])]
    return shared if len({value for _, value in shared}) <= 4 else []


def _nearest(name: str, inventory: Inventory) -> list[Link]:
    by_value: Mapping[str, list[tuple[Place, str]]] = inventory.folded()
    candidates = {entries[0][1]: entries[0][0] for entries in by_value.values()}
    return [Link(*candidates[value], value, name) for value in nearest(name, candidates)]
