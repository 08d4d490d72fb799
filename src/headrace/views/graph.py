"""The graph of the lake, of tables, views, streams, tasks, pipes and syncs: which is made from which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from typing_extensions import TypedDict

from headrace.features.pipes.model import Pipe
from headrace.features.streams.model import TableStream
from headrace.features.syncs.model import Sync, SyncMode
from headrace.features.tasks.task_body import table_of
from headrace.features.tasks.task_reads import script_tables
from headrace.model.dynamic_table import DynamicTable, RequestedMode
from headrace.model.history import Refresh, RefreshMode
from headrace.model.names import DEFAULT_WORKSPACE, TableName
from headrace.model.selection import Selectable, Selection, select
from headrace.model.task import IntervalSchedule, RunState, Task, TaskKind, TaskRun
from headrace.refresh.condition import Condition
from headrace.views.pipes import state_of
from headrace.views.syncs import state_of_sync
from headrace.views.view_edges import Folded, ViewReads, ViewText, folded

MISSING = "missing"
_FAILED = (RunState.FAILED.value, RunState.TIMEOUT.value)


class NodeKind(StrEnum):
    TABLE = "table"
    DYNAMIC_TABLE = "dynamic table"
    VIEW = "view"
    STREAM = "stream"
    TASK = "task"
    PIPE = "pipe"
    SYNC = "sync"


@dataclass(frozen=True)
class GraphNode:
    id: str
    """The full name of a table or stream; of a task, pipe or sync its kind, `:` and its name."""
    kind: NodeKind
    name: str
    workspace: str
    schema: str
    """The group of the node; of a task the schema in which it runs."""
    state: str | None
    """Of a dynamic table or a task; of a table null, or `missing` where it does not exist."""
    reason: str | None = None
    lag_seconds: float | None = None
    mode: RefreshMode | None = None
    """Of the last refresh."""
    requested_mode: RequestedMode | None = None
    interval_seconds: int | None = None
    cluster: str | None = None
    consecutive_failures: int = 0
    last_time: datetime | None = None
    """When the last refresh or run started."""
    last_state: str | None = None
    """Of the last refresh or run."""


GraphEdge = TypedDict("GraphEdge", {"from": str, "to": str})


@dataclass(frozen=True)
class GraphGroup:
    workspace: str
    schema: str
    nodes: int
    states: Mapping[str, int]
    """How many nodes are in each state."""


@dataclass(frozen=True)
class LakeGraph:
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    groups: tuple[GraphGroup, ...]

    def selected(self, selection: Selection) -> LakeGraph:
        """The nodes that are meant, and the edges between them."""
        chosen = select(selection, map(_selectable, self.nodes), self._pairs())
        nodes = tuple(node for node in self.nodes if node.id in chosen)
        edges = tuple(edge for edge in self.edges if edge["from"] in chosen and edge["to"] in chosen)
        return LakeGraph(nodes, edges, _groups(nodes))

    def _pairs(self) -> list[tuple[str, str]]:
        return [(edge["from"], edge["to"]) for edge in self.edges]


@dataclass(frozen=True)
class GraphFacts:
    tables: Mapping[TableName, DynamicTable]
    conditions: Mapping[TableName, Condition]
    last_refreshes: Mapping[TableName, Refresh]
    streams: Mapping[TableName, TableStream]
    tasks: Sequence[tuple[Task, TaskRun | None]]
    """With the last run of each."""
    existing: frozenset[TableName]
    """All tables and views of the lake."""
    views: Mapping[TableName, ViewText]
    pipes: Sequence[Pipe] = ()
    syncs: Sequence[Sync] = ()

    def known(self) -> dict[Folded, TableName]:
        return {folded(name): name for name in (*self.existing, *self.tables, *self.streams)}


def lake_graph(facts: GraphFacts) -> LakeGraph:
    """Of plain tables and views, those that something reads or writes.

    The task of a dynamic table is not a node: the table stands for it.
    """
    pairs = sorted({*_table_edges(facts), *_task_edges(facts), *_ingestion_edges(facts)})
    nodes = [
        *(_dynamic_table(table, facts) for table in facts.tables.values()),
        *(_node(name, NodeKind.STREAM, None) for name in facts.streams),
        *(_task(task, last) for task, last in facts.tasks if task.kind is not TaskKind.DYNAMIC_TABLE),
        *map(_pipe, facts.pipes),
        *map(_sync, facts.syncs),
        *_plain_tables(facts, {each for pair in pairs for each in pair}),
    ]
    ordered = tuple(sorted(nodes, key=lambda node: node.id))
    edges = tuple(GraphEdge({"from": from_, "to": to}) for from_, to in pairs)
    return LakeGraph(ordered, edges, _groups(ordered))


def _table_edges(facts: GraphFacts) -> Iterator[tuple[str, str]]:
    """A table that is read through a view has an edge to the view."""
    reads = ViewReads(facts.views, facts.known() if facts.views else {})
    for view in facts.views:
        yield from ((str(source), str(view)) for source in reads.of_view(view))
    for name, table in facts.tables.items():
        views, behind = reads.of_table(table)
        sources = {source.name for source in table.definition.sources} - behind
        yield from ((str(source), str(name)) for source in sources | views)
    for name, stream in facts.streams.items():
        yield str(stream.source), str(name)


def _task_edges(facts: GraphFacts) -> Iterator[tuple[str, str]]:
    ids = {task.name.lower(): _task_id(task) for task, _ in facts.tasks}
    nodes = {key: str(name) for key, name in facts.known().items()}
    for task, _ in facts.tasks:
        own = _task_id(task)
        yield from ((ids[name.lower()], own) for name in task.after if name.lower() in ids)
        found = script_tables(task)
        yield from ((nodes[folded(name)], own) for name in found.reads if folded(name) in nodes)
        yield from ((own, nodes[folded(name)]) for name in found.writes if folded(name) in nodes)


def _ingestion_edges(facts: GraphFacts) -> Iterator[tuple[str, str]]:
    """Several tables of a sync may be shards of one."""
    yield from ((_pipe_id(pipe), str(pipe.target)) for pipe in facts.pipes)
    yield from ((_sync_id(sync), str(table.target)) for sync in facts.syncs for table in sync.tables)


def _plain_tables(facts: GraphFacts, connected: set[str]) -> Iterator[GraphNode]:
    others = facts.tables.keys() | facts.streams.keys()
    sources = {source.name for table in facts.tables.values() for source in table.definition.sources}
    sources |= {stream.source for stream in facts.streams.values()}
    sources |= {pipe.target for pipe in facts.pipes}
    sources |= {table.target for sync in facts.syncs for table in sync.tables}
    for name in (facts.existing | sources) - others:
        is_missing = name not in facts.existing and name.workspace == DEFAULT_WORKSPACE
        kind = NodeKind.VIEW if name in facts.views else NodeKind.TABLE
        if str(name) in connected:
            yield _node(name, kind, MISSING if is_missing else None)


def _node(name: TableName, kind: NodeKind, state: str | None) -> GraphNode:
    return GraphNode(str(name), kind, name.table, name.workspace, name.schema, state)


def _dynamic_table(table: DynamicTable, facts: GraphFacts) -> GraphNode:
    found, last = facts.conditions[table.name], facts.last_refreshes.get(table.name)
    return replace(
        _node(table.name, NodeKind.DYNAMIC_TABLE, found.state.value),
        reason=found.reason,
        lag_seconds=None if found.lag is None else found.lag.total_seconds(),
        mode=last.mode if last else None,
        requested_mode=table.mode,
        interval_seconds=table.schedule.interval_seconds,
        cluster=table.cluster,
        consecutive_failures=found.consecutive_failures,
        last_time=last.start_time if last else None,
        last_state=last.state.value if last else None,
    )


def _task(task: Task, last: TaskRun | None) -> GraphNode:
    schedule = task.schedule
    return GraphNode(
        _task_id(task),
        NodeKind.TASK,
        task.name,
        task.workspace,
        task.schema,
        task.state.value.lower(),
        reason=last.error_message if last else None,
        interval_seconds=schedule.seconds if isinstance(schedule, IntervalSchedule) else None,
        cluster=task.cluster,
        last_time=last.start_time if last else None,
        last_state=last.state.value if last else None,
    )


def _pipe(pipe: Pipe) -> GraphNode:
    progress = pipe.progress
    return replace(
        _node(pipe.name, NodeKind.PIPE, state_of(pipe).lower()),
        id=_pipe_id(pipe),
        reason=progress.last_error,
        lag_seconds=progress.lag_seconds,
        interval_seconds=pipe.settings.interval_seconds,
        cluster=pipe.settings.cluster,
        consecutive_failures=progress.failures,
        last_time=progress.last_run_at,
    )


def _sync(sync: Sync) -> GraphNode:
    progress = sync.progress
    return replace(
        _node(sync.name, NodeKind.SYNC, state_of_sync(sync).lower()),
        id=_sync_id(sync),
        reason=progress.last_error,
        interval_seconds=None if sync.mode is SyncMode.BATCH else sync.settings.interval_seconds,
        cluster=sync.settings.cluster,
        consecutive_failures=progress.failures,
        last_time=progress.last_run_at,
    )


def _sync_id(sync: Sync) -> str:
    return f"sync:{sync.name}"


def _pipe_id(pipe: Pipe) -> str:
    return f"pipe:{pipe.name}"


def _task_id(task: Task) -> str:
    return str(table_of(task)) if task.kind is TaskKind.DYNAMIC_TABLE else f"task:{task.name}"


def _groups(nodes: Iterable[GraphNode]) -> tuple[GraphGroup, ...]:
    found: dict[tuple[str, str], list[GraphNode]] = {}
    for node in nodes:
        found.setdefault((node.workspace, node.schema), []).append(node)
    return tuple(
        GraphGroup(*key, len(members), Counter(node.state for node in members if node.state))
        for key, members in sorted(found.items())
    )


def _selectable(node: GraphNode) -> Selectable:
    failing = ("failing",) if node.kind is NodeKind.TASK and node.last_state in _FAILED else ()
    values = {
        "name": (node.name, node.id, f"{node.schema}.{node.name}"),
        "schema": (node.schema, f"{node.workspace}.{node.schema}"),
        "workspace": (node.workspace,),
        "state": (*((node.state,) if node.state else ()), *failing),
        "mode": (node.mode.value,) if node.mode else (),
        "kind": (node.kind.value,),
    }
    return Selectable(node.id, values)
