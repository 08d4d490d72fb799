"""The Spark that PySpark carries, without the database drivers that are among its jars.

Derby, for one, runs any Java that its SQL names. The installed package is left as it is: this is a directory
of links to it, in the cache.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import Path

from headrace.errors import OperationalError
from headrace.install.jars import cache_directory, pyspark_home

DRIVERS = ("derby*.jar", "hive-jdbc-*.jar")
"""Those that register a driver with java.sql.DriverManager, and what belongs to them."""


def spark_home(environ: Mapping[str, str] = os.environ, installed: Path | None = None) -> Path:
    """What SPARK_HOME is to be, made unless it is there."""
    source = installed or pyspark_home()
    digest = hashlib.sha256("\n".join((str(source), *DRIVERS)).encode()).hexdigest()[:12]
    home = cache_directory(environ) / "spark" / f"{version('pyspark')}-{digest}"
    if not home.exists():
        try:
            _make(home, source)
        except OSError as error:
            raise OperationalError(
                f"{home} cannot be created: {error.strerror or error}",
                hint="free some space, or set XDG_CACHE_HOME to a writable directory",
            ) from error
    return home


def _make(home: Path, source: Path) -> None:
    """In one step: another process sees all of it or nothing."""
    home.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".making-", dir=home.parent))
    for entry in source.iterdir():
        if entry.name != "jars":
            (made / entry.name).symlink_to(entry)
    (made / "jars").mkdir()
    for jar in (source / "jars").iterdir():
        if not any(fnmatch(jar.name, driver) for driver in DRIVERS):
            (made / "jars" / jar.name).symlink_to(jar)
    try:
        made.rename(home)
    except OSError:
        if not home.exists():
            raise
