from __future__ import annotations

import json
import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from texts import REAL, arbitrary

from lfx_neo4j_graphrag.errors import InputError
from lfx_neo4j_graphrag.reply import fitting, tokens
from lfx_neo4j_graphrag.reply.fitting import fit, fit_text
from lfx_neo4j_graphrag.reply.tokens import count_tokens
from lfx_neo4j_graphrag.reply.values import plain

QUERY = "MATCH (i:Incidencia)-[:DE_CLIENTE]->(c:Cliente) RETURN i.codigo, c.nombre"
ROWS = [
    {
        "id": number,
        "título": f"Análisis número {number} del índice",
        "texto": "La señal llegó más tarde de lo previsto; <|endoftext|> " * (1 + number % 5),
        "mapa": {"fecha": "2026-07-03", "hora": "12:30:45", "notas": ["yes", "1e5", "0o17", "=", "null", "~", ""]},
    }
    for number in range(60)
]


def parse(text: str, format: str) -> dict:
    return yaml.safe_load(text) if format == "yaml" else json.loads(text)


def is_shortened(fitted) -> bool:
    return "shortened" in (fitted.truncation or {}).get("reason", "")


@pytest.mark.parametrize("format", ["yaml", "json"])
@pytest.mark.parametrize("limit", [64, 65, 80, 100, 128, 200, 256, 300, 512, 1000, 2048, 4096, 8192])
def test_largest_number_of_whole_rows_at_every_limit(format, limit):
    fitted = fit(ROWS, token_limit=limit, format=format)
    document = parse(fitted.text, format)
    assert count_tokens(fitted.text) <= limit
    assert len(document["rows"]) == fitted.shown >= 1
    if fitted.shown == len(ROWS):
        assert document == {"rows": ROWS} and not fitted.truncated
        return
    assert next(iter(document)) == "truncated" and document["truncated"] == fitted.truncation
    assert document["truncated"]["shown"] == fitted.shown and document["truncated"]["of"] == 60
    if not is_shortened(fitted):
        assert document["rows"] == ROWS[: fitted.shown]
        whole = parse(fit(ROWS[: fitted.shown + 1], token_limit=0, format=format).text, format)
        next_one = {"truncated": {**fitted.truncation, "shown": fitted.shown + 1}, **whole}
        marked = format == "yaml" and limit >= 256 and fitted.shown < 59
        mark = f"# more rows: {fitted.shown + 1} of 60 are shown\n" if marked else ""
        assert count_tokens(_written(next_one, format) + mark) > limit


@pytest.mark.parametrize("format", ["yaml", "table"])
@pytest.mark.parametrize(("limit", "more"), [(255, False), (256, False), (2048, False), (0, True)])
def test_a_cut_reply_says_at_its_end_that_it_goes_on(format, limit, more):
    fitted = fit(ROWS, token_limit=limit, format=format, more=more)
    last = fitted.text.rstrip().splitlines()[-1]
    of = "more than 60" if more else "60"
    assert (f"more rows: {fitted.shown} of {of} are shown" in last) == (limit != 255)
    if format == "yaml":
        assert len(parse(fitted.text, "yaml")["rows"]) == fitted.shown


def test_a_whole_reply_has_no_mark():
    assert "more rows" not in fit(ROWS, token_limit=0).text + fit(ROWS, token_limit=0, format="table").text
    assert "more rows" not in fit([{"t": "x" * 9000}], token_limit=300).text  # one row, shortened: nothing follows it


def _written(document: dict, format: str) -> str:
    """The document by the libraries' own writers, with a row a line in JSON as ours has."""
    if format == "yaml":
        return yaml.safe_dump(document, default_flow_style=False, sort_keys=False, width=float("inf"), indent=1, allow_unicode=True)
    rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in document["rows"])
    return f'{{"truncated": {json.dumps(document["truncated"])},\n"rows": [\n{rows}\n]}}\n'


def test_yaml_is_what_the_library_writes():
    assert fit(ROWS, token_limit=0).text.replace("'1e5'", "1e5").replace("'0o17'", "0o17") == _written({"rows": ROWS}, "yaml")


@pytest.mark.parametrize("format", ["yaml", "json", "table"])
@pytest.mark.parametrize("limit", range(64, 400, 7))
def test_one_row_that_is_too_large_is_shortened(format, limit):
    row = {"código": "INC-1", "texto": "palabra " * 50_000, "lista": list(range(50)), "mapa": {"a": {"b": "x" * 3000}}}
    fitted = fit([row], token_limit=limit, format=format)
    assert count_tokens(fitted.text) <= limit
    assert fitted.shown == 1 and fitted.truncated and is_shortened(fitted)
    assert "INC-1" in fitted.text or "(+" in fitted.text
    if format != "table":
        assert len(parse(fitted.text, format)["rows"]) == 1


