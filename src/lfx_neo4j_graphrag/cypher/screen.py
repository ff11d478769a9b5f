"""The lexical screen: the first of the layers a user's statement passes. It knows tokens, not grammar.

Every word of Cypher may also be a variable, a label or a property, so a word is judged by where it stands:
after something that is complete (`… n.x SET n.y = 1`) it opens a clause, where an operand is expected
(`RETURN set`, `n.set`, `(set:Set)`) it is a name, unless what follows it only makes sense after a clause's word.
What the screen cannot see, the server's plan and the READ transaction stop.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..defaults import MAX_CHAIN, MAX_CYPHER_BYTES, MAX_DEPTH, MAX_RANGE
from ..errors import QueryRefused
from .constants import range_size
from .tokens import Token, keyword, tokenize

PROCEDURES = frozenset(
    {
        "db.labels",
        "db.relationshiptypes",
        "db.propertykeys",
        "db.ping",
        "db.schema.visualization",
        "db.schema.nodetypeproperties",
        "db.schema.reltypeproperties",
        "db.index.fulltext.querynodes",
        "db.index.fulltext.queryrelationships",
        "db.index.fulltext.listavailableanalyzers",
        "db.index.vector.querynodes",
        "db.index.vector.queryrelationships",
    }
)
# Built-in functions have no dot or one of these namespaces; of APOC, what computes and nothing else.
FUNCTIONS = frozenset(
    {f"{name}.*" for name in "date datetime localdatetime time localtime duration point vector coll string uuid".split()}
    | {f"apoc.{name}.*" for name in "text coll map number math date temporal convert agg bitwise".split()}
    | {"db.namefromelementid"}
)

_STARTS = set("MATCH OPTIONAL RETURN WITH UNWIND CALL SHOW FILTER LET FINISH WHEN FOR ORDER LIMIT SKIP OFFSET".split())
_WRITE_STARTS = _STARTS | set("CREATE MERGE INSERT FOREACH".split())
_WRITES = set("CREATE MERGE INSERT SET DELETE DETACH NODETACH REMOVE FOREACH".split())
_WATCHED = _WRITES | set("CALL USE LOAD SHOW TERMINATE DEFINE".split())
_CLAUSES = _STARTS | _WRITES | set("UNION NEXT THEN ELSE WHEN END YIELD SEARCH USE USING WHERE GROUP".split())
# Words that may follow a complete operand: seen after a variable, they leave it a variable.
_CONTINUING = _CLAUSES | set(
    "AND OR XOR NOT IN IS STARTS ENDS CONTAINS AS ASC DESC ASCENDING DESCENDING FROM SCORE NULLS".split()
)
# Of these, words that no operand starts with: seen after a word, they make that a variable.
_NEVER_FIRST = set(
    "AND OR XOR IN IS STARTS ENDS CONTAINS AS ASC DESC ASCENDING DESCENDING "
    "THEN ELSE WHERE ORDER GROUP SKIP OFFSET LIMIT UNION".split()
)
# Words that stand where an operand is expected and still expect one.
_LEADING = _CONTINUING | set("DISTINCT ALL CASE BY ANY SHORTEST TYPED ON".split())
_VALUES = {"NOT", "CASE"}
_COMPLETE = set("ASC DESC ASCENDING DESCENDING END FINISH".split())
_LOGIC = {"AND", "OR", "XOR", "NOT"}
_SHOWN = {"INDEX", "INDEXES", "CONSTRAINT", "CONSTRAINTS"}
_SHOW_KINDS = set(
    "ALL VECTOR FULLTEXT RANGE TEXT POINT LOOKUP UNIQUE UNIQUENESS KEY NODE RELATIONSHIP REL PROPERTY "
    "EXISTENCE EXIST TYPE".split()
)
_OPENING = {"(", "[", "{"}
_BEFORE_OPERANDS = _OPENING | {"-", "+", "$"}
_BEFORE_STAR = {"RETURN", "WITH", "YIELD", "DISTINCT", "ALL"}
_CLOSING = {")", "]", "}"}
_END = Token("end", "")

READ_ADVICE = "Ask for data with MATCH and RETURN; nothing is changed here."
WRITE_ADVICE = "Only data may be written here: MATCH, CREATE, MERGE, SET, REMOVE, DELETE, FOREACH."


def screen(cypher: str, *, writing: bool = False, allowed_procedures: frozenset[str] = frozenset()) -> str:
    """Return the one statement of ``cypher`` without closing semicolons; raise QueryRefused when it may do more than it should.

    ``writing`` lets it create, change and delete data, and nothing else more. ``allowed_procedures`` are lower-case
    full names of procedures and functions allowed beside the built-in ones; ``apoc.meta.*`` stands for a namespace.
    """
    try:
        size = len(cypher.encode())
    except UnicodeEncodeError:
        raise QueryRefused("The query holds a broken character (half of a surrogate pair).", "Write it again.") from None
    if size > MAX_CYPHER_BYTES:
        raise QueryRefused(f"The query is longer than {MAX_CYPHER_BYTES:,} bytes.", "Pass long values as $parameters.")
    tokens = tokenize(cypher)
    while tokens and tokens[-1].text == ";":
        tokens.pop()
    if not tokens:
        raise QueryRefused("The query is empty.", "Write a Cypher statement, for example MATCH (n) RETURN n LIMIT 5.")
    if any(token.kind == "operator" and token.text == ";" for token in tokens):
        raise QueryRefused("The query holds several statements.", "Send one statement at a time.")
    _Screen(tokens, writing, allowed_procedures).run()
    return _without_semicolons(cypher)


def is_allowed(name: str, allowed: frozenset[str]) -> bool:
    """True when the lower-case full ``name`` or one of its namespaces (``apoc.meta.*``) is in ``allowed``."""
    if name in allowed:
        return True
    parts = name.split(".")
    return any(".".join(parts[:end]) + ".*" in allowed for end in range(1, len(parts)))


def called_functions(tokens: Sequence[Token]) -> list[str]:
    """Lower-case dotted names in ``tokens`` that stand before a bracket: functions that are not of the language's core."""
    names = []
    for position, token in enumerate(tokens):
        if token.text == "(" and token.kind == "operator":
            name, _ = _name_before(tokens, position)
            if "." in name:
                names.append(name)
    return names


