import pytest

from lfx_neo4j_graphrag.asking.answer import read_answer

Q = "MATCH (p:Parte {estado: 'abierta'}) RETURN count(p) AS total"


@pytest.mark.parametrize(
    "reply",
    [
        Q,
        f"{Q};",
        f"```cypher\n{Q}\n```",
        f"```\n{Q};\n```",
        f"```cypher\n{Q}",
        f"~~~cypher\n{Q}\n~~~",
        f"cypher\n{Q}",
        f"Cypher: {Q}",
        f"<think>Quizá MATCH (n) DETACH DELETE n</think>\n{Q}",
        f"Quizá MATCH (n) DETACH DELETE n</think>\n{Q}",
        f"{Q}<|im_end|>",
        f"{Q}</s>",
        f"Claro, aquí va:\n\n{Q}\n\nEsto cuenta las partes abiertas.",
        f"Primero pensé en\n```cypher\nMATCH (x) RETURN x\n```\npero la respuesta es\n```cypher\n{Q}\n```",
        f"`{Q}`",
        '{"query": "%s"}' % Q,
        '```json\n{"cypher": "%s"}\n```' % Q,
        f"With this statement you get it:\n{Q}",
        f"```cypher\n{Q}\n```\n\n```\ntotal\n5\n```",
    ],
)
def test_the_statement_is_found_in_any_wrapping_and_left_as_written(reply):
    answer = read_answer(reply)
    assert answer.query == Q
    assert answer.refusal == ""


def test_a_statement_with_empty_lines_and_quotes_stays_whole():
    query = "MATCH (p:`Parte rara`)\n\nWHERE p.nota = 'a; b ``` c'\n\nRETURN p.nota AS nota"
    assert read_answer(query).query == query


def test_a_statement_after_a_comment_is_a_statement():
    assert read_answer("// cuenta\nMATCH (n) RETURN count(n) AS n").query == "// cuenta\nMATCH (n) RETURN count(n) AS n"


def test_writing_statements_are_handed_on_to_be_refused_not_taken_for_prose():
    assert read_answer("CREATE (:Intruso)").query == "CREATE (:Intruso)"
    assert read_answer("/* solo lectura */ MERGE (:Intruso)").query == "/* solo lectura */ MERGE (:Intruso)"


@pytest.mark.parametrize(
    ("reply", "refusal"),
    [
        ("No puedo responder a eso con este grafo.", "No puedo responder a eso con este grafo."),
        ("NO_QUERY: el grafo no guarda precios.", "el grafo no guarda precios"),
        ("`NO_QUERY` el grafo no guarda precios", "el grafo no guarda precios"),
        ("With what you tell me, I can't.", "With what you tell me, I can't."),
        ("", ""),
        ("<think>only thoughts", ""),
    ],
)
def test_prose_is_a_refusal(reply, refusal):
    answer = read_answer(reply)
    assert answer.query == ""
    assert answer.refusal.rstrip(".") == refusal.rstrip(".")
