"""The rows of EXPLAIN REFRESH and EXPLAIN CREATE DYNAMIC TABLE, put together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from headrace.views.plan_tree import PlanTree, indented_tree
from headrace.views.statement_results import ExplainRow

_STAGE = re.compile(r"^(?P<number>\d+)\. (?P<kind>[^:]+): (?P<detail>.*)$", re.DOTALL)


@dataclass(frozen=True)
class ExplainedStage:
    number: int
    kind: str
    detail: str
    """What it does, and estimates of what it reads."""
    otherwise: tuple[str, ...]
    """What happens in its place beyond a limit."""
    sql: str


@dataclass(frozen=True)
class Explained:
    mode: str | None
    reason: str | None
    facts: tuple[ExplainRow, ...]
    """The rest in order: sources, changes, how rows are identified."""
    plan: PlanTree
    """The change of the query, operator by operator."""
    stages: tuple[ExplainedStage, ...]
    sql: str
    """Of a definition, which has no stages."""


@dataclass
class _Parts:
    facts: list[ExplainRow] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)
    stages: list[ExplainedStage] = field(default_factory=list)
    sql: list[str] = field(default_factory=list)


def explained(rows: Sequence[ExplainRow]) -> Explained:
    parts, single = _Parts(), {row.item: row.detail for row in rows if row.item in ("mode", "reason")}
    for row in rows:
        _sort(row, parts)
    return Explained(
        single.get("mode"),
        single.get("reason"),
        tuple(parts.facts),
        indented_tree(parts.plan),
        tuple(parts.stages),
        "\n".join(parts.sql),
    )


def _sort(row: ExplainRow, parts: _Parts) -> None:
    detail = row.detail or ""
    match row.item:
        case "mode" | "reason":
            return
        case "plan":
            parts.plan.append(detail)
        case "stage":
            parts.stages.append(_stage(detail, len(parts.stages) + 1))
        case "otherwise" if parts.stages:
            last = parts.stages[-1]
            parts.stages[-1] = replace(last, otherwise=(*last.otherwise, detail))
        case "sql" if parts.stages:
            last = parts.stages[-1]
            parts.stages[-1] = replace(last, sql=f"{last.sql}\n{detail}".lstrip("\n"))
        case "sql":
            parts.sql.append(detail)
        case _:
            parts.facts.append(row)


def _stage(text: str, number: int) -> ExplainedStage:
    found = _STAGE.match(text)
    if found is None:
        return ExplainedStage(number, "", text, (), "")
    return ExplainedStage(int(found["number"]), found["kind"], found["detail"], (), "")
