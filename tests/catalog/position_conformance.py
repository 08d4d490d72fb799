"""Lists that are newest first, read from a position on: the parts of each are the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headrace.catalog.store import MetadataStore
from headrace.model.position import Position
from headrace.views.jobs import all_jobs, job_position

from .operation_samples import job, run
from .samples import refresh, table


def in_parts(
    read: Callable[[int | None, Position | None], Sequence[Any]],
    position: Callable[[Any], Position],
    size: int,
) -> list[Any]:
    found: list[Any] = []
    while part := read(size, position(found[-1]) if found else None):
        assert len(part) <= size
        found += part
    return found


class PositionContract:
    def test_parts_of_the_refresh_history(self, store: MetadataStore) -> None:
        for name in ("a", "b"):
            store.lifecycle.begin_create(table(name))
            store.lifecycle.finish_create(name)
        for number in range(9):
            store.refreshes.record(refresh(f"j{number}", "ab"[number % 2], minute=number // 3))
        for name in (None, table("a").name):
            for size in (1, 2, 4, 9, 10):
                parts = in_parts(
                    lambda limit, before, name=name: store.refreshes.history(name, limit, before),
                    lambda row: (row.start_time, row.job_id),
                    size,
                )
                assert parts == store.refreshes.history(name)

    def test_parts_of_the_task_runs(self, store: MetadataStore) -> None:
        for name in "abc":
            for attempt in (1, 2, 3):
                store.task_runs.record(run(name, "t" if name != "b" else "other", attempt=attempt))
        for task_id in (None, "t"):
            for size in (1, 2, 5):
                parts = in_parts(
                    lambda limit, before, task_id=task_id: store.task_runs.history(task_id, limit, before),
                    lambda each: (each.scheduled_time, each.run_id, each.attempt),
                    size,
                )
                assert parts == store.task_runs.history(task_id)

    def test_a_refresh_that_has_a_job_is_listed_once_in_all_parts(self, store: MetadataStore) -> None:
        for number in range(6):
            store.refreshes.record(refresh(f"r{number}", minute=number))
            store.jobs.record(job(f"s{number}", minute=number))
        for number in (1, 4, 5):
            store.jobs.record(job(f"r{number}", minute=number - 3))
        assert store.jobs.among(["r0", "r1", "s1"]) == {"r1", "s1"}
        assert store.jobs.among([]) == set()
        whole = all_jobs(store)
        assert len({each.job_id for each in whole}) == len(whole) == 12
        for size in (1, 2, 3, 5, 12):
            assert in_parts(lambda limit, before: all_jobs(store, limit, before), job_position, size) == whole
