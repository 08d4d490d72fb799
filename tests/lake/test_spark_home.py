"""PySpark's Spark without the database drivers that are among its jars."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests import internals

from headrace.connection import Connection
from headrace.errors import OperationalError
from headrace.lake.spark.spark_home import spark_home


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    home = tmp_path / "pyspark"
    (home / "jars" / "connect-repl").mkdir(parents=True)
    (home / "bin").mkdir()
    (home / "bin" / "spark-submit").touch()
    for jar in ("spark-sql_2.13.jar", "derby-10.jar", "derbytools-10.jar", "hive-jdbc-2.3.10.jar"):
        (home / "jars" / jar).touch()
    return home


def test_links_to_all_but_the_drivers(installed: Path, tmp_path: Path) -> None:
    home = spark_home({"XDG_CACHE_HOME": str(tmp_path / "cache")}, installed)
    assert (home / "bin" / "spark-submit").exists()
    assert sorted(jar.name for jar in (home / "jars").iterdir()) == ["connect-repl", "spark-sql_2.13.jar"]
    assert (installed / "jars" / "derby-10.jar").exists()
    assert spark_home({"XDG_CACHE_HOME": str(tmp_path / "cache")}, installed) == home


def test_nowhere_to_put_it(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    with pytest.raises(OperationalError, match="cannot be created"):
        spark_home({"XDG_CACHE_HOME": str(tmp_path / "cache")}, installed)


def test_spark_has_the_drivers_of_the_catalog_alone(lake: Connection) -> None:
    """And, if tests of batch syncs have run in this JVM, the one that their lake names."""
    jvm: Any = internals.jvm(internals.spark(lake))
    drivers = jvm.java.sql.DriverManager.getDrivers()
    found = set()
    while drivers.hasMoreElements():
        found.add(drivers.nextElement().getClass().getName())
    found.discard("org.apache.spark.sql.execution.datasources.jdbc.DriverWrapper")
    assert found <= {"org.sqlite.JDBC", "org.postgresql.Driver"}
