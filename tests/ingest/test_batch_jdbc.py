"""Batch syncs through a JDBC driver, here that of Derby, which Spark carries."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

import headrace
from headrace.connection import Connection
from headrace.errors import Error
from headrace.install.jars import pyspark_home
from headrace.lake.directory import make_lake
from tests import internals
from tests.ingest.test_batch_syncs import bag, run
from tests.ingest.test_syncs import rows
from tests.internals import run_derby

_numbers = itertools.count(1)


@dataclass
class Derby:
    """A database in the memory of the JVM."""

    lake: Connection
    name: str

    @property
    def url(self) -> str:
        return f"jdbc:derby:memory:{self.name}"

    def run(self, *statements: str) -> None:
        run_derby(self.lake, f"{self.url};create=true", statements)


@pytest.fixture(scope="module")
def lake(shared_lake: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """One that knows the driver, in a Spark that was started for another one."""
    path = tmp_path_factory.mktemp("jdbc") / "lake"
    make_lake(path)
    drivers = [str(jar) for jar in sorted((pyspark_home() / "jars").glob("derby*.jar"))]
    with (path / "lake.toml").open("a") as settings:
        settings.write(f"jdbc_drivers = {json.dumps(drivers)}\n")
    with headrace.connect(path) as connection:
        jvm: Any = internals.jvm(internals.spark(connection))
        jvm.java.lang.System.setProperty("derby.stream.error.file", str(path.with_name("derby.log")))
        yield connection


@pytest.fixture
def derby(lake: Connection) -> Iterator[Derby]:
    found = Derby(lake, f"shop_{next(_numbers)}")
    found.run("CREATE SCHEMA shop")
    lake.sql(f"CREATE CONNECTION {found.name} TYPE = JDBC URL = '{found.url}' USER = 'shop'")
    yield found
    tables = [row[1] for row in lake.sql("SHOW TABLES").fetchall()]
    lake.sql(f"DROP SYNC IF EXISTS s; DROP CONNECTION {found.name}")
    for table in tables:
        lake.sql(f"DROP TABLE {table}")


def test_a_table_of_any_database(lake: Connection, derby: Derby) -> None:
    derby.run(
        "CREATE TABLE shop.orders (id int PRIMARY KEY, amount decimal(20,5), name varchar(9),"
        " moment timestamp, day date, big bigint, half double, yes boolean,"
        " raw varchar(4) for bit data, fixed char(3))",
        "INSERT INTO shop.orders VALUES (1, -123456789012345.12345, 'é', '1900-01-01 00:00:00.000001',"
        " '9999-12-31', -9223372036854775808, 0.1, true, x'00FF', 'a')",
        "INSERT INTO shop.orders (id) VALUES (2)",
        "CREATE TABLE shop.bare (a int)",
        "INSERT INTO shop.bare VALUES 1, 1, 2",
    )
    ((product, tables, problem),) = rows(lake, f"TEST CONNECTION {derby.name}")
    assert (str(product).partition(" 10")[0], tables) == ("Apache Derby", 2)
    assert problem == "JDBC is read in batches alone"
    lake.sql(f"CREATE SYNC s FROM CONNECTION {derby.name} SCHEMA 'SHOP' MODE = BATCH")
    assert run(lake) == 5
    kinds = [row[1] for row in rows(lake, "DESC orders")]
    assert kinds == [
        *("int", "decimal(20,5)", "string", "timestamp_ntz", "date", "bigint", "double", "boolean"),
        *("binary", "string"),
    ]
    asked = "CAST(amount AS STRING), CAST(moment AS STRING), CAST(day AS STRING), raw, fixed"
    found = rows(lake, f"SELECT {asked} FROM orders ORDER BY id")
    moment, day = "1900-01-01 00:00:00.000001", "9999-12-31"
    assert found[0] == ("-123456789012345.12345", moment, day, b"\x00\xff", "a  ")
    assert found[1] == (None,) * 5
    derby.run("UPDATE shop.orders SET name = 'b' WHERE id = 2", "DELETE FROM shop.bare WHERE a = 1")
    derby.run("INSERT INTO shop.bare VALUES 1", "ALTER TABLE shop.orders ADD COLUMN later int DEFAULT 7")
    assert run(lake) == 2 + 1
    assert bag(rows(lake, "SELECT * FROM bare")) == {(1,): 1, (2,): 1}
    assert rows(lake, "SELECT id, name, later FROM orders ORDER BY id") == [(1, "é", 7), (2, "b", 7)]
    assert run(lake) == 0


def test_a_watermark_and_parts(lake: Connection, derby: Derby) -> None:
    derby.run("CREATE TABLE shop.t (id bigint PRIMARY KEY, changed timestamp)")
    derby.run(
        "INSERT INTO shop.t VALUES (1, '2024-05-01 10:00:00.5'), (2, NULL), (1000000, '2024-01-01 00:00:00')"
    )
    lake.sql(
        f"CREATE SYNC s FROM CONNECTION {derby.name} TABLES 'SHOP.T' MODE = BATCH"
        " WATERMARK = 'CHANGED' PARTITIONS = 3"
    )
    assert run(lake) == 3
    position = lake.sql("DESC SYNC EXTENDED s").arrow().to_pylist()[0]["position"]
    assert position == "run 1, 2024-05-01 10:00:00.5"
    derby.run("INSERT INTO shop.t VALUES (3, '2024-05-01 10:00:00.5'), (4, '2023-01-01 00:00:00'), (5, NULL)")
    derby.run("DELETE FROM shop.t WHERE id = 1")
    assert run(lake) == 2
    assert sorted(rows(lake, "SELECT id FROM t")) == [(1,), (2,), (3,), (5,), (1000000,)]
    lake.sql("ALTER SYNC s RESYNC")
    assert run(lake) == 2
    assert sorted(rows(lake, "SELECT id FROM t")) == [(2,), (3,), (4,), (5,), (1000000,)]


def test_mistakes(lake: Connection, derby: Derby) -> None:
    for given, message in (
        (f"FROM CONNECTION {derby.name} TABLES 'SHOP.T'", "TYPE = JDBC cannot be followed"),
        (
            f"FROM CONNECTION {derby.name} TABLES 'SHOP.T' MODE = BATCH",
            "no table of the database fits SHOP.T",
        ),
    ):
        with pytest.raises(Error, match=message):
            lake.sql(f"CREATE SYNC s {given}")
    for name, url, message in (
        ("none", "jdbc:nothing://host/db", "no JDBC driver for the URL is there"),
        ("gone", "jdbc:derby:memory:nowhere", "the database says: Database .* not found"),
    ):
        lake.sql(f"CREATE CONNECTION {derby.name}_{name} TYPE = JDBC URL = '{url}' USER = 'u'")
        with pytest.raises(Error, match=message) as refused:
            lake.sql(f"TEST CONNECTION {derby.name}_{name}")
        assert refused.value.hint
    with pytest.raises(Error, match="no JDBC driver"):
        lake.sql(
            f"CREATE CONNECTION {derby.name}_o TYPE = ORACLE HOST = 'db' DATABASE = 'XE' USER = 'u';"
            f"TEST CONNECTION {derby.name}_o"
        )
    assert "CREATE SYNC" not in str(rows(lake, "SHOW SYNCS"))
