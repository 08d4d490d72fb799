"""Which source a COPY INTO reads: a new kind of source is a line here."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Protocol

from headrace.commands.statement_context import StatementContext
from headrace.errors import NotFound, NotSupportedError, Refused
from headrace.features.pipes.model import Copy, FileSource, IngestMode, KafkaSource, Pipe, VolumeSource
from headrace.features.volumes.model import Volume
from headrace.features.volumes.store import Volumes
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
    volumes: Volumes


def reader_of(context: StatementContext, session: LakeSession | None = None) -> Reader:
    """``session`` if it is another than that of the statement."""
    lake = context.lake
    return Reader(
        session or context.session, context.now, lake.sandbox, lake.secret_value, lake.store.volumes
    )


def source_of_copy(copy: Copy, target: TableName, reader: Reader) -> DirectorySource:
    """All that is there now, in one batch."""
    if isinstance(copy.source, KafkaSource):
        raise NotSupportedError(
            "a topic of Kafka is loaded by a pipe",
            hint="use CREATE PIPE name AS COPY INTO ..., then EXECUTE PIPE name",
        )
    files = _files(copy.source, reader.session.workspace, reader.session.schema, reader)
    return DirectorySource(copy, files, target, reader.session, reader.clock, COPY_INTO)


def source_of_pipe(pipe: Pipe, copy: Copy, reader: Reader) -> PipeSource:
    match copy.source:
        case FileSource() | VolumeSource():
            files = _files(copy.source, pipe.workspace, pipe.schema, reader)
            purge = copy.purge or pipe.settings.ingest_mode is IngestMode.LIST_PURGE
            wanted, name = replace(copy, purge=purge), str(pipe.name)
            return DirectorySource(
                wanted, files, pipe.target, reader.session, reader.clock, name, _PIPE_LIMITS
            )
        case KafkaSource():
            if reader.sandbox is not None:
                expect_brokers(copy.source, reader.sandbox)
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


def _files(source: FileSource | VolumeSource, workspace: str, schema: str, reader: Reader) -> FileSource:
    """Volumes are looked up in this schema. Spark looks only at the files that it reads itself."""
    if isinstance(source, VolumeSource):
        name = TableName.resolve(source.volume.parts, workspace, schema)
        source = source.at(existing_volume(name, reader.volumes).location)
    sandbox = reader.sandbox
    if sandbox is not None and not is_inside(root_of(source.path.text), sandbox.directories):
        raise Refused(f"{source.path.text} reaches outside the lake", hint=OUTSIDE_HINT)
    return source


def existing_volume(name: TableName, volumes: Volumes) -> Volume:
    found = volumes.find(name)
    if found is None:
        raise NotFound(f"volume {name} does not exist", hint="SHOW VOLUMES lists all volumes")
    return found
