"""What is told to whom: on paper, then through a real webhook and a real mailbox."""

from __future__ import annotations

import email
import email.policy
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from headrace.errors import LakeDamaged
from headrace.features.pipes.model import Pipe, PipeProgress, PipeSettings
from headrace.features.syncs.model import Sync, SyncMode, SyncProgress, SyncSettings, SyncStart, SyncTable
from headrace.lake.directory import make_lake
from headrace.lake.settings import read_settings
from headrace.model.alert import AlertKind, Message, Trouble
from headrace.model.task import IntervalSchedule, RunState, RunTrigger, TaskAlert, TaskRun, TaskState
from headrace.schedule.alert_watch import AlertWatch
from headrace.schedule.alerts import messages
from headrace.schedule.delivery import Delivery
from headrace.server.service import Service

from .sinks import mailbox, webhook
from .tables import NOON, dynamic, named
from .test_loop import PaperLake
from .test_tasks import task

HOUR = timedelta(hours=1)
FAILED = Trouble(AlertKind.TASK_FAILED, "task load", "no such file")


def test_a_trouble_is_told_once_and_again_after_the_repeat_interval():
    known, said = messages([FAILED], {}, ["task load"], NOON, HOUR)
    assert said == [Message("Headrace: task load: run failed", "no such file")]
    known, said = messages([FAILED], known, ["task load"], NOON + HOUR / 2, HOUR)
    assert said == []
    known, said = messages([FAILED], known, ["task load"], NOON + HOUR, HOUR)
    assert [each.body for each in said] == [
        f"no such file\nThis has been the case since {NOON.isoformat(sep=' ')}."
    ]
    known, said = messages([FAILED], known, ["task load"], NOON + 1.5 * HOUR, HOUR)
    assert said == []


def test_the_end_is_told_once():
    known, _ = messages([FAILED], {}, ["task load"], NOON, HOUR)
    known, (said,) = messages([], known, ["task load"], NOON + HOUR, HOUR)
    assert (said.title, said.is_recovery) == ("Headrace: task load: resolved", True)
    assert messages([], known, ["task load"], NOON + HOUR, HOUR) == ({}, [])


def test_what_is_gone_is_not_well_again():
    known, _ = messages([FAILED], {}, ["task load"], NOON, HOUR)
    assert messages([], known, [], NOON + HOUR, HOUR) == ({}, [])


def test_troubles_of_one_subject_are_told_apart():
    late = replace(FAILED, kind=AlertKind.TIMEOUT)
    known, said = messages([FAILED], {}, ["task load"], NOON, HOUR)
    known, said = messages([late], known, ["task load"], NOON, HOUR)
    assert [each.title for each in said] == [
        "Headrace: task load: run took too long",
        "Headrace: task load: resolved",
    ]


class Watched:
    def __init__(self, paper: PaperLake, **settings: object) -> None:
        self.paper = paper
        self.said: list[str] = []
        alerts = read_settings({"alerts": settings}).alerts
        self.watch = AlertWatch(
            paper.scheduler._lake, alerts, lambda message: self.said.append(message.title), paper.clock
        )

    def look(self) -> list[str]:
        self.said.clear()
        self.watch.look()
        return [title.removeprefix("Headrace: ") for title in self.said]


@pytest.fixture
def paper(tmp_path: Path) -> Iterator[PaperLake]:
    lake = PaperLake(tmp_path)
    yield lake
    lake.scheduler.stop(1)
    lake.store.close()


TABLE = "dynamic table lake.public.a"


