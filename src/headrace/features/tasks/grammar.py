"""CREATE, ALTER, DROP, EXECUTE, DESCRIBE and SHOW of tasks, next to tables that are called ``task``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from headrace.features.tasks.grammar_clauses import (
    TASK_CLAUSES,
    TaskClauses,
    read_parameters,
    read_task_clauses,
)
from headrace.model.task import TaskKind
from headrace.sql.parsing.filters import read_limit, read_plain_filters, read_where
from headrace.sql.parsing.rules import Rule
from headrace.sql.parsing.single_names import read_single_name
from headrace.sql.parsing.statements import Expression, Property, Statement, Word
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Kind
from headrace.sql.tokens.positions import Span

CREATE_TASK_FORM = (
    "CREATE [OR REPLACE] TASK [IF NOT EXISTS] name [clauses] AS SQL 'script' | PYTHON 'script' | statement"
)
ALTER_TASK_FORM = (
    "ALTER TASK [IF EXISTS] name DEPLOY | OFFLINE | PAUSE | RESUME | SET clauses | UNSET clause, ..."
)
DROP_TASK_FORM = "DROP TASK [IF EXISTS] name"
EXECUTE_TASK_FORM = "EXECUTE TASK name [PARAMETERS ('key' = 'value', ...)]"
DESCRIBE_TASK_FORM = "DESC TASK name"
SHOW_TASKS_FORM = "SHOW TASKS [LIKE 'pattern'] [WHERE condition] [LIMIT n]"
SHOW_TASK_RUNS_FORM = "SHOW TASK RUNS [FOR task] [WHERE condition] [LIMIT n]"
SCRIPT_FORM = "enclose several statements in quotes: AS SQL '...', or AS SQL $$...$$"

_NAME = "the name of a task"


class TaskStep(StrEnum):
    DEPLOY = "DEPLOY"
    OFFLINE = "OFFLINE"
    PAUSE = "PAUSE"
    RESUME = "RESUME"


@dataclass(frozen=True)
class TaskBody:
    kind: TaskKind
    text: str
    span: Span
    """Of the statement, or of the string that holds the script."""


@dataclass(frozen=True)
class CreateTask(Statement):
    name: Word
    body: TaskBody
    clauses: TaskClauses
    or_replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True)
class UnsetClauses:
    clauses: frozenset[str]
    """By their first words: ``SCHEDULE``, ``AFTER``."""


@dataclass(frozen=True)
class AlterTask(Statement):
    name: Word
    action: TaskStep | TaskClauses | UnsetClauses
    span: Span
    """Of the action."""
    if_exists: bool = False


@dataclass(frozen=True)
class DropTask(Statement):
    name: Word
    if_exists: bool = False


@dataclass(frozen=True)
class ExecuteTask(Statement):
    name: Word
    parameters: tuple[Property, ...] = ()


@dataclass(frozen=True)
class DescribeTask(Statement):
    name: Word


@dataclass(frozen=True)
class ShowTasks(Statement):
    like: str | None = None
    where: Expression | None = None
    limit: int | None = None


@dataclass(frozen=True)
class ShowTaskRuns(Statement):
    task: Word | None = None
    where: Expression | None = None
    limit: int | None = None


def _create(cursor: TokenReader, or_replace: bool = False) -> CreateTask:
    if_not_exists = cursor.take_if_not_exists(or_replace)
    name = read_single_name(cursor, _NAME)
    clauses = read_task_clauses(cursor)
    _refuse_itself(cursor, name, clauses)
    if cursor.done:
        raise cursor.error("a task requires AS and a statement or a script")
    cursor.expect("AS")
    return CreateTask(name, _body(cursor), clauses, or_replace, if_not_exists)


def _refuse_itself(cursor: TokenReader, name: Word, clauses: TaskClauses) -> None:
    for other in clauses.after or ():
        if other.text.lower() == name.text.lower():
            raise cursor.error("a task cannot run after itself", other.span)


def _body(cursor: TokenReader) -> TaskBody:
    if cursor.done:
        raise cursor.error("expected a statement or a script after AS")
    following = cursor.ahead(1)
    if cursor.at_any("SQL", "PYTHON") and (following is None or following.kind is Kind.STRING):
        return _script(cursor)
    if cursor.token and cursor.token.kind is Kind.STRING:
        raise cursor.error("expected SQL or PYTHON before the script")
    if cursor.at("BEGIN"):
        raise cursor.error("a block must be written as a script", hint=SCRIPT_FORM)
    kind = TaskKind.DYNAMIC_TABLE if _creates_dynamic_table(cursor) else TaskKind.SQL
    statement = cursor.expression("a statement", ";")
    if cursor.at(";"):
        raise cursor.error("a task runs a single statement or a script", hint=SCRIPT_FORM)
    cursor.expect_end()
    return TaskBody(kind, statement.text, statement.span)


def _script(cursor: TokenReader) -> TaskBody:
    kind = TaskKind(cursor.next().upper)
    script = cursor.quoted_word("a script")
    if not script.text.strip():
        raise cursor.error("the script is empty", script.span)
    cursor.expect_end()
    return TaskBody(kind, script.text, script.span)


def _creates_dynamic_table(cursor: TokenReader) -> bool:
    return cursor.at("CREATE", "DYNAMIC", "TABLE") or cursor.at("CREATE", "OR", "REPLACE", "DYNAMIC", "TABLE")


def _alter(cursor: TokenReader) -> AlterTask:
    if_exists = cursor.take("IF", "EXISTS")
    name = read_single_name(cursor, _NAME)
    start = cursor.span
    action = _action(cursor)
    if isinstance(action, TaskClauses):
        _refuse_itself(cursor, name, action)
    if cursor.at("AS"):
        message = "the statement or script of a task cannot be altered"
        raise cursor.error(message, hint="CREATE OR REPLACE TASK name [clauses] AS ...")
    cursor.expect_end()
    return AlterTask(name, action, start.to(cursor.span_before), if_exists)


def _action(cursor: TokenReader) -> TaskStep | TaskClauses | UnsetClauses:
    if cursor.at_any(*TaskStep):
        return TaskStep(cursor.next().upper)
    if cursor.take("SET"):
        if cursor.done:
            raise cursor.error(f"expected what to set: {', '.join(TASK_CLAUSES)}")
        return read_task_clauses(cursor)
    if cursor.take("UNSET"):
        return _unset(cursor)
    raise cursor.error(f"expected {', '.join(TaskStep)}, SET or UNSET{cursor.found()}")


def _unset(cursor: TokenReader) -> UnsetClauses:
    clauses: set[str] = set()
    while not clauses or cursor.take(","):
        if not cursor.at_any(*TASK_CLAUSES):
            raise cursor.error(f"expected one of {', '.join(TASK_CLAUSES)} after UNSET{cursor.found()}")
        if cursor.at_any(*clauses):
            raise cursor.error(f"{cursor.next().upper} is given twice", cursor.span_before)
        clauses.add(cursor.next().upper)
    return UnsetClauses(frozenset(clauses))


def _drop(cursor: TokenReader) -> DropTask:
    if_exists = cursor.take("IF", "EXISTS")
    name = read_single_name(cursor, _NAME)
    cursor.expect_end()
    return DropTask(name, if_exists)


def _execute(cursor: TokenReader) -> ExecuteTask:
    name = read_single_name(cursor, _NAME)
    parameters = read_parameters(cursor) if cursor.take("PARAMETERS") else ()
    cursor.expect_end()
    return ExecuteTask(name, parameters)


def _describe(cursor: TokenReader) -> DescribeTask | None:
    """Without a name after it, a table is called ``task``."""
    if not cursor.names_next:
        return None
    name = read_single_name(cursor, _NAME)
    cursor.expect_end()
    return DescribeTask(name)


def _show(cursor: TokenReader) -> ShowTasks:
    return ShowTasks(*read_plain_filters(cursor))


def _show_runs(cursor: TokenReader) -> ShowTaskRuns:
    cursor.expect("RUNS")
    task = read_single_name(cursor, _NAME) if cursor.take("FOR") else None
    return ShowTaskRuns(task, read_where(cursor), read_limit(cursor))


RULES = (
    Rule("CREATE TASK", CREATE_TASK_FORM, _create),
    Rule("CREATE OR REPLACE TASK", CREATE_TASK_FORM, partial(_create, or_replace=True)),
    Rule("ALTER TASK", ALTER_TASK_FORM, _alter),
    Rule("DROP TASK", DROP_TASK_FORM, _drop),
    Rule("EXECUTE TASK", EXECUTE_TASK_FORM, _execute),
    Rule("DESC TASK", DESCRIBE_TASK_FORM, _describe),
    Rule("DESCRIBE TASK", DESCRIBE_TASK_FORM, _describe),
    Rule("SHOW TASKS", SHOW_TASKS_FORM, _show),
    Rule("SHOW TASK", SHOW_TASK_RUNS_FORM, _show_runs),
)
