"""A virtual cluster on a real Spark cluster, one executor of which is killed during a refresh."""

from __future__ import annotations

import threading

import pytest

from headrace.lake.directory import make_lake
from headrace.model.access_token import acting_for
from headrace.model.names import TableName
from headrace.server.service import Service
from tests.cluster.standalone import executors, spark_cluster
from tests.server.served import until

ROWS = 400_000


def run(service: Service, session, text: str):
    statement = service.runner.submit(session, text, None)
    statement.ended.result(200)
    if statement.error is not None:
        raise statement.error
    return statement.answer


def sent_by_executors(service: Service, session) -> list[int]:
    """Numbers of a result that is too large to be the answer of the cluster."""
    query = "SELECT id, repeat('x', 1000) AS s FROM range(0, 20000, 1, 5)"
    statement = service.runner.submit(session, query, None)
    statement.ended.result(200)
    assert statement.answer.rows is None
    found, is_last = [], False
    while not is_last:
        chunk = statement.rows.read(len(found)).result(20)
        for message in chunk.messages:
            found += message.batch(statement.rows.schema)["id"].to_pylist()
        is_last = chunk.is_last
    return found


@pytest.mark.timeout(290)
def test_a_killed_executor_does_not_hurt_a_refresh(tmp_path):
    lake = make_lake(tmp_path / "lake").path
    with (lake / "lake.toml").open("a") as settings:
        settings.write("allow_outside = true\n")
    with spark_cluster(tmp_path) as master:
        service = Service(lake)
        try:
            session = service.sessions.open(acting_for("someone"))
            properties = {
                "spark.master": master,
                "spark.executor.memory": "512m",
                "spark.executor.cores": "1",
                "spark.driver.memory": "1g",
                "spark.task.maxFailures": "4",
            }
            listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
            run(service, session, f"CREATE VCLUSTER real PROPERTIES ({listed})")
            run(service, session, "USE VCLUSTER real")
            run(
                service,
                session,
                f"CREATE TABLE t AS SELECT id, id % 100 AS k FROM range(0, {ROWS}, 1, 8)",
            )
            query = "SELECT k, count(*) AS n, sum(length(sha2(repeat(CAST(id AS STRING), 200), 512))) AS s"
            run(service, session, f"CREATE DYNAMIC TABLE d VCLUSTER real AS {query} FROM t GROUP BY k")
            assert len(executors()) == 2
            victim = executors()[0]
            refreshing = service.runner.submit(session, "REFRESH DYNAMIC TABLE d", None)
            threading.Timer(1.0, victim.kill).start()
            refreshing.ended.result(200)
            assert refreshing.error is None
            assert not victim.is_running() or victim.status() == "zombie"
            table = service.store.definitions.find(TableName("lake", "public", "d"))
            row = service.store.refreshes.latest(table.id)
            assert (row.state, row.cluster) == ("SUCCEED", "real")
            run(service, session, f"INSERT INTO t VALUES ({ROWS}, 1)")
            run(service, session, "REFRESH DYNAMIC TABLE d")
            assert b"exact" in run(service, session, "VERIFY DYNAMIC TABLE d").rows
            until(lambda: len(executors()) == 2, 60, "a new executor")
            assert sent_by_executors(service, session) == list(range(20_000))
        finally:
            service.close()
    assert executors() == []
