"""COPY INTO: files come into a table once, whatever they are like."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from headrace.connection import Connection
from headrace.errors import DataError
from tests.internals import spark


def test_files_are_loaded_once(lake: Connection, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1,x\n2,y\n")
    lake.sql("CREATE TABLE t (id INT, name STRING)")
    load = f"COPY INTO t FROM '{tmp_path}' USING CSV"

    assert lake.sql(load).fetchall() == [(1, 0, 2, 0)]
    again = lake.sql(load)
    assert again.fetchall() == [(0, 1, 0, 0)]
    assert again.notices == (
        f"all files are loaded into lake.{lake.schema}.t already; FORCE = TRUE loads them again",
    )

    (tmp_path / "b.csv").write_text("3,z\n")
    assert lake.sql(load).fetchall() == [(1, 1, 1, 0)]
    assert lake.sql("SELECT * FROM t ORDER BY id").fetchall() == [(1, "x"), (2, "y"), (3, "z")]
    assert lake.sql(load + " FORCE = TRUE").fetchall() == [(2, 0, 3, 0)]


def test_load_history(lake: Connection, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1\n")
    lake.sql(f"CREATE TABLE t (id INT); COPY INTO t FROM '{tmp_path}/a.csv' USING CSV")
    rows = lake.sql(
        "SELECT file_path, file_size, loaded_by, load_time >= last_modified FROM load_history('t') h"
        " WHERE h.file_size < 100 UNION ALL SELECT * FROM (SELECT '', 0, '', true) WHERE false"
    ).fetchall()
    assert rows == [(f"{tmp_path}/a.csv", 2, "COPY INTO", True)]
    assert lake.sql(f"SELECT count(*) FROM load_history('lake.{lake.schema}.t')").fetchall() == [(1,)]


def test_columns_are_found_by_name(lake: Connection, tmp_path: Path) -> None:
    """CSV files with a header in any order, JSON, Parquet and ORC; columns that are missing are NULL."""
    lake.sql("CREATE TABLE t (id INT, name STRING, at TIMESTAMP, price DECIMAL(10,2))")
    for folder in ("csv", "json", "parquet", "orc"):
        (tmp_path / folder).mkdir()
    (tmp_path / "csv/a.csv").write_text('name,ID\n"x, y",1\n')
    (tmp_path / "csv/b.csv").write_text("id,price\n2,3.50\n")
    (tmp_path / "json/a.json").write_text('{"id": 3, "at": "2024-05-01T10:00:00Z"}\n')
    spark(lake).sql("SELECT 4L AS id, 'p' AS name").write.parquet(str(tmp_path / "parquet/p"))
    spark(lake).sql("SELECT CAST(5 AS SMALLINT) AS id").write.orc(str(tmp_path / "orc/o"))
    lake.sql(f"COPY INTO t FROM '{tmp_path}/csv' USING CSV OPTIONS ('header' = 'true')")
    lake.sql(f"COPY INTO t FROM '{tmp_path}/json' USING JSON")
    lake.sql(
        f"COPY INTO t FROM (SELECT CAST(id AS INT), name, NULL, 1 FROM '{tmp_path}/parquet' USING PARQUET)"
    )
    lake.sql(f"COPY INTO t (price, id) FROM (SELECT 2, id FROM '{tmp_path}/orc' USING ORC WHERE id > 0)")
    rows = lake.sql("SELECT id, name, CAST(at AS STRING), price FROM t ORDER BY id").fetchall()
    assert rows == [
        (1, "x, y", None, None),
        (2, None, None, Decimal("3.50")),
        (3, None, "2024-05-01 10:00:00", None),
        (4, "p", None, Decimal("1.00")),
        (5, None, None, Decimal("2.00")),
    ]


def test_new_columns_of_files(lake: Connection, tmp_path: Path) -> None:
    lake.sql("CREATE TABLE t (id INT)")
    (tmp_path / "a.json").write_text('{"id": 1, "extra": {"n": 1.5}}\n')
    load = f"COPY INTO t FROM '{tmp_path}' USING JSON"
    with pytest.raises(DataError) as refused:
        lake.sql(load)
    assert str(refused.value).startswith(f"files have columns that lake.{lake.schema}.t does not have: extra")
    assert "SCHEMA_EVOLUTION = ADD" in (refused.value.hint or "")
    lake.sql(load + " SCHEMA_EVOLUTION = IGNORE")
    lake.sql(load + " FORCE = TRUE SCHEMA_EVOLUTION = 'add'")
    assert lake.sql("SELECT id, extra.n FROM t ORDER BY extra.n NULLS FIRST").fetchall() == [
        (1, None),
        (1, 1.5),
    ]


def test_rows_that_cannot_be_read(lake: Connection, tmp_path: Path) -> None:
    lake.sql("CREATE TABLE t (id INT, name STRING)")
    (tmp_path / "a.csv").write_text("1,x\nnone,y\n3,z\n")
    load = f"COPY INTO t FROM '{tmp_path}' USING CSV"
    with pytest.raises(DataError, match=f"a row of {tmp_path}/a.csv does not fit the columns: none,y"):
        lake.sql(load)
    assert lake.sql("SELECT count(*) FROM t").fetchall() == [(0,)]
    skipped = lake.sql(load + " ON_ERROR = CONTINUE")
    assert (skipped.fetchall(), skipped.notices) == (
        [(1, 0, 2, 1)],
        ("left out 1 row that could not be read",),
    )

    (tmp_path / "b.csv").write_text("4,a\n5,b,c\nx,y\n")
    kept = lake.sql(load + " ON_ERROR = QUARANTINE")
    assert kept.fetchall() == [(1, 1, 1, 2)]
    assert kept.notices == (f"2 rows that could not be read went to lake.{lake.schema}.t__rejected",)
    rejected = lake.sql("SELECT source, raw FROM t__rejected ORDER BY raw").fetchall()
    assert rejected == [(f"{tmp_path}/b.csv", "5,b,c"), (f"{tmp_path}/b.csv", "x,y")]


def test_which_files(lake: Connection, tmp_path: Path) -> None:
    """By name, by pattern, not while they are written; deleted when they are loaded."""
    lake.sql("CREATE TABLE t (id INT)")
    for number, name in enumerate(
        ("a.csv", "b[1].csv", "sub/c d.csv", "e.csv.tmp", "_f.csv", ".g.csv", "h.txt")
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{number}\n")
    load = f"COPY INTO t FROM '{tmp_path}' USING CSV"
    assert lake.sql(load + " FILES ('b[1].csv')").fetchall() == [(1, 0, 1, 0)]
    assert lake.sql(load + " REGEXP '.*[.]csv' PURGE = TRUE").fetchall() == [(2, 1, 2, 0)]
    assert lake.sql("SELECT id FROM t ORDER BY id").fetchall() == [(0,), (1,), (2,)]
    left = {str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*") if each.is_file()}
    assert left == {"b[1].csv", "e.csv.tmp", "_f.csv", ".g.csv", "h.txt"}


def test_the_position_moves_with_the_table(lake: Connection, tmp_path: Path) -> None:
    """Restored to an earlier version the table has not what came later, and loads it again; others may
    write, versions may expire, and the list of files may be long."""
    lake.sql("CREATE TABLE t (id INT); INSERT INTO t VALUES (0)")
    load = f"COPY INTO t FROM '{tmp_path}' USING CSV"
    (tmp_path / "a.csv").write_text("1\n")
    lake.sql(load)
    (first,) = lake.sql("DESC HISTORY t").fetchall()[:1]
    for number in range(2, 80):
        (tmp_path / f"a_file_with_a_long_name_{number}.csv").write_text(f"{number}\n")
    assert lake.sql(load).fetchall() == [(78, 1, 78, 0)]
    lake.sql(f"RESTORE TABLE t TO VERSION AS OF {first[0]}")
    assert lake.sql(load).fetchall() == [(78, 1, 78, 0)]

    lake.sql("INSERT INTO t VALUES (100); INSERT INTO t VALUES (101)")
    lake.sql(f"CALL lake.system.expire_snapshots(table => '{lake.schema}.t', older_than => now())")
    assert lake.sql(load).fetchall() == [(0, 79, 0, 0)]
    assert lake.sql("SELECT count(*), count(DISTINCT id) FROM t").fetchall() == [(82, 82)]
    assert lake.sql("SELECT count(*) FROM load_history('t')").fetchall() == [(79,)]
    lake.sql("VACUUM")
    assert lake.sql(load).fetchall() == [(0, 79, 0, 0)]

    lake.sql("CREATE OR REPLACE TABLE t (id INT)")
    assert lake.sql(load).fetchall() == [(79, 0, 79, 0)]
