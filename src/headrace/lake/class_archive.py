"""Spark's classes as a JVM has them once they are loaded, kept in a file: the next JVM starts in less time.

This is class data sharing of Java. The JVM looks itself whether an archive fits its version and its class
path, and starts without one that does not.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from headrace.errors import OperationalError
from headrace.lake.jars import cache_directory
from headrace.lake.java import Java
from headrace.lake.spark_home import spark_home

MAKE_AT_EXIT = "HEADRACE_MAKE_CLASS_ARCHIVE"
"""Names the file that the JVM of this process is to write when it ends."""
WRITE_JAR = "HEADRACE_WRITE_CLASSES"
"""Set: this process keeps the classes that it compiles for the next ones."""
WRITING_SECONDS = 120
"""How long that may take."""


def archive_path(java: Java, jars: Sequence[Path], environ: Mapping[str, str] = os.environ) -> Path:
    """Other jars, another Java or another Spark have another archive."""
    parts = [str(java.home), *map(str, jars), str(spark_home(environ))]
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
    name = f"spark-{version('pyspark')}-java-{java.version}-{digest}.jsa"
    return cache_directory(environ) / "classes" / name


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
        use_spark({MAKE_AT_EXIT: str(part), WRITE_JAR: "1"})
        if not part.exists():
            raise OperationalError(
                "this Java version cannot write a class archive", hint="Spark starts without it"
            )
        part.replace(archive)
    finally:
        part.unlink(missing_ok=True)
