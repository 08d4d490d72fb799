"""Changes that no code of the server makes: they are found by looking, once a second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from headrace.errors import ClusterLost, NotFound
from headrace.model.change import JobProgress, Publish, TableChange
from headrace.model.job import JobState
from headrace.model.names import HIDDEN_SCHEMAS, TableName
from headrace.model.periodic import PeriodicLoop
from headrace.server.statements import Statement

_LOOK_SECONDS = 1.0
_MOST_WATCHED = 20
"""Of how many statements the progress is looked at in one round."""


class TableWatch(PeriodicLoop):
    """The head of every table, in one query: clusters, other servers and other programs move them."""

    def __init__(self, locations: Callable[[], Mapping[TableName, str]], publish: Publish) -> None:
        super().__init__("tables", _LOOK_SECONDS)
        self._locations = locations
        self._publish = publish
        self._known: Mapping[TableName, str] | None = None

    def look(self) -> None:
        before, self._known = self._known, dict(self._locations())
        if before is None or before == self._known:
            return
        for name in sorted(before.keys() | self._known.keys()):
            location = self._known.get(name)
            if name.schema not in HIDDEN_SCHEMAS and location != before.get(name):
                self._publish(TableChange(name, location))


class ProgressWatch(PeriodicLoop):
    """Clusters report progress on request only, so it is requested only while a client follows."""

    def __init__(
        self,
        running: Callable[[], list[Statement]],
        progress: Callable[[Statement], str | None],
        is_followed: Callable[[], bool],
        publish: Publish,
    ) -> None:
        super().__init__("progress", _LOOK_SECONDS)
        self._running = running
        self._progress = progress
        self._is_followed = is_followed
        self._publish = publish
        self._known: dict[str, str] = {}

    def look(self) -> None:
        if not self._is_followed():
            self._known = {}
            return
        running = [each for each in self._running() if each.job.state is JobState.RUNNING][:_MOST_WATCHED]
        ids = {each.job.job_id for each in running}
        self._known = {job_id: line for job_id, line in self._known.items() if job_id in ids}
        for statement in running:
            with suppress(NotFound, ClusterLost):  # the statement ends without further progress
                self._look_at(statement)

    def _look_at(self, statement: Statement) -> None:
        job, progress = statement.job, self._progress(statement)
        if progress is not None and progress != self._known.get(job.job_id):
            self._known[job.job_id] = progress
            self._publish(JobProgress(job, progress))
