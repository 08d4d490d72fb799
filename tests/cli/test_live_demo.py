"""``headrace demo --live``: a real server and a real cluster."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner
from tests.ingest.source_postgres import running_source
from tests.kafka import running_kafka
from tests.server.served import until

import headrace
from headrace.cli.live.play import LAST
from headrace.cli.main import cli
from headrace.connection import Connection

FIRST_ORDERS = 14


def test_the_leaderboard_follows_the_orders_and_ctrl_c_ends_all(tmp_path: Path) -> None:
    expect_followed(tmp_path / "lake")


@pytest.mark.share(0.2, suite="single tests")
def test_orders_from_a_topic(tmp_path: Path) -> None:
    with running_kafka() as kafka:
        expect_followed(tmp_path / "lake", "--from", "kafka", "--address", kafka.servers)
        until(lambda: kafka.topics() == [], 30, "the end of the topic")


@pytest.mark.share(0.2, suite="single tests")
def test_orders_from_a_database(tmp_path: Path) -> None:
    with running_source() as server:
        database = server.database()
        address = f"postgresql://postgres@/{database.name}?host={server.socket}"
        expect_followed(tmp_path / "lake", "--from", "postgres", "--address", address)
        assert database.kept() == []
        assert database.run("SELECT * FROM pg_namespace WHERE nspname = 'headrace_demo'") == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--from", "kafka"), "--from requires --live"),
        (("--live", "--address", "h:1"), "--address requires --from"),
        (("--live", "--from", "kafka", "--address", "127.0.0.1:1"), "no Kafka broker answers at 127.0.0.1:1"),
        (("--live", "--from", "postgres", "--address", "postgresql://127.0.0.1:1/d"), "cannot be reached"),
    ],
)
def test_systems_that_are_not_there(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    result = CliRunner().invoke(cli, ["demo", *options, str(tmp_path / "lake")])
    assert result.exit_code != 0
    assert message in result.output
    assert not (tmp_path / "lake").exists()


def expect_followed(directory: Path, *options: str) -> None:
    with started_demo(str(directory), *options) as demo:
        said = ""
        while "orders arrive every second; press Ctrl-C to stop" not in said:
            assert demo.poll() is None, said
            said += demo.stdout.readline() if demo.stdout is not None else ""
        with headrace.connect(re.findall(r"http://[^;\s]+", said)[0]) as lake:
            until(lambda: is_followed(lake), 90, "a refresh with the orders of ten seconds")
        below = psutil.Process(demo.pid).children(recursive=True)
        assert any("java" in each.name() for each in below)
        demo.send_signal(signal.SIGINT)
        shown, _ = demo.communicate(timeout=100)
    assert demo.returncode == 130
    assert "Traceback" not in shown
    counted = re.search(
        r"^(\d+) orders, last refresh (?:INCREMENTAL|FULL|NO_DATA) in \d", shown, re.MULTILINE
    )
    assert counted, shown
    assert int(counted.group(1)) > FIRST_ORDERS + 10
    _, alive = psutil.wait_procs(below, timeout=30)
    assert not alive


@contextmanager
def started_demo(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """It is ended, too, if the test fails."""
    command = [sys.executable, "-m", "headrace", "demo", "--live", "--interval", "1", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as demo:
        try:
            yield demo
        finally:
            if demo.poll() is None:
                demo.send_signal(signal.SIGINT)


def is_followed(lake: Connection) -> bool:
    """What is shown lags behind by a second or two, in which at most ten orders come."""
    ((orders,),) = lake.sql("SELECT count(*) FROM ods_orders").fetchall()
    return orders > FIRST_ORDERS + 20 and [mode for mode, _ in lake.sql(LAST).fetchall()] == ["INCREMENTAL"]
