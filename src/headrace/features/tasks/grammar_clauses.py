"""The clauses of CREATE TASK between its name and AS, and of ALTER TASK ... SET."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from headrace.features.dynamic_tables.grammar_clauses import read_cluster, read_interval
from headrace.model.task import TaskAlert
from headrace.sql.parsing.properties import read_properties
from headrace.sql.parsing.single_names import read_single_name
from headrace.sql.parsing.statements import Property, Word
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.positions import Span

CRON_FORM = "SCHEDULE CRON '30 2 * * 1-5' [TIME ZONE 'Europe/Berlin']"
_SCHEDULE_FORM = "SCHEDULE INTERVAL 5 MINUTE, or SCHEDULE CRON '0 2 * * *'"
_ALERTS_FORM = "ALERTS (FAILURE, TIMEOUT), or ALERTS NONE"
_SOME_MOMENT = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class EveryInterval:
    seconds: int
    span: Span
    """From INTERVAL to its unit."""
    start_at: Word | None = None
    """Text of the timestamp; its time zone is the lake's unless it names one."""


@dataclass(frozen=True)
class AtCron:
    expression: Word
    zone: str | None = None
    """None: the lake's."""


@dataclass(frozen=True)
class Retries:
    count: int
    backoff_seconds: int | None = None


@dataclass(frozen=True)
class TaskClauses:
    """None of one: not given."""

    cluster: Word | None = None
    schedule: EveryInterval | AtCron | None = None
    after: tuple[Word, ...] | None = None
    retries: Retries | None = None
    timeout_seconds: int | None = None
    parameters: tuple[Property, ...] | None = None
    comment: str | None = None
    alerts: tuple[TaskAlert, ...] | None = None


def read_task_clauses(cursor: TokenReader) -> TaskClauses:
    """Up to AS or the end."""
    given: dict[str, object] = {}
    seen: set[str] = set()
    while cursor.token and not cursor.at("AS"):
        start = cursor.span
        word = cursor.next().upper
        if word not in _CLAUSES:
            raise cursor.error(_not_a_clause(cursor, word, start), start, f"clauses: {', '.join(_CLAUSES)}")
        if word in seen:
            raise cursor.error(f"{word} is given twice", start)
        seen.add(word)
        field, read = _CLAUSES[word]
        given[field] = read(cursor)
    return TaskClauses(**given)  # type: ignore[arg-type]


def _not_a_clause(cursor: TokenReader, word: str, span: Span) -> str:
    owner = {"INTERVAL": "SCHEDULE", "CRON": "SCHEDULE", "START": "INTERVAL", "BACKOFF": "RETRIES"}.get(word)
    return f"{word} must directly follow {owner}" if owner else f"a task has no clause {span.of(cursor.text)}"


def read_parameters(cursor: TokenReader) -> tuple[Property, ...]:
    return read_properties(cursor)


def read_schedule(cursor: TokenReader) -> EveryInterval | AtCron:
    start = cursor.span
    if cursor.take("INTERVAL"):
        seconds = read_interval(cursor, "SCHEDULE INTERVAL")
        span = start.to(cursor.span_before)
        starts = cursor.take("START", "WITH")
        return EveryInterval(seconds, span, cursor.quoted_word("a timestamp") if starts else None)
    if cursor.take("CRON"):
        return _cron(cursor)
    raise cursor.error(f"expected INTERVAL or CRON after SCHEDULE{cursor.found()}", hint=_SCHEDULE_FORM)


def _cron(cursor: TokenReader) -> AtCron:
    expression = cursor.quoted_word("a cron expression")
    try:
        next(CronSim(expression.text, _SOME_MOMENT))
    except CronSimError as error:
        raise cursor.error(
            f"this is not a cron expression: {_said(error)}", expression.span, CRON_FORM
        ) from None
    except StopIteration:
        message = "this cron expression never matches a date"
        raise cursor.error(message, expression.span, CRON_FORM) from None
    return AtCron(expression, _zone(cursor) if cursor.take("TIME", "ZONE") else None)


def _said(error: CronSimError) -> str:
    return str(error)[:1].lower() + str(error)[1:]


def _zone(cursor: TokenReader) -> str:
    zone = cursor.quoted_word("a time zone")
    try:
        ZoneInfo(zone.text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise cursor.error(f"time zone {zone.text!r} does not exist", zone.span, CRON_FORM) from None
    return zone.text


def _after(cursor: TokenReader) -> tuple[Word, ...]:
    names: list[Word] = []
    while not names or cursor.take(","):
        name = read_single_name(cursor, "the name of a task")
        if any(name.text.lower() == other.text.lower() for other in names):
            raise cursor.error(f"task {name.text} is given twice", name.span)
        names.append(name)
    return tuple(names)


def _retries(cursor: TokenReader) -> Retries:
    count = cursor.whole_number("how often to try again")
    if not cursor.take("BACKOFF"):
        return Retries(count)
    return Retries(count, _interval(cursor, "BACKOFF"))


def _timeout(cursor: TokenReader) -> int:
    return _interval(cursor, "TIMEOUT")


def _interval(cursor: TokenReader, clause: str) -> int:
    if not cursor.take("INTERVAL"):
        raise cursor.error(
            f"expected INTERVAL after {clause}{cursor.found()}", hint=f"{clause} INTERVAL 5 MINUTE"
        )
    return read_interval(cursor, f"{clause} INTERVAL")


def _comment(cursor: TokenReader) -> str:
    return cursor.string("a comment")


def _alerts(cursor: TokenReader) -> tuple[TaskAlert, ...]:
    if cursor.take("NONE"):
        return ()
    cursor.expect("(")
    found: list[TaskAlert] = []
    while not found or cursor.take(","):
        if not cursor.at_any(*TaskAlert):
            raise cursor.error(f"expected {' or '.join(TaskAlert)}{cursor.found()}", hint=_ALERTS_FORM)
        found.append(TaskAlert(cursor.next().upper))
    cursor.expect(")")
    return tuple(each for each in TaskAlert if each in found)


_CLAUSES: dict[str, tuple[str, Callable[[TokenReader], object]]] = {
    "VCLUSTER": ("cluster", read_cluster),
    "SCHEDULE": ("schedule", read_schedule),
    "AFTER": ("after", _after),
    "RETRIES": ("retries", _retries),
    "TIMEOUT": ("timeout_seconds", _timeout),
    "PARAMETERS": ("parameters", read_parameters),
    "COMMENT": ("comment", _comment),
    "ALERTS": ("alerts", _alerts),
}
"""The field of each clause, and the function that reads what follows its first word."""

TASK_CLAUSES = tuple(_CLAUSES)
