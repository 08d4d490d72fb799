"""Sources that are written to all the time: each refresh is exact at the versions it records."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Iterator

import pytest

import headrace
from headrace.connection import Connection
from tests.oracle import assert_exact
from tests.refresh.helpers import as_dict, refresh

pytestmark = pytest.mark.incremental

QUERIES = {
    "sums": "SELECT k, count(*) AS n, sum(v) AS total FROM t GROUP BY k",
    "joined": "SELECT t.id, t.v, u.name FROM t LEFT JOIN u ON t.k = u.k",
}
REFRESHES = 6


def statements() -> Iterator[str]:
    for n in itertools.count(1000):
        yield f"INSERT INTO t VALUES ({n}, {n % 5}, {n % 7}), ({n}, NULL, 1)"
        yield f"UPDATE t SET v = v + 1, k = {n % 5} WHERE id % 10 = {n % 10}"
        yield f"INSERT INTO u VALUES ({n % 5}, 'n{n}')"
        yield f"DELETE FROM t WHERE id % 13 = {n % 13}"
        yield f"DELETE FROM u WHERE k = {(n + 2) % 5}"


@contextlib.contextmanager
def written_all_the_time(lake: Connection) -> Iterator[list[str]]:
    """The statements done so far by another connection, one after the other."""
    done: list[str] = []
    stop, failed = threading.Event(), []

    def write() -> None:
        try:
            with headrace.connect(lake.lake_path) as other:
                other.sql(f"USE {lake.schema}")
                for statement in statements():
                    if stop.is_set():
                        return
                    other.sql(statement)
                    done.append(statement)
        except headrace.Error as error:
            failed.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield done
    finally:
        stop.set()
        writer.join()
    assert failed == []


@pytest.mark.share(0.2, suite="single tests")
def test_each_refresh_is_exact_at_its_versions(lake: Connection) -> None:
    lake.sql("CREATE TABLE t (id INT, k INT, v INT); CREATE TABLE u (k INT, name STRING)")
    lake.sql(
        "INSERT INTO t SELECT id, id % 5, id % 7 FROM range(200); INSERT INTO u VALUES (1, 'a'), (2, 'b')"
    )
    for name, query in QUERIES.items():
        lake.sql(f"CREATE DYNAMIC TABLE {name} AS {query}; REFRESH DYNAMIC TABLE {name}")
    modes = []
    with written_all_the_time(lake) as done:
        for _ in range(REFRESHES):
            for name in QUERIES:
                modes.append(refresh(lake, name)["refresh_mode"])
                assert as_dict(lake.sql(f"VERIFY DYNAMIC TABLE {name}"))["result"] == "exact"
    assert len(done) > REFRESHES
    assert "FULL" not in modes
    assert modes.count("INCREMENTAL") > REFRESHES
    for name, query in QUERIES.items():
        refresh(lake, name)
        assert_exact(lake, name, query)
