"""No two tables have files in one directory, or in one below the other."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from headrace.connection import Connection
from headrace.errors import NotSupportedError, Refused
from tests import internals


@pytest.fixture
def place(lake: Connection) -> Path:
    """Of a table with a row in it."""
    schema = lake.sql("SELECT current_schema()").fetchall()[0][0]
    directory = lake.lake_path / "warehouse" / schema / "mine"
    lake.sql(f"CREATE TABLE mine (a INT) LOCATION '{directory}'; INSERT INTO mine VALUES (1)")
    return directory


LOCATIONS = ("{0}", "file:{0}", "file://{0}/", "{0}/data", "{0}/../mine", "{0}/a/..", "{0}/..")
CREATIONS = (
    "CREATE TABLE thief (a INT) LOCATION '{0}'",
    "CREATE TABLE thief LOCATION '{0}' AS SELECT 1 AS a",
    "CREATE OR REPLACE TABLE thief LOCATION '{0}' AS SELECT 1 AS a",
)


def test_no_table_is_made_in_the_directory_of_another(lake: Connection, place: Path) -> None:
    for location, creation in product(LOCATIONS, CREATIONS):
        with pytest.raises(Refused, match="overlaps with that of the table"):
            lake.sql(creation.format(location.format(place)))
    assert not lake.sql("SHOW TABLES LIKE 'thief'").fetchall()


def test_no_table_is_moved_there(lake: Connection, place: Path) -> None:
    lake.sql("CREATE TABLE thief (a INT)")
    for change in (
        f"SET LOCATION '{place}'",
        f"SET TBLPROPERTIES ('write.data.path' = '{place}/data')",
        f"SET TBLPROPERTIES ('write.metadata.path' = '{place.parent}')",
    ):
        with pytest.raises(Refused, match="overlaps with that of the table"):
            lake.sql(f"ALTER TABLE thief {change}")


def test_a_directory_of_its_own_is_taken(lake: Connection, place: Path) -> None:
    lake.sql(f"CREATE TABLE beside (a INT) LOCATION '{place}-2'")
    lake.sql(f"ALTER TABLE beside SET LOCATION '{place}-3'")
    lake.sql(f"CREATE OR REPLACE TABLE mine (b INT) LOCATION '{place}'")


@pytest.mark.parametrize("deletion", ["VACUUM {0}", "CALL lake.system.remove_orphan_files(table => '{0}')"])
def test_nothing_is_deleted_where_two_tables_have_their_files(
    lake: Connection, place: Path, deletion: str
) -> None:
    """A table that came there in spite of all, by another program."""
    lake.sql("CREATE TABLE thief (a INT)")
    schema = place.parent.name
    catalog = internals.session(lake).catalog
    name = internals.table_name(lake, "thief")
    found = catalog.table(name)
    assert found is not None
    found.java.updateLocation().setLocation(str(place)).commit()
    with pytest.raises(Refused, match="overlaps with that of the table"):
        lake.sql(deletion.format(f"{schema}.thief"))
    assert lake.sql("SELECT * FROM mine").fetchall() == [(1,)]


@pytest.mark.parametrize("clause", ["STORED AS TEXTFILE", "ROW FORMAT SERDE 'x'", "STORED AS PARQUET"])
def test_tables_of_hive_are_not_taken_for_tables_of_the_lake(lake: Connection, clause: str) -> None:
    with pytest.raises(NotSupportedError, match="STORED AS and ROW FORMAT are not supported"):
        lake.sql(f"CREATE TABLE hive_table (a STRING) {clause}")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE SCHEMA spark_catalog.q",
        "CREATE TABLE spark_catalog.default.q (a INT) USING csv",
        "CREATE VIEW spark_catalog.default.q AS SELECT 1 AS a",
        "BEGIN CREATE TABLE spark_catalog.default.q (a INT) USING csv; END",
    ],
)
def test_nothing_is_made_in_the_catalog_of_spark(lake: Connection, statement: str) -> None:
    with pytest.raises(Refused, match="spark_catalog is not a workspace of the lake"):
        lake.sql(statement)
