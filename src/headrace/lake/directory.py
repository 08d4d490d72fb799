"""An embedded lake's directory: made, opened, locked.

::

    lake.toml     format, location and settings; written last, so its presence says that the rest is there
    catalog.db    Iceberg's JDBC catalog
    metadata.db   definitions and history
    warehouse/    the tables
    logs/         what Spark has to say
    locks/        what the processes of a server are at
    staging/      rows of sources while they are brought into tables
    write-ahead/  rows of stream writers that are acknowledged and not yet in their tables
    results/      where rows of large results are stored while they are read; its files have no names
    lock          held while a process, or the JVM it started, has the lake open
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import time
import tomllib
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from pydantic import BaseModel, ConfigDict, Field

from headrace.errors import LakeDamaged, LakeError, LakeLocked, LakeTooNew
from headrace.lake.file_systems import local_path
from headrace.lake.settings import Settings, read_settings
from headrace.lake.settings_errors import read_table
from headrace.results.budget import ResultLimits

FORMAT = 1
_DATABASES = ("catalog.db", "metadata.db")
_LOGS_OF_DATABASES = tuple(f"{database}-{log}" for database in _DATABASES for log in ("wal", "shm"))
_DIRECTORIES = ("warehouse", "logs", "locks", "results", "indexes", "staging", "write-ahead")
_PARTS = (*_DATABASES, *_LOGS_OF_DATABASES, *_DIRECTORIES, "lock")
_BUSY_SECONDS = 30.0
_JVM_EXIT_SECONDS = 20.0
_SERVING = ", serving "
_RESTORE = "restore it from a backup"
_ELSEWHERE = "use a directory that this user can write to"


@dataclass(frozen=True)
class LakeDirectory:
    path: Path
    settings: Settings
    database: str | None = None
    """The URL of the PostgreSQL that holds catalog and metadata; None: two SQLite files here."""
    elsewhere: str | None = None
    """Where the tables are, if not here."""
    log_directory: Path | None = None
    """Of one that shares the lake with others."""
    catalog: str | None = None
    """The URL of the Iceberg catalog, if it is not in the database or here."""

    @property
    def catalog_db(self) -> Path:
        return self.path / "catalog.db"

    @property
    def metadata_db(self) -> Path:
        return self.path / "metadata.db"

    @property
    def warehouse(self) -> str:
        return self.elsewhere or str(self.path / "warehouse")

    @property
    def logs(self) -> Path:
        return self.log_directory or self.path / "logs"

    @property
    def locks(self) -> Path:
        return self.path / "locks"

    @property
    def result_limits(self) -> ResultLimits:
        settings = self.settings
        sizes = settings.result_memory_mb, settings.result_max_mb, settings.results_total_mb
        return ResultLimits(*sizes, self.path / "results")

    @property
    def key_indexes(self) -> KeyIndexes:
        return KeyIndexes(self.path / "indexes", self.settings.key_indexes_mb * 2**20)

    @property
    def staging(self) -> Path:
        return self.path / "staging"

    @property
    def write_ahead(self) -> Path:
        return self.path / "write-ahead"

    @property
    def lock_file(self) -> Path:
        return self.path / "lock"


@dataclass(frozen=True)
class KeyIndexes:
    """By which refreshes find rows of large tables; what is lost is made again."""

    directory: Path
    most_bytes: int


class LakeMarker(BaseModel):
    """``lake.toml``, as far as it is about the lake itself."""

    model_config = ConfigDict(frozen=True, strict=True, hide_input_in_errors=True)

    location: str | None = None
    database: str | None = Field(default=None, min_length=1)
    warehouse: str | None = Field(default=None, min_length=1)
    catalog: str | None = Field(default=None, min_length=1)
    settings: dict[str, Any] = Field(default_factory=dict)


def make_lake(path: Path, database: str | None = None, warehouse: str | None = None) -> LakeDirectory:
    """A new lake in a missing or empty directory; or a way into one that others have on a PostgreSQL."""
    path = _absolute(path)
    if is_lake(path):
        raise LakeError(f"{path} is already a lake")
    if (warehouse is None) != (database is None):
        raise LakeError(
            "a database and a warehouse must be specified together",
            hint="specify both --database and --warehouse, or neither",
        )
    return _make(path, database, warehouse)


def open_directory(path: Path) -> LakeDirectory:
    """The lake in ``path``, made there first if nothing is. Changes nothing that exists."""
    return find_lake(path) or _make(_absolute(path))


def find_lake(path: Path) -> LakeDirectory | None:
    """The lake in ``path``; None where one can be made. Changes nothing."""
    path = _absolute(path)
    if is_lake(path):
        return _read_lake(path)
    _refuse_foreign_files(path)
    return None


def existing_lake(path: Path) -> LakeDirectory:
    found = find_lake(path)
    if found is None:
        raise LakeError(f"{path} is not a lake", hint=f"create one with headrace init {path}")
    return found


def _make(path: Path, database: str | None = None, warehouse: str | None = None) -> LakeDirectory:
    _refuse_foreign_files(path)
    try:
        for folder in ("logs",) if warehouse else ("warehouse", "logs"):
            (path / folder).mkdir(parents=True, exist_ok=True)
        for file in ("lock",) if database else ("catalog.db", "metadata.db", "lock"):
            (path / file).touch()
        _write_marker(path, database, warehouse)
    except OSError as error:
        raise LakeError(f"cannot create a lake in {path}: {error.strerror}", hint=_ELSEWHERE) from error
    return LakeDirectory(path, Settings(), database, warehouse)


def is_lake(path: Path) -> bool:
    try:
        return (path / "lake.toml").exists()
    except OSError as error:
        raise LakeError(f"cannot read {path}: {error.strerror}", hint=_ELSEWHERE) from None


def _absolute(path: Path) -> Path:
    try:
        absolute = path.expanduser().resolve()
        str(absolute).encode()
    except (RuntimeError, ValueError, OSError) as error:
        raise LakeError(f"{str(path)!r} cannot be the path of a lake: {error}") from None
    return absolute


def _refuse_foreign_files(path: Path) -> None:
    """A lake whose making was cut short has nothing but its own, still empty parts."""
    if not path.exists():
        return
    if not path.is_dir():
        raise LakeError(f"{path} is a file, but a lake requires a directory", hint=_ELSEWHERE)
    entries = sorted(path.iterdir())
    foreign = [e.name for e in entries if e.name not in _PARTS and not e.name.startswith("lake.toml")]
    if foreign:
        raise LakeError(
            f"{path} is neither a lake nor empty: it contains {foreign[0]}",
            hint="use an empty or new directory to create a lake",
        )
    used = any(entry.name in _DATABASES and entry.stat().st_size > 0 for entry in entries)
    if used and not is_lake(path):
        raise LakeDamaged(f"the lake in {path} is damaged: lake.toml is missing", hint=_RESTORE)


def _write_marker(path: Path, database: str | None, warehouse: str | None) -> None:
    """Whole or not at all, also when another process is making the same lake; others may not read it."""
    elsewhere = {"database": database, "warehouse": warehouse}
    named = "".join(f"{key} = {_toml_string(value)}\n" for key, value in elsewhere.items() if value)
    text = (
        f"format = {FORMAT}\n"
        f"location = {_toml_string(str(path))}\n"
        f"{named}\n"
        "[settings]\n"
        'time_zone = "UTC"\n'
        "minimum_interval_seconds = 60\n"
        "history_days = 7\n"
    )
    unfinished = path / f"lake.toml.{uuid.uuid4().hex}"
    unfinished.touch(mode=0o600 if database else 0o666)
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path / "lake.toml")


def _toml_string(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _read_lake(path: Path) -> LakeDirectory:
    file = path / "lake.toml"
    table = _parse_toml(file)
    _check_format(path, table.get("format"))
    marker = read_table(LakeMarker, table, str(file))
    location = path if marker.database else _location(path, marker.location)
    settings = read_settings(marker.settings)
    lake = LakeDirectory(location, settings, marker.database, marker.warehouse, catalog=marker.catalog)
    _check_parts(lake)
    return lake


def _check_format(path: Path, version: object) -> None:
    """First of all: what else a newer format has is unknown."""
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise LakeDamaged(f"{path / 'lake.toml'} does not specify the format of the lake", hint=_RESTORE)
    if version > FORMAT:
        raise LakeTooNew(
            f"the lake in {path} has format {version}; this Headrace supports formats up to {FORMAT}",
            hint="open it with a newer Headrace",
        )


def _parse_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise LakeDamaged(f"{file} is not valid TOML: {error}", hint="correct the file") from None
    except UnicodeDecodeError:
        raise LakeDamaged(f"{file} is not a UTF-8 text file", hint=_RESTORE) from None
    except OSError as error:
        raise LakeDamaged(f"{file} cannot be read: {error.strerror}") from None


def _location(path: Path, recorded: str | None) -> Path:
    """The path that the tables' own files name: where the lake was made, so long as it still leads here."""
    if recorded is None:
        raise LakeDamaged(f"{path / 'lake.toml'} does not specify where the lake was created", hint=_RESTORE)
    home = Path(recorded)
    if home.resolve() != path:
        raise LakeDamaged(
            f"the lake in {path} was created at {recorded}, and its tables refer to that path",
            hint="move the directory back, or create a symbolic link at the old path",
        )
    return home


