"""SHOW VCLUSTERS and DESC VCLUSTER; all statements about virtual clusters where there is no server."""

from __future__ import annotations

from headrace.commands.local_view import selected
from headrace.commands.show import like
from headrace.commands.vcluster_changes import change_vcluster, find_vcluster
from headrace.commands.workbench import Workbench
from headrace.lake.session import Parameters
from headrace.model.vcluster import Vcluster
from headrace.result import NOTHING, LocalRows, Result
from headrace.sql.vclusters import (
    AlterVcluster,
    CreateVcluster,
    DescribeVcluster,
    DropVcluster,
    ShowVclusters,
    UseVcluster,
)
from headrace.views.arrow import to_arrow
from headrace.views.clusters import VclusterDetails, VclusterRow
from headrace.views.described import info_table

_NO_SERVER = "without `headrace serve`, all statements run in this process, regardless of the cluster"


def show_vclusters(
    statement: ShowVclusters, text: str, parameters: Parameters | None, bench: Workbench
) -> Result:
    store = bench.lake.store
    unended = store.jobs.unended()
    rows = [
        VclusterRow.of(each, unended) for each in store.vclusters.all() if like(each.name, statement.like)
    ]
    table = to_arrow(VclusterRow, rows, bench.lake.settings.zone)
    return selected(table, statement.where, statement.limit, text, parameters, bench)


def describe_vcluster(statement: DescribeVcluster, text: str, bench: Workbench) -> Result:
    found = find_vcluster(statement.name, text, bench.lake.store)
    row = VclusterRow.of(found, bench.lake.store.jobs.unended())
    zone = bench.lake.settings.zone
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
    statement: CreateVcluster | AlterVcluster | DropVcluster | UseVcluster, text: str, bench: Workbench
) -> Result:
    store = bench.lake.store
    if isinstance(statement, UseVcluster):
        find_vcluster(statement.name, text, store)
        return Result(NOTHING, (_NO_SERVER,))
    notice = change_vcluster(statement, text, store, bench.user, bench.now(), NoneRunning())
    return Result(NOTHING, (notice,) if notice else ())
