"""Large results through a real server: constant memory, and what happens when one of the processes ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import headrace
from headrace.connection import Connection
from headrace.lake.directory import make_lake

from .large_result import read_large_result
from .served import Served, serving, until

MEGABYTES = 250
LIMIT = 300
LARGE = "SELECT id, repeat('x', 992) AS s FROM range({rows})"
SLOW = "SELECT id, repeat('x', 992) AS s, sha2(repeat(CAST(id AS STRING), 9999), 512) FROM range({rows})"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    lake = make_lake(tmp_path_factory.mktemp("served") / "lake").path
    with (lake / "lake.toml").open("a") as settings:
        settings.write(f"result_max_mb = {LIMIT}\n")
    with serving(lake) as served:
        yield served


@pytest.fixture
def lake(server: Served) -> Iterator[Connection]:
    with server.connect() as connection:
        yield connection


def jobs_of(server: Served) -> list[dict[str, str]]:
    jobs: list[dict[str, str]] = server.get("/api/v1/jobs").json()["items"]
    return jobs


def test_no_process_holds_a_large_result(server: Served) -> None:
    figures = read_large_result(server, MEGABYTES)
    assert (figures.rows, figures.megabytes) == (MEGABYTES * 1000, pytest.approx(MEGABYTES, rel=0.02))
    assert figures.server_growth < MEGABYTES / 2, figures
    assert figures.worker_growth < MEGABYTES / 2, figures
    assert figures.client_peak < MEGABYTES, figures


def test_a_large_result_in_every_form(lake: Connection) -> None:
    result = lake.sql(LARGE.format(rows=30_000))
    assert (result.columns, result.types) == (["id", "s"], ["bigint", "string"])
    reader = result.reader()
    assert reader.schema.names == ["id", "s"]
    assert reader.read_next_batch()["id"][0].as_py() == 0
    del reader  # the connection ends, the statement goes on
    assert [number for number, _ in result] == list(range(30_000))
    assert result.arrow()["id"].to_pylist() == list(range(30_000))
    assert len(result) == len(result.df()) == 30_000


def test_a_cursor_fetches_a_large_result_as_it_is_read(lake: Connection) -> None:
    cursor = lake.cursor().execute(LARGE.format(rows=30_000))
    assert cursor.rowcount == -1
    assert [cursor.fetchone()[0] for _ in range(3)] == [0, 1, 2]  # type: ignore[index]
    assert [row[0] for row in cursor.fetchmany(20_000)] == list(range(3, 20_003))
    assert [row[0] for row in cursor] == list(range(20_003, 30_000))
    assert (cursor.rowcount, cursor.fetchone(), cursor.fetchall()) == (30_000, None, [])


def test_an_error_after_many_rows_is_raised_after_them(lake: Connection) -> None:
    query = SLOW.replace("id,", "1 / (7000 - id) AS q,", 1).replace("{rows}", "0, 9000, 1, 1")
    rows = iter(lake.sql(query))
    seen = 1 if next(rows) else 0
    with pytest.raises(headrace.DataError, match="division by zero at line 1, column 8") as caught:
        for _ in rows:
            seen += 1
    assert 1000 < seen <= 7_000
    assert str(caught.value.place).count("1 / (7000 - id)") == 1


def test_all_rows_of_a_slow_statement_are_read(lake: Connection) -> None:
    assert [row[0] for row in lake.sql(SLOW.format(rows=20_000))] == list(range(20_000))


def test_rows_come_before_the_statement_has_ended_and_a_client_that_goes_away_cancels_it(
    server: Served, lake: Connection
) -> None:
    rows = iter(lake.sql(SLOW.format(rows=10_000_000)))
    assert next(rows)[0] == 0
    assert jobs_of(server)[0]["state"] == "RUNNING"
    del rows
    until(lambda: jobs_of(server)[0]["state"] == "CANCELLED", 30, "the cancellation")
    assert lake.sql("SELECT 1").fetchall() == [(1,)]


def test_a_large_result_is_cancelled_from_another_thread(lake: Connection) -> None:
    rows = iter(lake.sql(SLOW.format(rows=10_000_000)))
    next(rows)
    lake.cancel()
    with pytest.raises(headrace.OperationalError) as caught:
        for _ in rows:
            pass
    assert type(caught.value).__name__ == "Cancelled"


def test_a_cluster_that_is_killed_while_its_rows_are_read(server: Served, lake: Connection) -> None:
    rows = iter(lake.sql(SLOW.format(rows=10_000_000)))
    next(rows)
    worker = server.cluster_pid()
    assert worker is not None
    os.killpg(worker, signal.SIGKILL)
    with pytest.raises(headrace.OperationalError, match="the process of virtual cluster default has ended"):
        for _ in rows:
            pass
    assert no_files(server.lake)
    assert lake.sql("SELECT 1").fetchall() == [(1,)]


def test_the_disk_is_free_when_the_session_ends(server: Served) -> None:
    with server.connect() as lake:
        lake.sql(LARGE.format(rows=100_000)).arrow()
        worker = server.cluster_pid()
        assert worker is not None
        assert spool_files(worker) == 1
        assert no_files(server.lake)
    until(lambda: spool_files(worker) == 0, 10, "the release of the file")


def test_a_result_that_is_larger_than_its_limit(lake: Connection) -> None:
    with pytest.raises(headrace.OperationalError, match=f"the result is larger than {LIMIT} MB") as caught:
        lake.sql(LARGE.format(rows=(LIMIT + 20) * 1000)).skip_rows()
    assert "result_max_mb" in str(caught.value.hint)
    assert lake.sql("SELECT 1").fetchall() == [(1,)]


def no_files(lake: Path) -> bool:
    """The directory is made by the first result that does not fit into memory."""
    return not any((lake / "results").glob("*"))


def spool_files(worker: int) -> int:
    """Files without a name that a process has open in a lake."""
    names = [str(link.readlink()) for link in Path(f"/proc/{worker}/fd").iterdir() if link.is_symlink()]
    return sum("/results/" in name and name.endswith("(deleted)") for name in names)