def _check_parts(lake: LakeDirectory) -> None:
    if lake.database is not None:
        lake.logs.mkdir(exist_ok=True)
        return
    for part in (*_DATABASES, "warehouse"):
        if not (lake.path / part).exists():
            raise LakeDamaged(f"the lake in {lake.path} is damaged: {part} is missing", hint=_RESTORE)
    warehouse = Path(lake.warehouse)
    if not warehouse.is_dir():
        raise LakeDamaged(f"the lake in {lake.path} is damaged: warehouse is not a directory", hint=_RESTORE)
    for database in (lake.metadata_db,) if lake.catalog else (lake.catalog_db, lake.metadata_db):
        if not _has_content(database) and any(warehouse.iterdir()):
            raise LakeDamaged(
                f"the lake is damaged: {database} is empty, but there are tables in {warehouse}",
                hint=_RESTORE,
            )


def _has_content(file: Path) -> bool:
    """Leaves no trace: a SQLite reader makes files beside the database unless it may take it as immutable."""
    log = file.with_name(f"{file.name}-wal")
    has_log = log.exists() and log.stat().st_size > 0
    try:
        connection = sqlite3.connect(
            f"{file.as_uri()}?mode=ro{'' if has_log else '&immutable=1'}", uri=True, timeout=_BUSY_SECONDS
        )
        try:
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise LakeDamaged(f"the lake is damaged: {file} cannot be read ({error})", hint=_RESTORE) from None
    return bool(tables)


