"""The server and the process of a cluster read a statement once each."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from headrace.cluster.messages import Execute, StatementReply, Stop
from headrace.cluster.worker import ServerLink, Worker
from headrace.commands.open_lake import OpenLake
from headrace.lake.directory import make_lake, open_directory
from headrace.lake.spark.sandbox import sandbox_of
from headrace.model.clock import system_clock
from headrace.model.role import Role
from tests.parsing import Calls, counted_calls

CREATE = "CREATE DYNAMIC TABLE d AS SELECT k, count(*) AS n FROM t GROUP BY k"
SELECT = "SELECT k, n FROM d WHERE k > 0"
INSERT = "INSERT INTO t VALUES (3, 3)"
REFRESH = "REFRESH DYNAMIC TABLE d"


@pytest.mark.parametrize("text", [SELECT, INSERT, REFRESH, "USE sales", "CREATE TEMP VIEW v AS SELECT 1"])
def test_the_server(text: str, client: TestClient) -> None:
    session = client.post("/api/v1/sessions").json()["session"]
    with counted_calls() as calls:
        asked = {"session": session, "statement": text, "wait_seconds": 10}
        ended = client.post("/api/v1/statements", json=asked).json()
    assert ended["state"] == "SUCCEED"
    assert calls.tokenize == [text]
    assert calls.effects_of == []


class InThisProcess:
    """A worker, and the server's end of its channel."""

    def __init__(self, lake: OpenLake) -> None:
        self._channel, theirs = multiprocessing.Pipe()
        worker = Worker(theirs, ServerLink(theirs), lake)
        threading.Thread(target=worker.serve, daemon=True).start()

    def run(self, text: str) -> Calls:
        with counted_calls() as calls:
            self._channel.send(Execute("job", "session", "somebody", Role.DEVELOPER, text))
            reply = self._channel.recv()
        assert isinstance(reply, StatementReply), reply
        return calls

    def stop(self) -> None:
        self._channel.send(Stop())


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[InThisProcess]:
    make_lake(tmp_path / "lake")
    directory = open_directory(tmp_path / "lake")
    lake = OpenLake(directory, system_clock, lambda _: None, None, sandbox_of(directory))
    started = InThisProcess(lake)
    for text in ("CREATE TABLE t (k INT, v INT)", "INSERT INTO t VALUES (1, 1)", CREATE, REFRESH):
        started.run(text)
    yield started
    started.stop()
    lake.close()


def test_the_process_of_a_cluster(worker: InThisProcess) -> None:
    for text in (SELECT, INSERT):
        calls = worker.run(text)
        assert calls.tokenize == [text]
        assert calls.effects_of == [text]
    assert worker.run(REFRESH).tokenize == [REFRESH]
