"""Cypher of the searches: candidates of the two branches, exact search, and what the hits look like. Pure text.

Every candidate statement returns one row: ``hits``, a list of maps of ``id`` (elementId), ``score`` and ``tie`` (values that
order equal scores the same way on every copy of the data), best first: rows would be a message each, for each of which the
driver waits. ``where`` and ``inside`` are predicates over ``n``, made by ``retrieval.predicates``; their parameters are the
caller's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .names import quote

# Combining acute, grave, circumflex and diaeresis; the tilde stays, because ñ is a letter and no accented n.
_ACCENTS = ("\\u0301", "\\u0300", "\\u0302", "\\u0308")
_PLAIN_CHARACTERS = 4000


def vector_search(
    index: str,
    *,
    relationship: bool = False,
    procedure: bool = False,
    inside: str = "",
    where: str = "",
    rescore: tuple[str, str] | None = None,
    tie: Sequence[str] = (),
    hide: Sequence[str] | None = None,
    parts: bool = False,
) -> str:
    """Nearest vectors: parameters ``$vector``, ``$candidates`` (asked of the index) and ``$limit`` (returned).

    ``procedure`` is the form of servers without the SEARCH clause, which cannot filter ``inside`` the index. ``hide`` (the
    embedding properties) asks for the content of the hits as well. ``rescore`` (similarity, embedding) compares the
    candidates exactly: the scores of a quantized index are estimates on servers before 2026.06. ``parts`` adds that field,
    the property ``$parts``: named by a parameter, the server does not warn where no node has it.
    """
    if procedure:
        name, found = ("queryRelationships", "relationship") if relationship else ("queryNodes", "node")
        head = f"CYPHER 5 CALL db.index.vector.{name}($index, $candidates, $vector) YIELD {found} AS n, score"
        head += f" WHERE {where}" if where else ""
    else:
        pattern = "()-[n]->()" if relationship else "(n)"
        inner = f" WHERE {inside}" if inside else ""
        head = (
            f"CYPHER 25 MATCH {pattern} SEARCH n IN (VECTOR INDEX {quote(index)} FOR $vector{inner} LIMIT $candidates) "
            "SCORE AS score" + (f" WHERE {where}" if where else "")
        )
    if rescore:
        head += f" WITH n, {_similarity(*rescore)} AS score"
    return f"{head} {_best(tie, _content(relationship, hide, parts))}"


def exact_search(
    labels: Iterable[str],
    embedding: str,
    where: str,
    *,
    similarity: str = "cosine",
    relationship: bool = False,
    tie: Sequence[str] = (),
    hide: Sequence[str] | None = None,
    parts: bool = False,
) -> str:
    """The filtered set compared one by one, when it has at most ``$bound`` members: one row ``total``, ``best``.

    ``total`` is counted up to ``$bound`` + 1; ``best`` is empty when it is larger. Vectors of another length than ``$size``
    are left out, because one of them fails the whole query; so are zero vectors, which have no direction.
    """
    place = f"n.{quote(embedding)}"
    content = _content(relationship, hide, parts)
    fields = "id: elementId(n), " + _fields("score", "tie", *_names(content))
    return (
        f"CYPHER 5 MATCH {pattern(labels, relationship)} WHERE {where} AND {place} IS NOT NULL WITH n LIMIT $bound + 1 "
        "WITH collect(n) AS found "
        "CALL (found) { UNWIND CASE WHEN size(found) <= $bound THEN found ELSE [] END AS n "
        f"WITH n WHERE size({place}) = $size AND any(x IN {place} WHERE x <> 0) "
        f"WITH n, {_similarity(similarity, embedding)} AS score, {_tie(tie)} AS tie "
        f"ORDER BY score DESC, tie LIMIT $limit WITH n, score, tie{content} RETURN collect({{{fields}}}) AS best }} "
        "RETURN size(found) AS total, best"
    )


def fulltext_search(
    *, relationship: bool = False, where: str = "", tie: Sequence[str] = (), bounded: bool = True, texts: Sequence[str] = ()
) -> str:
    """Best by words: parameters ``$index``, ``$text`` (Lucene), ``$limit``, and ``$candidates`` when ``bounded``.

    ``texts`` (properties) adds ``covered``: the share of ``$stems`` that they hold, accents apart.
    """
    name, found = ("queryRelationships", "relationship") if relationship else ("queryNodes", "node")
    options = ", {limit: $candidates}" if bounded else ""
    condition = f" WHERE {where}" if where else ""
    return (
        f"CYPHER 5 CALL db.index.fulltext.{name}($index, $text{options}) YIELD {found} AS n, score{condition} "
        f"{_best(tie, '', texts)}"
    )


def contents(*, relationship: bool = False, hide: Sequence[str] = ()) -> str:
    """What the hits ``$ids`` are, ``hits``: ``id``, ``labels`` (of a relationship its type), ``properties`` without the embeddings;
    of a relationship also ``ends``, its two nodes."""
    head = "MATCH ()-[n]->() WHERE elementId(n) IN $ids" if relationship else "MATCH (n) WHERE elementId(n) IN $ids"
    content = _content(relationship, hide)
    return f"CYPHER 5 {head} WITH elementId(n) AS id{content} RETURN collect({{{_fields('id', *_names(content))}}}) AS hits"


def stored_kinds(properties: Sequence[tuple[Sequence[str], str, bool]]) -> str:
    """Types and short values of properties, one row ``i``, ``kinds``, ``texts`` each; ``$sample`` values are looked at.

    ``properties``: (labels or types, property, relationship).
    """
    arms = []
    for number, (labels, name, relationship) in enumerate(properties):
        place = f"n.{quote(name)}"
        arms.append(
            f"MATCH {pattern(labels, relationship)} WHERE {place} IS NOT NULL WITH {place} AS v LIMIT $sample "
            f"RETURN {number} AS i, collect(DISTINCT valueType(v)) AS kinds, "
            "collect(DISTINCT CASE WHEN v IS :: STRING AND size(v) <= $short THEN v END) AS texts"
        )
    return "CYPHER 5 " + " UNION ALL ".join(arms)


def property_names(labels: Sequence[str], relationship: bool = False) -> str:
    """Names of the properties of the first ``$sample`` nodes, with one of their types."""
    return (
        f"CYPHER 5 MATCH {pattern(labels, relationship)} WITH n LIMIT $sample UNWIND keys(n) AS name "
        "RETURN name, collect(DISTINCT valueType(n[name]))[0] AS kind ORDER BY name"
    )


def text_lengths(labels: Sequence[str], properties: Sequence[str], relationship: bool = False) -> str:
    """The longest of ``$sample`` values of each property, in the order given: one row ``longest``."""
    each = ", ".join(f"max(size(toStringOrNull(n.{quote(name)})))" for name in properties)
    return f"CYPHER 5 MATCH {pattern(labels, relationship)} WITH n LIMIT $sample RETURN [{each}] AS longest"


def stored_example(labels: Sequence[str], embedding: str, text: str, relationship: bool = False) -> str:
    """One node that has a text and a vector of ``$size`` numbers: ``text``, ``vector``."""
    place, words = f"n.{quote(embedding)}", f"n.{quote(text)}"
    return (
        f"CYPHER 5 MATCH {pattern(labels, relationship)} WHERE {place} IS NOT NULL AND {words} IS :: STRING NOT NULL "
        f"AND size({place}) = $size AND size({words}) > $longer RETURN {words} AS text, {place} AS vector LIMIT 1"
    )


def stored_size(labels: Sequence[str], embedding: str, relationship: bool = False) -> str:
    """The length of one stored vector, ``size``."""
    place = f"n.{quote(embedding)}"
    return f"CYPHER 5 MATCH {pattern(labels, relationship)} WHERE {place} IS NOT NULL RETURN size({place}) AS size LIMIT 1"


def pattern(labels: Iterable[str], relationship: bool = False) -> str:
    """``(n:`A`|`B`)`` or ``()-[n:`A`|`B`]->()``."""
    names = "|".join(quote(label) for label in labels)
    return f"()-[n:{names}]->()" if relationship else f"(n:{names})"


def retrieval_statement(query: str, relationship: bool = False) -> str:
    """The user's Retrieval Query after ``node`` and ``score`` of one hit (``$__id``, ``$__score``).

    A version prefix of the user's text (``CYPHER 25``) moves to the front, where it belongs.
    """
    text = query.strip().rstrip(";").rstrip()
    prefix = ""
    words = text.split(None, 2)
    if len(words) == 3 and words[0].upper() == "CYPHER" and words[1] in ("5", "25"):
        prefix, text = f"CYPHER {words[1]} ", words[2]
    head = "MATCH ()-[node]->()" if relationship else "MATCH (node)"
    return f"{prefix}{head} WHERE elementId(node) = $__id\nWITH node, $__score AS score\n{text}"


def _best(tie: Sequence[str], content: str, texts: Sequence[str] = ()) -> str:
    covered = ""
    if texts:
        content += ", size([stem IN $stems WHERE plain CONTAINS stem]) * 1.0 / size($stems) AS covered"
        covered = f" WITH n, score, tie, {_plain(texts)} AS plain"
    return (
        f"WITH n, score, {_tie(tie)} AS tie ORDER BY score DESC, tie LIMIT $limit{covered} "
        f"WITH elementId(n) AS id, score, tie{content} ORDER BY score DESC, tie "
        f"RETURN collect({{{_fields('id', 'score', 'tie', *_names(content))}}}) AS hits"
    )


def _similarity(similarity: str, embedding: str) -> str:
    """The index's own score, computed."""
    return f"vector.similarity.{'euclidean' if similarity == 'euclidean' else 'cosine'}(n.{quote(embedding)}, $vector)"


