"""Which source a COPY INTO reads: a new kind of source is a line here."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Protocol

from headrace.commands.statement_context import StatementContext
from headrace.errors import NotSupportedError, Refused
from headrace.features.pipes.model import Copy, FileSource, IngestMode, KafkaSource, Pipe
from headrace.ingest.files.directory_source import DirectorySource, Limits
from headrace.ingest.files.listing import root_of
from headrace.ingest.kafka.client_options import SecretValue
from headrace.ingest.kafka.topic_source import TopicSource, expect_brokers
from headrace.ingest.protocol import Source
from headrace.lake.session import LakeSession
from headrace.lake.spark.sandbox import Sandbox
from headrace.model.clock import Clock
from headrace.model.names import TableName
from headrace.sql.sandbox.sandbox_paths import is_inside
from headrace.sql.sandbox.sandbox_rules import OUTSIDE_HINT

COPY_INTO = "COPY INTO"
_PIPE_LIMITS = Limits(files=10_000, bytes=10 << 30, settle=timedelta(seconds=5))


class PipeSource(Source, Protocol):
    """A source that is read again and again."""

    def resume(self, position: str | None) -> None:
        """Before the first batch of a run: does what a run that was killed has left undone."""

    def preview(self) -> AbstractContextManager[str | None]:
        """A query of some rows that it would bring now; None: there are none."""


@dataclass(frozen=True)
class Reader:
    """Who reads."""

    session: LakeSession
    clock: Clock
    sandbox: Sandbox | None
    """What may be read; None: everything."""
    secret_value: SecretValue


def reader_of(context: StatementContext, session: LakeSession | None = None) -> Reader:
    """``session`` if it is another than that of the statement."""
    lake = context.lake
    return Reader(session or context.session, context.now, lake.sandbox, lake.secret_value)


def source_of_copy(copy: Copy, target: TableName, reader: Reader) -> DirectorySource:
    """All that is there now, in one batch."""
    if isinstance(copy.source, KafkaSource):
        raise NotSupportedError(
            "a topic of Kafka is loaded by a pipe",
            hint="use CREATE PIPE name AS COPY INTO ..., then EXECUTE PIPE name",
        )
    _expect_inside(copy.source, reader.sandbox)
    return DirectorySource(copy, copy.source, target, reader.session, reader.clock, COPY_INTO)


def source_of_pipe(pipe: Pipe, copy: Copy, reader: Reader) -> PipeSource:
    _expect_inside(copy.source, reader.sandbox)
    match copy.source:
        case FileSource():
            purge = copy.purge or pipe.settings.ingest_mode is IngestMode.LIST_PURGE
            wanted, name = replace(copy, purge=purge), str(pipe.name)
            return DirectorySource(
                wanted, copy.source, pipe.target, reader.session, reader.clock, name, _PIPE_LIMITS
            )
        case KafkaSource():
            return TopicSource(
                copy,
                copy.source,
                pipe.target,
                reader.session,
                reader.clock,
                str(pipe.name),
                pipe.settings,
                reader.secret_value,
            )


def _expect_inside(source: FileSource | KafkaSource, sandbox: Sandbox | None) -> None:
    """Spark looks only at the files that it reads itself."""
    if sandbox is None:
        return
    if isinstance(source, FileSource) and not is_inside(root_of(source), sandbox.directories):
        raise Refused(f"{source.path.text} reaches outside the lake", hint=OUTSIDE_HINT)
    if isinstance(source, KafkaSource):
        expect_brokers(source, sandbox)
