"""What the server logs, in both formats, and what it never does: tokens, passwords, values."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import uvicorn
from fastapi.testclient import TestClient

from headrace.cluster.messages import StatementReply
from headrace.errors import OperationalError, RefreshFailed
from headrace.model.dynamic_table import Schedule
from headrace.model.events import log_event
from headrace.model.history import RefreshMode, RefreshStats
from headrace.model.periodic import PeriodicLoop
from headrace.result import as_stream
from headrace.server import log_output
from headrace.server.log_format import LogFormat
from headrace.server.log_output import FILE, logging_to
from headrace.server.service import Service
from headrace.sql.parsing.kind import statement_kind

from ..catalog.samples import NOON, refresh, table
from .fake_cluster import FakeProcess

LITERAL = "xyzzy-4711"
PASSWORD = "s3cret-of-the-database"  # noqa: S105
TOKEN = "hr_Zm9vYmFyYmF6cXV4"  # noqa: S105


class Log:
    def __init__(self, directory: Path, wanted: LogFormat) -> None:
        self._file = directory / FILE
        self._wanted = wanted

    @property
    def text(self) -> str:
        return self._file.read_text()

    def events(self) -> list[dict[str, Any]]:
        if self._wanted is LogFormat.JSON:
            return [json.loads(line) for line in self.text.splitlines()]
        lines = [line for line in self.text.splitlines() if not line.startswith("  ")]
        return [_read(line) for line in lines]

    def only(self, event: str) -> dict[str, Any]:
        (found,) = [each for each in self.events() if each["event"] == event]
        return found


def _read(line: str) -> dict[str, Any]:
    time, level, rest = line.split(" ", 2)
    fields = re.findall(r'([a-z_]+)=("(?:[^"\\]|\\.)*"|\S+)', rest)
    values = {key: json.loads(value) if value.startswith('"') else value for key, value in fields}
    return {"time": time, "level": level, "event": re.split(r" [a-z_]+=", rest)[0], **values}


@contextmanager
def logged(directory: Path, wanted: LogFormat) -> Iterator[Log]:
    with logging_to(directory, wanted):
        yield Log(directory, wanted)


@pytest.fixture(params=LogFormat)
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    with logged(tmp_path / "logs", request.param) as found:
        yield found


def run(client: TestClient, text: str, expected: str = "SUCCEED") -> dict[str, Any]:
    session = client.post("/api/v1/sessions", json={}).json()["session"]
    body = {"session": session, "statement": text, "wait_seconds": 20}
    told: dict[str, Any] = client.post("/api/v1/statements", json=body).json()
    assert told["state"] == expected
    return told


def test_a_statement_is_one_line_without_its_text(log: Log, client: TestClient) -> None:
    told = run(client, f"SELECT '{LITERAL}' AS x")
    line = log.only("statement")
    assert (line["id"], line["cluster"], line["kind"]) == (told["job_id"], "default", "SELECT")
    assert (line["state"], line["level"], int(line["rows"])) == ("SUCCEED", "INFO", 3)
    assert float(line["duration"]) >= 0
    assert line["user"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
    assert [each["state"] for each in log.events() if each["event"] == "cluster"] == ["RESUMING", "RUNNING"]
    assert LITERAL not in log.text


def test_a_statement_that_fails(log: Log, client: TestClient) -> None:
    run(client, f"SELECT nosuch, '{LITERAL}'", "FAILED")
    line = log.only("statement")
    assert (line["state"], line["error"]) == ("FAILED", "NotFound")
    assert LITERAL not in log.text


def test_a_failure_of_the_server_has_its_trace_without_values(log: Log, client: TestClient) -> None:
    """The exception of the fake process quotes a token."""
    run(client, f"SELECT 'bug', '{LITERAL}'", "FAILED")
    line = log.only("statement failed")
    assert (line["level"], line["error"]) == ("ERROR", "ValueError")
    assert "fake_cluster.py" in log.text
    assert "hr_123" not in log.text
    assert "a secret" not in log.text
    assert LITERAL not in log.text


def test_refreshes_failures_and_suspension(
    log: Log, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = refresh(
        *("j1", "a"),
        mode=RefreshMode.INCREMENTAL,
        mode_reason=f"parameter day is now '{LITERAL}'",
        stats=RefreshStats(3, 1),
        end_time=NOON.replace(second=2),
    )
    listed = table("a", schedule=Schedule(60), created_at=service.clock() - timedelta(seconds=90))
    service.store.lifecycle.begin_create(listed)
    service.store.lifecycle.finish_create(listed.id)
    monkeypatch.setattr(service.background.scheduler, "_refresh", lambda *_: made)
    service.background.scheduler.look()
    service.background.scheduler.wait_for_rounds(10)
    line = log.only("refresh")
    assert (line["table"], line["mode"], int(line["rows_inserted"])) == ("lake.public.a", "INCREMENTAL", 3)
    assert (int(line["rows_deleted"]), line["reason"]) == (1, "parameter day is now '...'")
    assert float(line["duration"]) == 2.0
    held = log.only("lease")
    assert (held["lease"], str(held["held"]).lower()) == ("scheduler", "true")

    def fail(*_: object) -> None:
        raise RefreshFailed(f"the value '{LITERAL}' cannot be cast")

    monkeypatch.setattr(service.background.scheduler, "_refresh", fail)
    monkeypatch.setattr(service.store.refresh_outcomes, "failures_in_a_row", lambda *_, **__: 4)
    later = service.clock() + timedelta(seconds=90)
    monkeypatch.setattr(service.background.scheduler, "_clock", lambda: later)
    service.background.scheduler.look()
    service.background.scheduler.wait_for_rounds(10)
    assert log.only("refresh failed")["error"] == "RefreshFailed"
    suspended = log.only("schedule suspended")
    assert (suspended["table"], suspended["reason"]) == ("lake.public.a", "5 consecutive refreshes failed")
    assert LITERAL not in log.text


def test_a_refresh_by_hand(
    log: Log, service: Service, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = refresh("j7", "a", mode=RefreshMode.FULL, end_time=NOON, mode_reason="first refresh")
    service.store.refreshes.record(row)
    rows = as_stream(pa.table({"job_id": ["j7"], "stats": [LITERAL]}))
    answer = StatementReply("x", rows, ("string", "string"), (), "lake", "public", 1, None)
    monkeypatch.setattr(FakeProcess, "execute", lambda *_: answer)
    run(client, "REFRESH DYNAMIC TABLE a")
    line = log.only("refresh")
    assert (line["job"], line["mode"], line["trigger"]) == ("j7", "FULL", "MANUAL")
    assert log.only("statement")["kind"] == "REFRESH"
    assert LITERAL not in log.text


class Broken(PeriodicLoop):
    def look(self) -> None:
        raise OperationalError(f"cannot reach postgresql://lake:{PASSWORD}@db/lake with {TOKEN}")


@pytest.mark.parametrize(
    "say",
    [
        lambda: log_event("connected", url=f"postgresql+psycopg://lake:{PASSWORD}@db:5432/lake"),
        lambda: log_event("given", header=f"Bearer {TOKEN}", other=f"password={PASSWORD}"),
        lambda: logging.getLogger("uvicorn.error").warning("bad header: Authorization: Bearer %s", TOKEN),
        lambda: logging.getLogger("sqlalchemy").error("(%s) [parameters: ('%s')]", TOKEN, LITERAL),
        lambda: Broken("broken", 1).report(OSError(5, f"token {TOKEN}", f"/x/{TOKEN}")),
        lambda: Broken("broken", 1).report(OperationalError(f"postgresql://lake:{PASSWORD}@db {LITERAL}")),
    ],
)
def test_secrets_are_never_logged(
    capsys: pytest.CaptureFixture[str], log: Log, say: Callable[[], None]
) -> None:
    say()
    for said in (log.text, capsys.readouterr().err):
        assert said
        for secret in (PASSWORD, TOKEN, LITERAL):
            assert secret not in said


def test_a_served_database_and_a_token_stay_out(log: Log, service: Service, client: TestClient) -> None:
    token = service.store.tokens.create("ann", NOON)
    headers = {"Authorization": f"Bearer {token}"}
    assert client.get("/api/v1/lineage", headers=headers).status_code == 200
    assert client.get("/api/v1/lineage", headers={"Authorization": "Bearer wrong"}).status_code == 401
    run(client, "SELECT 1")
    assert token not in log.text


def test_uvicorn_and_others_go_the_same_way(log: Log) -> None:
    logging.getLogger("uvicorn.error").error("Exception in ASGI application")
    logging.getLogger("uvicorn.error").info("not of interest")
    line = log.only("message")
    assert (line["logger"], line["message"]) == ("uvicorn.error", "Exception in ASGI application")


def test_uvicorn_is_logged_after_another_server_of_the_process_was_quiet(tmp_path: Path) -> None:
    uvicorn.Config(lambda: None, log_level="critical")
    with logged(tmp_path, LogFormat.JSON) as log:
        logging.getLogger("uvicorn.error").error("Exception in ASGI application")
        assert log.only("message")["message"] == "Exception in ASGI application"


def test_the_file_is_rotated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_output, "_FILE_BYTES", 2000)
    with logging_to(tmp_path, LogFormat.JSON):
        for number in range(200):
            log_event("numbered", number=number)
    files = sorted(tmp_path.glob(f"{FILE}*"))
    assert [file.name for file in files] == [FILE, *(f"{FILE}.{number}" for number in range(1, 6))]
    assert all(file.stat().st_size <= 2000 for file in files)
    assert json.loads(files[0].read_text().splitlines()[-1])["number"] == 199


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("select 'x'", "SELECT"),
        ("  (SELECT 1)", "SELECT"),
        ("Refresh dynamic table t", "REFRESH"),
        ("hunter2", "OTHER"),
        ("/* x */ SELECT 1", "OTHER"),
        ("", "OTHER"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    assert statement_kind(text) == kind