def remove_empty_directories(location: str) -> None:
    """At and below ``location``, if that is a path: object stores have none."""
    top = local_path(location)
    if top is None:
        return
    for directory, _, _ in os.walk(top, topdown=False):
        with suppress(OSError):
            Path(directory).rmdir()


class LakeLock:
    """One process at a time. The JVM takes a lock of its own (see ``engine``), so that a process whose
    parent was killed still counts as long as it may commit."""

    def __init__(self, lake: LakeDirectory) -> None:
        try:
            self._file: IO[str] = lake.lock_file.open("a+")
        except OSError as error:
            raise LakeError(f"cannot open {lake.lock_file}: {error.strerror}", hint=_ELSEWHERE) from None
        try:
            self._acquire(lake)
        except BaseException:
            self._file.close()
            raise

    def _acquire(self, lake: LakeDirectory) -> None:
        self._file.seek(0)
        holder = self._file.read().strip() or "unknown process"
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            url = holder.partition(_SERVING)[2]
            raise LakeLocked(
                f"the lake in {lake.path} is open in another process ({holder})",
                hint=f"connect to that server: --url {url}" if url else "close it there first",
            ) from None
        if not _is_free_of_jvm(self._file):
            raise LakeLocked(
                f"the lake in {lake.path} is still locked by the Java process of a Headrace that was killed "
                f"({holder})",
                hint="wait until that Java process has ended, or stop it",
            )
        self._write(f"process {os.getpid()}")

    def announce(self, url: str) -> None:
        """The address of the server that has the lake open, for those who find it locked."""
        self._write(f"process {os.getpid()}{_SERVING}{url}")

    def _write(self, text: str) -> None:
        self._file.truncate(0)
        self._file.write(text)
        self._file.flush()

    def release(self) -> None:
        self._file.close()


def _is_free_of_jvm(file: IO[str]) -> bool:
    """The JVM of a killed process ends by itself within moments; until then it may still write."""
    deadline = time.monotonic() + _JVM_EXIT_SECONDS
    while True:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.lockf(file, fcntl.LOCK_UN)
            return True
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
