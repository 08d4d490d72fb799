"""The statements by which a file is deployed as a task."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from headrace.commands.error_location import pointing_into
from headrace.errors import DataError, Error, Place
from headrace.features.development.model import File, FileKind, FileSettings, FileVersion
from headrace.features.dynamic_tables.grammar_statements import CreateDynamicTable
from headrace.features.tasks.grammar import TaskStep
from headrace.features.tasks.grammar_text import alter_task_text
from headrace.model.quoting import quote_identifier, quote_string
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.tokens.positions import moved
from headrace.sql.tokens.split import split


@dataclass(frozen=True)
class TaskText:
    name: str
    create: str
    body: str
    """As it stands at the end of the text; empty where it stands there as a string."""

    @property
    def deploy(self) -> str:
        return alter_task_text(self.name, TaskStep.DEPLOY)

    @contextmanager
    def pointing_into(self, content: str) -> Iterator[None]:
        """Errors in the definition of a table point into the file; others have no place there."""
        try:
            yield
        except Error as error:
            if error.place is not None:
                error.place = self._place_in(content, error.place)
            raise

    def _place_in(self, content: str, place: Place) -> Place | None:
        if not self.body:
            return None
        lines, head = self.create.split("\n"), len(self.create) - len(self.body)
        is_of_create = place.line <= len(lines) and lines[place.line - 1] == place.source_line
        text, start = (self.create, head) if is_of_create else (self.body, 0)
        is_before = text is self.create and place.line <= text.count("\n", 0, head)
        return None if is_before else moved(place, text, content, content.index(self.body) - start)


def task_text(file: File, version: FileVersion) -> TaskText:
    name = version.settings.task or file.name
    clauses = "\n".join(f"  {clause}" for clause in _clauses(version.settings))
    head = f"CREATE OR REPLACE TASK {quote_identifier(name)}\n{clauses}\nAS "
    if file.kind is FileKind.DYNAMIC_TABLE:
        body = _table_definition(file, version.content)
        return TaskText(name, f"{head}{body}", body)
    if not version.content.strip():
        raise DataError(f"file {file.name} is empty")
    return TaskText(name, f"{head}{file.kind} {quote_string(version.content)}", "")


def _table_definition(file: File, content: str) -> str:
    statements = split(content)
    if len(statements) == 1:
        (only,) = statements
        with pointing_into(content, only.text, only.offset):
            if isinstance(parse_statement(only.text), CreateDynamicTable):
                return only.text
    raise DataError(
        f"file {file.name} must contain a single CREATE DYNAMIC TABLE statement",
        hint="other statements belong to a file of the kind SQL",
    )


def _clauses(settings: FileSettings) -> Iterator[str]:
    yield f"VCLUSTER {quote_identifier(settings.cluster)}"
    yield from _schedule(settings)
    if settings.after:
        yield f"AFTER {', '.join(map(quote_identifier, settings.after))}"
    if settings.retries:
        backoff = f" BACKOFF INTERVAL {settings.backoff_seconds} SECOND" if settings.backoff_seconds else ""
        yield f"RETRIES {settings.retries}{backoff}"
    if settings.timeout_seconds is not None:
        yield f"TIMEOUT INTERVAL {settings.timeout_seconds} SECOND"
    if settings.parameters:
        given = (f"{quote_string(key)} = {quote_string(value)}" for key, value in settings.parameters.items())
        yield f"PARAMETERS ({', '.join(given)})"
    yield f"ALERTS ({', '.join(settings.alerts)})" if settings.alerts else "ALERTS NONE"
    if settings.comment is not None:
        yield f"COMMENT {quote_string(settings.comment)}"


def _schedule(settings: FileSettings) -> Iterator[str]:
    if settings.interval_seconds is not None:
        start = settings.start_at
        starting = f" START WITH {quote_string(start.isoformat(sep=' '))}" if start is not None else ""
        yield f"SCHEDULE INTERVAL {settings.interval_seconds} SECOND{starting}"
    elif settings.cron is not None:
        zone = f" TIME ZONE {quote_string(settings.time_zone)}" if settings.time_zone else ""
        yield f"SCHEDULE CRON {quote_string(settings.cron)}{zone}"
