"""What ``headrace doctor`` looks at. Each check answers for one thing and names the way out."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from headrace.catalog.migrate import pending_revisions
from headrace.commands.databases import check_warehouse, open_catalog
from headrace.errors import Error, LakeError, OperationalError
from headrace.install.jars import JARS, ensure_jars, jars_directory, missing_jars, own_jar
from headrace.install.java import ensure_java, find_java, installed_javas, what_to_type
from headrace.lake.directory import LakeDirectory, find_lake
from headrace.lake.file_systems import is_local, is_s3
from headrace.lake.table.metadata_files import missing_files
from headrace.model.address import shown
from headrace.model.names import TableName

ENOUGH_DISK_BYTES = 1_000_000_000
_RESTORE = "restore the lake from a backup"


@dataclass(frozen=True)
class Check:
    """One finding; ``remedy`` is there whenever ``ok`` is not."""

    name: str
    ok: bool
    detail: str
    remedy: str | None = None

    def __post_init__(self) -> None:
        if not self.ok and not self.remedy:
            raise ValueError(f"check {self.name} fails without a remedy")


def diagnose(lake_dir: Path) -> list[Check]:
    """All findings about this machine and the lake at ``lake_dir``, or the place where it would be."""
    place = nearest_existing(lake_dir)
    return [*checks(), *(check(place) for check in PLACE_CHECKS), *of_lake(lake_dir)]


def fix(report: Callable[[str], None]) -> None:
    """Installs what is missing on this machine: Java, by a line that is reported first, and the jars."""
    ensure_jars(ensure_java(report).path, report)


def checks() -> list[Check]:
    """Findings about the machine alone."""
    return [python(), java(), jars()]


def python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    return Check("Python", True, f"{version} ({sys.executable})")


def java() -> Check:
    found = find_java()
    if found:
        return Check("Java", True, f"{found.version} ({found.path})")
    others = ", ".join(f"{other.version} ({other.path})" for other in installed_javas())
    detail = f"only {others}; Spark needs 17 or 21" if others else "none found; Spark needs 17 or 21"
    return Check("Java", False, detail, f"{what_to_type()}, or use headrace doctor --fix")


def jars() -> Check:
    try:
        own_jar()
    except OperationalError as error:
        return Check("Jars", False, error.message, error.hint)
    missing = missing_jars()
    if not missing:
        return Check("Jars", True, f"{len(JARS)} in {jars_directory()}")
    names = ", ".join(jar.file_name for jar in missing)
    return Check("Jars", False, f"not in {jars_directory()}: {names}", _remedy_for_jars())


def disk(place: Path) -> Check:
    free = shutil.disk_usage(place).free
    detail = f"{free / 1e9:.1f} GB free at {place}"
    if free >= ENOUGH_DISK_BYTES:
        return Check("Disk", True, detail)
    return Check("Disk", False, detail, "free 1 GB or more, or use a lake on another disk")


def writable(place: Path) -> Check:
    if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
        return Check("Writable", True, str(place))
    return Check(
        "Writable", False, f"{place} is not writable", "grant write access to it, or use another directory"
    )


def of_lake(lake_dir: Path) -> list[Check]:
    """What can be known of a lake without opening it, where it keeps it."""
    try:
        lake = find_lake(lake_dir)
    except LakeError as error:
        return [Check("Catalog", False, error.message, error.hint or _RESTORE)]
    if lake is None:
        return [Check("Catalog", True, f"no lake in {lake_dir} yet; the first statement creates one")]
    if lake.database is None:
        return [catalog(lake)]
    found = [database(lake.database), warehouse(lake.warehouse)]
    if found[0].ok:
        found.append(catalog(lake))
    return found


def catalog(lake: LakeDirectory) -> Check:
    try:
        entries = _catalog_entries(lake)
    except Error as error:
        return Check("Catalog", False, error.message, error.hint or _RESTORE)
    missing = missing_files(entries)
    if missing:
        return Check("Catalog", False, f"files of {', '.join(missing)} are missing", _RESTORE)
    return Check("Catalog", True, f"{lake.path} (tables and views: {len(entries)})")


def _catalog_entries(lake: LakeDirectory) -> dict[TableName, str]:
    backend = open_catalog(lake, read_only=True)
    try:
        return backend.locations() | backend.locations("VIEW")
    finally:
        backend.close()


def database(url: str) -> Check:
    """It is reached, and not changed."""
    try:
        pending = pending_revisions(url)
    except Error as error:
        return Check(
            "Database",
            False,
            error.message,
            error.hint or "check that it is running, and the user and the password in its URL",
        )
    state = f"the next opening applies {pending} migrations" if pending else "up to date"
    return Check("Database", True, f"{shown(url)} ({state})")


def warehouse(place: str) -> Check:
    try:
        check_warehouse(place)
    except LakeError as error:
        return Check("Warehouse", False, error.message, error.hint)
    is_checked = "://" not in place or is_local(place) or is_s3(place)
    state = "writable" if is_checked else "not checked: it is neither local nor on S3"
    return Check("Warehouse", True, f"{place} ({state})")


PLACE_CHECKS: tuple[Callable[[Path], Check], ...] = (disk, writable)


def nearest_existing(path: Path) -> Path:
    """``path``, or the closest directory above it that is there."""
    absolute = path.absolute()
    return next(place for place in (absolute, *absolute.parents) if place.exists())


def _remedy_for_jars() -> str:
    if "HEADRACE_JARS" in os.environ:
        return "put them there, or unset HEADRACE_JARS to download them"
    return "the first statement downloads them if there is a network connection"
