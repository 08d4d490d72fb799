from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import NullPool

from headrace.catalog import database_engine
from headrace.catalog.advisory_locks import AdvisoryLocks
from headrace.catalog.database_engine import connect
from headrace.errors import OperationalError
from tests.lake.locks_conformance import LocksConformance, held_elsewhere, killed_while_holding
from tests.postgres import Postgres, running_postgres

HOLDER = """
import sys, time
from headrace.catalog.advisory_locks import AdvisoryLocks
with AdvisoryLocks(sys.argv[1]).hold("a", 0) as held:
    assert held
    print("held", flush=True)
    time.sleep(60)
"""


WAITER = """
import sys
from headrace.catalog.advisory_locks import AdvisoryLocks
try:
    with AdvisoryLocks(sys.argv[1]).hold("a", 60):
        pass
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


@pytest.fixture
def url(postgres: Postgres) -> Iterator[str]:
    yield postgres.url_of(postgres.empty_database())
    postgres.drop_databases()


class TestAdvisoryLocks(LocksConformance):
    @pytest.fixture
    def locks(self, url: str) -> AdvisoryLocks:
        return AdvisoryLocks(url)

    def test_among_processes(self, url: str, locks: AdvisoryLocks) -> None:
        def look() -> None:
            assert not held_elsewhere(locks, "a", 0)
            assert held_elsewhere(locks, "b", 0)

        killed_while_holding(HOLDER, url, look)
        assert held_elsewhere(locks, "a", 5)


def test_a_server_that_is_not_there() -> None:
    locks = AdvisoryLocks("postgresql://nobody:secret@127.0.0.1:1/nothing")
    with pytest.raises(OperationalError) as caught, locks.hold("a", 0):
        pass
    assert "secret" not in str(caught.value)


def waiting_sessions(postgres: Postgres) -> list[int]:
    """The server's numbers of those that wait for an advisory lock."""
    return [
        pid for (pid,) in postgres.run("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    ]


def until_one_waits(postgres: Postgres) -> int:
    deadline = time.monotonic() + 20
    while not (found := waiting_sessions(postgres)):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    (waiter,) = found
    return waiter


def test_who_waits_does_so_in_the_queue_of_the_server(postgres: Postgres, url: str) -> None:
    locks, got = AdvisoryLocks(url), []
    with locks.hold("a", 0):
        waiter = threading.Thread(target=lambda: got.append(held_elsewhere(locks, "a", 20)))
        waiter.start()
        until_one_waits(postgres)
        assert not held_elsewhere(locks, "a", 0, "p")
    waiter.join(20)
    assert got == [True]
    assert waiting_sessions(postgres) == []


def test_a_part_that_is_wanted_later_waits_for_who_waits_for_the_whole(postgres: Postgres, url: str) -> None:
    locks, order = AdvisoryLocks(url), []

    def take(name: str, part: str | None) -> None:
        with locks.hold("a", 20, part) as held:
            assert held
            order.append(name)

    with locks.hold("a", 0, "p"):
        whole = threading.Thread(target=take, args=("whole", None))
        whole.start()
        until_one_waits(postgres)
        part = threading.Thread(target=take, args=("part", "q"))
        part.start()
        while len(waiting_sessions(postgres)) < 2:
            time.sleep(0.02)
    for thread in (whole, part):
        thread.join(20)
    assert order == ["whole", "part"]


def test_a_wait_may_last_longer_than_a_statement(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_engine, "STATEMENT_SECONDS", 1)
    monkeypatch.setattr(database_engine, "BUSY_SECONDS", 1)
    locks, got = AdvisoryLocks(url), []
    with locks.hold("a", 0):
        waiter = threading.Thread(target=lambda: got.append(held_elsewhere(locks, "a", 20)))
        waiter.start()
        waiter.join(2)
        assert got == []
    waiter.join(20)
    assert got == [True]


def test_a_wait_of_years(url: str) -> None:
    locks = AdvisoryLocks(url)
    got: list[bool] = []
    with locks.hold("a", 0):
        waiter = threading.Thread(target=lambda: got.append(held_elsewhere(locks, "a", 10 * 365 * 86_400)))
        waiter.start()
        waiter.join(0.5)
        assert got == []
    waiter.join(20)
    assert got == [True]


def test_ctrl_c_ends_the_wait_here_and_in_the_server(postgres: Postgres, url: str) -> None:
    locks = AdvisoryLocks(url)
    with locks.hold("a", 0):
        with subprocess.Popen([sys.executable, "-c", WAITER, url], stdout=subprocess.PIPE) as process:
            until_one_waits(postgres)
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=20)
        assert (output, process.returncode) == (b"interrupted\n", 0)
        deadline = time.monotonic() + 10
        while waiting_sessions(postgres) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert waiting_sessions(postgres) == []
    assert held_elsewhere(locks, "a", 0)


def test_a_waiter_that_is_killed_leaves_the_queue(postgres: Postgres, url: str) -> None:
    locks = AdvisoryLocks(url)
    with locks.hold("a", 0, "p"):
        with subprocess.Popen([sys.executable, "-c", WAITER, url]) as process:
            until_one_waits(postgres)
            assert not held_elsewhere(locks, "a", 0, "q")
            process.kill()
        assert held_elsewhere(locks, "a", 20, "q")


def test_a_server_that_is_gone_without_a_word_is_noticed(url: str) -> None:
    with connect(url, NullPool).connect() as connection:
        driver: Any = connection.connection.driver_connection
        parameters = driver.info.get_parameters()
    names = ("keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout")
    assert [parameters[name] for name in names] == ["30", "10", "3", "60000"]


def test_a_lost_connection_ends_the_wait(postgres: Postgres, url: str) -> None:
    locks, caught = AdvisoryLocks(url), []

    def wait() -> None:
        try:
            with locks.hold("a", 60):
                pass
        except OperationalError as error:
            caught.append(error.message)

    with locks.hold("a", 0):
        waiter = threading.Thread(target=wait)
        waiter.start()
        postgres.run(f"SELECT pg_terminate_backend({until_one_waits(postgres)})")
        waiter.join(20)
        assert caught == ["the server of the metadata database closed the connection"]
    assert held_elsewhere(locks, "a", 0)