def _plain(texts: Sequence[str]) -> str:
    """The texts in lower case and decomposed (NFD), accents taken out."""
    joined = " + ' ' + ".join(f"coalesce(toStringOrNull(n.{quote(name)}), '')" for name in texts)
    plain = f"normalize(toLower(left({joined}, {_PLAIN_CHARACTERS})), NFD)"
    for accent in _ACCENTS:
        plain = f"replace({plain}, '{accent}', '')"
    return plain


def _tie(properties: Sequence[str]) -> str:
    return "[" + ", ".join(f"toStringOrNull(n.{quote(name)})" for name in properties) + "]"


def _content(relationship: bool, hide: Sequence[str] | None, parts: bool = False) -> str:
    """Further columns of a hit, each after a comma: what it is (``hide`` not None), its parts."""
    more = ", n[$parts] AS parts" if parts else ""
    if hide is None:
        return more
    without = "".join(f", {quote(name)}: null" for name in hide)
    if relationship:
        ends = f"[e IN [startNode(n), endNode(n)] | {{labels: labels(e), properties: e {{.*{without}}}}}]"
        return f", [type(n)] AS labels, n {{.*{without}}} AS properties, {ends} AS ends{more}"
    return f", labels(n) AS labels, n {{.*{without}}} AS properties{more}"


def _names(content: str) -> list[str]:
    return [name for name in ("labels", "properties", "ends", "covered", "parts") if f" AS {name}" in content]


def _fields(*names: str) -> str:
    return ", ".join(f"{name}: {name}" for name in names)
