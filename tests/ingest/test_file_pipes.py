"""Pipes that read files."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from headrace.connection import Connection
from headrace.errors import Error


def put(path: Path, text: str, *, seconds_ago: float = 60) -> None:
    """A file that somebody has finished writing a while ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    moment = time.time() - seconds_ago
    os.utime(path, (moment, moment))


def details(lake: Connection, pipe: str) -> dict[str, str]:
    return dict(lake.sql(f"DESC PIPE EXTENDED {pipe}").fetchall())


def test_a_pipe_from_creation_to_drop(lake: Connection, tmp_path: Path) -> None:
    incoming = tmp_path / "incoming"
    put(incoming / "a.csv", "id,name,at\n1,x,2024-01-01\n")
    definition = f"AS COPY INTO t FROM '{incoming}' USING CSV OPTIONS ('header' = 'true')"

    shown = lake.sql(f"EXPLAIN CREATE PIPE p {definition}")
    assert [row[:2] for row in shown.fetchall()] == [(1, "x")]
    assert shown.notices == ("the source has 1 records now, 26 bytes; nothing was created",)
    assert lake.sql("SHOW PIPES").fetchall() == []

    created = lake.sql(f"CREATE PIPE p BATCH_INTERVAL_IN_SECONDS = 5 COMMENT 'orders' {definition}")
    assert created.notices[0] == f"created the table lake.{lake.schema}.t (id int, name string, at date)"
    assert "EXECUTE PIPE" in created.notices[1]
    assert lake.sql("EXECUTE PIPE p").fetchall() == [(1, 1, 1, 0)]
    assert lake.sql("EXECUTE PIPE p").fetchall() == [(0, 0, 0, 0)]
    put(incoming / "b.csv", "name,id\ny,2\n")
    put(incoming / "half.csv", "name,id\nz", seconds_ago=-3600)
    assert lake.sql("EXECUTE PIPE p").fetchall() == [(1, 1, 1, 0)]
    assert lake.sql("SELECT id, name FROM t ORDER BY id").fetchall() == [(1, "x"), (2, "y")]

    found = details(lake, "p")
    assert '"offsetLag": 1' in found["pipe_latency"]
    assert (found["rows"], found["batches"], found["failures"]) == ("2", "2", "0")
    listed = lake.sql("SHOW PIPES LIKE 'p%' WHERE state = 'RUNNING' LIMIT 1").arrow().to_pylist()
    assert (listed[0]["name"], listed[0]["comment"], listed[0]["rows"]) == ("p", "orders", 2)
    history = lake.sql("SELECT loaded_by FROM load_history('t')").fetchall()
    assert history == [(f"lake.{lake.schema}.p",)] * 2

    lake.sql("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = TRUE, BATCH_INTERVAL_IN_SECONDS = 7")
    assert (details(lake, "p")["state"], details(lake, "p")["batch_interval_in_seconds"]) == ("PAUSED", "7")
    with pytest.raises(Error, match=f"schema {lake.schema} contains the pipe"):
        lake.sql(f"DROP SCHEMA {lake.schema}")
    lake.sql("DROP PIPE p")
    assert lake.sql("DROP PIPE IF EXISTS p").notices == (
        f"pipe lake.{lake.schema}.p does not exist, nothing was done",
    )
    lake.sql(f"CREATE PIPE p {definition}")
    assert lake.sql("EXECUTE PIPE p").fetchall() == [(0, 0, 0, 0)], (
        "a new pipe continues where the old one ended"
    )


def test_files_are_deleted_after_their_commit(lake: Connection, tmp_path: Path) -> None:
    put(tmp_path / "a.json", '{"id": 1}\n')
    lake.sql("CREATE TABLE t (id INT)")
    lake.sql(f"CREATE PIPE p INGEST_MODE = 'LIST_PURGE' AS COPY INTO t FROM '{tmp_path}' USING JSON")
    assert lake.sql("EXECUTE PIPE p").fetchall() == [(1, 1, 1, 0)]
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_that_fails_recovers(lake: Connection, tmp_path: Path) -> None:
    put(tmp_path / "a.csv", "1\nx\n")
    lake.sql("CREATE TABLE t (id INT)")
    lake.sql(f"CREATE PIPE p AS COPY INTO t FROM '{tmp_path}' USING CSV")
    for failures in ("1", "2"):
        with pytest.raises(Error, match="does not fit the columns: x"):
            lake.sql("EXECUTE PIPE p")
        found = details(lake, "p")
        assert (found["state"], found["failures"]) == ("FAILING", failures)
        assert found["last_error"].startswith(f"a row of {tmp_path}/a.csv")
    put(tmp_path / "a.csv", "1\n2\n")
    assert lake.sql("EXECUTE PIPE p").fetchall() == [(1, 1, 2, 0)]
    assert details(lake, "p")["state"] == "RUNNING"
