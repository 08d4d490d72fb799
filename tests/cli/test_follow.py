"""``headrace history --follow`` and ``headrace graph --watch``, on a lake's files and through a server."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pexpect
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.catalog.database_engine import sqlite_url
from headrace.catalog.store import MetadataStore
from headrace.cli.server_events import parse_events
from headrace.lake.directory import make_lake
from headrace.model.history import Refresh, RefreshMode, RefreshState
from headrace.server.service import Service

from ..server.event_client import listening
from ..server.fake_cluster import FakeClusters
from .test_lake_reports import dynamic, refresh

INTERRUPTED = 130
Run = Callable[..., pexpect.spawn]


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    directory = make_lake(tmp_path / "lake")
    with opened(directory.path) as store:
        for table in (dynamic("dwd", "orders"), dynamic("ads", "dwd")):
            store.lifecycle.begin_create(table)
            store.lifecycle.finish_create(table.id)
        store.refreshes.record(refresh("j1", "dwd", 0, RefreshState.SUCCEED))
    return directory.path


@contextmanager
def opened(lake: Path) -> Iterator[MetadataStore]:
    store = MetadataStore.open(sqlite_url(lake / "metadata.db"))
    try:
        yield store
    finally:
        store.close()


@pytest.fixture
def run() -> Iterator[Run]:
    children: list[pexpect.spawn] = []

    def start(*arguments: str) -> pexpect.spawn:
        environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
        command = ["-m", "headrace", *arguments]
        children.append(
            pexpect.spawn(
                sys.executable, command, timeout=60, encoding="utf-8", env=environment, dimensions=(50, 200)
            )
        )
        return children[-1]

    yield start
    for child in children:
        child.close(force=True)


@pytest.fixture(params=["lake", "server"])
def place(request: pytest.FixtureRequest, lake: Path) -> Iterator[tuple[str, str, MetadataStore]]:
    """The options that name it, and a store whose rows the command sees."""
    if request.param == "lake":
        with opened(lake) as store:
            yield "--lake", str(lake), store
        return
    service = Service(lake, launch=FakeClusters().launch)
    try:
        with listening(service) as server:
            yield "--url", server.url, service.store
    finally:
        service.close()


def interrupt(child: pexpect.spawn) -> int | None:
    child.kill(signal.SIGINT)
    child.expect(pexpect.EOF)
    child.close()
    assert "Traceback" not in (child.before or "")
    return child.exitstatus


def test_history_follows(run: Run, place: tuple[str, str, MetadataStore]) -> None:
    option, value, store = place
    child = run("history", "--follow", option, value)
    child.expect_exact(
        "2024-06-01 12:00:00  lake.public.dwd  SUCCEED  INCREMENTAL  +3 -1  1.500 s  MANUAL  j1"
    )
    store.refreshes.record(running("j2", "ads"))
    store.refreshes.record(refresh("j3", "dwd", 2, RefreshState.FAILED, "no column x"))
    child.expect_exact("j3")
    assert "j2" not in child.before
    child.expect_exact("no column x")
    store.refreshes.record(refresh("j2", "ads", 1, RefreshState.SUCCEED))
    child.expect(r"lake\.public\.ads  SUCCEED .* j2")
    assert interrupt(child) == INTERRUPTED


def running(job: str, table: str) -> Refresh:
    row = refresh(job, table, 1, RefreshState.RUNNING)
    return Refresh(
        row.job_id, row.table_id, row.table, "default", row.start_time, row.state, row.trigger, (), mode=None
    )


def test_history_follows_one_table(run: Run, place: tuple[str, str, MetadataStore]) -> None:
    option, value, store = place
    child = run("history", "ADS", "--follow", option, value)
    store.refreshes.record(refresh("j2", "dwd", 1, RefreshState.SUCCEED))
    store.refreshes.record(refresh("j3", "ads", 2, RefreshState.SUCCEED))
    child.expect_exact("j3")
    assert "j1" not in child.before
    assert "j2" not in child.before
    assert interrupt(child) == INTERRUPTED


def test_the_graph_is_drawn_again(run: Run, place: tuple[str, str, MetadataStore]) -> None:
    option, value, store = place
    child = run("graph", "--watch", option, value)
    child.expect(r"lake\.public\.ads  \[")
    assert "FULL" not in child.before
    now = datetime.now(UTC)
    row = refresh("j9", "ads", 0, RefreshState.SUCCEED)
    store.refreshes.record(
        Refresh(
            **{**vars(row), "mode": RefreshMode.FULL, "start_time": now, "end_time": now},
        )
    )
    child.expect(r"lake\.public\.ads  \[.*FULL SUCCEED at")
    store.refreshes.record(refresh("j10", "dwd", 3, RefreshState.SUCCEED))
    child.expect(r"lake\.public\.dwd  \[.*INCREMENTAL SUCCEED at 2024-06-01 12:03:00")
    assert interrupt(child) == INTERRUPTED


def test_a_lost_connection_is_made_again(run: Run, lake: Path) -> None:
    port = free_port()
    service = Service(lake, launch=FakeClusters().launch)
    try:
        with listening(service, port=port) as server:
            child = run("history", "--follow", "--url", server.url)
            child.expect_exact("j1")
            service.store.refreshes.record(refresh("j2", "dwd", 1, RefreshState.SUCCEED))
            child.expect_exact("j2")
        child.expect_exact("connecting again")
    finally:
        service.close()
    again = Service(lake, launch=FakeClusters().launch)
    try:
        again.store.refreshes.record(refresh("j3", "dwd", 2, RefreshState.SUCCEED))
        with listening(again, port=port):
            child.expect_exact("connected to the server again")
            child.expect_exact("j3")
            again.store.refreshes.record(refresh("j4", "dwd", 3, RefreshState.SUCCEED))
            child.expect_exact("j4")
            assert len(re.findall("j[123]", child.before)) == 0
            assert interrupt(child) == INTERRUPTED
    finally:
        again.close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.mark.parametrize("command", [("history", "--follow"), ("graph", "--watch")])
def test_a_server_that_is_not_there_is_an_error(run: Run, command: tuple[str, str]) -> None:
    child = run(*command, "--url", f"http://127.0.0.1:{free_port()}")
    child.expect("error: the server at .* cannot be reached")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 1


def test_a_table_that_does_not_exist(run: Run, place: tuple[str, str, MetadataStore]) -> None:
    child = run("history", "nosuch", "--follow", *place[:2])
    child.expect_exact("does not exist")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 1


@given(st.lists(st.tuples(st.sampled_from(["refresh", "job"]), st.integers(0, 9), st.booleans())))
def test_frames_are_read_as_they_were_written(frames: list[tuple[str, int, bool]]) -> None:
    lines = []
    for kind, number, is_heartbeat in frames:
        id_line = f"id: x-{number}"
        event = [f"event: {kind}", f'data: {{"n":{number}}}', id_line]
        lines += [": heartbeat", id_line, ""] if is_heartbeat else [*event, ""]
    found = list(parse_events([*lines, "event: cut", "data: {"]))
    assert [(each.type, each.data.get("n"), each.id) for each in found] == [
        (None, None, f"x-{number}") if is_heartbeat else (kind, number, f"x-{number}")
        for kind, number, is_heartbeat in frames
    ]
