"""SHOW VCLUSTERS and DESC VCLUSTER; all statements about virtual clusters where there is no server."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from headrace.commands.local_view import selected
from headrace.commands.show import like
from headrace.commands.vcluster_changes import change_vcluster, find_vcluster
from headrace.commands.workbench import Workbench
from headrace.lake.session import Parameters
from headrace.model.job import Job, JobState
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

_NO_SERVER = "without `headrace serve`, all statements run in this process, regardless of the cluster"


def show_vclusters(
    statement: ShowVclusters, text: str, parameters: Parameters | None, bench: Workbench
) -> Result:
    store = bench.lake.store
    unended = store.jobs.unended()
    rows = [_row(each, unended) for each in store.vclusters.all() if like(each.name, statement.like)]
    moment = pa.timestamp("us", tz=bench.lake.settings.zone.key)
    shape = pa.schema(
        [
            ("name", pa.string()),
            ("type", pa.string()),
            ("size", pa.string()),
            ("state", pa.string()),
            ("running_jobs", pa.int64()),
            ("queued_jobs", pa.int64()),
            ("max_concurrency", pa.int64()),
            ("auto_suspend_in_second", pa.int64()),
            ("auto_resume", pa.bool_()),
            ("creator", pa.string()),
            ("created_time", moment),
            ("comment", pa.string()),
        ]
    )
    table = pa.Table.from_pylist(rows, schema=shape)
    return selected(table, statement.where, statement.limit, text, parameters, bench)


def describe_vcluster(statement: DescribeVcluster, text: str, bench: Workbench) -> Result:
    found = find_vcluster(statement.name, text, bench.lake.store.vclusters)
    facts: dict[str, Any] = _row(found, bench.lake.store.jobs.unended())
    if statement.extended:
        facts["last_modified_time"] = found.modified_at.astimezone(bench.lake.settings.zone)
        facts |= found.properties
    shown = [(name, None if value is None else str(value)) for name, value in facts.items()]
    names, values = zip(*shown, strict=True)
    return Result(LocalRows(pa.table({"info_name": list(names), "info_value": list(values)})))


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
        find_vcluster(statement.name, text, store.vclusters)
        return Result(NOTHING, (_NO_SERVER,))
    notice = change_vcluster(statement, text, store, bench.user, bench.now(), NoneRunning())
    return Result(NOTHING, (notice,) if notice else ())


def _row(vcluster: Vcluster, unended: list[Job]) -> dict[str, Any]:
    here = [job.state for job in unended if job.cluster.lower() == vcluster.name.lower()]
    return {
        "name": vcluster.name,
        "type": vcluster.type.value,
        "size": vcluster.size_name,
        "state": vcluster.state.value,
        "running_jobs": here.count(JobState.RUNNING),
        "queued_jobs": len(here) - here.count(JobState.RUNNING),
        "max_concurrency": vcluster.max_concurrency,
        "auto_suspend_in_second": vcluster.auto_suspend_seconds,
        "auto_resume": vcluster.auto_resume,
        "creator": vcluster.creator,
        "created_time": vcluster.created_at,
        "comment": vcluster.comment,
    }
