from __future__ import annotations

import itertools
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from lfx_neo4j_graphrag.schema.model import Hidden, Pattern
from lfx_neo4j_graphrag.schema.patterns import PatternCounts


def half_counts(relationships):
    """What the count store says of relationships given as (start labels, end labels)."""
    ends = Counter()
    for starts, finish in relationships:
        ends[None, "T", None] += 1
        for label in starts:
            ends[label, "T", None] += 1
        for label in finish:
            ends[None, "T", label] += 1
    return dict(ends)


def patterns(relationships):
    known = PatternCounts(half_counts(relationships), ["T"])
    return known, {(p.start, p.end): p.count for p in known.patterns(Hidden())}


def test_one_label_at_an_end_settles_every_pattern():
    known, found = patterns([("A", "B")] * 3 + [("A", "C")] * 2)
    assert found == {("A", "B"): 3, ("A", "C"): 2} and not known.is_open("T")


def test_nodes_of_two_labels_count_for_both():
    known, found = patterns([("AB", "C")] * 3 + [("A", "C")])
    assert found == {("A", "C"): 4, ("B", "C"): 3} and not known.is_open("T")


def test_nodes_without_a_label_are_an_end_too():
    _, found = patterns([("A", "")] * 2 + [("A", "B")])
    assert found == {("A", "B"): 1, ("A", ""): 2}
    assert patterns([("", "")])[1] == {("", ""): 1}


def test_several_labels_at_both_ends_are_open_until_seen():
    known, found = patterns([("A", "C"), ("B", "D")])
    assert known.is_open("T") and found == {}
    assert known.unsettled("T") == [("A", "T", "C"), ("A", "T", "D"), ("B", "T", "C"), ("B", "T", "D")]
    known.saw("T", ["A"], ["C"])
    known.saw("T", ["B"], ["D"])
    known.exclude("A", "T", "D")
    assert known.unsettled("T") == [("B", "T", "C")]
    known.exclude("B", "T", "C")
    assert not known.is_open("T")
    assert known.patterns(Hidden()) == (Pattern("A", "T", "C", None), Pattern("B", "T", "D", None))
    known.saw_all("T", [(["A"], ["C"], 1), (["B"], ["D"], 1)])
    assert known.patterns(Hidden()) == (Pattern("A", "T", "C", 1), Pattern("B", "T", "D", 1))


def test_hidden_ends_and_types_are_left_out():
    known, _ = patterns([("A", "B"), ("A", "C")])
    assert known.patterns(Hidden.parse("B")) == (Pattern("A", "T", "C", 1),)
    assert known.patterns(Hidden.parse("T")) == ()


labels = st.sets(st.sampled_from("ABC"), max_size=2).map(lambda chosen: "".join(sorted(chosen)))


@given(st.lists(st.tuples(labels, labels), min_size=1, max_size=12))
def test_what_is_counted_is_true(relationships):
    """Against the relationships themselves. A node with several labels can hide one without: that is a sampled end."""
    truth = Counter()
    for starts, finish in relationships:
        for start, end in itertools.product(starts or [""], finish or [""]):
            truth[start, end] += 1
    known, found = patterns(relationships)
    for pair, count in found.items():
        if "" not in pair:
            assert truth[pair] == count
    missing = {pair for pair in truth if "" not in pair and pair not in found}
    assert all((start, "T", end) in known.unsettled("T") for start, end in missing)
    known.saw_all("T", [(list(starts), list(finish), 1) for starts, finish in relationships])
    assert {(p.start, p.end): p.count for p in known.patterns(Hidden())} == dict(truth)
