"""The fields Allowed Patterns, Node Types and Relationship Types.

Node Types            Incidencia(codigo, fecha: date, estado: abierta | cerrada), Cliente(nombre)
Relationship Types    DE_CLIENTE, ASIGNADA_A(desde: date)
Allowed Patterns      (Incidencia)-[:DE_CLIENTE]->(Cliente)      one a line; also Incidencia -DE_CLIENTE-> Cliente,
                      Incidencia DE_CLIENTE Cliente, with or without colons, and <-[:…]- the other way round

Types are separated by commas or line breaks, properties likewise. A name with other characters than letters, digits, spaces
and hyphens stands in backquotes (doubled inside). The first property of a type is its key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..errors import InputError
from .names import fold
from .schema import GraphSchema, NodeType, Pattern, Property, RelationshipType

# What a property can be declared as, and how people write it.
TYPES: dict[str, tuple[str, ...]] = {
    "text": ("text", "string", "str", "texto", "cadena"),
    "date": ("date", "fecha", "día"),
    "datetime": ("datetime", "timestamp", "fecha y hora"),
    "time": ("time", "hora"),
    "integer": ("integer", "int", "entero", "long"),
    "float": ("float", "number", "double", "decimal", "número"),
    "boolean": ("boolean", "bool", "booleano", "sí/no"),
    "list": ("list", "lista"),
}
_TYPE_OF = {fold(word): name for name, words in TYPES.items() for word in words}

_NODE_ADVICE = "Expected a name and its properties, the key first: Incidencia(codigo, fecha: date, estado: abierta | cerrada)."
_RELATIONSHIP_ADVICE = "Expected names, with properties where they have some: DE_CLIENTE, ASIGNADA_A(desde: date)."
_PATTERN_ADVICE = "Expected one pattern a line: (Incidencia)-[:DE_CLIENTE]->(Cliente)."

_QUOTES = "`\"'"
_NAME = r"""(?:`(?:[^`]|``)+`|"[^"]+"|'[^']+'|[^\W_](?:[\w .&/+#ºª'’]|(?<=\w)-(?=\w))*|_\w+)"""
_NODE = rf"(?:\(\s*(?:\w*\s*:\s*)?(?P<{{0}}p>{_NAME})\s*\)|(?P<{{0}}b>{_NAME}))"
_TYPE = rf"(?:\[\s*(?:\w*\s*:\s*)?(?P<tp>{_NAME})\s*\]|:?\s*(?P<tb>{_NAME}))"
_FORWARD = re.compile(rf"{_NODE.format('s')}\s*-+>?\s*{_TYPE}\s*-+>\s*{_NODE.format('e')}\s*[.]?")
_BACKWARD = re.compile(rf"{_NODE.format('e')}\s*<-+\s*{_TYPE}\s*<?-+\s*{_NODE.format('s')}\s*[.]?")
_UNDIRECTED = re.compile(rf"{_NODE.format('s')}\s*-+\s*{_TYPE}\s*-+\s*{_NODE.format('e')}\s*[.]?")
_WORD = r"""(?:`(?:[^`]|``)+`|"[^"]+"|'[^']+'|[^\s,;()\[\]{}<>|:]+)"""
_TRIPLE = re.compile(rf"[(\[]?\s*(?P<s>{_WORD})\s*[,\s]\s*:?(?P<t>{_WORD})\s*[,\s]\s*(?P<e>{_WORD})\s*[)\]]?")


def parse_schema(allowed_patterns: str = "", node_types: str = "", relationship_types: str = "") -> GraphSchema:
    """The schema that the three fields describe. Patterns alone imply their types.

    Raises InputError with the field, the line and what was expected there.
    """
    nodes = {
        fold(name): NodeType(name, properties) for name, properties in _declarations(node_types or "", "Node Types", _NODE_ADVICE)
    }
    relationships = {
        fold(name): RelationshipType(name, properties)
        for name, properties in _declarations(relationship_types or "", "Relationship Types", _RELATIONSHIP_ADVICE)
    }
    patterns: dict[tuple[str, str, str], Pattern] = {}
    for pattern in _patterns(allowed_patterns or ""):
        start = nodes.setdefault(fold(pattern.start), NodeType(pattern.start))
        end = nodes.setdefault(fold(pattern.end), NodeType(pattern.end))
        kind = relationships.setdefault(fold(pattern.type), RelationshipType(pattern.type))
        known = Pattern(start.label, kind.type, end.label)  # one spelling: that of the declaration, else the first
        patterns.setdefault((known.start, known.type, known.end), known)
    return GraphSchema(tuple(nodes.values()), tuple(relationships.values()), tuple(patterns.values()))


# ------------------------------------------------------------------------------------------ types and properties


def _declarations(text: str, field: str, advice: str) -> Iterator[tuple[str, tuple[Property, ...]]]:
    seen: dict[str, int] = {}
    for line, piece in _pieces(text, field, advice):
        piece = re.sub(r"^[-*•]\s+", "", piece)
        head, opened, rest = _outside_quotes(piece, "(")
        inner = ""
        if opened:
            inner, closed, after = _outside_quotes(rest, ")")
            if not closed or after.strip(" ."):
                raise InputError(f"{field}, line {line}: '{_short(piece)}' has text after the parenthesis.", advice)
        name = _name(head, field, line, piece, advice)
        if fold(name) in seen:
            first = seen[fold(name)]
            raise InputError(f"{field}, line {line}: '{name}' is declared twice (first in line {first}).", "Keep one of them.")
        seen[fold(name)] = line
        yield name, _properties(inner, field, line, name, advice)


def _properties(text: str, field: str, line: int, owner: str, advice: str) -> tuple[Property, ...]:
    found: dict[str, Property] = {}
    for offset, piece in _pieces(text, field, advice):
        at = line + offset - 1
        head, typed, rest = _outside_quotes(piece, ":")
        name = _name(head, field, at, piece, advice)
        if fold(name) in found:
            raise InputError(f"{field}, line {at}: '{owner}' has the property '{name}' twice.", "Keep one of them.")
        found[fold(name)] = _typed(name, rest.strip(), field, at) if typed else Property(name)
    return tuple(found.values())


def _typed(name: str, text: str, field: str, line: int) -> Property:
    values = _split_values(text)
    if len(values) > 1:
        plain = [_unquoted(value) for value in values if value]
        if len({fold(value) for value in plain}) < len(plain):
            raise InputError(f"{field}, line {line}: '{name}' lists the same value twice.", "List each allowed value once.")
        return Property(name, values=tuple(plain))
    if values and values[0][:1] in _QUOTES and values[0]:
        return Property(name, values=(_unquoted(values[0]),))
    known = _TYPE_OF.get(fold(values[0])) if values else None
    if known is None:
        raise InputError(
            f"{field}, line {line}: '{_short(text)}' is not a type for '{name}'.",
            f"Expected one of {', '.join(TYPES)}, or the allowed values separated by |, for example estado: abierta | cerrada.",
        )
    return Property(name, known)


def _split_values(text: str) -> list[str]:
    values: list[str] = []
    rest = text
    while True:
        value, more, rest = _outside_quotes(rest, "|")
        values.append(value.strip())
        if not more:
            return values if len(values) == 1 else [value for value in values if value]


# ------------------------------------------------------------------------------------------------------ patterns


def _patterns(text: str) -> Iterator[Pattern]:
    for line, piece in _pieces(text, "Allowed Patterns", _PATTERN_ADVICE, separators="\n;"):
        piece = re.sub(r"^[-*•]\s+", "", piece).translate(str.maketrans({"→": "->", "←": "<-", "–": "-", "—": "-"}))
        parts = [piece]
        if "-" in piece and "," in piece:
            parts = [part for _, part in _pieces(piece, "Allowed Patterns", _PATTERN_ADVICE, separators=",")]
        for part in parts:
            yield _pattern(part, line)


def _pattern(text: str, line: int) -> Pattern:
    for form in (_FORWARD, _BACKWARD, _UNDIRECTED):
        if match := form.fullmatch(text):
            found = match.groupdict()
            names = [found[f"{part}p"] or found[f"{part}b"] for part in "ste"]
            break
    else:
        match = _TRIPLE.fullmatch(text)
        if not match:
            raise InputError(f"Allowed Patterns, line {line}: '{_short(text)}' is not a pattern.", _PATTERN_ADVICE)
        names = [match[part] for part in "ste"]
    return Pattern(*(_unquoted(name.strip()) for name in names))


# -------------------------------------------------------------------------------------------------------- pieces


def _pieces(text: str, field: str, advice: str, separators: str = ",\n;") -> Iterator[tuple[int, str]]:
    """The pieces between separators that stand outside quotes and brackets, with their line (from 1); blank ones left out."""
    depth, line, start, begun, quote = 0, 1, 0, 1, ""
    for position, char in enumerate(text):
        line += char == "\n"
        if quote:
            quote = "" if char == quote else quote
        elif char == "`" or (char in "\"'" and not text[:position].rstrip()[-1:].isalnum()):
            quote = char
        elif char in "([{":
            depth += 1
            if depth > 1 and char == "(" and separators != "\n;":
                raise InputError(f"{field}, line {begun}: a parenthesis is not closed before the next one opens.", advice)
        elif char in ")]}":
            depth -= 1
            if depth < 0:
                raise InputError(f"{field}, line {line}: a bracket is closed that was not opened.", advice)
        if char in separators and not depth and not quote:
            if piece := text[start:position].strip():
                yield begun, piece
            start, begun = position + 1, line
        elif not text[start:position].strip() and not char.isspace():
            begun = line
    if quote or depth:
        raise InputError(f"{field}, line {begun}: {'a quote' if quote else 'a bracket'} is not closed.", advice)
    if piece := text[start:].strip():
        yield begun, piece


def _outside_quotes(text: str, mark: str) -> tuple[str, str, str]:
    """``str.partition`` at the first ``mark`` outside quotes."""
    quote = ""
    for position, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char == "`" or (char in "\"'" and not text[:position].rstrip()[-1:].isalnum()):
            quote = char
        elif char == mark:
            return text[:position], mark, text[position + 1 :]
    return text, "", ""


def _name(text: str, field: str, line: int, piece: str, advice: str) -> str:
    text = text.strip()
    bare = not (len(text) > 2 and text[0] in _QUOTES and text[-1] == text[0])
    name = _unquoted(text)
    if not name or (bare and re.search(r"[(){}\[\]<>|:=`\"]", name)):
        raise InputError(f"{field}, line {line}: '{_short(piece)}' is not understood.", advice)
    return name


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) > 2 and text[0] in _QUOTES and text[-1] == text[0]:
        return text[1:-1].replace("``", "`") if text[0] == "`" else text[1:-1]
    return text


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:59] + "…"