def test_a_shortened_text_counts_all_that_is_missing():
    text = fit([{"t": "x" * 9000}], token_limit=100).text
    kept, missing = parse(text, "yaml")["rows"][0]["t"].split("…(+")
    assert len(kept) + int(missing.split(" ")[0].rstrip(")")) == 9000


def test_more_rows_in_the_database_are_said():
    fitted = fit(ROWS[:3], more=True)
    assert parse(fitted.text, "yaml")["truncated"] == fitted.truncation
    assert fitted.truncation["of"] == "more than 3" and fitted.truncation["reason"] == "row limit"
    assert fit(ROWS[:30], more=True, token_limit=512).truncation["of"] == "more than 30"


def test_extra_and_notes_stand_before_the_rows_and_are_never_cut():
    fitted = fit(ROWS, token_limit=300, extra={"cypher": QUERY}, notes=["One note."])
    document = parse(fitted.text, "yaml")
    assert list(document) == ["truncated", "notes", "cypher", "rows"]
    assert document["cypher"] == QUERY and document["notes"] == ["One note."]
    long = QUERY * 100
    assert parse(fit(ROWS, token_limit=0, extra={"cypher": long}).text, "yaml")["cypher"] == long
    without = parse(fit(ROWS, token_limit=256, extra={"cypher": long}).text, "yaml")
    assert "cypher" not in without and without["truncated"]["left_out"] == ["cypher"] and without["rows"]


def test_nothing_cut_says_nothing():
    assert fit([], format="yaml").text == "rows: []\n"
    assert fit([], format="json").text == '{"rows": []}\n'
    assert fit([], format="table").text == "(no rows)\n"
    assert fit([{"a": 1}], format="table").text == "| a |\n| --- |\n| 1 |\n"
    assert fit([{"a": 1}]).truncation is None


def test_table_has_the_notice_first_and_one_line_a_row():
    rows = [{"a|b": "x|y\nz\\", "c": None}, {"c": [1], "d": True}] * 30
    text = fit(rows, format="table", token_limit=256, extra={"cypher": QUERY}).text
    lines = text.splitlines()
    assert lines[0].startswith("Truncated: ") and " of 60 rows shown (token limit 256)" in lines[0]
    assert lines[1:5] == [f"cypher: {QUERY}", "", "| a\\|b | c | d |", "| --- | --- | --- |"]
    assert lines[5:7] == ["| x\\|y z\\\\ |  |  |", "|  | [1] | true |"]


def test_unknown_format_is_an_error():
    with pytest.raises(InputError, match="yaml, json, table"):
        fit([], format="xml")


def test_a_hint_of_the_caller_is_shown():
    assert fit(ROWS, token_limit=300, hint="Ask for fewer results.").truncation["hint"] == "Ask for fewer results."


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | arbitrary | st.sampled_from(
    ["yes", "NO", "null", "~", "", " ", "=", "<<", "1e5", "1_000", "0x1F", "0o17", "0b1", ".5", "1:30", "2026-07-03", "- a", "#", "a: b", "a #b", "{", "[x]",
     "!t", "&a", "*a", "%", "@", "`", "'", '"', "|", ">", "? ", "---", "...", "a\n", "\na", "\n\n", "a\r\nb", "\x85", "\u2028", "\ufeff", "\x00", "😀",
     "\\U0001F600", "+1", "-", "1.", "NaN", "Infinity", "on\n", "\t", " a", "a "]
)
row_values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(arbitrary, inner, max_size=4), max_leaves=8)
rows = st.lists(st.dictionaries(arbitrary, row_values, min_size=1, max_size=4), max_size=8)


@given(rows, st.sampled_from(["yaml", "json"]))
def test_every_value_survives_the_round_trip(rows, format):
    assert parse(fit(rows, token_limit=0, format=format).text, format)["rows"] == [plain(row) for row in rows]


@given(rows, st.integers(64, 8192) | st.integers(64, 400), st.sampled_from(["yaml", "json", "table"]), st.booleans(),
       st.dictionaries(st.sampled_from(["cypher", "filter_mode"]), arbitrary))
