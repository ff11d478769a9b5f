"""Which names of a question the graph has: the short texts of the graph, read once a minute, and look-ups beyond them."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence

from ..asking.linking import Inventory, Link, Missing, Place, link, proper_names
from ..asking.names import fold, nearest
from ..cypher.linking_statements import known_statement, values_statement
from ..database.connection import Connection
from ..database.reading import Origin, fetch
from ..defaults import LINKING_LENGTH, LINKING_NODES, LINKING_SECONDS, LINKING_VALUES, SCHEMA_CACHE_SECONDS
from ..errors import GraphRAGError

_ORIGIN = Origin("value_linking")
_known: OrderedDict[tuple, tuple[float, Inventory]] = OrderedDict()
_KEPT = 16  # graphs whose values are kept at once


async def inventory(connection: Connection, places: Sequence[tuple[str, Sequence[str], int]], mark: str) -> Inventory:
    """The short texts at ``places`` (label, text properties, nodes of the label), kept while ``mark`` of the graph is the same.

    At most LINKING_NODES nodes of a label and LINKING_VALUES values of a property are read, within LINKING_SECONDS;
    what is not read is not ``complete``. A failure gives an empty inventory: linking helps, it is not needed.
    """
    key = (connection.uri, connection.username, connection.database, mark)
    now = time.monotonic()
    if (kept := _known.get(key)) and now - kept[0] < SCHEMA_CACHE_SECONDS:
        return kept[1]
    found = Inventory()
    places = [(label, list(properties), count) for label, properties, count in places if properties]
    if places:
        statement = values_statement([(label, properties) for label, properties, _ in places])
        parameters = {"scan": LINKING_NODES, "most": LINKING_VALUES + 1, "length": LINKING_LENGTH}
        try:
            rows = await fetch(connection, statement, parameters, timeout=LINKING_SECONDS, origin=_ORIGIN)
        except GraphRAGError:
            return found
        for row in rows:
            label, properties, count = places[row["i"]]
            for name, values in zip(properties, row["values"], strict=True):
                found.values[(label, name)] = sorted(values)[:LINKING_VALUES]
                if count <= LINKING_NODES and len(values) <= LINKING_VALUES:
                    found.complete.add((label, name))
    _known[key] = (now, found)
    while len(_known) > _KEPT:
        _known.popitem(last=False)
    return found


async def link_values(connection: Connection, question: str, known: Inventory) -> tuple[list[Link], list[Missing]]:
    """``asking.linking.link``, and for names not found a look-up where not every value is known.

    Where no value could be read (a server too busy), nothing is said to be missing.
    """
    if not known.values:
        return [], []
    links, missing = link(question, known)
    partial = sorted(set(known.values) - known.complete)
    names = [m.asked for m in missing] or [n for n in proper_names(question) if not any(n in x.asked or x.asked in n for x in links)]
    if not partial or not names:
        return links, missing
    spellings = sorted({form for name in names for form in (name, name.lower(), name.upper(), name.title())})
    for place, value in await _stored(connection, partial, spellings):
        asked = next((name for name in names if fold(name) == fold(value)), "")
        if asked:
            links.append(Link(*place, value, asked))
    found = {x.asked for x in links}
    return links, [m for m in missing if m.asked not in found]


async def unknown_texts(connection: Connection, texts: Sequence[tuple[Sequence[str], str, str]], known: Inventory) -> list[Missing]:
    """Those of ``texts`` (labels, property, value) that no node has, with the nearest values that there are.

    A property of which nothing is known (long texts, other types) is not judged.
    """
    unknown, to_look_up = [], []
    for labels, name, value in texts:
        places = [place for place in known.values if place[1] == name and (not labels or place[0] in labels)]
        if not places or any(value in known.values[place] for place in places):
            continue
        if all(place in known.complete for place in places):
            unknown.append((places, value))
        else:
            to_look_up.append((places, value))
    if to_look_up:
        asked = sorted({place for places, _ in to_look_up for place in places})
        stored = set(await _stored(connection, asked, sorted({value for _, value in to_look_up})))
        unknown += [(places, value) for places, value in to_look_up if not any((place, value) in stored for place in places)]
    return [_missing(places, value, known) for places, value in unknown]


def _missing(places: Sequence[Place], value: str, known: Inventory) -> Missing:
    owners = {v: place for place in reversed(places) for v in known.values[place]}
    near = nearest(value, owners)
    if not near and len(owners) <= 8:
        near = sorted(owners)  # an enumeration is short enough to be shown whole
    return Missing(value, tuple(Link(*owners[v], v, value) for v in near), place=f"{places[0][0]}.{places[0][1]}")


async def _stored(connection: Connection, places: Sequence[Place], spellings: Sequence[str]) -> list[tuple[Place, str]]:
    """Which of ``spellings`` stand at ``places``; when that cannot be told in LINKING_SECONDS, all of them may."""
    try:
        rows = await fetch(connection, known_statement(places), {"texts": list(spellings)}, timeout=LINKING_SECONDS, origin=_ORIGIN)
    except GraphRAGError:
        return [(place, text) for place in places for text in spellings]
    return [(places[row["i"]], row["value"]) for row in rows]
