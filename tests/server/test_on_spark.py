"""A real server with real clusters: connections, the command line, crashes and shutdown."""

from __future__ import annotations

import getpass
import itertools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

import headrace
from headrace.connection import Connection
from headrace.errors import ClusterLost, Refused
from headrace.lake.directory import make_lake

from ..connection_conformance import (
    ConnectionCursor,
    ConnectionParameters,
    ConnectionResults,
    ConnectionScripts,
    ConnectionState,
    ConnectionWhileItRuns,
    one,
)
from ..endless import ENDLESS
from .event_client import following
from .served import Served, group_members, serving, until

_schemas = itertools.count(1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("served") / "lake"
    make_lake(path)
    with (path / "lake.toml").open("a") as settings:
        settings.write("full_refresh_margin = 1000\n")
    with serving(path) as running:
        yield running


@pytest.fixture
def lake(server: Served) -> Iterator[Connection]:
    schema = f"r{next(_schemas)}"
    with headrace.connect(server.url) as connection:
        connection.sql(f"CREATE SCHEMA {schema}; USE {schema}")
        yield connection


def test_the_default_cluster_starts_with_the_server(server: Served) -> None:
    until(lambda: any("cluster DEFAULT is running after" in line for line in server.said))
    assert "starting cluster DEFAULT ...\n" in server.said
    assert server.cluster_pid() is not None


def test_a_refresh_is_followed_through_events(server: Served, lake: Connection) -> None:
    schema = lake.schema
    with following(server.url, "?types=refresh,table") as client:
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT a FROM t")
        lake.sql("REFRESH DYNAMIC TABLE d")
        table, refreshes, moved = f"lake.{schema}.d", [], False
        while not (moved and refreshes and refreshes[-1]["state"] == "SUCCEED"):
            (event,) = client.events(1)
            assert event.type in ("refresh", "table")
            if event.data["table"] == table and event.type == "refresh":
                refreshes.append(event.data)
            moved = moved or (event.type == "table" and event.data["table"] == table)
    last = [each for each in refreshes if each["job_id"] == refreshes[-1]["job_id"]]
    assert [each["state"] for each in last] == ["RUNNING", "SUCCEED"]
    assert last[-1]["seconds"] > 0


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "headrace", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.share(0.2)
class TestCursor(ConnectionCursor):
    pass


@pytest.mark.share(0.2)
class TestParameters(ConnectionParameters):
    pass


@pytest.mark.share(0.2)
class TestScripts(ConnectionScripts):
    pass


@pytest.mark.share(0.2)
class TestState(ConnectionState):
    pass


@pytest.mark.share(0.2)
class TestWhileItRuns(ConnectionWhileItRuns):
    pass


@pytest.mark.share(0.2)
class TestResults(ConnectionResults):
    def test_there_is_no_spark(self, lake: Connection) -> None:
        with pytest.raises(headrace.NotSupportedError, match="a connection to a server has no Spark session"):
            lake.sql("SELECT 1").spark()


class TestConnection:
    def test_closed(self, server: Served) -> None:
        connection = headrace.connect(server.url)
        cursor = connection.cursor().execute("SELECT 1")
        connection.close()
        connection.close()
        for use in (
            lambda: connection.sql("SELECT 1"),
            connection.cursor,
            connection.commit,
            connection.cancel,
            connection.progress,
            connection.table_names,
            cursor.fetchone,
        ):
            with pytest.raises(headrace.InterfaceError, match="the connection is closed"):
                use()

    def test_sessions_are_apart(self, lake: Connection, server: Served) -> None:
        lake.sql("CREATE TEMPORARY VIEW mine AS SELECT 1 AS a")
        with headrace.connect(server.url) as other:
            assert other.schema == "public"
            with pytest.raises(headrace.ProgrammingError):
                other.sql("SELECT * FROM mine")

    def test_the_current_user_is_that_of_the_token(self, server: Served, lake: Connection) -> None:
        token = command("token", "create", "ann", "--lake", str(server.lake)).stdout.strip()
        lake.sql("CREATE TABLE authors (name STRING)")
        with server.connect(token) as connection:
            connection.sql(f"INSERT INTO {lake.schema}.authors SELECT current_user()")
            (users,) = connection.sql("SELECT current_user(), user(), session_user()").fetchall()
        assert users == ("ann", "ann", "ann")
        assert lake.sql("SELECT name, current_user() FROM authors").fetchall() == [("ann", getpass.getuser())]

    def test_a_wrong_token(self, server: Served) -> None:
        with pytest.raises(headrace.OperationalError, match="the token is not valid or was revoked"):
            headrace.connect(server.url, token="hr_wrong")  # noqa: S106

    def test_no_server(self) -> None:
        with pytest.raises(headrace.OperationalError, match="cannot be reached"):
            headrace.connect("http://127.0.0.1:1")


class TestOutside:
    @pytest.mark.parametrize(
        "text",
        [
            "SELECT * FROM text.`/etc/passwd`",
            "SELECT java_method('java.lang.System', 'getenv', 'HOME')",
            "SELECT '${env:HOME}'",
            "CREATE TABLE t (a INT) USING csv",
        ],
    )
    def test_refused(self, lake: Connection, text: str) -> None:
        with pytest.raises(headrace.ProgrammingError, match="reaches outside the lake at line 2, column"):
            lake.sql(f"SELECT 1;\n{text}")

    @pytest.mark.parametrize(
        "text",
        [
            "SELECT from_xml('<a>1</a>', 'a INT', map('rowValidationXSDPath', '/etc/hostname'))",
            "SELECT schema_of_xml('<a>1</a>', map('rowValidationXSDPath', '/etc/hostname'))",
            "SELECT from_avro(X'00', 'INT', map('avroSchemaUrl', '/etc/hostname'))",
            "SELECT * FROM python_worker_logs()",
        ],
    )
    def test_refused_by_what_spark_understands(self, lake: Connection, text: str) -> None:
        with pytest.raises(Refused, match="reaches outside the lake"):
            lake.sql(text)

    def test_spark_itself_reads_no_files_by_path(self, lake: Connection, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("secret")
        name = f"text.`{tmp_path / 'a.txt'}`"
        with pytest.raises(headrace.ProgrammingError):
            lake.sql("SELECT * FROM IDENTIFIER(:name)", {"name": name}).fetchall()


class TestClient:
    def test_it_needs_no_spark_and_is_quick(self, server: Served, lake: Connection) -> None:
        one(lake, "1")
        script = (
            "import sys, time; start = time.monotonic(); import headrace; "
            f"c = headrace.connect({server.url!r}); rows = c.sql('SHOW VCLUSTERS').fetchall(); "
            "heavy = {'pyspark', 'py4j', 'sqlalchemy', 'fastapi'} & {m.split('.')[0] for m in sys.modules}; "
            "print(len(rows), sorted(heavy), time.monotonic() - start)"
        )
        ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        count, rest = ran.stdout.split(" ", 1)
        heavy, seconds = rest.rsplit(" ", 1)
        assert (count, heavy) == ("2", "[]")
        assert float(seconds) < 10, "it takes under a second on a machine that does nothing else"

    def test_sql_by_url(self, server: Served) -> None:
        ran = command("sql", "--url", server.url, "--output", "csv", "-e", "SELECT 1 AS a; SELECT 2 AS b")
        assert (ran.returncode, ran.stdout) == (0, "a\n1\n\nb\n2\n")
        failed = command("sql", "--url", server.url, "-e", "SELECT 1;\nSELECT nosuch")
        assert failed.returncode == 1
        assert "at line 2, column 8" in failed.stderr

    def test_the_prompt(self, server: Served, tmp_path: Path) -> None:
        environment = {
            **os.environ,
            "TERM": "xterm",
            "XDG_STATE_HOME": str(tmp_path),
            "PROMPT_TOOLKIT_NO_CPR": "1",
        }
        arguments = ["-m", "headrace", "sql", "--url", server.url]
        prompt = pexpect.spawn(
            sys.executable, arguments, timeout=60, encoding="utf-8", env=environment, dimensions=(50, 120)
        )
        prompt.expect(r"lake\.public>")
        prompt.send("SELECT 40 + 2 AS answer;\r")
        prompt.expect(r"\| 42 ")
        prompt.expect(r"lake\.public>")
        prompt.send("\\q\r")
        prompt.expect(pexpect.EOF)
        assert prompt.wait() == 0

    def test_ctrl_c_cancels(self, server: Served) -> None:
        arguments = ["-m", "headrace", "sql", "--url", server.url, "-e", f"{ENDLESS}; SELECT 2 AS never"]
        running = pexpect.spawn(sys.executable, arguments, timeout=60, encoding="utf-8")
        running.expect(r"\d+ of \d+ Spark tasks")
        running.sendintr()
        running.expect("cancelled")
        rest = running.read()
        running.close()
        assert running.exitstatus == 130
        assert "never" not in rest
        assert "Traceback" not in rest
        jobs = server.get("/api/v1/jobs?limit=5").json()["items"]
        assert next(job["state"] for job in jobs if job["statement"] == ENDLESS) == "CANCELLED"

    @pytest.mark.share(0.2)
    def test_history_profile_and_graph(self, server: Served, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT a FROM t; REFRESH DYNAMIC TABLE d")
        table = f"{lake.schema}.d"
        for where in (["--url", server.url], ["--lake", str(server.lake)]):
            listed = command("history", *where, table)
            assert f"lake.{table} | SUCCEED | FULL" in listed.stdout
            job = listed.stdout.splitlines()[3].split("|")[-2].strip()
            profile = command("profile", *where, job).stdout
            assert f"REFRESH DYNAMIC TABLE lake.{table}" in profile
            assert "phases" in profile
            assert (
                f"lake.{lake.schema}.t\n└─ lake.{table}  [active, on demand, FULL"
                in command("graph", *where).stdout
            )

    def test_sample_events(self, server: Served, lake: Connection) -> None:
        table = f"{lake.schema}.events"
        arguments = ["--url", server.url, "--rate", "5", "--seconds", "3", "--table", table]
        ran = command("sample", "events", *arguments)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert ran.stdout.splitlines()[-1].startswith("15 events in ")
        result = lake.sql("SELECT * FROM events")
        assert result.columns == [
            *("event_time", "event_type", "product_id", "category_id", "category_code", "brand", "price"),
            *("user_id", "user_session"),
        ]
        assert result.types[0] == "timestamp"
        assert result.types[6] == "decimal(10,2)"
        assert len(result) == 15
        unset = " OR ".join(f"{column} IS NULL" for column in result.columns)
        assert one(lake, f"count(*) FROM events WHERE {unset}") == 0
        assert 2 <= one(lake, f"count(*) FROM lake.{table}.snapshots") <= 3


class TestJobs:
    def test_cancel_job_stops_the_statement_of_another(self, server: Served, lake: Connection) -> None:
        failure: list[BaseException] = []

        def run() -> None:
            with headrace.connect(server.url) as other:
                try:
                    other.sql(ENDLESS).fetchall()
                except headrace.Error as error:
                    failure.append(error)

        running = threading.Thread(target=run)
        running.start()
        mine = "SHOW JOBS WHERE state = 'RUNNING' AND statement LIKE 'SELECT count(*)%'"
        until(lambda: len(lake.sql(mine)))
        (job,) = lake.sql(mine).df()["job_id"]
        lake.sql(f"CANCEL JOB '{job}'")
        running.join(30)
        assert type(failure[0]).__name__ == "Cancelled"
        facts = dict(lake.sql(f"DESC JOB '{job}'").fetchall())
        assert (facts["state"], facts["kind"]) == ("CANCELLED", "STATEMENT")
        lake.sql(f"CANCEL JOB '{job}'")


class TestCrash:
    def test_a_cluster_is_killed_during_a_statement(self, server: Served, lake: Connection) -> None:
        lake.sql("CREATE TEMPORARY VIEW mine AS SELECT 7 AS a; CREATE TABLE t (a INT)")
        lake.sql("CREATE TEMPORARY VIEW of_t AS SELECT a FROM t; DROP TABLE t")
        pid = server.cluster_pid()
        assert pid is not None

        def kill_when_it_runs() -> None:
            until(lambda: "Spark tasks" in (lake.progress() or ""))
            os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill_when_it_runs)
        killer.start()
        with pytest.raises(ClusterLost) as caught:
            lake.sql(ENDLESS).fetchall()
        killer.join()
        assert caught.value.hint == "it starts again with the next statement; committed changes are kept"
        until(lambda: not group_members(pid))
        again = lake.sql("SELECT a FROM mine")
        assert again.fetchall() == [(7,)]
        (lost,) = again.notices
        assert lost.startswith("the session could not be restored completely: CREATE TEMPORARY VIEW of_t")
        assert one(lake, "current_schema()") == lake.schema
        assert server.cluster_pid() != pid


SLOW_SOURCE = (
    "CREATE TABLE t (a BIGINT); INSERT INTO t SELECT id FROM range(2000); "
    "CREATE DYNAMIC TABLE d AS SELECT count(*) AS n FROM t x CROSS JOIN t y "
    "WHERE sha2(CAST(x.a * y.a AS STRING), 512) LIKE '%7'"
)
"""Seconds, whether Spark compiles its queries or interprets them: all of it is hashing."""


class TestEnd:
    def test_sigterm_lets_a_refresh_end(self, tmp_path: Path) -> None:
        with serving(make_lake(tmp_path / "lake").path) as own, headrace.connect(own.url) as lake:
            lake.sql(SLOW_SOURCE)
            refreshing = threading.Thread(target=_refresh, args=(own.url,))
            refreshing.start()
            until(lambda: any(row["state"] == "RUNNING" for row in _history(own)))
            pid = own.cluster_pid()
            assert pid is not None
            assert own.stop() == 0
            refreshing.join(30)
            until(lambda: not group_members(pid))
        ran = command("history", "--lake", str(tmp_path / "lake"))
        assert "SUCCEED" in ran.stdout

    def test_sigkill_leaves_no_process_behind(self, tmp_path: Path) -> None:
        with serving(make_lake(tmp_path / "lake").path) as own, headrace.connect(own.url) as lake:
            one(lake, "1")
            pid = own.cluster_pid()
            assert pid is not None
            assert len(group_members(pid)) >= 2
            own.kill()
            until(lambda: not group_members(pid))


def _refresh(url: str) -> None:
    try:
        with headrace.connect(url) as connection:
            connection.sql("REFRESH DYNAMIC TABLE d")
    except headrace.OperationalError:
        pass  # the server answers nobody while it ends


def _history(server: Served) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = server.get("/api/v1/history").json()["items"]
    return rows
