"""Tables of stored groups, brought to the versions of the sources that a refresh has found.

They are a cache: each is a table with a record of its own, made again when it is missing, of another
definition, or of rows that cannot be followed. A refresh that dies between its commit to such a table and
that to its own leaves stored groups that are ahead. What a dynamic table has read of them is in its own
record, so the next refresh follows them from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from headrace.algebra.walk import tables_of
from headrace.errors import RefreshFailed
from headrace.lake.commit.guarded_commit import GuardedTable
from headrace.lake.commit.upkeep import compact, expire_versions
from headrace.lake.lookup.key_lookup import IndexUse
from headrace.lake.measure import Execution
from headrace.lake.session import LakeSession
from headrace.lake.table.expiry import NEWEST
from headrace.lake.table.tables import Table, TableCatalog
from headrace.model.dynamic_table import Column, DynamicTable
from headrace.model.history import Refresh, RefreshMode, StageReport
from headrace.model.names import DEFAULT_WORKSPACE, STATE_SCHEMA, TableName
from headrace.model.quoting import quote_identifier
from headrace.model.version import TableVersion
from headrace.refresh.build_stages import build_stages
from headrace.refresh.context import RefreshContext
from headrace.refresh.execute_stages import StageExecution
from headrace.refresh.fallback import FAULTS
from headrace.refresh.increment import NoIncrement, find_increment, index_use
from headrace.refresh.inner_aggregates import StoredGroups, is_of
from headrace.refresh.layout import Layout
from headrace.refresh.maintenance import EVERY, SMALL_FILE
from headrace.refresh.observe import Observation, decide, last_record, observe_groups
from headrace.refresh.plan import Plan
from headrace.refresh.record import REFRESH_MODE, RefreshRecord, to_summary
from headrace.refresh.stages import FindRows
from headrace.sql.queries.hiding import is_hidden

MANY_FOUND = 20_000
"""Rows that an increment reads; to read fewer takes no longer than a second commit."""
MANY_RECOMPUTED = 1_000_000
"""The same of a table that is recomputed because that is cheaper: each row then takes less time."""


def forbids_groups(table: DynamicTable) -> bool:
    return index_use(table.properties) is IndexUse.NONE


def stores_groups(table: DynamicTable, record: RefreshRecord | None, past: Sequence[Refresh]) -> bool:
    """As the property says; else once a refresh has read many rows.

    ``past`` are refreshes of the table, newest first. The first one has read all rows, and tells nothing.
    """
    if forbids_groups(table):
        return False
    if index_use(table.properties) is IndexUse.ALWAYS or (record is not None and record.groups):
        return True
    judged = (row for row in past if row.mode is RefreshMode.INCREMENTAL or row.estimated is not None)
    last = next(judged, None)
    if last is None:
        return False
    many = MANY_FOUND if last.mode is RefreshMode.INCREMENTAL else MANY_RECOMPUTED
    return (last.rows_read or 0) > many


@dataclass(frozen=True)
class GroupsRefresh:
    """Of the groups that one refresh of a dynamic table reads."""

    table: DynamicTable
    """As it is defined."""
    bound: DynamicTable
    observed: Observation
    record: RefreshRecord
    """That the refresh is going to leave."""
    today: date
    context: RefreshContext
    session: LakeSession
    anew: bool
    """Whether nothing that is stored may be relied on."""
    needed: frozenset[str]
    """All tables of groups that the dynamic table has under its definition."""
    reports: list[StageReport] = field(default_factory=list)
    executions: list[Execution] = field(default_factory=list)
    """Without their statements."""

    def brought_forward(self, groups: StoredGroups) -> Table:
        """The groups of the rows that the sources have at the versions observed."""
        target = self.context.catalog.table(groups.name) or self._made(groups)
        observed = observe_groups(
            target,
            self.observed,
            self.table,
            tables_of(groups.layout.relation),
            self.context.store.definitions,
        )
        decision = decide(self.table, observed, self.today, self.record.arguments, full=self.anew)
        if decision.mode is RefreshMode.NO_DATA:
            return target
        as_table = replace(self.bound, name=groups.name, columns=_visible(groups.layout))
        if decision.mode is RefreshMode.INCREMENTAL:
            found = find_increment(as_table, groups.layout, observed, self.today, self.session, past=())
            if not isinstance(found, NoIncrement):
                with suppress(*FAULTS):  # whose stage has failed in the profile; the groups are made again
                    plan = Plan(RefreshMode.INCREMENTAL, found.reason, groups.layout, found)
                    return self._executed(plan, as_table, observed)
        return self._executed(Plan(RefreshMode.FULL, decision.reason, groups.layout), as_table, observed)

    def _made(self, groups: StoredGroups) -> Table:
        """In place of those that belong to another definition."""
        catalog = self.context.catalog
        catalog.ensure_schema(groups.name)
        remove_stored_groups(catalog, lambda name: name in self.needed or not is_of(name, self.table))
        columns = ", ".join(f"{quote_identifier(c.name)} {c.type}" for c in groups.layout.columns)
        self.session.run(f"CREATE TABLE {groups.name.sql} ({columns}) USING iceberg")
        return catalog.existing_table(groups.name)

    def _executed(self, plan: Plan, as_table: DynamicTable, observed: Observation) -> Table:
        stages = build_stages(as_table, observed, plan, self.today, lambda: True)
        changes = plan.increment.changes if plan.increment is not None else {}
        tables = {**observed.sources, as_table.name: observed.target}
        reports: list[StageReport] = []
        with ExitStack() as stack:
            target = stack.enter_context(GuardedTable(observed.target, self.session))
            execution = StageExecution(
                stages, as_table, target, self.session, changes, tables, reports, stack, self.executions
            )
            try:
                execution.compute()
                execution.commit(self._summary(plan, observed))
            finally:
                self._add(reports, execution)
            committed = target.committed
        made = self.context.catalog.existing_table(as_table.name)
        if made.version.snapshot_id != committed:
            raise RefreshFailed(f"another program wrote to {as_table.name} at the same time")
        return made

    def _summary(self, plan: Plan, observed: Observation) -> dict[str, str]:
        if not isinstance(plan.layout, Layout):
            raise ValueError("groups are kept in the layout of groups")
        record = replace(self.record, layout=plan.layout.mark, number=1 + observed.number, groups={})
        return {**to_summary(record), REFRESH_MODE: str(plan.mode)}

    def _add(self, reports: list[StageReport], execution: StageExecution) -> None:
        """Its statements are not among those of the profile, which has those of the table itself."""
        self.reports.extend(replace(each, detail=_said(each), statement=None) for each in reports)
        own = execution.executions[len(self.executions) :]
        self.executions.extend(replace(each, statements=(), plans=(), operators=()) for each in own)


def _said(stage: StageReport) -> str:
    """Those that find rows name their table, as they do in every profile."""
    return stage.detail if stage.stage == FindRows.kind else f"stored groups: {stage.detail}"


def _visible(layout: Layout) -> tuple[Column, ...]:
    return tuple(column for column in layout.columns if not is_hidden(column.name))


def remove_stored_groups(catalog: TableCatalog, is_needed: Callable[[str], bool]) -> int:
    """How many tables of groups went; ``is_needed`` is given their names."""
    gone = [name for name in catalog.hidden_tables(STATE_SCHEMA) if not is_needed(name)]
    for name in gone:
        catalog.purge(TableName(DEFAULT_WORKSPACE, STATE_SCHEMA, name))
    return len(gone)


def maintain_stored_groups(
    versions: Mapping[TableName, TableVersion], context: RefreshContext, session: LakeSession
) -> None:
    """``versions`` are those that their dynamic table has read; older ones are of use to nobody."""
    for name, version in versions.items():
        found = context.catalog.existing_table(name)
        record = last_record(found)
        if record is not None and record.number % EVERY == 0:
            compact(name, context.catalog, session, smaller_than=SMALL_FILE)
            found = context.catalog.existing_table(name)
        if found.versions_kept >= NEWEST + EVERY:
            expire_versions(
                found,
                context.catalog,
                {version.snapshot_id} if version.snapshot_id is not None else set(),
                retention=timedelta(0),
                for_readers=context.settings.keep_unread,
                now=context.clock(),
            )
