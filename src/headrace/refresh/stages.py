"""What a refresh does, stage by stage, as data: built once, then printed by EXPLAIN or executed.

    add columns     hidden columns that the table does not have yet
    stage changes   the changed rows of a source become readable
    find rows       rows of a large table are found by the keys that a query gives
    collect         the result of a query is kept in the driver's memory
    look up         the same, with the position of each old row in the table's files
    write           rows and the record of the refresh in one commit
    commit record   the record alone, where no row changes

SQL has marks where it reads what an earlier stage provides, and where it names the table that is written to:
both have other names in each run. ``filled`` puts names in their places.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Self, TypeAlias

from headrace.algebra.operators.scan import SourceVersion
from headrace.lake.change_scan.changes import ChangeEstimate
from headrace.lake.lookup.key_lookup import IndexUse
from headrace.model.dynamic_table import Column
from headrace.model.names import TableName

_MARKED = f"__hr_{uuid.uuid4().hex}"
"""In no text of a user."""
TARGET = f"{_MARKED}_target_"
"""Stands for the table in a statement that writes to it."""
_STAGE = re.compile(rf"{_MARKED}_(?:stage|found)_(\d+)_")
_MARK = re.compile(rf"{_MARKED}_(?:target|stage_\d+|found_\d+_(?:old|new))_")


class Way(StrEnum):
    FILL = "fill"
    DIFFERENCE = "difference"
    REWRITE = "rewrite"
    APPEND = "append"
    MERGE = "merge"
    NOTHING = "nothing to write"


class Writer(StrEnum):
    SPARK = "one Spark statement"
    DRIVER = "the driver, without a Spark job"


@dataclass(frozen=True)
class SourceScan:
    """A table that a stage reads, beside the rows of earlier stages."""

    table: TableName
    snapshot_id: int | None
    """None: a table that has no version yet."""


@dataclass(frozen=True)
class AddColumns:
    kind: ClassVar[str] = "add columns"
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        _require(bool(self.columns), "no column to add")

    @property
    def detail(self) -> str:
        return ", ".join(f"{column.name} {column.type}" for column in self.columns)


@dataclass(frozen=True)
class StageChanges:
    kind: ClassVar[str] = "stage changes"
    source: TableName
    versions: str
    """The last one that was read, and the one to be read."""
    estimate: ChangeEstimate
    columns: tuple[str, ...]
    """That are needed of the rows."""

    def __post_init__(self) -> None:
        _require(min(self.estimate.rows_added, self.estimate.rows_removed) >= 0, "less than no rows")

    @property
    def detail(self) -> str:
        return str(self.source)


@dataclass(frozen=True, kw_only=True)
class Collect:
    """More rows than the limit are not kept: the stages of ``over_limit`` come in place of those that follow.

    The same goes for no rows at all and ``if_empty``. Without ``over_limit`` the stages that follow run the
    query themselves; without ``if_empty`` they run with no rows.
    """

    kind: ClassVar[str] = "collect"
    detail: str
    """What the rows are, in words."""
    query: str
    limit: int
    scans: tuple[SourceScan, ...] = ()
    over_limit: Alternative | None = None
    if_empty: Alternative | None = None
    net_by: tuple[str, ...] | None = None
    """Rows with weights are added up in memory: what is to be done for each key of these columns is left."""

    def __post_init__(self) -> None:
        _require(bool(self.query), "a result without a query")
        _require(self.limit >= 0, f"a limit of {self.limit} rows")
        _require(TARGET not in self.query, "only a statement writes to the table")


@dataclass(frozen=True)
class FoundVersion:
    """What later stages read of the rows that were found."""

    version: SourceVersion
    query: str
    """With the mark of the stage."""
    otherwise: str
    """Where rows cannot be found by key: a query of the table, which gives these rows, and maybe more."""


@dataclass(frozen=True, kw_only=True)
class FindRows:
    """Read by the driver from the pages of files that may hold them, at one or two versions of the table."""

    kind: ClassVar[str] = "find rows"
    table: TableName
    keys: tuple[str, ...]
    """Columns of the table; NULL finds NULL. Without any, all rows of a small table are read."""
    key_query: str = ""
    """Gives their values, in order."""
    keys_of: int | None = None
    """The stage whose rows, which are those of the table, have just these values: the query need not run."""
    or_null: bool = False
    """Whether rows with NULL are needed, too, and all rows if a value is NULL."""
    columns: tuple[str, ...]
    """That are needed of the rows."""
    old: int | None
    new: int | None
    """Snapshots."""
    key_limit: int
    limit: int
    """Of rows."""
    indexes: IndexUse
    found: tuple[FoundVersion, ...]
    otherwise: Alternative | None = None
    """What comes in place of the stages that follow, if rows cannot be found by key."""

    def __post_init__(self) -> None:
        _require(bool(self.keys) == bool(self.key_query), "keys without values, or values without keys")
        _require(bool(self.found) or self.otherwise is not None, "rows are found for nothing")
        _require(TARGET not in self.key_query, "only a statement writes to the table")

    @property
    def detail(self) -> str:
        return rows_by_key(self.table, self.keys) if self.keys else f"all rows of {self.table}"


@dataclass(frozen=True, kw_only=True)
class LookUp(Collect):
    """Each row has an action and, if it replaces or deletes one, the file and position of the old row."""

    kind: ClassVar[str] = "look up"
    keys: tuple[str, ...] | None
    """The columns by which old rows are found; None: by all."""


@dataclass(frozen=True)
class WriteStage:
    """The commit carries the record of the refresh."""

    kind: ClassVar[str] = "write"
    way: Way
    statement: str | None = None
    """None: the driver writes the rows of the stage before."""
    keys: tuple[str, ...] | None = None
    """Of rows that the driver writes: no two have the same, which is checked."""
    old_rows: int | None = None
    """The stage that has found the rows that they replace; None: they know them."""
    scans: tuple[SourceScan, ...] = ()

    def __post_init__(self) -> None:
        _require(self.way is not Way.NOTHING, "a write of nothing")
        if self.statement is None:
            _require(self.way in (Way.APPEND, Way.MERGE), f"the driver cannot {self.way}")
        else:
            _require(self.keys is None, "keys are checked by the statement itself")

    @property
    def writer(self) -> Writer:
        return Writer.DRIVER if self.statement is None else Writer.SPARK

    @property
    def detail(self) -> str:
        return f"{self.way} by {self.writer}"


@dataclass(frozen=True)
class CommitRecord:
    kind: ClassVar[str] = "commit record"
    detail: ClassVar[str] = "no row changes"


Stage: TypeAlias = AddColumns | StageChanges | FindRows | Collect | LookUp | WriteStage | CommitRecord


@dataclass(frozen=True)
class Stages:
    """In order; numbered from 1, or from ``first`` if they follow others."""

    stages: tuple[Stage, ...]
    first: int = 1

    def __post_init__(self) -> None:
        if not self.stages:
            return
        *before, last = self.stages
        _require(isinstance(last, WriteStage | CommitRecord), "the last stage does not commit")
        _require(not any(isinstance(stage, WriteStage | CommitRecord) for stage in before), "two commits")
        for number, stage in self.numbered():
            _check_inputs(number, stage)
        if isinstance(last, WriteStage) and last.statement is None:
            rows = before if last.old_rows is None else before[:-1]
            _require(bool(rows) and isinstance(rows[-1], Collect), "the driver has no rows to write")

    @classmethod
    def none(cls) -> Self:
        """Of a refresh that has nothing to do."""
        return cls(())

    def numbered(self) -> Iterator[tuple[int, Stage]]:
        return iter(enumerate(self.stages, self.first))

    @property
    def way(self) -> Way:
        last = self.stages[-1] if self.stages else None
        return last.way if isinstance(last, WriteStage) else Way.NOTHING


Alternative: TypeAlias = Callable[[], Stages]
"""Builds stages that are seldom needed, and whose SQL takes time to write."""


def rows_by_key(table: TableName, keys: tuple[str, ...]) -> str:
    return f"rows of {table} by {', '.join(keys)}"


def result_mark(stage: int) -> str:
    """Stands for a query of the rows that a stage provides."""
    return f"{_MARKED}_stage_{stage}_"


def found_mark(stage: int, version: SourceVersion) -> str:
    """Stands for a query of the rows that a stage finds, at a version of the table."""
    return f"{_MARKED}_found_{stage}_{version}_"


def shown_result(stage: int) -> str:
    """What EXPLAIN calls the rows that a stage keeps in memory."""
    return f"stage_{stage}"


def sql_of(stage: Stage) -> str | None:
    """With its marks."""
    match stage:
        case Collect():
            return stage.query
        case FindRows(keys_of=None):
            return stage.key_query
        case WriteStage():
            return stage.statement
    return None


def filled(sql: str, text_of: Callable[[str], str]) -> str:
    """``text_of`` gives what a mark stands for."""
    return _MARK.sub(lambda mark: text_of(mark[0]), sql)


def shown_texts(stages: Stages, table: TableName) -> dict[str, str]:
    """What marks stand for where SQL is shown to a user."""
    texts = {TARGET: table.sql}
    for number, stage in stages.numbered():
        match stage:
            case StageChanges():
                texts[result_mark(number)] = f"SELECT * FROM changes({stage.source}, {stage.versions})"
            case Collect():
                texts[result_mark(number)] = f"SELECT * FROM {shown_result(number)}"
            case FindRows():
                shown = {result_mark(number): f"SELECT * FROM {shown_result(number)}"}
                for found in stage.found:
                    texts[found_mark(number, found.version)] = filled(found.query, shown.__getitem__)
    return texts


def _check_inputs(number: int, stage: Stage) -> None:
    read = [int(mark[1]) for mark in _STAGE.finditer(sql_of(stage) or "")]
    _require(all(each < number for each in read), f"stage {number} reads one that comes later")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)