def test_a_table_that_fails_suspends_itself_and_recovers(paper):
    watched = Watched(paper)
    paper.commit("t")
    paper.create(dynamic("a", "t"))
    paper.failing.add("a")
    assert watched.look() == []
    for number in range(5):
        paper.pass_time(60)
        paper.look()
        suspended = [f"{TABLE}: schedule was suspended automatically"] if number == 4 else []
        assert watched.look() == ([f"{TABLE}: refresh failed"] if number == 0 else []) + suspended
    table = paper.store.definitions.all()[0]
    paper.store.definitions.set_suspended(table.id, False, paper.now)
    assert watched.look() == [f"{TABLE}: resolved"]
    paper.failing.clear()
    paper.pass_time(60)
    assert paper.look() == ["a"]
    assert watched.look() == [f"{TABLE}: resolved"]
    assert watched.look() == []


def test_lag(paper):
    watched = Watched(paper, lag_seconds=150)
    paper.commit("t")
    paper.create(dynamic("a", "t"))
    paper.pass_time(60)
    paper.look()
    paper.pass_time(600)
    assert watched.look() == []
    paper.commit("t")
    paper.pass_time(150)
    assert watched.look() == []
    paper.pass_time(1)
    assert watched.look() == [f"{TABLE}: is behind its sources"]
    paper.look()
    assert watched.look() == [f"{TABLE}: resolved"]


def test_a_table_over_a_suspended_one_lags(paper):
    watched = Watched(paper, lag_seconds=60)
    paper.commit("t")
    paper.create(dynamic("b", "t", interval=None), dynamic("a", "b"))
    for name in ("b", "a"):
        paper.refresh(paper.store.definitions.find(named(name)), f"first-{name}", {})
    paper.pass_time(60)
    paper.commit("t")
    paper.pass_time(61)
    assert watched.look() == [f"{TABLE}: is behind its sources"]


def test_a_table_that_was_just_created_does_not_lag(paper):
    watched = Watched(paper, lag_seconds=60)
    paper.commit("t")
    paper.pass_time(600)
    paper.create(dynamic("a", "t", created=paper.now))
    assert watched.look() == []
    paper.pass_time(61)
    assert watched.look() == [f"{TABLE}: is behind its sources"]


def test_a_suspended_table_does_not_lag(paper):
    watched = Watched(paper, lag_seconds=60)
    paper.commit("t")
    paper.create(dynamic("a", "t"))
    paper.store.definitions.set_suspended(paper.store.definitions.all()[0].id, True, paper.now)
    paper.pass_time(600)
    assert watched.look() == []


def run(state: RunState, minute: int, attempt: int = 1) -> TaskRun:
    moment = NOON + timedelta(minutes=minute)
    return TaskRun(f"run {minute}", "load", "load", moment, state, RunTrigger.SCHEDULED, attempt)


def test_tasks(paper):
    watched = Watched(paper)
    load = task("load", schedule=IntervalSchedule(60))
    paper.store.tasks.create(load)
    record = paper.store.task_runs.record
    record(run(RunState.FAILED, 0))
    record(run(RunState.WAITING, 0, attempt=2))
    assert watched.look() == []
    record(run(RunState.FAILED, 0, attempt=2))
    assert watched.look() == ["task load: run failed"]
    record(run(RunState.SKIPPED, 1))
    record(run(RunState.RUNNING, 2))
    assert watched.look() == []
    record(run(RunState.TIMEOUT, 2))
    assert sorted(watched.look()) == ["task load: resolved", "task load: run took too long"]
    record(run(RunState.SUCCEED, 3))
    assert watched.look() == ["task load: resolved"]
    record(run(RunState.FAILED, 4))
    assert watched.look() == ["task load: run failed"]
    paper.store.tasks.alter(replace(load, state=TaskState.OFFLINE))
    assert watched.look() == []


def test_pipes(paper):
    watched = Watched(paper, lag_seconds=150)
    name = named("p")
    pipe = Pipe(
        "p", name, named("t"), "COPY INTO t", "lake", "public", PipeSettings("etl"), "ann", NOON, NOON
    )
    paper.store.pipes.create(pipe)
    paper.store.pipes.record(pipe, PipeProgress(NOON, failures=1, last_error="no file"))
    assert watched.look() == [f"pipe {name}: run failed"]
    paper.store.pipes.record(pipe, PipeProgress(NOON, lag_records=1, lag_seconds=151.0))
    assert sorted(watched.look()) == [f"pipe {name}: is behind its sources", f"pipe {name}: resolved"]


