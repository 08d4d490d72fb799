"""Development files: scripts and definitions of dynamic tables in folders, with their versions and drafts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import Any

from headrace.errors import DataError
from headrace.model.json_value import json_value
from headrace.model.names import DEFAULT_SCHEMA, DEFAULT_WORKSPACE
from headrace.model.task import TaskAlert
from headrace.model.vcluster import DEFAULT_VCLUSTER

LONGEST_NAME = 200
LONGEST_CONTENT = 1_000_000
"""In characters: the limit of a statement."""
_NOT_IN_NAMES = frozenset('/\\:*?"<>|')
"""What the names of files cannot contain on some system, as files are exported."""


class FileKind(StrEnum):
    FOLDER = "FOLDER"
    SQL = "SQL"
    PYTHON = "PYTHON"
    DYNAMIC_TABLE = "DYNAMIC_TABLE"


class ChartKind(StrEnum):
    LINE = "LINE"
    BAR = "BAR"
    AREA = "AREA"
    SCATTER = "SCATTER"
    VALUE = "VALUE"
    """A single value."""


@dataclass(frozen=True)
class Chart:
    """How the result of a file is drawn."""

    kind: ChartKind
    x: str | None = None
    """A column of the result."""
    y: tuple[str, ...] = ()
    group_by: str | None = None


@dataclass(frozen=True)
class FileSettings:
    """What the file is run and deployed with."""

    workspace: str = DEFAULT_WORKSPACE
    schema: str = DEFAULT_SCHEMA
    cluster: str = DEFAULT_VCLUSTER
    task: str | None = None
    """The name of its task; None: that of the file."""
    interval_seconds: int | None = None
    start_at: datetime | None = None
    cron: str | None = None
    time_zone: str | None = None
    """Of the cron expression; None: the lake's."""
    after: tuple[str, ...] = ()
    """Names of the tasks whose success its task waits for."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    retries: int = 0
    backoff_seconds: int = 0
    timeout_seconds: int | None = None
    alerts: tuple[TaskAlert, ...] = tuple(TaskAlert)
    comment: str | None = None
    chart: Chart | None = None

    def __post_init__(self) -> None:
        if self.interval_seconds is not None and self.cron is not None:
            raise DataError("a file has an interval or a cron expression, not both")

    def to_json(self) -> dict[str, Any]:
        """Without what has its default value."""
        return {
            each.name: json_value(getattr(self, each.name))
            for each in fields(self)
            if getattr(self, each.name) != getattr(_DEFAULTS, each.name)
        }

    @staticmethod
    def from_json(entry: Mapping[str, Any]) -> FileSettings:
        """Raises ValueError, TypeError or KeyError where a value does not fit."""
        given = {name: _READERS.get(name, _same)(value) for name, value in entry.items()}
        return FileSettings(**given)


def _same(value: Any) -> Any:
    return value


def _chart(entry: Mapping[str, Any] | None) -> Chart | None:
    if entry is None:
        return None
    return Chart(ChartKind(entry["kind"]), entry.get("x"), tuple(entry.get("y", ())), entry.get("group_by"))


_READERS: dict[str, Callable[[Any], Any]] = {
    "start_at": lambda text: None if text is None else datetime.fromisoformat(text),
    "after": tuple,
    "alerts": lambda names: tuple(TaskAlert(name) for name in names),
    "chart": _chart,
}
_DEFAULTS = FileSettings()


@dataclass(frozen=True)
class File:
    """A file or a folder."""

    id: str
    folder_id: str | None
    """None: at the top."""
    name: str
    kind: FileKind
    creator: str
    created_at: datetime
    modified_by: str
    modified_at: datetime
    version: int = 0
    """The newest one; a folder has none."""
    task: str | None = None
    """The task that it was deployed as."""
    deployed_version: int | None = None
    deleted_at: datetime | None = None

    @property
    def is_folder(self) -> bool:
        return self.kind is FileKind.FOLDER


@dataclass(frozen=True)
class FileVersion:
    file_id: str
    number: int
    """From 1."""
    content: str
    settings: FileSettings
    author: str
    created_at: datetime


@dataclass(frozen=True)
class Draft:
    """What a user has written and not saved as a version."""

    file_id: str
    user: str
    based_on: int
    """The version that was edited."""
    content: str
    settings: FileSettings
    modified_at: datetime


def check_name(name: str) -> str:
    """Raises unless it can name a file here and on a disk."""
    is_plain = name == name.strip() and name not in ("", ".", "..") and len(name) <= LONGEST_NAME
    if not is_plain or not name.isprintable() or _NOT_IN_NAMES & set(name):
        raise DataError(
            f"{name[:LONGEST_NAME]!r} cannot be the name of a file or folder",
            hint=f"use 1 to {LONGEST_NAME} characters, without {' '.join(sorted(_NOT_IN_NAMES))}",
        )
    return name


def check_content(content: str) -> str:
    if len(content) > LONGEST_CONTENT:
        raise DataError(f"a file has at most {LONGEST_CONTENT:,} characters, not {len(content):,}")
    return content
