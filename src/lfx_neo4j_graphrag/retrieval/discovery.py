"""Which index a search uses: the one that was named, else the only one of its class."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import IndexProblem

if TYPE_CHECKING:
    from ..database.indexes import Index

_CLASS = {"VECTOR": "vector", "FULLTEXT": "full-text"}
_FIELD = {"VECTOR": "Vector Index", "FULLTEXT": "Full-text Index"}


def visible(indexes: Iterable[Index], hidden: Collection[str]) -> list[Index]:
    """The indexes without those of a label, type or property that the operator hides."""
    return [index for index in indexes if not set(hidden) & {*index.labels, *index.properties[:1]}]


def choose_index(indexes: Sequence[Index], kind: str, name: str = "", *, like: Index | None = None) -> Index:
    """The index of ``kind`` (VECTOR or FULLTEXT) called ``name``, else the only one there is.

    Two indexes over the same label and vector property are one to a reader: while a load replaces an index there are two, and
    afterwards its name ends in a number. ``like``, an index that the user named, decides between several of another class.

    Raises IndexProblem with the names that there are, or when the index is not ready.
    """
    same_class = [index for index in indexes if index.kind == kind]
    name = (name or "").strip()
    if name:
        return _ready(_named(name, same_class, indexes, kind), kind)
    if not same_class:
        raise IndexProblem(f"The database has no {_CLASS[kind]} index.", _HOW_TO_MAKE[kind])
    groups: dict[tuple, list[Index]] = {}
    for index in same_class:
        groups.setdefault(_data(index), []).append(index)
    if len(groups) > 1 and like is not None:
        groups = {key: found for key, found in groups.items() if set(found[0].labels) & set(like.labels)} or groups
    if len(groups) > 1:
        raise IndexProblem(
            f"The database has several {_CLASS[kind]} indexes: {_listed(same_class)}.",
            f"Write the name of one of them in {_FIELD[kind]}.",
        )
    return _ready(_best(next(iter(groups.values()))), kind)


_HOW_TO_MAKE = {
    "VECTOR": "Save data with an embedding model connected (Add Records, Build Graph), or create one with CREATE VECTOR INDEX.",
    "FULLTEXT": "Save data with Add Records or Build Graph, or create one with CREATE FULLTEXT INDEX.",
}


def check_dimension(index: Index, size: int) -> None:
    """Raises IndexProblem when the index holds vectors of another length than the model's."""
    if index.dimensions is not None and index.dimensions != size:
        raise IndexProblem(
            f"The vector index '{index.name}' holds vectors of {index.dimensions} numbers, the embedding model gives {size}.",
            "Connect the embedding model that saved the data, or save the data again with this one after dropping the index.",
        )


def keys_of(indexes: Iterable[Index]) -> dict[str, tuple[str, ...]]:
    """Label -> the properties of its first constraint that keeps nodes apart."""
    keys: dict[str, tuple[str, ...]] = {}
    for index in sorted(indexes, key=lambda index: (len(index.properties), index.name)):
        if index.constraint and index.entity == "NODE":
            for label in index.labels:
                keys.setdefault(label, index.properties)
    return keys


def tie_properties(index: Index, indexes: Sequence[Index], keys: Mapping[str, Sequence[str]]) -> list[str]:
    """Properties that order hits of equal score: the keys of the index's labels, else its names, else the indexed text."""
    named = [name for label in index.labels for name in keys.get(label, ())]
    if not named:
        texts = [i for i in indexes if i.kind == "FULLTEXT" and set(i.labels) & set(index.labels)]
        named = [*(name for i in texts for name in i.properties[:2]), "text", "nombre", "name"]
    return list(dict.fromkeys(named))[:4]


def _named(name: str, same_class: Sequence[Index], indexes: Sequence[Index], kind: str) -> Index:
    exact = [index for index in same_class if index.name == name]
    if exact:
        return exact[0]
    renewed = [index for index in same_class if re.fullmatch(re.escape(name) + r"_\d+", index.name)]
    if len({_data(index) for index in renewed}) == 1:
        return _best(renewed)
    other = next((index for index in indexes if index.name == name), None)
    what = f"There is no {_CLASS[kind]} index called '{name}'."
    if other:
        what = f"'{name}' is a {other.kind.lower()} index, not a {_CLASS[kind]} index."
    there = f"The database has no {_CLASS[kind]} index. {_HOW_TO_MAKE[kind]}"
    if same_class:
        there = f"The {_CLASS[kind]} indexes are: {_listed(same_class)}."
    raise IndexProblem(what, there)


def _data(index: Index) -> tuple:
    """What the index is of. A vector index is told by its embedding; its filterable properties are an extra."""
    return index.entity, index.labels, index.properties[:1] if index.kind == "VECTOR" else index.properties


def _best(found: Sequence[Index]) -> Index:
    return max(found, key=lambda index: (index.state == "ONLINE", len(index.properties), len(index.name), index.name))


def _listed(indexes: Iterable[Index]) -> str:
    return ", ".join(f"{index.name} ({'|'.join(index.labels)}.{index.properties[0]})" for index in indexes)


def _ready(index: Index, kind: str) -> Index:
    if index.state == "ONLINE":
        return index
    if index.state == "POPULATING":
        raise IndexProblem(
            f"The {_CLASS[kind]} index '{index.name}' is not ready: it is still being filled ({index.percent:.0f} %).",
            "Try again in a moment.",
        )
    raise IndexProblem(
        f"The {_CLASS[kind]} index '{index.name}' has failed and cannot be searched.",
        "Drop it and create it again; SHOW INDEXES YIELD name, failureMessage says why.",
    )
