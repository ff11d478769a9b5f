"""300 odd names as label, type, column, property and index name: stored literally, and nothing else happens."""

from __future__ import annotations

import random

import pytest

from lfx_neo4j_graphrag.errors import InputError
from lfx_neo4j_graphrag.records.relationships import RelationshipRule
from saving import Embedder, ask, save

PWNED = "CREATE (h:Pwned) //"
INJECTIONS = [
    rf"A\u0060) {PWNED}",
    rf"A\u0060) WITH 1 AS x {PWNED}",
    rf"A\U0060) {PWNED}",
    rf"A\\u0060) {PWNED}",
    rf"A\\\u0060) {PWNED}",
    rf"A\u005cu0060) {PWNED}",
    f"A`) {PWNED}",
    f"A``) {PWNED}",
    f"A```) {PWNED}",
    f"`) {PWNED}",
    f"A`]->() {PWNED}",
    f"A`}}) {PWNED}",
    "A` = 1 WITH n MATCH (m:Centinela) DETACH DELETE m //",
    f"A\\`) {PWNED}",
    f"A' OR 1=1 {PWNED}",
    f'A" {PWNED}',
    f"A*/ {PWNED}",
    f"A\n{PWNED}",
    f"A;{PWNED}",
    "$rows",
    "r[0]",
    "{`x`: 1}",
    "A) ON (n.x) OPTIONS {} //",
]
ODD = [
    "Avería técnica", "código de error", "2ª revisión", "MATCH", "match", "order", "n", "r", "t", "x", "v", "rows", "keys", "null",
    "true", " con espacios ", "a.b", "a->b", "a:b", "a|b", "a&b", "a!b", "a%b", "(a)", "[a]", "{a}", "a,b", "a;b", "a'b", 'a"b', "a`b",
    "``", "`", "\\", "\\\\", "\\n", "\t", "\n", "a\r\nb", "//", "/* a */", "--", "*", "🐦", "👩\u200d🔧", "日本語", "עברית", "ﷺ", "é",
    "e\u0301", "İ", "ß", "\u200b", "\u2028", "\u00a0", "\x01", "\x7f", "\ufeff", "_", "1", "-1", "1.5", "id()", "elementId(n)",
    "__proto__", "AND", "OR", "NOT", "embedding", "x" * 1000, "ñ" * 500, "`" * 100, "\\u0060" * 50,
]  # fmt: skip


def names(count: int = 300) -> list[str]:
    rng = random.Random(17)
    found = [*INJECTIONS, *ODD]
    pieces = [
        "`",
        "\\",
        "u0060",
        "\\u0060",
        ")",
        "}",
        "]",
        " ",
        "'",
        '"',
        "$",
        "é",
        "\n",
        "CREATE",
        "//",
        "\\u005c",
        "{",
        "🐦",
        "n",
        "\\u",
        ";",
    ]
    while len(found) < count:
        name = "".join(rng.choice(pieces) for _ in range(rng.randrange(1, 12)))
        if name.strip() and name not in found:
            found.append(name)
    return found


ALL = names()


@pytest.mark.parametrize("part", range(6))
async def test_odd_names_change_nothing_else(connection, part):
    await ask(connection, "UNWIND range(1, 3) AS i CREATE (:Centinela {id: i})")
    for number, name in enumerate(ALL[part * 50 : part * 50 + 50]):
        if not (name := name.strip()):  # the fields and the columns are taken without white space around them
            continue
        rule = RelationshipRule("enlace", name, name + "2", name, (name + "3",))
        rows = [{name: "A", "enlace": "B", name + "3": "C", name + "4": "D"}]
        embedder = Embedder() if number % 10 == 0 and name != "embedding" else None
        fields = {"vector_index": name + "5", "fulltext_index": name + "6", "embedder": embedder}
        report = await save(connection, rows, name, name, [rule], **fields)
        assert (report["nodes_created"], report["relationships_created"], report["rejected_rows"]) == (2, 1, 0), name
        found = await ask(connection, "MATCH (a)-[r]->(b) RETURN labels(a), properties(a), type(r), labels(b), properties(b)")
        [label, props, kind, other, linked] = found[0]
        if name != "embedding":
            props.pop("embedding", None)
        assert (label, kind, other) == ([name], name, [name + "2"]), name
        assert props == {name: "A", name + "4": "D"}, name
        assert linked == {name: "B", name + "3": "C"}, name
        indexes = {row[0] for row in await ask(connection, "SHOW INDEXES YIELD name, type WHERE type = 'FULLTEXT'")}
        assert indexes == {(name + "6").strip("".join(map(chr, range(33))))} or name in ("AND", "OR", "NOT"), name
        assert report["indexes"][0]["state"] == "ONLINE"
        again = await save(connection, rows, name, name, [rule], **fields)
        assert again["properties_set"] == 0 and again["nodes_created"] == 0, name
        await ask(connection, "MATCH (n) WHERE NOT n:Centinela DETACH DELETE n")
        await _drop_schema(connection)
    assert await ask(connection, "MATCH (n) RETURN labels(n)[0], count(*)") == [["Centinela", 3]]
    assert await ask(connection, "MATCH (n:Pwned) RETURN n") == []


async def _drop_schema(connection):
    for [name] in await ask(connection, "SHOW CONSTRAINTS YIELD name"):
        await ask(connection, "DROP CONSTRAINT $name", name=name)
    for [name] in await ask(connection, "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name"):
        await ask(connection, "DROP INDEX $name", name=name)


@pytest.mark.parametrize(
    "fields", [{"label": ""}, {"label": " "}, {"label": "a\0b"}, {"fulltext_index": "\x01"}, {"vector_index": "\x01\x02"}]
)
async def test_names_that_cannot_be_are_refused_before_anything_is_written(connection, fields):
    with pytest.raises(InputError):
        await save(connection, [{"codigo": "a"}], **fields)
    assert await ask(connection, "MATCH (n) RETURN n") == []
