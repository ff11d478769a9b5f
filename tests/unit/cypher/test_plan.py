"""The check of the server's plan, on plans as Neo4j 2026.08.1 and 5.26.30 print them (recorded, cut to what matters)."""

from __future__ import annotations

import pytest

from lfx_neo4j_graphrag.cypher.plan import check_plan
from lfx_neo4j_graphrag.errors import QueryRefused


def plan(*operators: str) -> dict:
    """Operators from the root down, each the child of the one before: ``Name`` or ``Name|details``."""
    root: dict = {}
    step = root
    for operator in operators:
        name, _, details = operator.partition("|")
        step["children"] = [{"operatorType": f"{name}@neo4j", "args": {"Details": details}, "identifiers": ["n"], "children": []}]
        step = step["children"][0]
    return root["children"][0]


READING = [
    ("ProduceResults|n", "Filter|n.x = $autoint_0", "AllNodesScan|n"),
    ("ProduceResults|c", "NodeCountFromCountStore|count( (:Person) ) AS c"),
    ("ProduceResults|name, type", "ShowIndexes|allIndexes, columns(name)"),
    ("ProduceResults|name", "ShowConstraints|allConstraints, defaultColumns"),
    ("ProduceResults|label", "ProcedureCall|db.labels() :: (label :: STRING)"),
    ("ProduceResults|node", "ProcedureCall|db.index.fulltext.queryNodes($autostring_0, $q) :: (node :: NODE, score :: FLOAT)"),
    ("ProduceResults|n, s", "NodeVectorIndexSearch|VECTOR INDEX doc_vector FOR n IN n:Doc($v) LIMIT 5 SCORE AS s"),
    ("ProduceResults|d", "Projection|date.truncate($autostring_2, cache[n.d]) AS `date.truncate('day', n.d)`", "AllNodesScan|n"),
    ("ProduceResults|`apoc.load.json(x)`", "Projection|$autostring_0 AS `apoc.load.json(x)`"),
    ("ProduceResults|x", "Projection|coll.max($autolist_0) AS x", "NodeByLabelScan|n:`foo.bar(`"),
    ("ProduceResults|n", "Filter|getDegree((n)-->()) > 0", "AllNodesScan|n"),
    ("ProduceResults|p", "StatefulShortestPath(All, Trail)|SHORTEST 1 (a) ((`anon_3`)-[`anon_4`]->(`anon_5`)){1, } (b)\n  expanding from: a"),
    ("ProduceResults|x", "Projection|CASE\n  WHEN true THEN $autoint_0\n  ELSE $autoint_1\nEND AS x"),
]
NEVER = [
    ("ProduceResults|l", "LoadCSV|l"),
    ("ProduceResults|n", "SemiApply|", "LoadCSV|l"),
    ("ProduceResults|name", "Apply|", "ShowSettings|allSettings, columns(name)"),
    ("ShowTransactions|defaultColumns, allTransactions",),
    ("TerminateTransactions|defaultColumns, transactions($autostring_0)",),
    ("ShowProcedures|defaultColumns",),
    ("ShowFunctions|allFunctions, functionsForUser(all), defaultColumns",),
    ("TransactionApply|IN TRANSACTIONS OF 1000 ROWS ON ERROR FAIL", "Argument|n"),
    ("TransactionForeach|IN TRANSACTIONS OF 1000 ROWS ON ERROR FAIL",),
    ("AdministrationCommand|",),
    ("CreateIndex|RANGE INDEX $autostring_0 FOR (:A) ON (x)",),
    ("CreateConstraint|CONSTRAINT foo FOR (n:A) REQUIRE (n.x) IS UNIQUE",),
    ("DropIndex|INDEX foo",),
    ("ProduceResults|name", "ProcedureCall|dbms.listConfig($autostring_0) :: (name :: STRING)"),
    ("ProduceResults|value", "ProcedureCall|apoc.load.json($autostring_0) :: (value :: MAP)"),
    ("ProduceResults|value", "ProcedureCall|`apoc`.load.`json`($autostring_0) :: (value :: MAP)"),
    ("ProduceResults|node", "ProcedureCall|db.create.setNodeVectorProperty(n, $a, $b) :: VOID"),
    ("ProduceResults|x", "Projection|apoc.cypher.runFirstColumnSingle($autostring_0, {}) AS x"),
    ("ProduceResults|x", "Filter|genai.vector.encode(n.x, $autostring_0) = 1", "AllNodesScan|n"),
    ("ProduceResults|x", "Projection|ai.text.completion($a) AS x, ' cut here"),
]
WRITING = [
    ("ProduceResults|", "EmptyResult|", "Create|(n:A)"),
    ("ProduceResults|n", "Merge|CREATE (n:A {x: $autoint_0})", "Filter|n.x = $autoint_0"),
    ("ProduceResults|", "MergeUniqueNode|n:A(x)"),
    ("ProduceResults|", "SetProperty|n.x = $autoint_0", "AllNodesScan|n"),
    ("ProduceResults|", "SetNodePropertiesFromMap|n = {a: $autoint_0}"),
    ("ProduceResults|", "SetLabels|n:$($autostring_0)"),
    ("ProduceResults|", "RemoveLabels|n:C"),
    ("ProduceResults|", "Delete|r"),
    ("ProduceResults|", "DetachDelete|n"),
    ("ProduceResults|", "Foreach|x IN [1], CREATE (anon_0:A)"),
]


