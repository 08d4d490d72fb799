"""``headrace history``, ``profile``, ``graph`` and ``sample events``, without Spark."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from headrace.catalog.database_engine import sqlite_url
from headrace.catalog.store import MetadataStore
from headrace.cli.main import cli
from headrace.cli.sample import Clock, write_events
from headrace.lake.directory import make_lake
from headrace.model.dynamic_table import Definition, DynamicTable, Schedule, Source
from headrace.model.history import (
    JobProfile,
    Phase,
    Refresh,
    RefreshMode,
    RefreshState,
    RefreshStats,
    RefreshTrigger,
    TableRead,
)
from headrace.model.names import TableName

from ..paper_catalog import PaperCatalog

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)


def named(table: str) -> TableName:
    return TableName("lake", "public", table)


def dynamic(table: str, *sources: str, interval: int | None = None, suspended: bool = False) -> DynamicTable:
    definition = Definition("q", "q", "q", tuple(Source(named(each), ("a",)) for each in sources))
    schedule = Schedule(interval)
    return DynamicTable(
        table, named(table), definition, (), "ann", NOON, NOON, schedule=schedule, suspended=suspended
    )


def refresh(job: str, table: str, minute: int, state: RefreshState, error: str | None = None) -> Refresh:
    start = NOON + timedelta(minutes=minute)
    return Refresh(
        job_id=job,
        table_id=table,
        table=named(table),
        cluster="default",
        start_time=start,
        end_time=start + timedelta(seconds=1.5),
        state=state,
        trigger=RefreshTrigger.MANUAL,
        sources=(),
        mode=RefreshMode.INCREMENTAL,
        error_message=error,
        stats=RefreshStats(3, 1),
    )


PROFILE = JobProfile(
    "j1",
    (Phase("plan", 0.25), Phase("merge", 1.0)),
    reads=(TableRead("lake.public.orders", 10, 100, 1, "change"),),
    statements=("MERGE INTO d ...",),
    plans=("*(1) Scan",),
)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    directory = make_lake(tmp_path / "lake")
    store = MetadataStore.open(sqlite_url(directory.metadata_db))
    dwd, dws, ads = tables = (
        dynamic("dwd", "orders", "products", interval=300),
        dynamic("dws", "dwd", interval=45, suspended=True),
        dynamic("ads", "dwd", "dws"),
    )
    geo = dynamic("geo", "regions")
    paper = PaperCatalog(directory)
    for table in (*tables, geo):
        store.lifecycle.begin_create(table)
        store.lifecycle.finish_create(table.id)
        paper.create(table.name)
    for source in ("orders", "products"):
        paper.commit(named(source), NOON)
    paper.refresh(dwd, NOON)
    paper.refresh(dws, NOON)
    paper.refresh(ads, NOON)
    paper.commit(named("products"), datetime.now(UTC) - timedelta(minutes=5))
    store.refreshes.record(refresh("j1", "dwd", 0, RefreshState.SUCCEED), PROFILE)
    store.refreshes.record(refresh("j2", "dws", 1, RefreshState.FAILED, "no column x\nhint: y"))
    store.close()
    return directory.path


@pytest.fixture(params=["lake", "server"])
def headrace(
    request: pytest.FixtureRequest, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """The command, on the lake's files or on a server's API in this process."""
    given = ["--lake", str(lake)]
    if request.param == "server":
        from fastapi.testclient import TestClient

        from headrace.server.access import Access
        from headrace.server.app import make_app
        from headrace.server.service import Service

        service = Service(lake)
        request.addfinalizer(service.close)
        app = make_app(service, Access("127.0.0.1", lambda _: None))
        monkeypatch.setattr(
            "headrace.api.httpx.Client", lambda **_: TestClient(app, base_url="http://localhost")
        )
        given = ["--url", "http://localhost"]

    def run(command: str, *arguments: str) -> Result:
        return CliRunner().invoke(cli, [command, *given, *arguments])

    return run


def test_history(headrace: Callable[..., Result]) -> None:
    lines = headrace("history").stdout.splitlines()
    assert "| 2024-06-01 12:01:00 | lake.public.dws | FAILED  | INCREMENTAL |" in lines[3]
    assert "| 3        | 1       | 1.5     | MANUAL  | j1     |" in lines[4]
    assert lines[-2:] == ["j2: no column x", "hint: y"]
    assert "j2" not in headrace("history", "dwd").stdout
    assert "j1" in headrace("history", "lake.public.dwd", "--limit", "1").stdout
    assert headrace("history", "ads").stdout == "no refreshes yet\n"
    assert "j1" in headrace("history", "DWD").stdout
    for mistyped in ("dwdd", "other.dwd"):
        missing = headrace("history", mistyped)
        assert missing.exit_code == 1
        assert "does not exist\nhint: did you mean lake.public.dwd" in missing.stderr
    assert "hint: `headrace graph` lists all dynamic tables" in headrace("history", "nosuch").stderr
    wrong = headrace("history", "a.b.c.d")
    assert (wrong.exit_code, wrong.stderr.splitlines()[0]) == (1, "error: a.b.c.d is not a valid table name")


def test_profile(headrace: Callable[..., Result]) -> None:
    text = headrace("profile", "j1").stdout
    assert "statement            REFRESH DYNAMIC TABLE lake.public.dwd" in text
    assert "      1.000 s  merge" in text
    assert "| lake.public.orders | 10   | 100   | 1     | change |" in text
    assert text.endswith("statement 1\nMERGE INTO d ...\n\nplan 1\n*(1) Scan\n")
    missing = headrace("profile", "nosuch")
    assert (missing.exit_code, missing.stderr) == (
        1,
        "error: job nosuch does not exist\nhint: SHOW JOBS lists all jobs\n",
    )


DWD = "[active, every 5 min, 5 min behind, INCREMENTAL SUCCEED at 2024-06-01 12:00:00]"
ADS = "[active: its source lake.public.dws is suspended, on demand, 5 min behind]"


def test_graph(headrace: Callable[..., Result]) -> None:
    assert headrace("graph").stdout == (
        "lake.public.orders\n"
        f"└─ lake.public.dwd  {DWD}\n"
        f"   ├─ lake.public.ads  {ADS}\n"
        "   └─ lake.public.dws  "
        "[suspended: resume its schedule with ALTER DYNAMIC TABLE ... RESUME, every 45 s, 5 min behind, "
        "INCREMENTAL FAILED at 2024-06-01 12:01:00, no column x]\n"
        f"      └─ lake.public.ads  {ADS}\n"
        "lake.public.products\n"
        f"└─ lake.public.dwd  {DWD}"
        "  (its readers are shown above)\n"
        "lake.public.regions  [does not exist]\n"
        "└─ lake.public.geo  [waiting for a source: lake.public.regions does not exist, on demand]\n"
    )


def test_without_a_lake(tmp_path: Path) -> None:
    ran = CliRunner().invoke(cli, ["graph", "--lake", str(tmp_path / "no")])
    assert ran.exit_code == 1
    assert f"{tmp_path / 'no'} is not a lake" in ran.stderr
    assert not (tmp_path / "no").exists()


def test_without_a_server() -> None:
    ran = CliRunner().invoke(cli, ["graph", "--url", "http://127.0.0.1:1"])
    assert ran.exit_code == 1
    assert "the server at http://127.0.0.1:1 cannot be reached" in ran.stderr


class Recorder:
    """Its clock goes on by what each commit takes and by what is slept."""

    def __init__(self, commit_seconds: float) -> None:
        self.time = 0.0
        self.commit_seconds = commit_seconds
        self.counts: list[int] = []
        self.commits_at: list[float] = []

    def run(self, statement: str) -> None:
        if statement.startswith("INSERT"):
            self.commits_at.append(self.time)
            self.counts.append(int(statement.split("range(")[1].split(")")[0]))
            self.time += self.commit_seconds

    def sleep(self, seconds: float) -> None:
        self.time += seconds


@pytest.mark.parametrize(
    ("commit_seconds", "counts", "commits_at"),
    [
        (0.25, [5, 5, 5, 5], [1, 2, 3, 4]),
        (2.5, [5, 10, 5], [1, 3.5, 6]),
    ],
)
def test_events_come_at_their_rate(commit_seconds: float, counts: list[int], commits_at: list[float]) -> None:
    recorder = Recorder(commit_seconds)
    said: list[str] = []
    watch = Clock(lambda: recorder.time, recorder.sleep)
    assert write_events(recorder, "t", 5, 4, said.append, watch) == 20
    assert (recorder.counts, recorder.commits_at) == (counts, commits_at)
    assert said[-1] == "20 events in t"
