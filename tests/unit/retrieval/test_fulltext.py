"""Questions as Lucene queries."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.retrieval.fulltext import MAX_CLAUSES, TextQuery, code_forms, stem, text_query


def test_words_in_the_text_only():
    query = text_query("gotea la junta", ["text"], ["codigo", "estado"])
    assert query == TextQuery('text:("gotea" "junta")', "", ("gotea", "junta"))


def test_names_numbers_and_quoted_words_in_the_other_properties_too():
    query = text_query('las de Lucía Ortega con "sin agua" y 2G', ["text"], ["tecnico"])
    in_text, elsewhere = query.words.split(" tecnico:")
    assert '"Lucía"' in elsewhere and '"Ortega"' in elsewhere and '"sin agua"' in elsewhere and '"2G"' in elsewhere
    assert '"Lucía"' in in_text and '"sin agua"' in in_text
    assert "orteg*" in in_text and "orteg*" not in elsewhere


def test_codes_have_a_query_of_their_own_in_all_properties():
    query = text_query("estado de INC-2610-04", ["text"], ["codigo"])
    forms = '"INC-2610-04" "INC 2610 04" "INC261004"'
    assert query.codes == f"text:({forms}) codigo:({forms})"
    assert "2610" not in query.words and query.stems == ("estad",)
    assert text_query("E07", ["text"]) == TextQuery("", 'text:("E07")', ())


@pytest.mark.parametrize(
    ("code", "forms"),
    [
        ("VL-1180", ['"VL-1180"', '"VL 1180"', '"VL1180"']),
        ("VL1180", ['"VL1180"', '"VL 1180"']),
        ("P21", ['"P21"', '"P 21"']),
        # e, a, o, u, y are words that Spanish analyzers drop: "E 07" would be found in every 07
        ("E07", ['"E07"']),
        ("E-07", ['"E07"', '"E-07"^0.2']),
    ],
)
def test_forms_of_a_code(code, forms):
    assert code_forms(code) == forms


def test_a_code_without_its_hyphens():
    assert '"INC 2608 07"' in code_forms("INC260807")


def test_both_cases_for_analyzers_that_tell_them_apart():
    assert {'"vl-1180"', '"VL-1180"'} <= set(code_forms("vl-1180", both_cases=True))
    assert '"E07"' in text_query("e07", ["codigo"], [], "keyword").codes
    assert '"E07"' not in text_query("e07", ["codigo"], [], "spanish").codes


@pytest.mark.parametrize(("word", "beginning"), [("dosifica", "dosif"), ("dosificar", "dosifi"), ("averías", "averi"), ("junta", "junta")])
def test_stems(word, beginning):
    assert stem(word) == beginning


def test_names_of_properties_are_escaped_and_operators_left_out():
    query = text_query("junta", ["descripción larga", "a:b", "AND"])
    assert query.words == 'descripción\\ larga:("junta") a\\:b:("junta")'
    assert text_query("junta", ["AND"]) == TextQuery()


def test_without_text_properties_the_others_are_the_text():
    assert text_query("junta", [], ["titulo"]).words == 'titulo:("junta")'


@given(st.text(max_size=2000), st.integers(1, 30), st.integers(0, 30))
def test_any_text_gives_quoted_words_within_the_clause_limit(text, texts, others):
    query = text_query(text, [f"t{i}" for i in range(texts)], [f"o{i}" for i in range(others)])
    for lucene in (query.words, query.codes):
        assert lucene.count('"') % 2 == 0
        outside = re.sub(r'"[^"]*"', "Q", lucene)
        assert re.fullmatch(r"(?:[to]\d+:\((?:(?:Q|[\w\u0300-\u036f./:-]+\*)(?:\^[\d.]+)? ?)+\) ?)*", outside), outside
        assert len(re.findall(r"Q|\*", outside)) <= MAX_CLAUSES + 200


def test_five_thousand_words():
    query = text_query(" ".join(f"palabra{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}" for i in range(5000)), ["text"], ["a", "b"])
    assert len(query.stems) == 64
