"""A process is killed while it consumes a stream: each change arrives once all the same."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from headrace.connection import Connection
from tests import internals
from tests.features.streams.streaming import changes, offset
from tests.refresh.test_crash import first_line, kill_group
from tests.sampling import fresh_seeds

OpenLake = Callable[..., Connection]
INSERT = "INSERT INTO target SELECT id, v FROM s"
STATEMENTS = {
    "insert": INSERT,
    "merge": "MERGE INTO target USING over_s ON target.id = over_s.id WHEN NOT MATCHED THEN INSERT *",
    "create": "CREATE TABLE made AS SELECT id, v FROM s",
    "replace": "CREATE OR REPLACE TABLE target AS SELECT id, v FROM s",
    "overwrite": "INSERT OVERWRITE target SELECT id, v FROM s",
    "update": "UPDATE target SET v = concat(v, '!') WHERE id <= (SELECT count(*) FROM s)",
    "delete": "DELETE FROM target WHERE id <= (SELECT count(*) FROM s)",
}


@pytest.fixture
def home(new_lake: OpenLake) -> Path:
    """A closed lake: t, s over t with two changes that are not consumed, target."""
    with new_lake() as lake:
        lake.sql("CREATE TABLE t (id INT, v STRING); INSERT INTO t VALUES (1, 'a')")
        lake.sql("CREATE TABLE STREAM s ON TABLE t; CREATE VIEW over_s AS SELECT id, v FROM s")
        lake.sql("CREATE TABLE target (id INT, v STRING); INSERT INTO target VALUES (1, 'a'), (7, 'g')")
        lake.sql("INSERT INTO t VALUES (2, 'b'), (3, 'c')")
        return lake.lake_path


def child(home: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.features.streams.stream_crash_child", str(home), *arguments],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=Path(__file__).parents[3],
    )


def crash(home: Path, moment: str, who: str, statement: str) -> None:
    with child(home, moment, who, statement) as process:
        try:
            assert process.wait() == -signal.SIGKILL
        finally:
            kill_group(process)


def assert_settled(lake: Connection) -> None:
    store = internals.store(lake)
    assert store.streams.unended() == []
    assert [stream.claimed_by for stream in store.streams.all()] == [None]


@pytest.mark.parametrize(
    ("moment", "who"),
    [
        ("committed", "both"),
        pytest.param("announced", "python", marks=pytest.mark.share(0.2)),
        pytest.param("announced", "both", marks=pytest.mark.share(0.2)),
        pytest.param("committed", "python", marks=pytest.mark.share(0.2)),
        pytest.param("about to move", "both", marks=pytest.mark.share(0.2)),
        pytest.param("moved", "python", marks=pytest.mark.share(0.2)),
        pytest.param("moved", "both", marks=pytest.mark.share(0.2)),
    ],
)
def test_at_a_moment(home: Path, new_lake: OpenLake, moment: str, who: str) -> None:
    crash(home, moment, who, INSERT)
    lake = new_lake()
    assert_settled(lake)
    happened = moment != "announced"
    ids = [row[0] for row in lake.sql("SELECT id FROM target ORDER BY id").fetchall()]
    assert ids == ([1, 2, 3, 7] if happened else [1, 7])
    assert len(changes(lake, "s")) == (0 if happened else 2)
    lake.sql(INSERT)
    assert sorted(row[0] for row in lake.sql("SELECT id FROM target").fetchall()) == [1, 2, 3, 7]
    lake.sql("INSERT INTO t VALUES (4, 'd')")
    assert changes(lake, "s") == [("INSERT", 4, "d")]


@pytest.mark.share(0.2)
@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_between_commit_and_offset(home: Path, new_lake: OpenLake, statement: str) -> None:
    crash(home, "committed", "both", statement)
    lake = new_lake()
    assert_settled(lake)
    assert changes(lake, "s") == []
    assert offset(lake, "s") == lake.sql("DESC HISTORY t").fetchall()[0][0]


@pytest.mark.parametrize("seed", fresh_seeds("commands/killed at any moment", 8, share=0.2))
def test_at_any_moment(home: Path, new_lake: OpenLake, seed: int) -> None:
    with child(home, "any") as process:
        assert first_line(process) == "consuming\n"
        time.sleep(random.Random(seed).uniform(0.5, 3))
        kill_group(process)
    lake = new_lake()
    assert_settled(lake)
    lake.sql(INSERT)
    arrived = sorted(row[0] for row in lake.sql("SELECT id FROM target WHERE id > 7").fetchall())
    written = sorted(row[0] for row in lake.sql("SELECT id FROM t WHERE id > 7").fetchall())
    assert arrived == written
    assert len(written) > 0
