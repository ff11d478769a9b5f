"""What people complain about in the trackers of such servers, and the weak points of five of them, each with its tests.

The tables are checked: every test that they name exists.
"""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNIT, LIVE = "tests/unit/mcp_server", "tests/mcp"

# number -> (complaint, tests as file::name)
COMPLAINTS: dict[int, tuple[str, list[str]]] = {
    1: ("a reading tool reads files and addresses", [f"{LIVE}/test_reading.py::test_hostile_statements_change_nothing_and_tell_nothing"]),
    2: ("anyone can call the tools over HTTP", [f"{LIVE}/test_over_http.py::test_without_the_token_nothing_is_told", f"{UNIT}/test_settings.py::test_an_address_that_others_reach_needs_a_token"]),
    3: ("a default that is no value breaks the first call", [f"{UNIT}/test_settings.py::test_defaults_are_real_values", f"{LIVE}/test_someone_elses_graph.py::test_movies"]),
    4: ("reading only is set, the write tool is listed", [f"{UNIT}/test_settings.py::test_writes_are_allowed_only_when_said_so", f"{LIVE}/test_stdio.py::test_flags_choose_the_tools"]),
    5: ("the schema needs a plugin that fails", [f"{LIVE}/test_reading.py::test_schema_of_an_empty_database_and_of_odd_data"]),
    6: ("no start without the plugin", [f"{LIVE}/test_stdio.py::test_a_session_from_handshake_to_end"]),
    7: ("a new version of a dependency breaks it", [f"{LIVE}/test_complaints.py::test_the_protocol_package_is_bounded", f"{UNIT}/test_protocol.py::test_tools_and_answers_come_through_unchanged"]),
    8: ("a package of a package is missing", [f"{LIVE}/test_complaints.py::test_no_framework_above_the_protocol_package"]),
    9: ("a list of words misses INSERT and blocks :Merge", [f"{LIVE}/test_reading.py::test_hostile_statements_change_nothing_and_tell_nothing", f"{LIVE}/test_reading.py::test_words_of_writing_as_names_and_texts_are_no_alarm"]),
    10: ("replies blow the context", [f"{LIVE}/test_reading.py::test_long_answers_are_cut_by_whole_rows_and_say_so_first"]),
    11: ("embeddings in the results", [f"{LIVE}/test_reading.py::test_vectors_and_long_lists_become_markers_wherever_they_are"]),
    12: ("a runaway query", [f"{LIVE}/test_reading.py::test_a_query_without_end_is_stopped_and_others_go_on", f"{LIVE}/test_writing.py::test_a_write_that_takes_too_long_is_stopped_and_undone"]),
    13: ("a schema of 180,000 tokens", [f"{LIVE}/test_reading.py::test_a_large_schema_stays_within_the_limit"]),
    14: ("a sampled schema misses labels", [f"{LIVE}/test_reading.py::test_schema_of_an_empty_database_and_of_odd_data"]),
    15: ("properties of relationships are missing", [f"{LIVE}/test_reading.py::test_schema_of_an_empty_database_and_of_odd_data"]),
    16: ("two servers in one client collide", [f"{UNIT}/test_tools.py::test_a_namespace_stands_before_every_name", f"{UNIT}/test_settings.py::test_flags_win_over_the_environment_and_blanks_count_as_not_set"]),
    17: ("params as a text, or none", [f"{LIVE}/test_reading.py::test_params_in_every_form_that_clients_send"]),
    18: ("whole numbers become decimals", [f"{LIVE}/test_reading.py::test_whole_numbers_stay_whole"]),
    19: ("clients refuse the schema", [f"{UNIT}/test_filters.py::test_schema_has_only_what_every_client_takes", f"{UNIT}/test_tools.py::test_params_may_hold_anything_and_need_not_be_there"]),
    20: ("tool names with other characters", [f"{UNIT}/test_names.py::test_any_names_become_safe_and_stay_apart"]),
    21: ("a date cannot be written as JSON", [f"{LIVE}/test_reading.py::test_odd_values_survive"]),
    22: ("the server dies at start without a word", [f"{LIVE}/test_stdio.py::test_standard_output_carries_the_protocol_only", f"{LIVE}/test_stdio.py::test_a_wrong_setting_ends_it_with_one_sentence"]),
    23: ("tools are listed before anybody has logged in", [f"{UNIT}/test_server.py::test_without_a_database_the_first_tools_are_there_and_say_why"]),
    24: ("a remote connector", [f"{LIVE}/test_over_http.py::test_without_the_token_nothing_is_told"]),
    25: ("no search by meaning", [f"{LIVE}/test_someone_elses_graph.py::test_news_of_the_article"]),
    26: ("a list of words is passed by, and gives false alarms", [f"{LIVE}/test_reading.py::test_words_of_writing_as_names_and_texts_are_no_alarm"]),
    27: ("a large reply kills it; the answer comes twice", [f"{LIVE}/test_reading.py::test_rows_are_bounded", f"{LIVE}/test_stdio.py::test_a_session_from_handshake_to_end"]),
    28: ("a client crashes on a huge schema", [f"{LIVE}/test_reading.py::test_a_large_schema_stays_within_the_limit"]),
    29: ("odd types crash the schema", [f"{LIVE}/test_reading.py::test_schema_of_an_empty_database_and_of_odd_data"]),
    30: ("a read-only database with a vector index does not start", [f"{LIVE}/test_complaints.py::test_the_page_says_what_is_not_ours_to_do"]),
    31: ("TLS over HTTP", [f"{LIVE}/test_complaints.py::test_the_page_says_what_is_not_ours_to_do"]),
}  # fmt: skip

