"""What the routes need of the server, each by itself, and who asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Protocol
from zoneinfo import ZoneInfo

from anyio import CapacityLimiter
from fastapi import Depends, Request

from headrace.catalog.alert_log import AlertLog
from headrace.catalog.tokens import Tokens as StoredTokens
from headrace.cluster.cluster import Cluster
from headrace.errors import Error
from headrace.features.development.edit import FileEditing
from headrace.features.pipes.model import Pipe
from headrace.features.syncs.model import Sync
from headrace.ingest.stream_writers.stream_writes import StreamWrites
from headrace.lake.alert_settings import AlertSettings
from headrace.model.access_token import Principal
from headrace.model.clock import Clock
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import Refresh
from headrace.model.job import Job
from headrace.model.key_index import IndexUsage
from headrace.model.names import TableName
from headrace.model.parameters import Parameters
from headrace.model.position import Position
from headrace.refresh.condition import Condition
from headrace.server.access import Access
from headrace.server.deployment import Deployment
from headrace.server.event_feed import EventFeed
from headrace.server.paging import Fetch
from headrace.server.script_runs import ScriptRuns
from headrace.server.sessions import ClientSession, Sessions
from headrace.server.statements import Statement, Statements
from headrace.server.task_control import TaskControl, TaskQueries
from headrace.views.catalog_queries import CatalogQueries
from headrace.views.column_lineage import ColumnLineage, Direction
from headrace.views.costs import CostRow
from headrace.views.dynamic_tables import DynamicTableView
from headrace.views.graph import LakeGraph
from headrace.views.jobs import JobDetails
from headrace.views.key_indexes import KeyIndexRow
from headrace.views.lake_queries import NextRefreshes as DueTimes
from headrace.views.lineage import Lineage
from headrace.views.objects import ObjectView, SchemaView
from headrace.views.refreshes import RefreshView

PARTS = "headrace.parts"
"""Where the scope of a request has the parts of its server."""


class StatementExecution(Protocol):
    def submit(self, session: ClientSession, text: str, parameters: Parameters | None) -> Statement: ...
    def cancel(self, statement: Statement, reason: Error | None = None) -> None: ...
    def progress(self, statement: Statement) -> str | None: ...


class ObjectQueries(Protocol):
    def schemas(self) -> list[SchemaView]: ...
    def objects_in(self, workspace: str, schema: str) -> list[ObjectView]: ...


class DynamicTableQueries(Protocol):
    def dynamic_tables(self, due: DueTimes) -> list[DynamicTableView]: ...
    def dynamic_table(self, name: TableName, due: DueTimes) -> DynamicTableView: ...


class HistoryQueries(Protocol):
    def refreshes_of(self, table: TableName | None) -> Fetch[Refresh]: ...
    def jobs(self, position: Position | None, count: int) -> Sequence[Job]: ...
    def job(self, job_id: str, user: str) -> JobDetails: ...


class GraphQueries(Protocol):
    def graph(self) -> LakeGraph: ...
    def column_lineage(self, table: TableName, column: str | None, direction: Direction) -> ColumnLineage: ...


class OverviewQueries(Protocol):
    def lineage(self) -> Lineage: ...
    def costs(self, since: datetime | None) -> list[CostRow]: ...
    def key_indexes(self) -> list[KeyIndexRow]: ...


class MetricQueries(Protocol):
    def definitions(self) -> list[DynamicTable]: ...
    def conditions(self) -> Mapping[TableName, Condition]: ...
    def refreshes(self, table: TableName | None, limit: int) -> list[RefreshView]: ...
    def index_usage(self) -> IndexUsage: ...
    def pipes(self) -> list[Pipe]: ...
    def syncs(self) -> list[Sync]: ...


class PipeQueries(Protocol):
    def pipes(self) -> list[Pipe]: ...
    def pipe(self, name: TableName) -> Pipe: ...
    def syncs(self) -> list[Sync]: ...
    def sync(self, name: TableName) -> Sync: ...


@dataclass(frozen=True)
class TimeOfLake:
    zone: ZoneInfo
    clock: Clock


def _part(name: str) -> Any:
    """A part of the server, as ``make_app`` has put it into the scope of the request."""

    def find(request: Request) -> Any:
        return getattr(request.scope[PARTS], name)

    return Depends(find)


def _principal(request: Request) -> Principal:
    """As the gate found it."""
    principal: Principal = request.state.principal
    return principal


def _user(request: Request) -> str:
    return _principal(request).name


def _is_admitted(request: Request) -> Callable[[], bool]:
    is_admitted: Callable[[], bool] = request.state.is_admitted
    return is_admitted


Objects = Annotated[ObjectQueries, _part("queries")]
DynamicTables = Annotated[DynamicTableQueries, _part("queries")]
History = Annotated[HistoryQueries, _part("queries")]
Graph = Annotated[GraphQueries, _part("queries")]
Catalog = Annotated[CatalogQueries, _part("catalog")]
KnownPipes = Annotated[PipeQueries, _part("queries")]
StreamedWrites = Annotated[StreamWrites, _part("stream_writes")]
FlushLimit = Annotated[CapacityLimiter, _part("flush_limit")]
"""Of requests that wait for a commit: their threads are not those of all other requests."""
Overview = Annotated[OverviewQueries, _part("queries")]
Measured = Annotated[MetricQueries, _part("queries")]
NextRefreshes = Annotated[DueTimes, _part("next_refreshes")]
Clusters = Annotated[Callable[[], list[Cluster]], _part("clusters")]
CancelJob = Annotated[Callable[[str, str], None], _part("cancel_job")]
"""Of an id, for a user."""
OpenSessions = Annotated[Sessions, _part("sessions")]
EndSession = Annotated[Callable[[ClientSession], None], _part("end_session")]
Execution = Annotated[StatementExecution, _part("execution")]
SubmittedStatements = Annotated[Statements, _part("statements")]
TasksKnown = Annotated[TaskQueries, _part("task_queries")]
Tasks = Annotated[TaskControl, _part("task_control")]
Editing = Annotated[FileEditing, _part("editing")]
Deploying = Annotated[Deployment, _part("deployment")]
Scripts = Annotated[ScriptRuns, _part("scripts")]
Events = Annotated[EventFeed, _part("events")]
Problems = Annotated[Callable[[], Mapping[str, str | None]], _part("problems")]
"""Of each part that works in the background, why it cannot be relied on; None where it can."""
TokenAccess = Annotated[Access, _part("access")]
TimeZone = Annotated[str, _part("time_zone")]
"""Of the lake, by its name."""
TokenStore = Annotated[StoredTokens, _part("tokens")]
AlertHistory = Annotated[AlertLog, _part("alerts")]
AlertRulesOfLake = Annotated[AlertSettings, _part("alert_settings")]
LakeTime = Annotated[TimeOfLake, _part("lake_time")]
Sender = Annotated[Principal, Depends(_principal)]
User = Annotated[str, Depends(_user)]
"""The name of the sender."""
IsAdmitted = Annotated[Callable[[], bool], Depends(_is_admitted)]
"""Whether the gate would still admit the request, for one that lasts."""
