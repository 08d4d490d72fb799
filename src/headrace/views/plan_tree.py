"""Plans as trees: those of Spark, which are text with branches, and those of EXPLAIN, which are indented."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headrace.model.history import JobProfile, OperatorMetric, PlanOperator

_BRANCH = re.compile(r"^(?P<indent>(?:[ :]  )*(?:[+:]- ?)?)(?P<mark>(?:\*\(\d+\) |\* )?)(?P<text>.*)$")
_HEADING = re.compile(r"^\s*[ :+-]*== .* ==$")
_OPERATOR = re.compile(r"^(?P<name>[A-Za-z][\w]*)(?P<detail>.*)$", re.DOTALL)
_INITIAL = "== Initial Plan =="


@dataclass(frozen=True)
class PlanNode:
    id: int
    """Its line."""
    parent: int | None
    name: str
    detail: str
    metrics: tuple[OperatorMetric, ...] = ()


@dataclass(frozen=True)
class PlanTree:
    """A flat list, as a client lays it out; the first node is the root."""

    nodes: tuple[PlanNode, ...]


def plan_trees(profile: JobProfile) -> tuple[PlanTree, ...]:
    """With metrics where the operators are known, else read off the text."""
    known = [*profile.operators, *([()] * len(profile.plans))]
    return tuple(
        operator_tree(operators) if operators else spark_plan_tree(text)
        for text, operators in zip(profile.plans, known, strict=False)
    )


def operator_tree(operators: Sequence[PlanOperator]) -> PlanTree:
    return PlanTree(tuple(PlanNode(**vars(operator)) for operator in operators))


def spark_plan_tree(text: str) -> PlanTree:
    """Of an adaptive plan the final one."""
    lines = [line for line in text.split(_INITIAL)[0].splitlines() if line.strip()]
    found = [_spark_line(line) for line in lines if not _HEADING.match(line)]
    return _tree([each for each in found if each[1]], "name")


def indented_tree(lines: Sequence[str]) -> PlanTree:
    """Of lines in which two spaces stand for a level."""
    return _tree(((len(line) - len(line.lstrip(" ")), line.strip()) for line in lines), "line")


def _spark_line(line: str) -> tuple[int, str]:
    found = _BRANCH.match(line)
    if found is None:
        return 0, line.strip()
    return len(found["indent"]), found["text"].strip()


def _tree(lines: Iterable[tuple[int, str]], form: str) -> PlanTree:
    nodes: list[PlanNode] = []
    above: list[tuple[int, int]] = []
    for number, (indent, text) in enumerate(lines):
        while above and above[-1][0] >= indent:
            above.pop()
        parent = above[-1][1] if above else (None if number == 0 else 0)
        operator = _OPERATOR.match(text) if form == "name" else None
        name, detail = (operator["name"], operator["detail"].strip()) if operator else (text, "")
        nodes.append(PlanNode(number, parent, name, detail))
        above.append((indent, number))
    return PlanTree(tuple(nodes))
