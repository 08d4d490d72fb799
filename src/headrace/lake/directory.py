"""An embedded lake's directory: made, opened, locked.

::

    lake.toml     format, location and settings; written last, so its presence says that the rest is there
    catalog.db    Iceberg's JDBC catalog
    metadata.db   definitions and history
    warehouse/    the tables
    logs/         what Spark has to say
    lock          held while a process, or the JVM it started, has the lake open
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from headrace.errors import LakeDamaged, LakeError, LakeLocked, LakeTooNew
from headrace.lake.settings import Settings, read_settings

FORMAT = 1
_PARTS = ("catalog.db", "metadata.db", "warehouse", "logs", "lock", "lake.toml.new")
_JVM_EXIT_SECONDS = 20.0


@dataclass(frozen=True)
class LakeDirectory:
    path: Path
    settings: Settings

    @property
    def catalog_db(self) -> Path:
        return self.path / "catalog.db"

    @property
    def metadata_db(self) -> Path:
        return self.path / "metadata.db"

    @property
    def warehouse(self) -> Path:
        return self.path / "warehouse"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def lock_file(self) -> Path:
        return self.path / "lock"

    @property
    def metadata_url(self) -> str:
        return f"sqlite:///{self.metadata_db}"


def make_lake(path: Path) -> LakeDirectory:
    """A new lake in a missing or empty directory."""
    path = path.expanduser().resolve()
    if is_lake(path):
        raise LakeError(f"{path} is a lake already")
    _refuse_foreign_files(path)
    try:
        for folder in ("warehouse", "logs"):
            (path / folder).mkdir(parents=True, exist_ok=True)
        for file in ("catalog.db", "metadata.db", "lock"):
            (path / file).touch()
        _write_marker(path)
    except OSError as error:
        raise LakeError(f"cannot make a lake in {path}: {error.strerror}") from error
    return LakeDirectory(path, Settings())


def open_directory(path: Path) -> LakeDirectory:
    """The lake in ``path``, made there first if nothing is. Changes nothing that exists."""
    path = path.expanduser().resolve()
    return _read_lake(path) if is_lake(path) else make_lake(path)


def is_lake(path: Path) -> bool:
    return (path / "lake.toml").exists()


def _refuse_foreign_files(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise LakeError(f"{path} is a file, and a lake needs a directory")
    foreign = (
        sorted(entry.name for entry in path.iterdir() if entry.name not in _PARTS) if path.exists() else []
    )
    if foreign:
        raise LakeError(
            f"{path} is not a lake and not empty: it holds {foreign[0]}",
            hint="name an empty or missing directory to make a lake in it",
        )


def _write_marker(path: Path) -> None:
    text = (
        f"format = {FORMAT}\n"
        f"location = {_toml_string(str(path))}\n\n"
        "[settings]\n"
        'time_zone = "UTC"\n'
        "minimum_interval_seconds = 60\n"
        "history_days = 7\n"
    )
    unfinished = path / "lake.toml.new"
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path / "lake.toml")


def _toml_string(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _read_lake(path: Path) -> LakeDirectory:
    marker = _parse_marker(path / "lake.toml")
    version = marker.get("format")
    if not isinstance(version, int):
        raise LakeDamaged(f"{path / 'lake.toml'} does not say which format the lake has")
    if version > FORMAT:
        raise LakeTooNew(
            f"the lake in {path} has format {version}; this version of Headrace knows formats up to {FORMAT}",
            hint="open it with a newer Headrace",
        )
    settings = marker.get("settings", {})
    if not isinstance(settings, dict):
        raise LakeDamaged(f"{path / 'lake.toml'}: [settings] must be a table")
    lake = LakeDirectory(path, read_settings(settings))
    _check_location(path, marker.get("location"))
    _check_parts(lake)
    return lake


def _parse_marker(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LakeDamaged(f"{file} cannot be read: {error}") from None
    except OSError as error:
        raise LakeDamaged(f"{file} cannot be read: {error.strerror}") from None


def _check_location(path: Path, recorded: object) -> None:
    if recorded != str(path):
        raise LakeDamaged(
            f"the lake in {path} was made at {recorded}, and its tables point there",
            hint="move the directory back, or put a symbolic link at the old place",
        )


def _check_parts(lake: LakeDirectory) -> None:
    for part in ("catalog.db", "metadata.db", "warehouse"):
        if not (lake.path / part).exists():
            raise LakeDamaged(
                f"the lake in {lake.path} is damaged: {part} is missing", hint="restore it from a backup"
            )
    for database in (lake.catalog_db, lake.metadata_db):
        _check_database(database)
        if database.stat().st_size == 0 and any(lake.warehouse.iterdir()):
            raise LakeDamaged(
                f"the lake is damaged: {database} is empty, but there are tables in {lake.warehouse}",
                hint="restore it from a backup",
            )


def _check_database(file: Path) -> None:
    try:
        connection = sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise LakeDamaged(
            f"the lake is damaged: {file} cannot be read ({error})", hint="restore it from a backup"
        ) from None


class LakeLock:
    """One process at a time. The JVM takes a lock of its own (see ``engine``), so that a process whose
    parent was killed still counts as long as it may commit."""

    def __init__(self, lake: LakeDirectory) -> None:
        self._file: IO[str] = self._acquire(lake)

    def _acquire(self, lake: LakeDirectory) -> IO[str]:
        try:
            file = lake.lock_file.open("a+")
        except OSError as error:
            raise LakeError(f"cannot open {lake.lock_file}: {error.strerror}") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _wait_for_orphaned_jvm(file, lake)
        except BlockingIOError:
            holder = lake.lock_file.read_text().strip()
            file.close()
            raise LakeLocked(
                f"the lake in {lake.path} is open in another process ({holder or 'unknown'})",
                hint="close it there first, or work through that process",
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()}")
        file.flush()
        return file

    def release(self) -> None:
        self._file.close()


def _wait_for_orphaned_jvm(file: IO[str], lake: LakeDirectory) -> None:
    """The JVM of a killed process ends by itself within moments; until then it may still write."""
    deadline = time.monotonic() + _JVM_EXIT_SECONDS
    while True:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.lockf(file, fcntl.LOCK_UN)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
