"""Two servers on one lake in PostgreSQL: one schedules, the other takes over."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from headrace.catalog.store import MetadataStore
from headrace.lake.directory import make_lake
from headrace.model.history import RefreshState, RefreshTrigger
from headrace.model.names import TableName
from tests.door import door_to
from tests.postgres import running_postgres
from tests.server.served import serving, until

D = TableName("lake", "public", "d")
TAKEN_OVER_WITHIN = 30


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with running_postgres() as postgres, door_to(postgres) as (_, url):
        yield url


def new_lake(directory: Path, name: str, database: str) -> Path:
    """A way into the one lake, with tables refreshed as often as every two seconds."""
    lake = make_lake(directory / name, database, str(directory / "warehouse")).path
    marker = lake / "lake.toml"
    text = marker.read_text().replace("minimum_interval_seconds = 60", "minimum_interval_seconds = 1")
    marker.write_text(text + '[settings.spark]\n"spark.driver.memory" = "1g"\n')
    return lake


@pytest.mark.timeout(280)
def test_the_other_server_takes_over(tmp_path, database):
    first, second = (new_lake(tmp_path, name, database) for name in ("first", "second"))
    store = MetadataStore.open(database)
    with serving(first) as one, serving(second) as other:
        with one.connect() as lake:
            lake.sql("CREATE TABLE t (id INT); INSERT INTO t VALUES (1)")
            lake.sql("CREATE DYNAMIC TABLE d REFRESH INTERVAL 2 SECOND AS SELECT count(*) AS n FROM t")
            assert lake.sql("SHOW VCLUSTERS").fetchall()
        until(lambda: refreshed(store) >= 1, 90, "the first scheduled refresh")
        with other.connect() as lake:
            assert lake.sql("SELECT n FROM d").fetchall() == [(1,)]
            one.kill()
            lake.sql("INSERT INTO t VALUES (2)")
            before = refreshed(store)
            took = until(lambda: refreshed(store) > before, TAKEN_OVER_WITHIN, "a refresh by the other")
            assert took < TAKEN_OVER_WITHIN
            assert lake.sql("SELECT n FROM d").fetchall() == [(2,)]
            assert lake.sql("VERIFY DYNAMIC TABLE d").df()["result"][0] == "exact"
        assert_never_twice_at_once(store)
    store.close()


def refreshed(store: MetadataStore) -> int:
    """How many scheduled refreshes have changed the table."""
    return sum(
        row.state is RefreshState.SUCCEED
        and row.trigger is RefreshTrigger.SYSTEM_SCHEDULED
        and row.stats is not None
        for row in store.refreshes.history(D)
    )


def assert_never_twice_at_once(store: MetadataStore) -> None:
    rows = sorted((row for row in store.refreshes.history(D) if row.stats), key=lambda row: row.start_time)
    for earlier, later in pairwise(rows):
        assert earlier.end_time is not None
        assert earlier.end_time <= later.start_time
