"""Runs again, runs of many dates, and when a schedule runs next."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSimError
from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from headrace.errors import DataError
from headrace.model.backfill import (
    MOST_PARALLEL,
    Backfill,
    BackfillItem,
    BackfillProgress,
    BackfillState,
    dates_between,
)
from headrace.model.role import Privilege
from headrace.model.schedule_moments import moments_after
from headrace.model.task import CronSchedule, IntervalSchedule
from headrace.model.task_parameters import BUSINESS_DATE
from headrace.server.dependencies import LakeTime, Sender, Tasks, TasksKnown, User
from headrace.server.paging import Listed, Order, Page
from headrace.server.rights import expect_values, requires
from headrace.server.task_control import BackfillOrder, Rerun
from headrace.server.view_route import ViewRoute

routes = APIRouter(tags=["tasks"], route_class=ViewRoute)
_NEWEST = Order[Backfill](lambda backfill: (backfill.created_at, backfill.id), (datetime, str))
_LONGEST_INTERVAL = 36_500 * 86_400


class BackfillAsked(BaseModel):
    model_config = ConfigDict(extra="forbid")

    first: date
    last: date
    step_days: int = Field(1, ge=1, le=366)
    parameter: str = Field(BUSINESS_DATE, min_length=1, description="Has the date of each run as its value.")
    parameters: dict[str, str] = Field(default_factory=dict, description="Others, for all runs.")
    downstream: bool = Field(False, description="Also all tasks after it, each when those before succeeded.")
    parallelism: int = Field(1, ge=1, le=MOST_PARALLEL)


class RerunAsked(BaseModel):
    downstream: bool = False


@dataclass(frozen=True)
class BackfillView(BackfillProgress):
    parameter: str
    parameters: Mapping[str, str]
    parallelism: int
    creator: str
    created_time: datetime
    ended_time: datetime | None

    @staticmethod
    def of(backfill: Backfill) -> BackfillView:
        return BackfillView(**_known(backfill))


@dataclass(frozen=True)
class BackfillDetails(BackfillView):
    items: tuple[BackfillItem, ...]

    @staticmethod
    def of(backfill: Backfill) -> BackfillDetails:
        return BackfillDetails(**_known(backfill), items=backfill.items)


@dataclass(frozen=True)
class BackfillCancelRequested:
    id: str


@dataclass(frozen=True)
class NextRuns:
    times: tuple[datetime, ...]
    time_zone: str


@routes.post(
    "/tasks/{name}/backfill",
    status_code=202,
    summary="Run a task for each date of a range",
    openapi_extra=requires(Privilege.OPERATE),
)
async def backfill(name: str, asked: BackfillAsked, control: Tasks, sender: Sender) -> BackfillDetails:
    expect_values(asked.parameters, sender)
    values = tuple(dates_between(asked.first, asked.last, asked.step_days))
    order = BackfillOrder(asked.parameter, values, asked.parameters, asked.parallelism, asked.downstream)
    return BackfillDetails.of(await asyncio.to_thread(control.backfill, name, order, sender.name))


@routes.get("/backfills", summary="List backfills, newest first")
def backfills(known: TasksKnown, listing: Listed, state: BackfillState | None = None) -> Page[BackfillView]:
    """The name of a backfill is that of its task."""
    page = listing.page_of(
        known.backfills, _NEWEST, lambda each: each.task, lambda each: state in (None, each.state)
    )
    return page.map(BackfillView.of)


@routes.get("/backfills/{backfill_id}", summary="Show a backfill with its runs")
def backfill_details(backfill_id: str, known: TasksKnown) -> BackfillDetails:
    return BackfillDetails.of(known.backfill(backfill_id))


@routes.post(
    "/backfills/{backfill_id}/cancel",
    status_code=202,
    summary="Cancel a backfill",
    openapi_extra=requires(Privilege.OPERATE),
)
def cancel_backfill(backfill_id: str, control: Tasks, user: User) -> BackfillCancelRequested:
    """Its running runs are cancelled, and the others do not begin."""
    control.backfills.cancel(backfill_id)
    return BackfillCancelRequested(backfill_id)


@routes.post(
    "/task-runs/{run_id}/rerun",
    status_code=202,
    summary="Run a task again, as in an earlier run",
    openapi_extra=requires(Privilege.OPERATE),
)
async def rerun(run_id: str, asked: RerunAsked, control: Tasks, user: User) -> Rerun:
    """With the same parameters, so with the same `bizdate`."""
    return await asyncio.to_thread(control.rerun, run_id, user, downstream=asked.downstream)


@routes.get("/schedules/next", summary="Show when a schedule runs next")
def next_runs(
    lake: LakeTime,
    interval_seconds: Annotated[int | None, Query(ge=1, le=_LONGEST_INTERVAL)] = None,
    start_at: datetime | None = None,
    cron: str | None = None,
    time_zone: Annotated[
        str | None, Query(description="Of the cron expression; without it, the lake's.")
    ] = None,
    count: Annotated[int, Query(ge=1, le=100)] = 5,
) -> NextRuns:
    """Of an interval or a cron expression."""
    schedule = _schedule(interval_seconds, start_at, cron, time_zone, lake.zone)
    try:
        times = moments_after(schedule, lake.clock(), lake.zone, count)
    except CronSimError as error:
        raise DataError(f"this is not a cron expression: {error}", hint="as in 30 2 * * 1-5") from None
    return NextRuns(tuple(times), time_zone or lake.zone.key)


def _schedule(
    seconds: int | None, start_at: datetime | None, cron: str | None, time_zone: str | None, zone: ZoneInfo
) -> IntervalSchedule | CronSchedule:
    if (seconds is None) == (cron is None):
        raise DataError("expected interval_seconds or cron", hint="give one of them")
    if seconds is not None:
        start = start_at.replace(tzinfo=zone) if start_at and start_at.tzinfo is None else start_at
        return IntervalSchedule(seconds, start)
    try:
        ZoneInfo(time_zone or zone.key)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise DataError(f"time zone {time_zone!r} does not exist") from None
    return CronSchedule(cron or "", time_zone)


def _known(backfill: Backfill) -> dict[str, Any]:
    return {
        **vars(backfill.progress),
        "parameter": backfill.parameter,
        "parameters": backfill.parameters,
        "parallelism": backfill.parallelism,
        "creator": backfill.creator,
        "created_time": backfill.created_at,
        "ended_time": backfill.ended_at,
    }
