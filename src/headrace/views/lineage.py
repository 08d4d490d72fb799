"""Which table is made from which, and in what state each dynamic table is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import Refresh, RefreshMode, RefreshState
from headrace.model.names import TableName
from headrace.refresh.condition import Condition
from headrace.views.dynamic_tables import ConditionView, condition_fields


@dataclass(frozen=True)
class LastRefresh:
    state: RefreshState
    mode: RefreshMode | None
    start_time: datetime
    error_message: str | None


@dataclass(frozen=True)
class SourceNode:
    """A table that dynamic tables read and that is none itself."""

    name: str
    kind: Literal["table"]
    exists: bool


@dataclass(frozen=True)
class DynamicTableNode(ConditionView):
    name: str
    kind: Literal["dynamic table"]
    interval_seconds: int | None
    last_refresh: LastRefresh | None

    @staticmethod
    def of(table: DynamicTable, found: Condition, last: Refresh | None) -> DynamicTableNode:
        return DynamicTableNode(
            **condition_fields(found),
            name=str(table.name),
            kind="dynamic table",
            interval_seconds=table.schedule.interval_seconds,
            last_refresh=None
            if last is None
            else LastRefresh(last.state, last.mode, last.start_time, last.error_message),
        )


LineageEdge = TypedDict("LineageEdge", {"from": str, "to": str})


@dataclass(frozen=True)
class Lineage:
    nodes: tuple[SourceNode | DynamicTableNode, ...]
    edges: tuple[LineageEdge, ...]


def edge(source: TableName, table: TableName) -> LineageEdge:
    return {"from": str(source), "to": str(table)}
