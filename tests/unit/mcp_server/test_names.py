import re

from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.mcp_server.names import safe_names

ALLOWED = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@given(st.lists(st.text(max_size=90), unique=True, max_size=12), st.sampled_from(["", "search_", "a_long_namespace_of_24_c_search_"]))
def test_any_names_become_safe_and_stay_apart(originals, prefix):
    names = safe_names(originals, prefix)
    assert list(names) == originals
    assert all(ALLOWED.fullmatch(name) and name.startswith(prefix) for name in names.values())
    assert len(set(names.values())) == len(originals)


@given(st.lists(st.text(alphabet="ab -_é", min_size=1, max_size=6), unique=True, min_size=1, max_size=8), st.randoms())
def test_a_name_does_not_depend_on_the_order(originals, random):
    shuffled = originals[:]
    random.shuffle(shuffled)
    assert safe_names(originals) == {name: safe_names(shuffled)[name] for name in originals}


def test_safe_names_stay_as_they_are():
    assert safe_names(["doc_vector", "precio-total"], "search_") == {"doc_vector": "search_doc_vector", "precio-total": "search_precio-total"}


def test_names_that_clean_up_to_the_same_are_told_apart():
    names = safe_names(["precio total", "precio_total", "precio/total"])
    assert names["precio_total"] == "precio_total"
    assert len(set(names.values())) == 3


def test_accents_go_and_a_name_of_nothing_safe_still_gets_one():
    names = safe_names(["ubicación", "名前", ""])
    assert names["ubicación"] == "ubicacion"
    assert all(ALLOWED.fullmatch(name) for name in names.values())
