"""SHOW VCLUSTERS and DESC VCLUSTER; all statements about virtual clusters where there is no server."""

from __future__ import annotations

from headrace.commands.local_view import selected
from headrace.commands.show import like
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.features.vclusters.grammar import (
    AlterVcluster,
    CreateVcluster,
    DescribeVcluster,
    DropVcluster,
    ShowVclusters,
    UseVcluster,
)
from headrace.features.vclusters.vcluster_changes import change_vcluster, find_vcluster
from headrace.model.vcluster import Vcluster
from headrace.result import NOTHING, LocalRows, Result
from headrace.views.arrow import to_arrow
from headrace.views.clusters import VclusterDetails, VclusterRow
from headrace.views.described import info_table

_NO_SERVER = "without `headrace serve`, all statements run in this process, regardless of the cluster"


def show_vclusters(statement: ShowVclusters, given: StatementInput, context: StatementContext) -> Result:
    store = context.lake.store
    unended = store.jobs.unended()
    rows = [
        VclusterRow.of(each, unended) for each in store.vclusters.all() if like(each.name, statement.like)
    ]
    table = to_arrow(VclusterRow, rows, context.lake.settings.zone)
    return selected(table, statement.where, statement.limit, given, context)


def describe_vcluster(
    statement: DescribeVcluster, given: StatementInput, context: StatementContext
) -> Result:
    found = find_vcluster(statement.name, given.text, context.lake.store.vclusters)
    row = VclusterRow.of(found, context.lake.store.jobs.unended())
    zone = context.lake.settings.zone
    if not statement.extended:
        return Result(LocalRows(info_table(row, zone)))
    details = VclusterDetails(**vars(row), last_modified_time=found.modified_at)
    return Result(LocalRows(info_table(details, zone, found.properties)))


class NoneRunning:
    """Where there is no server."""

    def set(self, spec: Vcluster) -> None:
        pass

    def remove(self, name: str) -> None:
        pass

    def resume(self, name: str) -> str:
        return _NO_SERVER

    def suspend(self, name: str, *, force: bool) -> str:
        return _NO_SERVER


def change_here(
    statement: CreateVcluster | AlterVcluster | DropVcluster | UseVcluster,
    given: StatementInput,
    context: StatementContext,
) -> Result:
    store = context.lake.store
    if isinstance(statement, UseVcluster):
        find_vcluster(statement.name, given.text, store.vclusters)
        return Result(NOTHING, (_NO_SERVER,))
    notice = change_vcluster(statement, given.text, store, context.user, context.now(), NoneRunning())
    return Result(NOTHING, (notice,) if notice else ())
