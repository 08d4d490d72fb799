"""Scheduled refreshes: each runs on the cluster of its table."""

from __future__ import annotations

from dataclasses import replace

from headrace.catalog.store import MetadataStore
from headrace.cluster.messages import RefreshTable
from headrace.cluster.pool import Pool
from headrace.errors import ClusterLost
from headrace.model.clock import Clock
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import Refresh, RefreshState, RefreshTrigger
from headrace.model.job import JobState
from headrace.model.job_id import new_job_id
from headrace.schedule.loop import scheduled_row
from headrace.schedule.unchanged import Locations

_NOT_BEGUN = (RefreshState.SETUP, RefreshState.QUEUED, RefreshState.RESUMING_CLUSTER)


class RefreshRunner:
    def __init__(self, store: MetadataStore, pool: Pool, clock: Clock) -> None:
        self._store = store
        self._pool = pool
        self._clock = clock

    def refresh(self, table: DynamicTable, job_id: str, given: Locations) -> Refresh:
        """Once more if the cluster's process ended meanwhile; starting anew it settles what it was at."""
        try:
            return self._refresh_once(table, job_id, given)
        except ClusterLost:
            return self._refresh_once(table, new_job_id(self._clock()), given)

    def _refresh_once(self, table: DynamicTable, job_id: str, given: Locations) -> Refresh:
        request = RefreshTable(job_id, table.name, RefreshTrigger.SYSTEM_SCHEDULED, given)
        row = scheduled_row(table, job_id, self._clock(), RefreshState.SETUP)

        def note(state: JobState) -> None:
            if state is not JobState.RUNNING:
                self._store.refreshes.record(replace(row, state=RefreshState(state)))

        cluster = self._pool.cluster(table.cluster)
        try:
            return cluster.run(job_id, lambda process: process.refresh(request), note).row
        except ClusterLost as lost:
            self._end_unbegun(job_id, lost)
            raise

    def _end_unbegun(self, job_id: str, lost: ClusterLost) -> None:
        """A refresh that has begun is settled by the next one of its table."""
        row = self._store.refreshes.find(job_id)
        if row is not None and row.state in _NOT_BEGUN:
            failed = replace(row, state=RefreshState.FAILED, end_time=self._clock())
            self._store.refreshes.record(replace(failed, error_message=lost.message))
