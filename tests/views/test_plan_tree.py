"""Plans and explanations as trees."""

from __future__ import annotations

from dataclasses import replace

from headrace.model.history import JobProfile, OperatorMetric, PlanOperator
from headrace.views.explained import explained
from headrace.views.plan_tree import PlanTree, indented_tree, plan_trees, spark_plan_tree
from headrace.views.statement_results import ExplainRow

SPARK = """AdaptiveSparkPlan isFinalPlan=true
+- == Final Plan ==
   ResultQueryStage 1
   +- *(3) HashAggregate(keys=[kind#1], functions=[sum(a#2)])
      +- ShuffleQueryStage 0
         +- Exchange hashpartitioning(kind#1, 200), ENSURE_REQUIREMENTS
            +- *(1) BroadcastHashJoin [k#1], [k#2], Inner, BuildRight
               :- *(1) Project [k#1]
               :  +- BatchScan lake.public.t[k#1] lake.public.t
               +- BroadcastExchange
                  +- LocalTableScan [k#2]
+- == Initial Plan ==
   HashAggregate(keys=[kind#1], functions=[sum(a#2)])
   +- Exchange hashpartitioning(kind#1, 200)
"""


def shape(tree: PlanTree) -> list[str]:
    depth = {None: -1}
    shown = []
    for node in tree.nodes:
        depth[node.id] = depth[node.parent] + 1
        shown.append(f"{'.' * depth[node.id]}{node.name}")
    return shown


def test_the_final_plan_of_spark() -> None:
    tree = spark_plan_tree(SPARK)
    assert shape(tree) == [
        "AdaptiveSparkPlan",
        ".ResultQueryStage",
        "..HashAggregate",
        "...ShuffleQueryStage",
        "....Exchange",
        ".....BroadcastHashJoin",
        "......Project",
        ".......BatchScan",
        "......BroadcastExchange",
        ".......LocalTableScan",
    ]
    assert tree.nodes[2].detail == "(keys=[kind#1], functions=[sum(a#2)])"
    assert tree.nodes[7].detail == "lake.public.t[k#1] lake.public.t"


def test_operators_with_metrics_come_before_the_text() -> None:
    scan = PlanOperator(
        1, 0, "BatchScan t", "BatchScan t[a]", (OperatorMetric("number of output rows", "sum", 3),)
    )
    known = JobProfile(
        "j", (), plans=("A\n+- B", "C"), operators=((PlanOperator(0, None, "A", "A"), scan), ())
    )
    first, second = plan_trees(known)
    assert (shape(first), shape(second)) == (["A", ".BatchScan t"], ["C"])
    assert first.nodes[1].metrics == scan.metrics
    assert [shape(tree) for tree in plan_trees(replace(known, operators=()))] == [["A", ".B"], ["C"]]


def test_a_plan_that_is_not_known() -> None:
    assert shape(spark_plan_tree("not known")) == ["not"]
    assert spark_plan_tree("").nodes == ()


def test_indented_lines() -> None:
    tree = indented_tree(
        ["add to groups by kind: sum(a)", "  + join", "    scan a", "    scan b", "  - filter"]
    )
    assert shape(tree) == ["add to groups by kind: sum(a)", ".+ join", "..scan a", "..scan b", ".- filter"]


def test_explained() -> None:
    rows = [
        ("mode", "INCREMENTAL"),
        ("reason", "changed"),
        ("source", "lake.public.t: 3 rows"),
        ("plan", "project a"),
        ("plan", "  change of lake.public.t"),
        ("stage", "1. stage changes: of lake.public.t; at most +1 -0 rows"),
        ("stage", "2. collect: the change; reads lake.public.t (3 rows, 9 bytes)"),
        ("otherwise", "more than 10 rows: write"),
        ("otherwise", "no rows: nothing"),
        ("sql", "SELECT a"),
        ("sql", "FROM t"),
    ]
    found = explained([ExplainRow(*row) for row in rows])
    assert (found.mode, found.reason) == ("INCREMENTAL", "changed")
    assert found.facts == (ExplainRow("source", "lake.public.t: 3 rows"),)
    assert shape(found.plan) == ["project a", ".change of lake.public.t"]
    first, second = found.stages
    assert (first.number, first.kind, first.sql) == (1, "stage changes", "")
    assert second.otherwise == ("more than 10 rows: write", "no rows: nothing")
    assert second.sql == "SELECT a\nFROM t"


def test_of_a_definition() -> None:
    found = explained([ExplainRow("mode", "FULL"), ExplainRow("sql", "SELECT 1")])
    assert (found.stages, found.sql) == ((), "SELECT 1")
