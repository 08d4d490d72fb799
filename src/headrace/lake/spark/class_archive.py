"""All classes as a JVM has them once they are loaded, in a file: the next JVM starts in less time.

This is class data sharing of Java. The JVM checks itself whether an archive fits its version and its class
path (names, sizes and times of the jars), and starts without one that does not.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from headrace.errors import OperationalError
from headrace.install.jars import cache_directory
from headrace.install.java import Java
from headrace.lake.spark.spark_home import spark_home

MAKE_AT_EXIT = "HEADRACE_MAKE_CLASS_ARCHIVE"
"""Names the file that the JVM of this process is to write when it ends."""
WRITING_SECONDS = 120
"""How long that may take."""
_READ_AT_START = 2**20
"""Headrace's own jar is smaller; the others have their version in their names."""


def archive_path(java: Java, jars: Sequence[Path], environ: Mapping[str, str] = os.environ) -> Path:
    """Other jars, another Java or another Spark have another archive, and so has a jar that is rebuilt."""
    places = _digest(str(java.home), *map(str, jars), str(spark_home(environ)))
    contents = _digest(*(_state(jar) for jar in jars))
    name = f"spark-{version('pyspark')}-java-{java.version}-{places}-{contents}.jsa"
    return cache_directory(environ) / "classes" / name


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def _state(jar: Path) -> str:
    """What the JVM compares, and the contents of a jar that is small enough to be read at every start."""
    if not jar.exists():
        return ""
    status = jar.stat()
    contents = jar.read_bytes() if status.st_size < _READ_AT_START else b""
    return f"{int(status.st_mtime)} {status.st_size} {hashlib.sha256(contents).hexdigest()}"


def java_options(java: Java, jars: Sequence[Path], environ: Mapping[str, str] = os.environ) -> list[str]:
    if made := environ.get(MAKE_AT_EXIT):
        return [f"-XX:ArchiveClassesAtExit={made}"]
    archive = archive_path(java, jars, environ)
    return [f"-XX:SharedArchiveFile={archive}"] if archive.exists() else []


def make_archive(archive: Path, use_spark: Callable[[Mapping[str, str]], None]) -> None:
    """Of the classes that a process loads, which ``use_spark`` runs to its end in the given environment."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    part = archive.with_suffix(f".{os.getpid()}.part")
    try:
        use_spark({MAKE_AT_EXIT: str(part)})
        if not part.exists():
            raise OperationalError(
                "this Java version cannot write a class archive", hint="Spark starts without it"
            )
        part.replace(archive)
        _remove_outdated(archive)
    finally:
        part.unlink(missing_ok=True)


def _remove_outdated(archive: Path) -> None:
    """Those for the same jars with other contents; 200 MB each, and no JVM starts with them any more."""
    places, _, _ = archive.stem.rpartition("-")
    for other in archive.parent.glob(f"{places}-*.jsa"):
        if other != archive:
            other.unlink(missing_ok=True)
