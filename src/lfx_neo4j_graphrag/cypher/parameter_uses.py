"""What a query needs each ``$parameter`` to be, as far as its text tells: a number, a list, a map, or what a property holds.

A value that a person typed, or that an agent passed, is text. ``WHERE i.fecha >= $desde`` finds nothing, silently, when
the property is a date and the parameter is text. The server's EXPLAIN does not type parameters, so the text is read:

- ``LIMIT $n``, ``SKIP $n``, ``range(1, $n)``: a whole number; ``$x * 2``, ``round($x)``, ``count(*) > $x``: a number;
- ``IN $x``, ``UNWIND $x``, ``FOR $x`` of a vector search: a list; ``$x.key``, ``+= $x``: a map; ``$x[0]``: either;
- ``date(n.d) >= $x``: a value of that type;
- ``n.p = $x`` (any comparison, also ``$x <= n.p``, ``n.p IN $x``, ``$x IN n.p``, ``(n:Label {p: $x})``, and a column
  that is named before: ``WITH n.p AS p WHERE p = $x``): what the property holds in the graph, which the caller looks up;
- anywhere else (``toLower($x)``, ``CONTAINS $x``, ``date($x)``, ``RETURN $x``): text stays text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .names import quote
from .tokens import Token, tokenize

_COMPARISONS = {"=", "<>", "<", "<=", ">", ">="}
_ARITHMETIC = {"+", "-", "*", "/", "%", "^"}
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_NUMERIC = set(
    "count sum avg size length abs ceil floor round sign sqrt exp log log10 tointeger tofloat rand degrees radians stdev stdevp "
    "percentilecont percentiledisc point.distance vector.similarity.cosine vector.similarity.euclidean timestamp".split()
)
_TYPED = {
    "date": "DATE",
    "datetime": "ZONED DATETIME",
    "localdatetime": "LOCAL DATETIME",
    "time": "ZONED TIME",
    "localtime": "LOCAL TIME",
    "date.truncate": "DATE",
    "datetime.truncate": "ZONED DATETIME",
    "toboolean": "BOOLEAN",
}
# Functions and procedures with the kind of each argument; the last one stands for all that follow.
_ARGUMENTS = {
    "range": ("integer",),
    "left": ("", "integer"),
    "right": ("", "integer"),
    "substring": ("", "integer"),
    "round": ("number", "integer", ""),
    "abs": ("number",),
    "ceil": ("number",),
    "floor": ("number",),
    "sqrt": ("number",),
    "percentilecont": ("", "number"),
    "percentiledisc": ("", "number"),
    "vector.similarity.cosine": ("list",),
    "vector.similarity.euclidean": ("list",),
    "db.index.vector.querynodes": ("", "integer", "list"),
    "db.index.vector.queryrelationships": ("", "integer", "list"),
}
_NUMBER_MAPS = {"duration", "date", "datetime", "localdatetime", "time", "localtime", "point", "vector"}
_TEXT_KEYS = {"timezone", "crs", "epochmillis", "unit"}


@dataclass(frozen=True)
class Property:
    """A property of nodes, or of relationships, that have one of ``labels`` (none: any)."""

    name: str
    labels: tuple[str, ...] = ()
    relationship: bool = False


@dataclass(frozen=True)
class Use:
    """``kind``: integer, number, list, map, json (a list or a map) or "". ``types``: as ``valueType`` names them.

    ``properties``: what the parameter, or each item of the list, is compared with.
    """

    kind: str = ""
    types: tuple[str, ...] = ()
    properties: tuple[Property, ...] = ()

    def __or__(self, other: Use) -> Use:
        return Use(self.kind or other.kind, self.types or other.types, tuple(dict.fromkeys(self.properties + other.properties)))


def parameter_uses(cypher: str) -> dict[str, Use]:
    """Use of every ``$parameter`` of ``cypher``, which has passed the screen."""
    tokens = _joined_parameters(tokenize(cypher))
    query = _Query(tokens)
    uses: dict[str, Use] = {}
    for position, token in enumerate(tokens):
        if token.kind == "parameter":
            name = Token("quoted" if token.text[1] == "`" else "word", token.text[1:]).name
            uses[name] = uses.get(name, Use()) | query.use(position)
    return uses


def stored_types(properties: Sequence[Property]) -> str:
    """Types of the values of ``properties``: one row ``i``, ``types`` each; ``$looked`` entities are looked at for each."""
    arms = []
    for number, prop in enumerate(properties):
        names = "|".join(quote(label) for label in prop.labels)
        labelled = f"n:{names}" if names else "n"
        pattern = f"()-[{labelled}]->()" if prop.relationship else f"({labelled})"
        value = f"n.{quote(prop.name)}"
        arms.append(
            f"MATCH {pattern} WITH n LIMIT $looked WHERE {value} IS NOT NULL WITH {value} AS v LIMIT 100 "
            f"RETURN {number} AS i, collect(DISTINCT valueType(v)) AS types"
        )
    return "CYPHER 5 " + " UNION ALL ".join(arms)


def _joined_parameters(tokens: list[Token]) -> list[Token]:
    """``$ name`` with white space between is a parameter too."""
    joined: list[Token] = []
    for token in tokens:
        if joined and joined[-1].text == "$" and token.kind in ("word", "quoted", "number"):
            joined[-1] = Token("parameter", "$" + token.text)
        else:
            joined.append(token)
    return joined


class _Query:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.variables: dict[str, tuple[tuple[str, ...], bool]] = {}
        self.aliases: dict[str, Use] = {}
        self.enclosing = [-1] * len(tokens)  # position of the bracket that each token stands in
        self.opening: dict[int, int] = {}  # closing bracket -> opening bracket
        self._read()

    def _at(self, position: int) -> Token:
        return self.tokens[position] if 0 <= position < len(self.tokens) else Token("end", "")

    def _is_name(self, position: int) -> bool:
        return self._at(position).kind in ("word", "quoted")

    def _read(self) -> None:
        open_brackets: list[int] = []
        for position, token in enumerate(self.tokens):
            if token.text in _BRACKETS.values() and token.kind == "operator" and open_brackets:
                self.opening[position] = open_brackets.pop()
            self.enclosing[position] = open_brackets[-1] if open_brackets else -1
            if token.text in _BRACKETS and token.kind == "operator":
                open_brackets.append(position)
                if token.text in "([":
                    self._read_pattern(position)
            elif token.upper == "AS" and self._is_name(position + 1):
                self.aliases[self._at(position + 1).name] = self._before(position - 1)

    def _read_pattern(self, opening: int) -> None:
        variable = opening + 1 if self._is_name(opening + 1) else opening
        labels, relationship = self._labels(opening), self._is_relationship(opening)
        if variable > opening and labels:
            self.variables.setdefault(self._at(variable).name, (labels, relationship))
        elif variable > opening and relationship:
            self.variables.setdefault(self._at(variable).name, ((), True))

    def _labels(self, opening: int) -> tuple[str, ...]:
        """Labels of a pattern element ``(n:A|B``; none where they are negated, computed or not there."""
        position = opening + (2 if self._is_name(opening + 1) else 1)
        if self._at(position).text != ":" and self._at(position).upper != "IS":
            return ()
        labels = []
        while self._is_name(position + 1):
            labels.append(self._at(position + 1).name)
            position += 2
            if self._at(position).text not in ("|", "&", ":"):
                return tuple(labels)
        return ()

    def _is_relationship(self, opening: int) -> bool:
        return self._at(opening).text == "[" and self._at(opening - 1).text == "-"

    # --- uses ------------------------------------------------------------------------------------------------

    def use(self, position: int) -> Use:
        """What the parameter at ``position`` must be, there."""
        before, after = self._at(position - 1), self._at(position + 1)
        if before.upper in ("SKIP", "LIMIT", "OFFSET"):
            return Use("integer")
        if before.upper == "UNWIND":
            return Use("list")
        if before.upper == "FOR":
            return Use("list")
        if before.upper == "IN":
            compared = self._before(position - 2)
            return Use("list", compared.types, compared.properties)
        if before.text == "+=" or after.text == ".":
            return Use("map")
        if after.text == "[" and after.kind == "operator":
            return Use("json")
        if before.text == ":" and self._at(self.enclosing[position]).text == "{":
            return self._map_entry(position)
        if before.text in ("(", ",") and after.text in (")", ",") and (argument := self._argument(position)):
            return argument
        return self._compared(position, before, after)

    def _compared(self, position: int, before: Token, after: Token) -> Use:
        use = Use()
        if before.kind == "operator" and before.text in _COMPARISONS:
            use |= self._before(position - 2)
        if after.kind == "operator" and after.text in _COMPARISONS:
            use |= self._after(position + 2)
        if after.upper == "IN":
            found = self._after(position + 2)
            items = tuple(kind[5:-1] for kind in found.types if kind.startswith("LIST<"))
            use |= Use("", items, found.properties)
        if use == Use() and self._is_arithmetic(position):
            return Use("number")
        return use

    def _is_arithmetic(self, position: int) -> bool:
        """``$x * 2``; a plus may also join texts, so it needs a number at its other side."""
        for operator, other in ((position - 1, position - 2), (position + 1, position + 2)):
            token = self._at(operator)
            if token.kind == "operator" and token.text in _ARITHMETIC and (token.text != "+" or self._at(other).kind == "number"):
                return True
        return False

    def _map_entry(self, position: int) -> Use:
        """``(n:Label {key: $x})`` is a comparison, ``duration({days: $x})`` a number, ``(…, {limit: $x})`` an option."""
        key, brace = self._at(position - 2).name, self.enclosing[position]
        outer, before = self.enclosing[brace], self._at(brace - 1).text
        if before == ",":
            return Use("number") if key.lower() in ("limit", "skip") else Use()
        if before == "(" and self._function(outer) in _NUMBER_MAPS:
            return Use() if key.lower() in _TEXT_KEYS else Use("number")
        if self._at(outer).text == "(" or self._is_relationship(outer):
            return Use(properties=(Property(key, self._labels(outer), self._is_relationship(outer)),))
        return Use()

    def _argument(self, position: int) -> Use | None:
        opening = self.enclosing[position]
        kinds = _ARGUMENTS.get(self._function(opening)) if self._at(opening).text == "(" else None
        if kinds is None:
            return Use() if self._at(opening).text == "(" and self._function(opening) else None
        before = range(opening, position)
        number = sum(self._at(comma).text == "," and self.enclosing[comma] == opening for comma in before)
        return Use(kinds[min(number, len(kinds) - 1)])

    def _function(self, opening: int) -> str:
        """Lower-case name of the function or procedure whose arguments open here, "" for a plain bracket."""
        parts: list[str] = []
        position = opening - 1
        while self._is_name(position):
            parts.append(self._at(position).name)
            if self._at(position - 1).text != ".":
                break
            position -= 2
        return ".".join(reversed(parts)).lower()

    # --- operands --------------------------------------------------------------------------------------------

    def _before(self, end: int) -> Use:
        """What an operand that ends at ``end`` is."""
        token = self._at(end)
        if token.kind == "number":
            return Use("number")
        if token.text == ")" and end in self.opening:
            return self._result(self._function(self.opening[end]))
        if not self._is_name(end):
            return Use()
        if self._at(end - 1).text == "." and self._is_name(end - 2) and self._at(end - 3).text != ".":
            return self._property(end - 2, end)
        return self.aliases.get(token.name, Use()) if self._at(end - 1).text != "." else Use()

    def _after(self, start: int) -> Use:
        """What an operand that starts at ``start`` is."""
        if self._at(start).kind == "number":
            return Use("number")
        if not self._is_name(start):
            return Use()
        end = start
        while self._at(end + 1).text == "." and self._is_name(end + 2):
            end += 2
        if self._at(end + 1).text == "(":
            return self._result(self._function(end + 1))
        if end == start:
            return self.aliases.get(self._at(start).name, Use())
        return self._property(start, end) if end == start + 2 else Use()

    def _property(self, variable: int, name: int) -> Use:
        labels, relationship = self.variables.get(self._at(variable).name, ((), False))
        return Use(properties=(Property(self._at(name).name, labels, relationship),))

    def _result(self, function: str) -> Use:
        if function in _NUMERIC:
            return Use("number")
        return Use(types=(_TYPED[function],)) if function in _TYPED else Use()