def test_syncs(paper):
    watched = Watched(paper, lag_seconds=150, held_log_mb=2)
    name, tables = named("s"), (SyncTable("public.t", named("t"), ("id",)),)
    modes = (SyncMode.MIRROR, SyncStart.SNAPSHOT, tables, SyncSettings("etl"))
    sync = Sync("s", name, "shop", ("public.*",), "lake", "public", "", *modes, "ann", NOON, NOON)
    paper.store.syncs.create(sync)
    caught_up = SyncProgress(NOON, caught_up_at=NOON, held_bytes=2 << 20)

    def found(progress: SyncProgress) -> list[str]:
        paper.store.syncs.record(sync, progress)
        return [title.removeprefix(f"sync {name}: ") for title in watched.look()]

    assert found(caught_up) == []
    assert found(replace(caught_up, last_error="public.t is stopped")) == ["does not follow its source"]
    assert found(replace(caught_up, held_bytes=(2 << 20) + 1)) == [
        "holds back the log of its database",
        "resolved",
    ]
    assert found(caught_up) == ["resolved"]
    paper.pass_time(151)
    assert found(caught_up) == ["is behind its sources"]
    paper.store.syncs.change(sync, replace(sync.settings, is_paused=True), NOON)
    assert watched.look() == []


def test_only_what_the_task_wants(paper):
    watched = Watched(paper)
    paper.store.tasks.create(task("load", alerts=(TaskAlert.TIMEOUT,)))
    paper.store.task_runs.record(run(RunState.FAILED, 0))
    assert watched.look() == []
    paper.store.task_runs.record(run(RunState.TIMEOUT, 1))
    assert watched.look() == ["task load: run took too long"]


def test_only_the_kinds_that_are_wanted(paper):
    watched = Watched(paper, kinds=["timeout"])
    paper.store.tasks.create(task("load"))
    paper.store.task_runs.record(run(RunState.FAILED, 0))
    assert watched.look() == []
    paper.store.task_runs.record(run(RunState.TIMEOUT, 1))
    assert watched.look() == ["task load: run took too long"]


def delivered(delivery: Delivery, count: int = 1) -> None:
    until = time.monotonic() + 30
    while delivery.delivered < count:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_webhook_and_mailbox():
    with webhook() as (web_port, posted), mailbox() as (mail_port, mails):
        delivery = Delivery(
            [
                f"json://127.0.0.1:{web_port}/alerts",
                f"mailto://127.0.0.1:{mail_port}?from=lake@example.com&to=ann@example.com&mode=insecure",
            ]
        )
        delivery.send(Message("Headrace: task load: run failed", "no such file"))
        delivery.send(Message("Headrace: task load: resolved", "It is over", is_recovery=True))
        delivery.close()
        assert delivery.trouble is None
    assert [(each["title"], each["message"], each["type"]) for each in posted] == [
        ("Headrace: task load: run failed", "no such file", "failure"),
        ("Headrace: task load: resolved", "It is over", "success"),
    ]
    first = email.message_from_bytes(mails[0], policy=email.policy.default)
    assert (first["Subject"], len(mails)) == ("Headrace: task load: run failed", 2)
    assert "ann@example.com" in first["To"]
    assert "no such file" in mails[0].decode() or "no such file" in first.get_body().get_content()


def test_who_does_not_answer_is_told_without_the_address(capfd):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with webhook() as (web_port, posted):
        delivery = Delivery([f"json://user:s3cret@127.0.0.1:{port}", f"json://127.0.0.1:{web_port}"])
        delivery.send(Message("title", "body"))
        delivered(delivery)
        assert delivery.trouble == "1 of 2 targets did not accept the alert 'title'"
        assert [each["title"] for each in posted] == ["title"]
        delivery.close()
    assert capfd.readouterr() == ("", "")