@pytest.mark.parametrize("operators", READING)
def test_lets_reading_through(operators: tuple[str, ...]) -> None:
    check_plan("r", plan(*operators))
    check_plan("r", plan(*operators), writing=True)


@pytest.mark.parametrize("operators", NEVER)
@pytest.mark.parametrize("writing", [False, True])
def test_refuses_loading_and_administering_by_operator(operators: tuple[str, ...], writing: bool) -> None:
    """Even when the statement's type says that it only reads."""
    with pytest.raises(QueryRefused):
        check_plan("r", plan(*operators), writing=writing)


@pytest.mark.parametrize("operators", WRITING)
def test_writing_operators_need_permission(operators: tuple[str, ...]) -> None:
    check_plan("w", plan(*operators), writing=True)
    check_plan("rw", plan(*operators), writing=True)
    for query_type in ("w", "rw", "r"):
        with pytest.raises(QueryRefused):
            check_plan(query_type, plan(*operators))


@pytest.mark.parametrize("query_type", ["s", "w", "rw", "", "R", "x"])
def test_the_type_alone_refuses(query_type: str) -> None:
    with pytest.raises(QueryRefused):
        check_plan(query_type, plan("ProduceResults|n"))
    if query_type not in ("w", "rw"):
        with pytest.raises(QueryRefused):
            check_plan(query_type, plan("ProduceResults|n"), writing=True)


def test_the_operator_can_allow_more() -> None:
    procedure = plan("ProduceResults|value", "ProcedureCall|apoc.meta.schema() :: (value :: MAP)")
    function = plan("ProduceResults|x", "Projection|custom.similar(n.x) AS x")
    check_plan("r", procedure, allowed_procedures=frozenset({"apoc.meta.*"}))
    check_plan("r", function, allowed_procedures=frozenset({"custom.similar"}))
    for step in (procedure, function):
        with pytest.raises(QueryRefused):
            check_plan("r", step)


def test_looks_into_every_branch_of_deep_and_wide_plans() -> None:
    deep = plan(*["Apply|"] * 5_000, "LoadCSV|l")
    wide = {"operatorType": "Union@neo4j", "args": {}, "children": [plan("AllNodesScan|n") for _ in range(50)] + [plan("Apply|", "LoadCSV|l")]}
    for step in (deep, wide):
        with pytest.raises(QueryRefused):
            check_plan("r", step)


def test_a_statement_without_a_plan_is_judged_by_its_type() -> None:
    check_plan("r", None)
    with pytest.raises(QueryRefused):
        check_plan("s", None)
