"""The $parameters of a query as fields and as arguments."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.node.holes import holes_of, is_parameter_field


def test_each_parameter_has_a_field_and_an_argument():
    holes = holes_of("MATCH (t {nombre: $tecnico}) WHERE t.estado = $estado RETURN $tecnico, '$texto' // $nota")
    assert [(hole.name, hole.key, hole.argument) for hole in holes] == [
        ("tecnico", "param_tecnico", "tecnico"),
        ("estado", "param_estado", "estado"),
    ]


def test_words_that_langflow_drops_are_broken_up_and_words_that_langchain_takes_are_renamed():
    holes = {hole.name: hole for hole in holes_of("RETURN $config, $mykwargs, $run_manager, $schema")}
    assert holes["config"].key == "param_con_fig"
    assert holes["mykwargs"].key == "param_mykw_args"
    assert holes["config"].argument == "config_value"
    assert holes["run_manager"].argument == "run_manager_value"
    assert holes["schema"].argument == "schema_value"


def test_two_names_that_fold_to_one_stay_two():
    holes = holes_of("RETURN $config, $con_fig, $año, $ano")
    assert len({hole.key for hole in holes}) == 4
    assert len({hole.argument for hole in holes}) == 4


names = st.text(st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="`"), min_size=1, max_size=80)


@given(st.lists(names, unique=True, max_size=6))
def test_any_names_give_unique_keys_and_arguments_that_providers_take(listed):
    holes = holes_of("RETURN " + ", ".join(f"$`{name}`" for name in listed))
    assert [hole.name for hole in holes] == listed
    assert len({hole.key for hole in holes}) == len({hole.argument for hole in holes}) == len(listed)
    for hole in holes:
        assert re.fullmatch(r"[A-Za-z0-9_]{1,64}", hole.argument)
        assert not hole.argument.startswith("_")
        assert is_parameter_field(hole.key)
        assert "config" not in hole.key and "kwargs" not in hole.key
