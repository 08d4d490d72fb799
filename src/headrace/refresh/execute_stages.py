"""Executes the stages of a refresh, and reports on each of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import assert_never

from headrace.lake.change_scan.changes import Changes
from headrace.lake.commit.guarded_commit import GuardedTable
from headrace.lake.lookup.key_query import (
    KeyQueries,
    KeySearch,
    NotFoundByKey,
    RowsFoundByKey,
)
from headrace.lake.measure import Execution, execute_measured, read_by_driver
from headrace.lake.session import LakeSession
from headrace.lake.small_result import SmallResult, small_result
from headrace.lake.table.tables import Table
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import StageOutcome, StageReport
from headrace.model.names import TableName
from headrace.refresh.stages import (
    TARGET,
    AddColumns,
    Alternative,
    Collect,
    CommitRecord,
    FindRows,
    Stage,
    StageChanges,
    Stages,
    Way,
    WriteStage,
    filled,
    found_mark,
    result_mark,
    shown_texts,
)

_SNAPSHOT_PROPERTY = "spark.sql.iceberg.snapshot-property."


@dataclass
class _Progress:
    """Of a stage while it runs."""

    rows: int | None = None
    outcome: StageOutcome = StageOutcome.DONE
    execution: Execution | None = None
    instead: Stages | None = None
    """What comes in place of the stages that follow."""


class StageExecution:
    """What stages provide can be read until ``stack`` is closed."""

    def __init__(
        self,
        stages: Stages,
        table: DynamicTable,
        target: GuardedTable,
        session: LakeSession,
        changes: Mapping[TableName, Changes],
        tables: Mapping[TableName, Table],
        reports: list[StageReport],
        stack: ExitStack,
        earlier: Sequence[Execution] = (),
    ) -> None:
        """``tables`` are those to find rows in; ``reports`` is added to, also by a stage that fails.

        ``earlier`` has run in the same refresh.
        """
        self._stages = stages
        self._table = table
        self._target = target
        self._session = session
        self._changes = changes
        self._tables = tables
        self._reports = reports
        self._stack = stack
        self._queries: dict[str, str] = {TARGET: target.sql}
        self._shown = shown_texts(stages, table.name)
        self._key_queries = KeyQueries(session)
        self._results: dict[int, SmallResult] = {}
        self._found: dict[int, RowsFoundByKey] = {}
        self._commit: WriteStage | CommitRecord | None = None
        self._to_write: SmallResult | None = None
        self.executions: list[Execution] = list(earlier)

    def compute(self) -> Way:
        """All stages but the last, which is not known before: how it writes."""
        keeps_rows = any(isinstance(stage, Collect) for stage in self._stages.stages)
        with ExitStack() as settings:
            if keeps_rows:
                settings.enter_context(self._session.without_adaptive_plans())
            stages = self._stages
            while (after := self._computed(stages)) is not None:
                stages = after
        return stages.way

    def _computed(self, stages: Stages) -> Stages | None:
        """What is to be done in place of the rest; None once only the commit is left."""
        for number, stage in stages.numbered():
            if isinstance(stage, WriteStage | CommitRecord):
                self._commit = stage
                return None
            with self._reported(stage) as progress:
                self._run(number, stage, progress)
            if progress.instead is not None:
                return progress.instead
        raise ValueError("the last stage does not commit")

    def commit(self, summary: Mapping[str, str]) -> None:
        """The last stage; ``summary`` is that of the new version."""
        stage = self._commit
        if stage is None:
            raise ValueError("stages are computed before they are committed")
        with self._reported(stage) as progress:
            match stage:
                case WriteStage(statement=str(statement)):
                    progress.execution = self._execute(statement, summary)
                case WriteStage():
                    progress.execution = self._write_rows(stage, summary)
                case CommitRecord():
                    pass
                case _:
                    assert_never(stage)
            if self._target.committed is None:
                self._target.commit_nothing(summary)

    def _run(self, number: int, stage: Stage, progress: _Progress) -> None:
        match stage:
            case StageChanges():
                changes = self._stack.enter_context(self._changes[stage.source])
                self._queries[result_mark(number)] = changes.sql(stage.columns)
                progress.execution = read_by_driver(changes.reads)
                progress.rows = stage.estimate.rows
            case FindRows():
                self._find_rows(number, stage, progress)
            case Collect():
                self._collect(number, stage, progress)
            case AddColumns() | WriteStage() | CommitRecord():
                raise ValueError(f"{stage.kind} is not part of the computation")
            case _:
                assert_never(stage)

    def _collect(self, number: int, stage: Collect, progress: _Progress) -> None:
        query = filled(stage.query, self._query)
        net_by = None if stage.net_by is None else self._target.places(stage.net_by)
        collected = small_result(self._session, query, stage.limit, self._jobs, net_by)
        found = self._stack.enter_context(collected)
        execution = found.execution if isinstance(found, SmallResult) else found
        shown = self._as_shown(stage.query)
        progress.execution = replace(execution, statements=(shown,))
        if not isinstance(found, SmallResult):
            progress.outcome, progress.instead = StageOutcome.OVER_LIMIT, _built(stage.over_limit)
            self._queries[result_mark(number)], self._shown[result_mark(number)] = query, shown
            return
        progress.rows = found.count
        self._results[number] = self._to_write = found
        if found.count == 0 and stage.if_empty is not None:
            progress.outcome, progress.instead = StageOutcome.EMPTY, _built(stage.if_empty)

    def _find_rows(self, number: int, stage: FindRows, progress: _Progress) -> None:
        """Where they cannot be found, the stages that follow read the table itself."""
        table = self._tables[stage.table]
        versions, limits = (stage.old, stage.new), (stage.key_limit, stage.limit)
        search = KeySearch(table, stage.columns, stage.keys, *versions, *limits, stage.indexes, stage.or_null)
        if not stage.keys:
            found = self._key_queries.find_all(search)
            progress.execution = found.execution
        elif stage.keys_of is None:
            query = filled(stage.key_query, self._query)
            found = self._key_queries.find_by_query(search, query, self._jobs)
            progress.execution = replace(found.execution, statements=(self._as_shown(stage.key_query),))
        else:
            keys = self._results[stage.keys_of].values(self._target.places(stage.keys))
            found = self._key_queries.find_by_rows(search, keys)
            progress.execution = found.execution
        if isinstance(found, NotFoundByKey):
            progress.outcome, progress.instead = StageOutcome.READ_IN_FULL, _built(stage.otherwise)
        else:
            progress.rows = found.count
            self._found[number] = found
            if stage.found:
                self._queries[result_mark(number)] = self._stack.enter_context(found.readable())
        for rows in stage.found:
            mark = found_mark(number, rows.version)
            if isinstance(found, NotFoundByKey):
                self._shown[mark] = self._as_shown(rows.otherwise)
                self._queries[mark] = filled(rows.otherwise, self._query)
            else:
                self._queries[mark] = filled(rows.query, self._query)

    def _query(self, mark: str) -> str:
        """A result is given a name only if it is read."""
        for number, result in self._results.items():
            if result_mark(number) == mark:
                return result.readable
        return self._queries[mark]

    def _as_shown(self, sql: str) -> str:
        return filled(sql, lambda mark: self._shown.get(mark) or self._queries[mark])

    def _execute(self, statement: str, summary: Mapping[str, str]) -> Execution:
        with self._session.settings({_SNAPSHOT_PROPERTY + key: value for key, value in summary.items()}):
            blame = self._table.definition.query
            done = execute_measured(self._session, filled(statement, self._query), blame, self._jobs)
        return replace(done, statements=(self._as_shown(statement),))

    @property
    def _jobs(self) -> set[int]:
        """Of the stages so far: all jobs of a refresh are in one group."""
        return {job for execution in self.executions for job in execution.spark_jobs}

    def _write_rows(self, stage: WriteStage, summary: Mapping[str, str]) -> Execution:
        if self._to_write is None:
            raise ValueError("the driver has no rows to write")
        old_rows = None if stage.old_rows is None else self._found[stage.old_rows].internal_rows()
        return self._target.commit_rows(self._to_write, stage.keys, summary, old_rows)

    @contextmanager
    def _reported(self, stage: Stage) -> Iterator[_Progress]:
        progress, start = _Progress(), time.perf_counter()
        try:
            yield progress
        except BaseException:
            progress.outcome = StageOutcome.FAILED
            raise
        finally:
            seconds = time.perf_counter() - start
            self._reports.append(self._report(stage, progress, seconds))

    def _report(self, stage: Stage, progress: _Progress, seconds: float) -> StageReport:
        execution = progress.execution
        if execution is not None:
            self.executions.append(execution)
        has_run = execution is not None and bool(execution.statements)
        return StageReport(
            stage.kind,
            stage.detail,
            seconds,
            rows=progress.rows,
            outcome=progress.outcome,
            spark_jobs=execution.spark_jobs if execution else (),
            statement=sum(len(each.statements) for each in self.executions) if has_run else None,
        )


def _built(alternative: Alternative | None) -> Stages | None:
    return None if alternative is None else alternative()
