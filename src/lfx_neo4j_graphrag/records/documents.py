"""Documents out of whatever holds text: every container of Langflow and Python, and graph documents of LangChain.

pandas, LangChain and Langflow are recognised by what their objects offer, so that none of them is imported.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import InputError
from .values import CellProblem, stored

_TEXT_FIELDS = ("text", "page_content", "content", "texto", "contenido", "markdown", "body", "cuerpo")
_NAME_FIELDS = ("filename", "file_name", "document", "documento", "file_path", "source", "url")
_PAGE_FIELDS = ("page_label", "page_number", "pagina", "página", "page")
_LONGEST_NAME = 300
# Langflow puts the moment of the upload in front of a file's name: the same file would be another document each time.
_UPLOAD_STAMP = re.compile(r"^\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}_")


@dataclass(frozen=True)
class Graph:
    """A graph document: ``nodes`` are (id, type, properties), ``links`` (source, type, target, properties) with node indexes."""

    nodes: tuple[tuple[Any, str, dict[str, Any]], ...]
    links: tuple[tuple[int, str, int, dict[str, Any]], ...]


@dataclass(frozen=True)
class Document:
    """One incoming text. ``name`` is the document it belongs to; ``given``: the input named it (else it is made of the text).

    ``position`` counts the incoming texts from 1. ``page`` is as the input says. ``problem``: why there is no text.
    """

    text: str
    name: str = ""
    position: int = 1
    page: int | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    given: bool = False
    graph: Graph | None = None
    problem: str = ""


def documents_from(value: Any) -> list[Document]:
    """The documents of ``value``, in their order.

    Understood: text, Message (of one file or several), Data/JSON, DataFrame/Table (one text per row), LangChain Document and
    GraphDocument, dicts with a text, lists of them to any depth. A record without a text becomes lines of ``name: value``.
    Blank texts stay, so that they can be reported.

    Raises InputError for objects that hold no text.
    """
    found = list(_collect(value))
    paths: dict[str, set[str]] = defaultdict(set)
    for document in found:
        if document.name:
            paths[_base(document.name)].add(document.name)
    unnamed: dict[str, int] = defaultdict(int)
    result = []
    for position, document in enumerate(found, 1):
        if document.name:
            name = _base(document.name)
            if len(paths[name]) > 1:  # the same file name in two folders is two documents
                name = "/".join(re.split(r"[\\/]", document.name)[-2:])
            result.append(replace(document, name=name[:_LONGEST_NAME], position=position, given=True))
        else:
            digest = hashlib.sha256(document.text.encode("utf-8", "replace")).hexdigest()[:8]
            unnamed[digest] += 1
            number = f"-{unnamed[digest]}" if unnamed[digest] > 1 else ""
            result.append(replace(document, name=f"text-{digest}{number}", position=position))
    return result


def _base(name: str) -> str:
    if re.match(r"^[a-z][a-z0-9+.-]*://", name):
        return name
    return _UPLOAD_STAMP.sub("", re.split(r"[\\/]", name.rstrip("\\/"))[-1])


def _collect(value: Any) -> Iterator[Document]:
    if value is None:
        return
    if isinstance(value, Document):
        yield value
    elif isinstance(value, str):
        yield from _of_text(value)
    elif isinstance(value, Mapping):
        yield from _of_record(dict(value))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _collect(item)
    elif hasattr(value, "iloc") and hasattr(value, "columns"):
        for row in value.to_dict(orient="records"):
            yield from _of_record({str(name): cell for name, cell in row.items()})
    elif hasattr(value, "nodes") and hasattr(value, "relationships"):
        yield _of_graph(value)
    elif any(kind.__name__ == "Message" for kind in type(value).__mro__):
        yield from _of_message(value)
    elif isinstance(getattr(value, "data", None), Mapping):
        yield from _of_record(dict(value.data), getattr(value, "text_key", None))
    elif hasattr(value, "page_content"):
        yield _of_record_text(value.page_content, dict(value.metadata or {}))
    else:
        raise InputError(
            f"No text can be read from an object of type {type(value).__name__}.",
            "Connect a text, a file, a table with a text column, or documents.",
        )


def _of_text(text: str) -> Iterator[Document]:
    """Plain text; a JSON list of objects that all have a text is a list of documents."""
    if text.lstrip()[:1] == "[":
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, list) and value and all(isinstance(item, dict) and _text_field(item) for item in value):
            for item in value:
                yield from _of_record(item)
            return
    yield Document(text)


def _of_message(message: Any) -> Iterator[Document]:
    text = message.text if isinstance(message.text, str) else str(message.text or "")
    data = dict(message.data) if isinstance(message.data, Mapping) else {}
    files = data.get("source_files")  # Read File with several files: the joined text, and each file's own
    if isinstance(files, list) and files and all(isinstance(f, dict) and str(f.get("text") or "") in text for f in files):
        for file in files:
            yield from _of_record(dict(file))
        return
    kept = {name: data[name] for name in (*_NAME_FIELDS, "date", "fecha", "page", "title") if data.get(name)}
    yield _of_record_text(text, kept)


def _of_record(record: dict[str, Any], text_key: str | None = None) -> Iterator[Document]:
    if set(record) == {"value"} and isinstance(record["value"], str):
        yield from _of_text(record["value"])
        return
    if len(record) == 1 and isinstance(inner := next(iter(record.values())), list) and inner and not isinstance(inner[0], str):
        yield from _collect(inner)
        return
    name = text_key if text_key in record else _text_field(record)
    if name is None and record.get("error"):
        yield replace(_of_record_text("", record), problem="it could not be read")
    elif name is None:
        lines = [f"{key}: {value}" for key, value in record.items() if _filled(value) and key not in _NAME_FIELDS]
        yield _of_record_text("\n".join(lines), record)
    else:
        text = record.pop(name)
        yield _of_record_text(str(text) if _filled(text) else "", record)


def _of_record_text(text: Any, metadata: dict[str, Any]) -> Document:
    text = text if isinstance(text, str) else str(text or "")
    plain = {str(key): value for key, value in metadata.items() if _filled(value) and not isinstance(value, (dict, list))}
    lowered = {key.lower(): value for key, value in plain.items()}
    name = next((lowered[key] for key in _NAME_FIELDS if isinstance(lowered.get(key), str) and lowered[key].strip()), "")
    return Document(text, name.strip(), page=_page(lowered), metadata=plain)


def _page(metadata: dict[str, Any]) -> int | None:
    for name in _PAGE_FIELDS:
        try:
            return int(float(metadata[name]))
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
    return None


def _text_field(record: Mapping[str, Any]) -> str | None:
    lowered = {str(name).lower(): name for name in record}
    return next(
        (lowered[name] for name in _TEXT_FIELDS if name in lowered and not isinstance(record[lowered[name]], (dict, list))), None
    )


def _filled(value: Any) -> bool:
    return value is not None and value == value and not (isinstance(value, str) and not value.strip())


def _of_graph(value: Any) -> Document:
    nodes: list[tuple[Any, str, dict[str, Any]]] = []
    index: dict[tuple[Any, str], int] = {}

    def place(node: Any) -> int:
        known = (node.id, node.type)
        if known not in index:
            index[known] = len(nodes)
            nodes.append((node.id, str(node.type), _stored(node.properties)))
        return index[known]

    for node in value.nodes:
        place(node)
    links = [(place(link.source), str(link.type), place(link.target), _stored(link.properties)) for link in value.relationships]
    source = getattr(value, "source", None)
    document = next(_collect(source), None) if source is not None else None
    return replace(document or Document(""), graph=Graph(tuple(nodes), tuple(links)))


def _stored(properties: Mapping[str, Any] | None) -> dict[str, Any]:
    """What Neo4j can store; a value that it can't is left out."""
    result: dict[str, Any] = {}
    for name, value in (properties or {}).items():
        try:
            plain, _ = stored(value)
        except CellProblem:
            continue
        if plain is not None:
            result[str(name)] = plain
    return result
