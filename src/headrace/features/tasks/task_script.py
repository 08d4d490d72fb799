"""A SQL script of a task, one statement after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow as pa

from headrace.errors import Error, NotFound
from headrace.features.tasks.task_body import table_of
from headrace.model.quoting import quote_identifier, quote_string
from headrace.model.task import Task, TaskKind
from headrace.model.task_parameters import arguments_of, unknown_parameters, with_parameters
from headrace.model.text_table import text_table
from headrace.sql.tokens.split import split

_ROWS_IN_LOG = 20
_WORDS_IN_LOG = 200


@dataclass(frozen=True)
class ScriptOutcome:
    """Of one statement that succeeded."""

    job_id: str | None
    rows: pa.Table
    """All, or the first ones of many."""
    seconds: float
    row_count: int | None = None
    """Of all rows, if these are not all."""


def run_script(
    task: Task,
    parameters: Mapping[str, str],
    run: Callable[[str], ScriptOutcome],
    log: Callable[[str], None],
) -> None:
    """In a session that is new; stops at the first statement that fails, whose error it raises."""
    script = _script(task, parameters)
    run(f"USE {quote_identifier(task.workspace)}.{quote_identifier(task.schema)}")
    for name, value in arguments_of(parameters).items():
        run(f"SET {name} = {quote_string(value)}")
    for statement in split(script):
        shown = _on_one_line(statement.text)
        try:
            outcome = run(statement.text)
        except Error as error:
            log(f"FAILED: {shown}\n{error}\n")
            raise
        job = f" (job {outcome.job_id})" if outcome.job_id else ""
        log(f"SUCCEED in {outcome.seconds:.1f} s{job}: {shown}\n{_rows(outcome)}")


def _script(task: Task, parameters: Mapping[str, str]) -> str:
    if task.kind is TaskKind.DYNAMIC_TABLE:
        return f"REFRESH DYNAMIC TABLE {table_of(task).sql}"
    missing = unknown_parameters(task.body, parameters)
    if missing:
        raise NotFound(
            f"parameter {missing[0]} of task {task.name} has no value",
            hint=f"EXECUTE TASK ... PARAMETERS ('{missing[0]}' = '...'), or set it with ALTER TASK",
        )
    return with_parameters(task.body, parameters)


def _on_one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WORDS_IN_LOG else line[: _WORDS_IN_LOG - 3] + "..."


def _rows(outcome: ScriptOutcome) -> str:
    table = outcome.rows
    if not table.num_columns or not table.num_rows:
        return ""
    first = table.slice(0, _ROWS_IN_LOG)
    shown = text_table(
        table.column_names, zip(*(column.to_pylist() for column in first.columns), strict=True)
    )
    more = max(table.num_rows, outcome.row_count or 0) - first.num_rows
    return f"{shown}\n{f'and {more} more rows{chr(10)}' if more > 0 else ''}"
