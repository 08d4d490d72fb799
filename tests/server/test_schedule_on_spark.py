"""Tables that refresh by themselves, on real Spark: in step, whatever is written meanwhile."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from headrace.errors import Error
from headrace.lake.directory import make_lake
from headrace.model.access_token import acting_for
from headrace.model.history import RefreshState, RefreshTrigger
from headrace.model.names import TableName
from headrace.result import from_stream
from headrace.server.service import Service
from tests.server.served import until

TOP = TableName("lake", "public", "top")


@pytest.fixture
def service(tmp_path):
    lake = make_lake(tmp_path / "lake").path
    allow_short_intervals(lake)
    service = Service(lake)
    yield service
    service.close()


def allow_short_intervals(lake: Path) -> None:
    marker = lake / "lake.toml"
    text = marker.read_text().replace("minimum_interval_seconds = 60", "minimum_interval_seconds = 1")
    marker.write_text(text + '[settings.spark]\n"spark.driver.memory" = "1g"\n')


class Client:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._session = service.sessions.open(acting_for("someone"))

    def run(self, text: str) -> list[tuple]:
        statement = self._service.runner.submit(self._session, text, None)
        statement.ended.result(120)
        if statement.error is not None:
            raise statement.error
        table = from_stream(statement.answer.rows)
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


@pytest.mark.share(0.2, suite="single tests")
@pytest.mark.timeout(280)
def test_a_diamond_never_disagrees_and_a_killed_cluster_comes_back(service):
    client = Client(service)
    client.run("CREATE TABLE t (a INT)")
    client.run("INSERT INTO t VALUES (1)")
    for name, query in {
        "counted": "SELECT count(*) AS n FROM t",
        "summed": "SELECT sum(a) AS s FROM t",
        "top": "SELECT n, s FROM counted CROSS JOIN summed",
    }.items():
        client.run(f"CREATE DYNAMIC TABLE {name} REFRESH INTERVAL 2 SECOND AS {query}")
    service.start()
    stopping, written = threading.Event(), [1]

    def write() -> None:
        other = Client(service)
        while not stopping.is_set():
            try:
                other.run("INSERT INTO t VALUES (1)")
            except Error:
                continue
            written[0] += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        until(lambda: refreshes(service) >= 3, 120, "three rounds")
        os.killpg(service.pool.cluster("default").pid, signal.SIGKILL)
        seen = refreshes(service)
        until(lambda: refreshes(service) >= seen + 3, 120, "rounds after the crash")
    finally:
        stopping.set()
        writer.join(120)
    assert all(n == s for n, s in client.run("SELECT n, s FROM top"))
    versions = client.run("DESC HISTORY top")
    assert len(versions) >= 6
    for version, *_ in versions:
        assert all(n == s for n, s in client.run(f"SELECT n, s FROM top VERSION AS OF {version}"))
    assert client.run("SELECT count(*) FROM t")[0][0] >= written[0]
    until(
        lambda: client.run("SELECT n FROM top") == client.run("SELECT count(*) FROM t"), 60, "the last rows"
    )
    assert {row.cluster for row in service.store.refreshes.history(TOP)} == {"default"}


def refreshes(service: Service) -> int:
    return sum(
        row.state is RefreshState.SUCCEED
        and row.trigger is RefreshTrigger.SYSTEM_SCHEDULED
        and row.stats is not None
        for row in service.store.refreshes.history(TOP)
    )
