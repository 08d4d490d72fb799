"""The rule of each operator. An operator that is not listed here cannot be part of a query."""

from __future__ import annotations

from typing import Any

from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.operators.constant import Constant
from headrace.algebra.operators.filter import Filter
from headrace.algebra.operators.generate import Generate
from headrace.algebra.operators.join import Join
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.scan import Scan
from headrace.algebra.operators.set_operation import SetOperation
from headrace.algebra.operators.union_all import UnionAll
from headrace.algebra.operators.window import Window
from headrace.algebra.relation import Relation
from headrace.delta.operators.aggregate import AggregateRule
from headrace.delta.operators.constant import ConstantRule
from headrace.delta.operators.filter import FilterRule
from headrace.delta.operators.generate import GenerateRule
from headrace.delta.operators.join import JoinRule
from headrace.delta.operators.project import ProjectRule
from headrace.delta.operators.scan import ScanRule
from headrace.delta.operators.set_operation import SetOperationRule
from headrace.delta.operators.union_all import UnionAllRule
from headrace.delta.operators.window import WindowRule
from headrace.delta.rule import Operator, Rule

RULES: dict[type[Relation], Rule[Any]] = {
    Scan: ScanRule(),
    Constant: ConstantRule(),
    Filter: FilterRule(),
    Project: ProjectRule(),
    Generate: GenerateRule(),
    UnionAll: UnionAllRule(),
    Join: JoinRule(),
    Aggregate: AggregateRule(),
    Window: WindowRule(),
    SetOperation: SetOperationRule(),
}


def rule_of(node: Operator) -> Rule[Operator]:
    return RULES[type(node)]
