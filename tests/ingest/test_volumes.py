"""Volumes: directories under a name of the lake."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.connection import Connection
from headrace.errors import AlreadyExists, NotFound, Refused
from tests.ingest.test_file_pipes import put


def test_files_of_a_volume(lake: Connection, tmp_path: Path) -> None:
    put(tmp_path / "a.csv", "id\n1\n")
    put(tmp_path / "b.csv", "id\n2\n")
    lake.sql(f"CREATE VOLUME landing LOCATION '{tmp_path}/' COMMENT 'orders'; CREATE TABLE t (id INT)")
    header = "USING CSV OPTIONS ('header' = 'true')"
    assert lake.sql(f"COPY INTO t FROM VOLUME landing {header} FILES ('a.csv')").fetchall() == [(1, 0, 1, 0)]
    assert lake.sql(f"COPY INTO t FROM '{tmp_path}' {header}").fetchall() == [(1, 1, 1, 0)], "b.csv alone"
    lake.sql(
        f"COPY INTO t FROM (SELECT CAST(v.id AS INT) + 10 FROM VOLUME Landing {header} AS v) FORCE = TRUE"
    )
    assert sorted(lake.sql("SELECT id FROM t").fetchall()) == [(1,), (2,), (11,), (12,)]

    shown = lake.sql(f"SHOW VOLUMES IN {lake.schema} LIKE 'l%'").arrow().to_pylist()
    assert [(row["name"], row["location"], row["comment"]) for row in shown] == [
        ("landing", str(tmp_path), "orders")
    ]
    assert dict(lake.sql("DESC VOLUME landing").fetchall())["location"] == str(tmp_path)
    lake.sql("DROP VOLUME landing; DROP VOLUME IF EXISTS landing")
    assert lake.sql(f"SHOW VOLUMES IN {lake.schema}").fetchall() == []
    assert (tmp_path / "a.csv").exists()


def test_a_pipe_finds_the_volume_of_its_own_schema(lake: Connection, tmp_path: Path) -> None:
    put(tmp_path / "in/a.csv", "1\n")
    (tmp_path / "other").mkdir()
    lake.sql(f"CREATE VOLUME v LOCATION '{tmp_path}/in'; CREATE TABLE t (id INT)")
    shown = lake.sql("EXPLAIN CREATE PIPE p AS COPY INTO t FROM VOLUME v USING CSV")
    assert shown.fetchall() == [(1,)]
    lake.sql("CREATE PIPE p AS COPY INTO t FROM VOLUME v USING CSV")
    home = lake.schema
    lake.sql(f"CREATE SCHEMA {home}_2; USE {home}_2; CREATE VOLUME v LOCATION '{tmp_path}/other'")
    assert lake.sql(f"EXECUTE PIPE {home}.p").fetchall() == [(1, 1, 1, 0)]
    put(tmp_path / "in/b.csv", "2\n")
    assert '"offsetLag": 1' in dict(lake.sql(f"DESC PIPE EXTENDED {home}.p").fetchall())["pipe_latency"]

    with pytest.raises(Refused, match=f"volume lake.{home}.v is read by the pipe lake.{home}.p") as refused:
        lake.sql(f"DROP VOLUME {home}.v")
    assert refused.value.hint == f"DROP PIPE lake.{home}.p first"
    lake.sql("DROP VOLUME v")
    lake.sql(f"DROP SCHEMA {home}_2; USE {home}; DROP PIPE p; DROP VOLUME v")


def test_mistakes(lake: Connection, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    put(file, "1\n")
    lake.sql(f"CREATE TABLE t (id INT); CREATE VOLUME v LOCATION '{tmp_path}'")
    for statement, kind, message in (
        (
            f"CREATE VOLUME v LOCATION '{tmp_path}'",
            AlreadyExists,
            f"volume lake.{lake.schema}.v already exists",
        ),
        ("CREATE VOLUME w LOCATION 'in'", Refused, "in is not an absolute path and not an address on S3"),
        (f"CREATE VOLUME w LOCATION '{file}'", NotFound, f"{file} is not a directory"),
        (f"CREATE VOLUME w LOCATION '{tmp_path}/none'", NotFound, f"{tmp_path}/none is not a directory"),
        (f"CREATE VOLUME none.w LOCATION '{tmp_path}'", NotFound, "schema lake.none does not exist"),
        ("COPY INTO t FROM VOLUME w USING CSV", NotFound, f"volume lake.{lake.schema}.w does not exist"),
        ("CREATE PIPE p AS COPY INTO t FROM VOLUME w USING CSV", NotFound, "volume lake."),
        ("DROP VOLUME w", NotFound, f"volume lake.{lake.schema}.w does not exist"),
        ("DESC VOLUME w", NotFound, f"volume lake.{lake.schema}.w does not exist"),
        (f"DROP SCHEMA {lake.schema}", Refused, f"schema {lake.schema} contains the volume"),
    ):
        with pytest.raises(kind, match=message):
            lake.sql(statement)
    assert [row[1] for row in lake.sql(f"SHOW VOLUMES IN {lake.schema}").fetchall()] == ["v"]
    assert lake.sql("SHOW PIPES IN " + lake.schema).fetchall() == []
    again = lake.sql(f"CREATE VOLUME IF NOT EXISTS v LOCATION '{tmp_path}'")
    assert again.notices == (f"volume lake.{lake.schema}.v already exists, nothing was done",)
