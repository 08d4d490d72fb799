"""A lake whose tables are on S3: one class path more, and the same statements."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.door import door_to
from tests.postgres import running_postgres
from tests.s3 import S3, running_s3

from headrace.commands.databases import open_catalog
from headrace.connection import Connection
from headrace.errors import OperationalError
from headrace.install.jars import EVERY_LAKE, Feature
from headrace.lake.directory import LakeDirectory, existing_lake
from headrace.lake.settings import Settings
from headrace.lake.spark.engine import features_of, start_engine
from headrace.lake.table.metadata_files import MetadataFiles
from headrace.refresh.record import REFRESH_ID

SCRIPT = """
CREATE TABLE t (a INT);
INSERT INTO t VALUES (1), (2);
CREATE DYNAMIC TABLE d AS SELECT a, count(*) AS n FROM t GROUP BY a;
REFRESH DYNAMIC TABLE d;
INSERT INTO t VALUES (2), (3);
DELETE FROM t WHERE a = 1;
REFRESH DYNAMIC TABLE d;
DROP TABLE t;
UNDROP TABLE t;
CREATE TABLE gone AS SELECT 1 AS a;
DROP TABLE gone PURGE;
VACUUM t;
SELECT * FROM d ORDER BY a
"""


@pytest.fixture
def s3() -> Iterator[S3]:
    with running_s3() as s3:
        yield s3


@pytest.fixture
def database() -> Iterator[str]:
    with running_postgres() as postgres, door_to(postgres) as (_, url):
        yield url


def run(*arguments: str) -> str:
    command = [sys.executable, "-m", "headrace", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.share(0.2, suite="single tests")
def test_dynamic_tables_on_s3(tmp_path: Path, s3: S3, database: str) -> None:
    path, warehouse = tmp_path / "lake", f"s3://{s3.new_bucket()}/lake"
    run("init", str(path), "--database", database, "--warehouse", warehouse)
    output = run("sql", "--lake", str(path), "--output", "json", "-e", SCRIPT)
    last: dict[str, Any] = json.loads(output.splitlines()[-1])
    assert last["rows"] == [[2, 2], [3, 1]]
    backend = open_catalog(existing_lake(path))
    locations = {name.table: location for name, location in backend.locations().items()}
    backend.close()
    assert sorted(locations) == ["d", "t"]
    assert all(location.startswith(warehouse) for location in locations.values())
    heads = {name: MetadataFiles().head(location, REFRESH_ID) for name, location in locations.items()}
    assert {name: head and head.rows for name, head in heads.items()} == {"d": 2, "t": 3}
    assert f"{warehouse} (writable)" in run("doctor", "--lake", str(path))


def test_the_jars_of_a_lake_follow_from_its_warehouse(tmp_path: Path) -> None:
    for warehouse, more in ((None, set()), ("/shared", set()), ("s3://bucket/lake", {Feature.S3})):
        lake = LakeDirectory(tmp_path, Settings(), "postgresql:///lake", warehouse)
        assert features_of(lake) == {*EVERY_LAKE, *more}


def test_a_running_jvm_without_the_jars(tmp_path: Path, shared_lake: Connection) -> None:
    lake = LakeDirectory(tmp_path, Settings(), "postgresql:///lake", "s3://bucket/lake")
    with pytest.raises(OperationalError, match="without the jars for s3") as caught:
        start_engine(lake, print)
    assert caught.value.hint == "open this lake in a process of its own, or before any other lake"
