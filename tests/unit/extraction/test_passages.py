import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lfx_neo4j_graphrag.defaults import CHUNK_CHARS, CHUNK_KEPT, CHUNK_UNSPLIT, READ_CHARS, READ_OVERLAP
from lfx_neo4j_graphrag.extraction.passages import plan_chunks, plan_reads
from lfx_neo4j_graphrag.extraction.sections import halves, headings_at, split_text

# The machine that runs the tests may be busy.
relaxed = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])

SENTENCE = "La máquina perdía agua por debajo y se cambió el manguito del desagüe. "


def dense(text):
    return "".join(text.split())


def test_a_document_is_read_whole_up_to_the_limit():
    text = SENTENCE * (READ_CHARS // len(SENTENCE))
    (read,) = plan_reads([(text, None)])
    assert dense(read.text) == dense(text) and read.position == 1 and read.before == ""


@pytest.mark.parametrize("factor", [1.01, 2, 5, 33])
def test_a_longer_one_in_sections_that_overlap(factor):
    text = "".join(f"{n}. {SENTENCE}" for n in range(int(factor * READ_CHARS / len(SENTENCE))))
    reads = plan_reads([(text, None)])
    assert len(reads) <= -(-len(text) // (READ_CHARS - 2 * READ_OVERLAP))
    assert max(len(read.text) for read in reads) <= READ_CHARS
    numbers = [set(re.findall(r"(\d+)\. La", read.text)) for read in reads]
    assert set.union(*numbers) == set(re.findall(r"(\d+)\. La", text)), "nothing is lost"
    assert all(a & b for a, b in zip(numbers, numbers[1:], strict=False)), "neighbours share some text"


def test_texts_of_one_document_are_read_together():
    (read,) = plan_reads([("uno", None), ("dos", None)])
    assert read.text == "uno\n\ndos"


def test_a_short_text_is_one_chunk_and_a_long_one_several_in_order():
    assert [c.text for c in plan_chunks([("x" * CHUNK_UNSPLIT, None)])] == ["x" * CHUNK_UNSPLIT]
    text = SENTENCE * 40
    chunks = plan_chunks([(text, None)])
    assert dense("".join(c.text for c in chunks)) == dense(text)
    assert max(len(c.text) for c in chunks) <= CHUNK_CHARS
    assert [c.position for c in chunks] == list(range(1, len(chunks) + 1))
    assert all(c.text.startswith("La") and c.text.endswith(".") for c in chunks), "divided between sentences"


def test_texts_that_are_divided_already_stay_as_they_are():
    parts = [("a" * 100, None), ("b" * 2000, None), ("c" * 100, None)]
    assert [c.text for c in plan_chunks(parts)] == [text for text, _ in parts]
    assert len(plan_chunks([("a " * CHUNK_KEPT, None), ("b", None)])) > 2


def test_pages_are_divided_together_and_each_passage_knows_its_page():
    pages = [(SENTENCE * 25, 1), (SENTENCE * 25, 2), ("Fin.", 3)]
    chunks = plan_chunks(pages)
    assert dense("".join(c.text for c in chunks)) == dense("".join(text for text, _ in pages))
    assert [c.page for c in chunks] == sorted(c.page for c in chunks) and {c.page for c in chunks} >= {1, 2}
    assert [c.page for c in plan_chunks([("a", 1), ("b", 1)])] == [1, 1]


def test_what_stands_before_a_passage_is_its_context():
    chunks = plan_chunks([(SENTENCE * 40, None)])
    assert chunks[0].before == "" and chunks[1].before and chunks[0].text.endswith(chunks[1].before[-40:])


def test_a_heading_goes_with_the_text_under_it():
    text = "# Manual\n\n" + "\n\n".join(f"## Parte {n}\n\n{SENTENCE * 9}" for n in range(12))
    chunks = plan_chunks([(text, None)])
    assert dense("".join(c.text for c in chunks)) == dense(text)
    assert not any(c.text.splitlines()[-1].startswith("#") for c in chunks)
    assert chunks[-1].headings == ("Manual", "Parte 11")


def test_headings_of_a_text_out_of_a_pdf():
    lines = ["Informe de incidencias. Julio de 2026", SENTENCE, "Primera quincena", SENTENCE * 2, "INC-1 03/07/2026 Bar Sol E03"]
    text = "\n".join([*lines, SENTENCE, "Segunda quincena", SENTENCE])
    assert headings_at(text, [0, len(text)]) == [
        ("Informe de incidencias. Julio de 2026",),
        ("Informe de incidencias. Julio de 2026", "Segunda quincena"),
    ]


def test_headings_nest_and_end():
    text = "# A\n\nx\n\n## B\n\nx\n\n### C\n\nx\n\n## D\n\nx"
    assert headings_at(text, [text.index("### C") + 6, text.index("## D") + 6, 0]) == [("A", "B", "C"), ("A", "D"), ("A",)]


texts = st.text(st.sampled_from("ab .\n#ñ|"), max_size=3000)


@relaxed
@given(texts, st.integers(20, 400))
def test_dividing_loses_nothing_and_knows_where_each_piece_stands(text, size):
    pieces = split_text(text, size)
    assert dense("".join(piece.text for piece in pieces)) == dense(text)
    for piece in pieces:
        assert text[piece.start : piece.start + len(piece.text)] == piece.text


@relaxed
@given(st.lists(st.sampled_from(["palabra ", "otra. ", "línea\n", "# título\n", "\n\n", "x" * 50]), min_size=40).map("".join))
def test_halves_are_shorter_than_the_whole(text):
    assume(len(text.strip()) > 100)
    parts = halves(text)
    assert set(dense(text)) == set(dense("".join(piece.text for piece in parts)))
    assert all(len(piece.text) < len(text) for piece in parts) and len(parts) >= 1
