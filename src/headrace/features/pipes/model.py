"""What is read into a table, from where and how: by COPY INTO once, by a pipe again and again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from headrace.model.names import TableName
from headrace.sql.parsing.statements import Name, Word
from headrace.sql.tokens.positions import Rewritten, Span


class FileFormat(StrEnum):
    CSV = "CSV"
    JSON = "JSON"
    PARQUET = "PARQUET"
    AVRO = "AVRO"
    ORC = "ORC"

    @property
    def is_text(self) -> bool:
        """Whether a single row of a file may be unreadable."""
        return self in (FileFormat.CSV, FileFormat.JSON)


class OnError(StrEnum):
    """What happens to rows that cannot be read."""

    ABORT = "ABORT"
    """Nothing is loaded."""
    CONTINUE = "CONTINUE"
    """They are left out."""
    QUARANTINE = "QUARANTINE"
    """They go to the table ``t__rejected``."""


class SchemaEvolution(StrEnum):
    """What happens to columns that files have and the table has not."""

    ERROR = "ERROR"
    IGNORE = "IGNORE"
    ADD = "ADD"


@dataclass(frozen=True, kw_only=True)
class FileSelection:
    """Which files of a directory, and how they are read."""

    format: FileFormat
    options: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    """Names below the directory; empty: all."""
    pattern: str | None = None
    """A regular expression that names below the directory match."""


@dataclass(frozen=True)
class FileSource(FileSelection):
    """Files of a directory, or one file."""

    path: Word

    @property
    def span(self) -> Span:
        return self.path.span


@dataclass(frozen=True)
class VolumeSource(FileSelection):
    """Files of a volume; where it is, the lake knows."""

    volume: Name

    @property
    def span(self) -> Span:
        return self.volume.span

    def at(self, location: str) -> FileSource:
        return FileSource(
            Word(location, self.volume.span),
            format=self.format,
            options=self.options,
            files=self.files,
            pattern=self.pattern,
        )


@dataclass(frozen=True)
class Secret:
    """A value that is stored under a name, and written nowhere."""

    name: str


class MessageFormat(StrEnum):
    """What keys and values of messages are read as."""

    RAW = "RAW"
    """Bytes."""
    TEXT = "TEXT"
    JSON = "JSON"
    """VARIANT."""
    AVRO = "AVRO"
    """VARIANT."""


@dataclass(frozen=True)
class KafkaSource:
    """``read_kafka(...)``."""

    servers: str
    topic: str
    group: str = ""
    starting_offsets: str = ""
    """``earliest``, ``latest`` or empty; for a SELECT."""
    key_format: MessageFormat = MessageFormat.RAW
    value_format: MessageFormat = MessageFormat.RAW
    options: Mapping[str, str | Secret] = field(default_factory=dict)
    span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True)
class SelectAround:
    """The query that a source stands in."""

    text: str
    source: Span
    """Where the source stands in the text."""
    offset: int = field(default=0, compare=False)
    """Where the text stands in the statement."""

    def reading(self, relation: str) -> Rewritten:
        """With a relation in the place of the source."""
        return Rewritten(self.text, ((self.source, relation),))


@dataclass(frozen=True)
class Copy:
    """What COPY INTO says, as a statement of its own and in a pipe."""

    target: Name
    source: FileSource | VolumeSource | KafkaSource
    query: SelectAround | None = None
    columns: tuple[Word, ...] = ()
    """Of the table, that the columns of the query go to; empty: by name, or by place of a CSV file."""
    purge: bool = False
    force: bool = False
    on_error: OnError = OnError.ABORT
    schema_evolution: SchemaEvolution | None = None
    """None: as the statement's default has it."""
    span: Span | None = field(default=None, compare=False)


class IngestMode(StrEnum):
    LIST_PURGE = "LIST_PURGE"
    """Files are deleted once they are loaded."""
    LIST_KEEP = "LIST_KEEP"


@dataclass(frozen=True)
class PipeSettings:
    """What ALTER PIPE can change."""

    cluster: str
    interval_seconds: int = 60
    batch_size_per_partition: int = 500_000
    """Of messages from Kafka, in one commit."""
    most_skipped_batches: int = 30
    initial_delay_seconds: int = 0
    reset_offsets: str = "none"
    """Where to begin in Kafka: none, valid, earliest, latest, or milliseconds since 1970."""
    ingest_mode: IngestMode = IngestMode.LIST_KEEP
    is_paused: bool = False
    comment: str | None = None


@dataclass(frozen=True)
class PipeProgress:
    """What the runs of a pipe have done, for people to look at: what is loaded, the table itself says."""

    last_run_at: datetime | None = None
    last_commit_at: datetime | None = None
    batches: int = 0
    records: int = 0
    rows: int = 0
    rejected_rows: int = 0
    failures: int = 0
    """In a row."""
    last_error: str | None = None
    lag_records: int | None = None
    lag_bytes: int | None = None
    lag_seconds: float | None = None


@dataclass(frozen=True)
class Pipe:
    id: str
    name: TableName
    target: TableName
    copy: str
    """The text of its COPY INTO."""
    workspace: str
    schema: str
    """Where names in the text are looked up."""
    settings: PipeSettings
    creator: str
    created_at: datetime
    modified_at: datetime
    progress: PipeProgress = PipeProgress()

    @property
    def tag(self) -> str:
        """Of its jobs."""
        return f"pipe.{self.name.workspace}.{self.name.schema}.{self.name.table}"
