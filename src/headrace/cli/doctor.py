"""What ``headrace doctor`` looks at. Each check answers for one thing and names the way out."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from headrace.catalog.heads import missing_metadata
from headrace.errors import LakeError
from headrace.lake.directory import find_lake
from headrace.lake.jars import JARS, jars_directory, missing_jars
from headrace.lake.java import find_java, installed_javas, what_to_type

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
    return [*checks(), *(check(place) for check in PLACE_CHECKS), catalog(lake_dir)]


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
    return Check("Java", False, detail, what_to_type())


def jars() -> Check:
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
        "Writable", False, f"{place} cannot be written to", "allow writing to it, or use another directory"
    )


def catalog(lake_dir: Path) -> Check:
    """What can be known of a lake without opening it."""
    try:
        lake = find_lake(lake_dir)
        count, missing = missing_metadata(lake.catalog_db) if lake is not None else (0, [])
    except LakeError as error:
        return Check("Catalog", False, error.message, error.hint or _RESTORE)
    if lake is None:
        return Check("Catalog", True, f"no lake in {lake_dir} yet; the first statement makes one")
    if missing:
        return Check("Catalog", False, f"files are missing of {', '.join(missing)}", _RESTORE)
    return Check("Catalog", True, f"{lake.path} (tables and views: {count})")


PLACE_CHECKS: tuple[Callable[[Path], Check], ...] = (disk, writable)


def nearest_existing(path: Path) -> Path:
    """``path``, or the closest directory above it that is there."""
    absolute = path.absolute()
    return next(place for place in (absolute, *absolute.parents) if place.exists())


def _remedy_for_jars() -> str:
    if "HEADRACE_JARS" in os.environ:
        return "put them there, or unset HEADRACE_JARS to have them fetched"
    return "nothing to do with a network: the first statement fetches them"
