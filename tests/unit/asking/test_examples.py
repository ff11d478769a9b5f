import pytest

from lfx_neo4j_graphrag.asking.examples import Example, choose_examples, parse_examples
from lfx_neo4j_graphrag.errors import InputError

TEXT = """Pregunta: ¿Cuántas hay?
Cypher: MATCH (i:Incidencia)
  RETURN count(i) AS total

Question: Who fixes {x}?
Cypher: ```cypher
MATCH (t:Tecnico) RETURN t.nombre AS tecnico;
```
"""


def test_pairs_in_both_languages_over_several_lines():
    assert parse_examples(TEXT) == [
        Example("¿Cuántas hay?", "MATCH (i:Incidencia)\n  RETURN count(i) AS total"),
        Example("Who fixes {x}?", "MATCH (t:Tecnico) RETURN t.nombre AS tecnico"),
    ]


def test_nothing_is_no_examples():
    assert parse_examples("  \n") == []


@pytest.mark.parametrize(("text", "words"), [("hola", "hola"), ("Pregunta: ¿Cuántas?", "Example 1"), ("Pregunta:\nCypher: RETURN 1", "question")])
def test_a_broken_pair_is_named(text, words):
    with pytest.raises(InputError, match=words):
        parse_examples(text)


def test_of_many_examples_the_likest_are_chosen_in_their_order():
    many = [Example(f"¿Cuántas averías tuvo el bar número {i}?", f"RETURN {i} AS n") for i in range(20)]
    many[13] = Example("¿Qué técnico repara cafeteras Vellani?", "RETURN 'v' AS v")
    chosen = choose_examples(many, "¿Qué técnicos repararon las Vellani?")
    assert len(chosen) == 8
    assert many[13] in chosen
    assert chosen == sorted(chosen, key=many.index)