def test_any_rows_fit_any_limit(rows, limit, format, more, extra):
    fitted = fit(rows, token_limit=limit, format=format, more=more, extra=extra)
    assert count_tokens(fitted.text) <= limit
    assert fitted.truncated == (fitted.truncation is not None) == (more or fitted.shown < len(rows) or is_shortened(fitted) or "left_out" in (fitted.truncation or {}))
    if format == "table":
        assert fitted.text.startswith("Truncated: ") == fitted.truncated or not fitted.truncated
        return
    document = parse(fitted.text, format)
    assert len(document["rows"]) == fitted.shown
    if fitted.truncated:
        assert next(iter(document)) == "truncated"
    if not is_shortened(fitted):
        assert document["rows"] == [plain(row) for row in rows[: fitted.shown]]
    if fitted.shown < len(rows) and fitted.shown and not is_shortened(fitted):
        bigger = fitting._Fitting(rows, {k: v for k, v in document.items() if k in extra}, limit, format, more, None, "cl100k_base")
        bigger._render_rows()
        bigger.left_out = fitted.truncation.get("left_out", [])
        if len(bigger.rendered) > fitted.shown + 1:
            assert count_tokens(bigger._with(fitted.shown + 1)) > limit


@given(rows, st.integers(1, 63), st.sampled_from(["yaml", "json"]))
def test_absurd_limits_still_parse(rows, limit, format):
    document = parse(fit(rows, token_limit=limit, format=format).text, format)
    assert isinstance(document["rows"], list)


@given(arbitrary, st.integers(64, 2048))
def test_any_text_fits_by_whole_lines(text, limit):
    text = "\n".join([text] * 5)
    result = fit_text(text, token_limit=limit, hint="Ask for one label.")
    assert count_tokens(result) <= limit
    if result != text:
        first, *rest = result.split("\n")
        assert first.startswith(f"[Cut: {len(rest)} of {len(text.splitlines())} lines (token limit {limit}). Ask for one label.")
        assert rest == text.splitlines()[: len(rest)]


def test_text_takes_the_largest_number_of_lines():
    lines = [f"- etiqueta {number}: propiedad {'x' * (number % 9)}" for number in range(3000)]
    result = fit_text("\n".join(lines), token_limit=500).splitlines()
    longer = "\n".join([result[0], *lines[: len(result)]])
    assert count_tokens("\n".join(result)) <= 500 < count_tokens(longer)
    assert fit_text("\n".join(lines), token_limit=0) == "\n".join(lines)


@pytest.mark.parametrize("kind", REAL)
@pytest.mark.parametrize("format", ["yaml", "json", "table"])
def test_the_estimate_keeps_the_limit_in_real_tokens(kind, format, monkeypatch):
    rows = [{"n": number, "text": REAL[kind][number : number + 300]} for number in range(40)]
    exact = tokens._encoding("cl100k_base")
    monkeypatch.setitem(tokens._encodings, "cl100k_base", None)
    for limit in (64, 300, 2048):
        fitted = fit(rows, token_limit=limit, format=format)
        assert len(exact.encode_ordinary(fitted.text)) <= limit
        assert not fitted.truncated or "estimated" in fitted.truncation["reason"]


@pytest.mark.parametrize("format", ["yaml", "json", "table"])
def test_cost_depends_on_the_limit_not_on_the_rows(format):
    rows = [dict(ROWS[0], id=number) for number in range(100_000)]
    fit(rows[:100], format=format)
    started = time.perf_counter()
    assert fit(rows, format=format).shown > 5
    assert time.perf_counter() - started < 0.5


@pytest.mark.parametrize("format", ["yaml", "json", "table"])
@pytest.mark.parametrize("limit", [0, 64, 200, 2048])
def test_a_tail_comes_after_the_rows_and_is_never_cut(format, limit):
    rows = [{"n": i, "t": "palabra " * 5} for i in range(100)]
    query = "MATCH (i:Incidencia)\nWHERE i.estado = 'abierta' RETURN i.codigo AS codigo // " + "x " * 60
    fitted = fit(rows, token_limit=limit, format=format, tail={"query": query, "revised": "once"})
    if format != "table":
        document = yaml.safe_load(fitted.text) if format == "yaml" else json.loads(fitted.text)
        assert document["query"] == query
        assert list(document)[-3:] == ["rows", "query", "revised"]
        assert document["rows"] == rows[: fitted.shown]
    else:
        assert fitted.text.rstrip().endswith("revised: once") and query in fitted.text
    assert fitted.shown == (100 if limit == 0 else fitted.shown)
    assert limit == 0 or count_tokens(fitted.text) <= max(limit, count_tokens(query) + 90)