WEAK_POINTS: dict[str, list[str]] = {
    "a flag stays text and the first reply fails": [f"{UNIT}/test_settings.py::test_flags_win_over_the_environment_and_blanks_count_as_not_set"],
    "a mark of the tokenizer in the data raises": [f"{LIVE}/test_reading.py::test_odd_values_survive"],
    "a cut reply does not parse": [f"{LIVE}/test_reading.py::test_long_answers_are_cut_by_whole_rows_and_say_so_first"],
    "keys vanish, vectors stay, nesting stalls": [f"{LIVE}/test_reading.py::test_vectors_and_long_lists_become_markers_wherever_they_are"],
    "schema commands pass, writes have no timeout": [f"{LIVE}/test_reading.py::test_hostile_statements_change_nothing_and_tell_nothing", f"{LIVE}/test_writing.py::test_only_data_may_be_written"],
    "labels and relationships' properties are lost": [f"{LIVE}/test_reading.py::test_odd_values_survive"],
    "everything is read before the cut": [f"{LIVE}/test_reading.py::test_rows_are_bounded"],
    "errors show the query and its values": [f"{LIVE}/test_reading.py::test_errors_never_show_values_or_the_query"],
    "filters by names that are not quoted": [f"{LIVE}/test_searches.py::test_injection_through_filter_names_values_and_index_names"],
    "a filter after the search finds too few": [f"{LIVE}/test_searches.py::test_a_property_that_the_index_does_not_carry_is_filtered_exactly"],
    "the write tool cannot be switched off": [f"{LIVE}/test_writing.py::test_it_is_not_there_unless_allowed"],
    "the embedding model blocks other calls": [f"{UNIT}/test_protocol.py::test_a_slow_call_does_not_hold_up_another_and_ends_with_the_session"],
    "prints on standard output": [f"{LIVE}/test_stdio.py::test_standard_output_carries_the_protocol_only"],
    "ends when there is no index": [f"{LIVE}/test_stdio.py::test_a_new_index_is_announced"],
    "nodes only, first label only": [f"{LIVE}/test_searches.py::test_relationships_and_several_labels"],
    "unknown filters are ignored": [f"{LIVE}/test_searches.py::test_what_cannot_be_filtered_is_refused_with_what_can"],
    "one node decides the type": [f"{LIVE}/test_searches.py::test_types_come_from_many_values_and_every_property_has_its_own_argument"],
    "new indexes need a restart": [f"{LIVE}/test_searches.py::test_indexes_that_come_and_go_are_noticed"],
    "indexes that are not ready": [f"{UNIT}/test_catalogue.py::test_only_online_vector_indexes"],
}  # fmt: skip


@cache
def names_in(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_all_complaints_are_in_the_table():
    assert sorted(COMPLAINTS) == list(range(1, 32))


@pytest.mark.parametrize("named", sorted({name for _, names in COMPLAINTS.values() for name in names} | {n for names in WEAK_POINTS.values() for n in names}))
def test_every_named_test_exists(named):
    file, name = named.split("::")
    assert name in names_in(file)


def dependencies() -> list[str]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]


def test_the_protocol_package_is_bounded():
    assert "mcp>=1.30,<3" in dependencies()


def test_no_framework_above_the_protocol_package():
    assert not any(name.startswith(("fastmcp", "litellm")) for name in dependencies())
    for file in (ROOT / "src/lfx_neo4j_graphrag/mcp_server").glob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert "fastmcp" not in text and "mcpserver" not in text


def test_the_page_says_what_is_not_ours_to_do():
    page = (ROOT / "docs/mcp.md").read_text(encoding="utf-8")
    assert all(words in page for words in ("reverse proxy", "TLS", "OAuth", "read_only", "5.26"))