def test_who_never_answers_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        delivery = Delivery([f"json://127.0.0.1:{silent.getsockname()[1]}?rto=1"], seconds=0.2)
        delivery.send(Message("title", "body"))
        delivered(delivery)
        assert delivery.trouble == "1 of 1 targets did not accept the alert 'title'"
        delivery.close()


def test_a_server_tells_of_it(tmp_path):
    make_lake(tmp_path / "lake")
    with webhook() as (port, posted):
        with (tmp_path / "lake" / "lake.toml").open("a") as settings:
            settings.write(f"[settings.alerts]\ntargets = ['json://127.0.0.1:{port}']\n")
        service = Service(tmp_path / "lake", lambda: NOON)
        try:
            service.store.tasks.create(task("load"))
            service.store.task_runs.record(run(RunState.FAILED, 0))
            service.background.alerts.look()
            delivered(service.background.delivery)
        finally:
            service.close()
    assert [each["title"] for each in posted] == ["Headrace: task load: run failed"]


@pytest.mark.parametrize(
    ("alerts", "message"),
    [
        ([], "lake.toml: alerts must be a table of settings"),
        ({"x": 1}, "lake.toml: unknown setting 'alerts.x'"),
        ({"targets": "json://h"}, "lake.toml: alerts.targets must be a list of addresses"),
        ({"targets": ["json://h", "s3cret"]}, "lake.toml: item 2 of alerts.targets is not an address"),
        ({"kinds": ["earthquake"]}, "lake.toml: alerts.kinds must be a list of some of"),
        ({"lag_seconds": 0}, "lake.toml: alerts.lag_seconds must be a whole number from 1"),
        ({"repeat_seconds": True}, "lake.toml: alerts.repeat_seconds must be a whole number from 60"),
    ],
)
def test_settings_that_are_wrong(alerts, message):
    with pytest.raises(LakeDamaged) as caught:
        read_settings({"alerts": alerts})
    assert caught.value.message.startswith(message)
    assert "s3cret" not in str(caught.value)


def test_an_address_that_means_nothing():
    with pytest.raises(LakeDamaged) as caught:
        Delivery(["json://127.0.0.1", "nonsense://user:s3cret@host"])
    assert (
        caught.value.message == "lake.toml: item 2 of alerts.targets is not an address that Apprise supports"
    )


def test_addresses_are_not_shown():
    settings = read_settings({"alerts": {"targets": ["json://user:s3cret@host"], "lag_seconds": 90}})
    assert settings.alerts.targets == ("json://user:s3cret@host",)
    assert "s3cret" not in repr(settings)


def test_what_was_fired_is_recorded(paper):
    watched = Watched(paper)
    paper.store.tasks.create(task("load"))
    paper.store.task_runs.record(run(RunState.FAILED, 0))
    watched.look()
    (fired,) = paper.store.alerts.open()
    assert (fired.kind, fired.subject, fired.ended_at) == (AlertKind.TASK_FAILED, "task load", None)
    paper.pass_time(60)
    paper.store.task_runs.record(run(RunState.SUCCEED, 1))
    watched.look()
    (ended,) = paper.store.alerts.history()
    assert ended == replace(fired, ended_at=paper.now)
    assert paper.store.alerts.open() == []
    assert paper.store.alerts.delete_before(paper.now) == 0
    assert paper.store.alerts.delete_before(paper.now + HOUR) == 1


def test_another_watch_goes_on_with_the_same_record(paper):
    paper.store.tasks.create(task("load"))
    paper.store.task_runs.record(run(RunState.FAILED, 0))
    for _ in range(2):
        Watched(paper).look()
        paper.pass_time(60)
    assert len(paper.store.alerts.history()) == 1