def _without_semicolons(cypher: str) -> str:
    text = cypher.strip()
    while text.endswith(";"):  # a comment after the last semicolon is left to the server, which takes it
        text = text[:-1].rstrip()
    return text


def _name_before(tokens: Sequence[Token], opening: int) -> tuple[str, int]:
    """The dotted name that ends right before ``opening``, in lower case, and where it starts."""
    start = opening
    parts: list[str] = []
    while start > 0 and tokens[start - 1].kind in ("word", "quoted"):
        start -= 1
        parts.append(tokens[start].name.strip())
        if not (start > 1 and tokens[start - 1].kind == "operator" and tokens[start - 1].text == "."):
            break
        start -= 1
    return keyword(".".join(reversed(parts))).lower(), start


class _Screen:
    """One pass over the tokens. ``expecting``: an operand must come next; else something complete was just read."""

    def __init__(self, tokens: list[Token], writing: bool, allowed: frozenset[str]) -> None:
        self.tokens = tokens
        self.writing = writing
        self.procedures = PROCEDURES | allowed
        self.functions = FUNCTIONS | allowed
        self.advice = WRITE_ADVICE if writing else READ_ADVICE
        self.expecting = True
        self.naming = False  # after AS: whatever comes is a name
        self.brackets: list[str] = []  # what each open bracket belongs to: "call" (its scope), "subquery", ""
        self.closed = ""  # the same of the bracket that was closed last
        self.chains = [[0, 0, 0]]  # per open bracket: AND/OR, other binary operators, dots and indexes in a row

    def run(self) -> None:
        position = self._check_start()
        for position in range(position, len(self.tokens)):
            token = self.tokens[position]
            if token.kind == "operator":
                self._operator(position, token.text)
            elif token.kind == "word":
                self._word(position, token.upper)
            else:
                self.expecting = False
            self.naming = token.upper == "AS" and self.naming

    def _at(self, position: int) -> Token:
        return self.tokens[position] if 0 <= position < len(self.tokens) else _END

    def _refuse(self, sentence: str) -> None:
        raise QueryRefused(sentence, self.advice)

    # --- the start -------------------------------------------------------------------------------------------

    def _check_start(self) -> int:
        position = 0
        if self._at(0).upper == "CYPHER":
            if self._at(1).text not in ("5", "25") or self._at(3).text == "=":
                self._refuse("Only CYPHER 5 or CYPHER 25 may stand before a query, no options.")
            position = 2
        first = position
        while self._at(first).text in _OPENING:
            first += 1
        word = self._at(first).upper
        if word in ("EXPLAIN", "PROFILE"):
            self._refuse(f"{word} may not stand before a query.")
        if word in _WATCHED:
            self._watched(first, word)
        if word not in (_WRITE_STARTS if self.writing else _STARTS):
            self._refuse(f"A query may not start with {word[:40] or 'that'}.")
        return position

    # --- operators and brackets ------------------------------------------------------------------------------

    def _operator(self, position: int, text: str) -> None:
        if text in _OPENING:
            self._open(position, text)
        elif text in _CLOSING:
            if self.brackets:
                self.closed = self.brackets.pop()
                self.chains.pop()
            self.expecting = False
        elif text in (",", "|"):
            self.chains[-1] = [0, 0, 0]
            self.expecting = True
        elif text in (".", ":", "::", "$"):
            if text == ".":
                self._count(2)
            self.expecting = True
        elif text == "*" and self.expecting:  # RETURN *, count(*), [r*]
            self.expecting = False
        else:
            self._count(1)
            self.expecting = True

    def _open(self, position: int, text: str) -> None:
        before = self._at(position - 1)
        kind = ""
        if text == "(":
            kind = "call" if before.upper == "CALL" else ""
            self._check_function(position)
        elif text == "[" and not self.expecting:
            self._count(2)
        elif text == "{" and (before.upper == "CALL" or (before.text == ")" and self.closed == "call")):
            kind = "subquery"
        self.brackets.append(kind)
        self.chains.append([0, 0, 0])
        if len(self.brackets) > MAX_DEPTH:
            raise QueryRefused(
                f"The query nests brackets more than {MAX_DEPTH} deep.", "Split it, or pass nested values as $parameters."
            )
        self.expecting = True

    def _count(self, kind: int) -> None:
        chain = self.chains[-1]
        chain[kind:] = [chain[kind] + 1] + [0] * (2 - kind)
        if chain[kind] > MAX_CHAIN:
            raise QueryRefused(
                f"The query chains more than {MAX_CHAIN} operators.", "Use IN with a list, or pass the values as $parameters."
            )

    def _check_function(self, opening: int) -> None:
        name, start = _name_before(self.tokens, opening)
        if not name:
            return
        before = self._at(start - 1)
        if "." in name and before.upper != "CALL" and not is_allowed(name, self.functions):
            raise QueryRefused(
                f"The function {name[:80]} is not allowed here.",
                "Use built-in functions; the operator can allow it in NEO4J_GRAPHRAG_PROCEDURES.",
            )
        if name == "range":
            self._check_range(opening, before, self._at(start - 3))

    def _check_range(self, opening: int, before: Token, before_variable: Token) -> None:
        size = range_size(self.tokens, opening)
        streams = before.upper == "UNWIND" or (before.upper == "IN" and before_variable.upper == "FOR")
        if size is not None and not size <= MAX_RANGE and not (streams and self._is_whole_operand(opening)):
            raise QueryRefused(
                f"The query builds a range of more than {MAX_RANGE:,} numbers, which the server cannot stop.",
                "Use a smaller range.",
            )

    def _is_whole_operand(self, opening: int) -> bool:
        """True when the bracket's call is all of its expression: the server streams it, and can stop it."""
        depth = 0
        for position in range(opening, len(self.tokens)):
            text = self.tokens[position].text
            depth += (text in _OPENING) - (text in _CLOSING)
            if not depth:
                return self._at(position + 1).kind in ("word", "end")
        return False

    # --- words -----------------------------------------------------------------------------------------------

    def _word(self, position: int, word: str) -> None:
        before = self._at(position - 1)
        if before.kind == "operator" and before.text in (".", ":", "::", "$"):
            # A name; only `{key: NOT x}` and `{key: CASE …}` have more to come.
            self.expecting = before.text == ":" and word in _VALUES and self._expects_more(position)
            return
        if self.naming:
            self.naming = self.expecting = False
            return
        if word in _LOGIC:
            self._count(0)
        elif word in _CLAUSES and not (self.expecting and not self._expects_more(position)):
            self.chains[-1] = [0, 0, 0]
        if word in _WATCHED:
            opens = self._opens_clause(position)
            if opens:
                self._watched(position, word)
            self.expecting = opens
        elif self.expecting:
            self.expecting = word in _LEADING and self._expects_more(position)
        else:
            if word == "IN" and before.text == "}" and self.closed == "subquery":
                self._refuse("CALL … IN TRANSACTIONS is not allowed.")
            self.expecting = word not in _COMPLETE
            self.naming = word == "AS"

    def _expects_more(self, position: int) -> bool:
        """True when what follows a word can only be its operand: the word is no variable."""
        following = self._at(position + 1)
        if following.kind == "operator":
            # `RETURN *` is complete, `order * 2` is not; of the other operators each expects an operand anyway.
            return following.text in _BEFORE_OPERANDS or (following.text == "*" and self._at(position).upper in _BEFORE_STAR)
        return following.kind != "end" and following.upper not in _NEVER_FIRST

    def _opens_clause(self, position: int) -> bool:
        """True when a watched word is a clause's and not a variable."""
        following, after = self._at(position + 1), self._at(position + 2)
        if self._at(position).upper in ("DETACH", "NODETACH"):
            return following.upper == "DELETE"
        if following.kind == "operator":
            # `DELETE [n][0]` needs something complete before it; `set[0]`, `set {.x}` and `set - 1` are variables.
            return following.text in (("(", "$") if self.expecting else ("(", "$", "[", "{", "-", "+"))
        if following.kind == "end":
            return False
        if self.expecting and following.upper in _CONTINUING:
            # `AS set ORDER BY` is a variable; in `SET order.x = 1` and `DELETE with` the second word is one.
            ends = after.kind == "end" or after.text in (",", ")", "}")
            return after.text in (".", "=", "+=", ":") or (ends and following.upper not in _COMPLETE)
        return True

    def _watched(self, position: int, word: str) -> None:
        following = self._at(position + 1)
        if word in _WRITES:
            if not self.writing:
                self._refuse(f"The query would write ({word}).")
            if word == "CREATE" and following.text != "(" and self._at(position + 2).text != "=":
                self._refuse(f"CREATE {following.upper[:40]} is not allowed.".replace("  ", " "))
        elif word == "CALL":
            self._check_call(position)
        elif word == "USE":
            self._refuse("USE is not allowed: the database is fixed by the connection.")
        elif word == "LOAD" and following.upper == "CSV":
            self._refuse("LOAD CSV is not allowed.")
        elif word == "TERMINATE" and following.upper.startswith("TRANSACTION"):
            self._refuse("TERMINATE TRANSACTIONS is not allowed.")
        elif word == "DEFINE" and following.upper in ("PROCEDURE", "FUNCTION"):
            self._refuse("Defining procedures or functions is not allowed.")
        elif word == "SHOW":
            self._check_show(position)

    def _check_call(self, position: int) -> None:
        end = position + 1
        parts = []
        while self._at(end).kind in ("word", "quoted"):
            parts.append(self._at(end).name.strip())
            if self._at(end + 1).text != ".":
                break
            end += 2
        name = keyword(".".join(parts)).lower()
        if name and not is_allowed(name, self.procedures):
            raise QueryRefused(
                f"The procedure {name[:80]} is not allowed here.",
                "Allowed are those that read labels, types, schema and indexes; the operator can allow more in "
                "NEO4J_GRAPHRAG_PROCEDURES.",
            )

    def _check_show(self, position: int) -> None:
        end = position + 1
        while self._at(end).upper in _SHOW_KINDS:
            end += 1
        if self._at(end).upper not in _SHOWN:
            self._refuse(f"SHOW {self._at(position + 1).upper[:40]} is not allowed; SHOW INDEXES and SHOW CONSTRAINTS are.")
