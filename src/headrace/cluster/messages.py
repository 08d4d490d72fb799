"""What a server and the process of a virtual cluster say to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from headrace.errors import Error
from headrace.model.change import Recorded
from headrace.model.client_positions import StreamCommit
from headrace.model.external_change import ExternalChange
from headrace.model.history import Refresh, RefreshTrigger
from headrace.model.names import TableName
from headrace.model.parameters import Parameters
from headrace.model.role import Role
from headrace.results.source import Chunk


@dataclass(frozen=True)
class Assignment:
    """The first message to a new process."""

    lake: Path
    cluster: str
    spark: Mapping[str, str]
    compacts: bool = True


@dataclass(frozen=True)
class Execute:
    job: str
    session: str
    user: str
    role: Role
    text: str
    parameters: Parameters | None = None
    journal: tuple[str, ...] = ()
    """What made the session what it is, for a process that does not know it yet."""


@dataclass(frozen=True)
class Describe:
    """Asks for the columns of the result that a statement would have: of one that changes nothing."""

    statement: Execute


@dataclass(frozen=True)
class IngestFile:
    """Rows that a client has sent, in a Parquet file that both processes see; one statement writes them."""

    job: str
    user: str
    file: Path
    write: str
    """The statement up to the query that it writes the rows of."""
    columns: tuple[str, ...]


@dataclass(frozen=True)
class RefreshTable:
    job: str
    table: TableName
    trigger: RefreshTrigger
    given: Mapping[TableName, str] = field(default_factory=dict)
    """Sources to be taken as a metadata file has them, not as they are now."""
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CommitRows:
    """Rows of stream writers, in files that both processes see."""

    job: str
    table: TableName
    uuid: str
    """Of the table."""
    files: tuple[Path, ...]
    ended: frozenset[str]
    """Clients that will not write again."""


@dataclass(frozen=True)
class ChangeTable:
    """What another engine asks of a base table, in the JSON of Iceberg's REST protocol."""

    job: str
    change: ExternalChange
    table: TableName
    request: str
    places: tuple[str, ...]
    """Directories that the request names."""


@dataclass(frozen=True)
class Cancel:
    job: str


@dataclass(frozen=True)
class JobProgressRequest:
    """Asks how far a job is."""

    job: str


@dataclass(frozen=True)
class EndSession:
    session: str


@dataclass(frozen=True)
class Stop:
    """Nothing runs any more; end as a program ends."""


@dataclass(frozen=True)
class ReadRows:
    """Asks for the batches of a result from the one with this row on."""

    id: int
    job: str
    row: int


@dataclass(frozen=True)
class ReleaseRows:
    """Nobody will read the rows of a result any more."""

    job: str


Request = (
    Execute
    | Describe
    | IngestFile
    | RefreshTable
    | CommitRows
    | ChangeTable
    | Cancel
    | JobProgressRequest
    | EndSession
    | ReadRows
    | ReleaseRows
    | Stop
)


@dataclass(frozen=True)
class Started:
    """Once, when the lake is open; or why it is not."""

    error: Error | None = None


@dataclass(frozen=True)
class Progress:
    job: str
    line: str | None


@dataclass(frozen=True)
class RowsReady:
    """The result is a large one, and its first rows can be read."""

    job: str
    schema: bytes
    types: tuple[str, ...]


@dataclass(frozen=True)
class RowsRead:
    id: int
    found: Chunk | Error


@dataclass(frozen=True)
class StatementReply:
    job: str
    rows: bytes | None
    """An Arrow stream; None: a large result, which can be read as long as the process stores it."""
    types: tuple[str, ...]
    notices: tuple[str, ...]
    workspace: str
    schema: str
    row_count: int | None = None
    tag: str | None = None
    """What the user has given with ``SET query_tag = ...``."""


@dataclass(frozen=True)
class Described:
    job: str
    schema: bytes
    """Arrow's."""


@dataclass(frozen=True)
class Refreshed:
    job: str
    row: Refresh


@dataclass(frozen=True)
class RowsCommitted:
    job: str
    commit: StreamCommit


@dataclass(frozen=True)
class TableChanged:
    job: str
    answer: str
    """In the JSON of Iceberg's REST protocol."""


@dataclass(frozen=True)
class Failed:
    job: str
    error: Error


@dataclass(frozen=True)
class RowRecorded:
    """The process has written a row of the metadata database that clients of the server follow."""

    row: Recorded


Reply = (
    Started
    | Progress
    | RowsReady
    | RowsRead
    | StatementReply
    | Described
    | Refreshed
    | RowsCommitted
    | TableChanged
    | Failed
    | RowRecorded
)
