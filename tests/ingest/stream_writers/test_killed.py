"""Clients write while server, cluster and JVM are killed: each acknowledged row is in its table once."""

from __future__ import annotations

import os
import random
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

import headrace
from headrace.connection import Connection
from headrace.lake.directory import make_lake
from headrace.stream_writer import WriteMode
from tests.sampling import fresh_seeds
from tests.server.served import Served, serving, until

KILLS = 3
LAYERS = """
CREATE TABLE ods.t (id BIGINT NOT NULL, k INT, v INT);
CREATE TABLE ods.u (id BIGINT NOT NULL, k INT, v INT);
CREATE DYNAMIC TABLE ods.layer_1 REFRESH INTERVAL 1 HOUR AS
  SELECT id, k, v, 't' AS kind FROM ods.t WHERE v >= 10 UNION ALL SELECT id, k, v, 'u' FROM ods.u;
CREATE DYNAMIC TABLE ods.layer_2 REFRESH INTERVAL 1 HOUR AS
  SELECT kind, k, count(*) AS n, sum(v) AS total FROM ods.layer_1 GROUP BY kind, k;
"""


class Client(threading.Thread):
    """Writes rows until it is stopped, and keeps those that were acknowledged."""

    def __init__(self, url: str, table: str, mode: WriteMode, seed: int) -> None:
        super().__init__(daemon=True, name=f"{mode} {table}")
        self.acknowledged: dict[int, tuple[int, int]] = {}
        self.requests = 0
        self.failure: Exception | None = None
        self._url, self._table, self._mode = url, table, mode
        self._chance = random.Random(seed)
        self._stopping = threading.Event()

    def run(self) -> None:
        try:
            with headrace.connect(self._url) as lake:
                key = ["id"] if self._mode == "upsert" else []
                with lake.stream(self._table, self._mode, key=key, retry_seconds=300) as writer:
                    while not self._stopping.wait(0.02):
                        rows = self._rows()
                        writer.write([{"id": each, "k": k, "v": v} for each, k, v in rows])
                        self.acknowledged |= {each: (k, v) for each, k, v in rows}
                        self.requests += 1
        except Exception as error:  # noqa: BLE001  (the test shows it)
            self.failure = error

    def stop(self) -> None:
        self._stopping.set()
        self.join(300)
        if self.failure is not None:
            raise self.failure

    def _rows(self) -> list[tuple[int, int, int]]:
        """New ones, or also changes of those that are there."""
        chance, known = self._chance, len(self.acknowledged)
        count = chance.randrange(1, 30)
        ids = range(known, known + count) if self._mode == "append" else range(count)
        return [
            (
                each if self._mode == "append" else chance.randrange(60),
                chance.randrange(5),
                chance.randrange(100),
            )
            for each in ids
        ]


@pytest.mark.kills
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", fresh_seeds("ingest/stream writers killed", 10, share=0.1))
def test_every_row_once(tmp_path: Path, seed: int) -> None:
    chance, lake, port = random.Random(seed), tmp_path / "lake", _free_port()
    make_lake(lake)
    with (lake / "lake.toml").open("a") as settings:
        settings.write('stream_commit_seconds = 1\n[settings.spark]\n"spark.driver.memory" = "1g"\n')
    url = f"http://127.0.0.1:{port}"
    clients = [Client(url, "ods.t", "append", seed), Client(url, "ods.u", "upsert", seed + 1)]
    kills = 0
    while kills < KILLS:
        with _serving(lake, port) as served:
            if kills == 0:
                with served.connect() as connection:
                    connection.sql(f"CREATE SCHEMA ods; {LAYERS}")
                for client in clients:
                    client.start()
            while kills < KILLS and served.process.poll() is None:
                _wait_for_requests(clients)
                until(served.cluster_pid, 120, "a commit's cluster")
                time.sleep(chance.uniform(0.1, 3))
                _kill(served, chance)
                kills += 1
    with _serving(lake, port) as served, served.connect() as connection:
        _wait_for_requests(clients)
        for client in clients:
            client.stop()
        _assert_complete(connection, clients)


def _assert_complete(lake: Connection, clients: list[Client]) -> None:
    for table, client in zip(("ods.t", "ods.u"), clients, strict=True):
        rows = lake.sql(f"SELECT id, k, v FROM {table}").fetchall()
        assert len(rows) == len({row[0] for row in rows}), table
        assert {row[0]: row[1:] for row in rows} == client.acknowledged, table
    for layer in ("ods.layer_1", "ods.layer_2"):
        lake.sql(f"REFRESH DYNAMIC TABLE {layer}")
        assert lake.sql(f"VERIFY DYNAMIC TABLE {layer}").arrow()["result"].to_pylist() == ["exact"]


def _wait_for_requests(clients: list[Client]) -> None:
    before = [client.requests for client in clients]
    until(
        lambda: all(
            client.requests > count + 5 or client.failure
            for client, count in zip(clients, before, strict=True)
        ),
        120,
        "a write",
    )


def _kill(served: Served, chance: random.Random) -> None:
    """Of server, cluster and JVM one; or the server with all that it has started."""
    whom = chance.choice(("server", "cluster", "jvm", "all"))
    cluster = served.cluster_pid()
    if cluster is None or whom in ("server", "all"):
        served.kill()
    if cluster is None:
        return
    if whom in ("cluster", "all"):
        with suppress(ProcessLookupError):
            os.killpg(cluster, signal.SIGKILL)
    if whom == "jvm":
        with suppress(psutil.NoSuchProcess):
            for child in psutil.Process(cluster).children(recursive=True):
                child.kill()


@contextmanager
def _serving(lake: Path, port: int) -> Iterator[Served]:
    with serving(lake, "--port", str(port)) as served:
        yield served


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
