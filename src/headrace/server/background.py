"""What works in the background of a server: started together, each with its own problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headrace.cluster.pool import Pool
from headrace.features.pipes.model import Pipe
from headrace.features.syncs.model import Sync
from headrace.ingest.stream_writers.stream_writes import StreamWrites
from headrace.ingest.supervisor import PipeSupervisor
from headrace.schedule.alert_watch import AlertWatch
from headrace.schedule.delivery import Delivery
from headrace.schedule.loop import Scheduler
from headrace.schedule.task_loop import TaskRunner
from headrace.server.change_watch import ProgressWatch, TableWatch
from headrace.server.cleaning import Cleaning
from headrace.server.housekeeping import Housekeeping
from headrace.server.presence import Presence


@dataclass(frozen=True)
class Background:
    presence: Presence
    scheduler: Scheduler
    tasks: TaskRunner
    pipes: PipeSupervisor[Pipe]
    syncs: PipeSupervisor[Sync]
    stream_writes: StreamWrites
    cleaning: Cleaning
    alerts: AlertWatch
    delivery: Delivery
    housekeeping: Housekeeping
    table_watch: TableWatch
    progress_watch: ProgressWatch
    pool: Pool

    def start(self) -> None:
        self.presence.look()
        self.presence.start()
        self.scheduler.start()
        self.tasks.start()
        self.pipes.start()
        self.syncs.start()
        self.stream_writes.start()
        self.cleaning.start()
        self.housekeeping.start()
        self.table_watch.start()
        self.progress_watch.start()
        self.alerts.start()

    def problems(self) -> Mapping[str, str | None]:
        """Of each part, why it cannot be relied on; None where it can."""
        return {
            "scheduler": self.scheduler.problem(),
            "tasks": self.tasks.problem(),
            "pipes": self.pipes.problem(),
            "syncs": self.syncs.problem(),
            "stream_writers": self.stream_writes.problem(),
            "cleaning": self.cleaning.problem(),
            "alerts": self.alerts.problem() or self.delivery.problem(),
            "presence": self.presence.problem(),
            "clusters": self.pool.problem(),
            "housekeeping": self.housekeeping.problem(),
            "events": self.table_watch.problem() or self.progress_watch.problem(),
        }
