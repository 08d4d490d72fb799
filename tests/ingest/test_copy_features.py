"""COPY INTO of what needs further jars: files on S3, and Avro. In a process of its own, with these jars."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from headrace.connection import Connection
from headrace.errors import OperationalError
from tests.s3 import running_s3

SCRIPT = """
CREATE TABLE t (id INT, name STRING);
COPY INTO t FROM 's3://{bucket}/in' USING CSV OPTIONS ('header' = 'true') PURGE = TRUE;
COPY INTO t FROM 's3://{bucket}/other' USING JSON REGEXP '.*[.]json';
COPY INTO t FROM 's3://{bucket}/other' USING JSON REGEXP '.*[.]json';
SELECT id, name FROM t ORDER BY id;
"""


def test_features_that_a_lake_does_not_have(lake: Connection, tmp_path: Path) -> None:
    lake.sql("CREATE TABLE t (id INT)")
    with pytest.raises(OperationalError) as avro:
        lake.sql(f"COPY INTO t FROM '{tmp_path}' USING AVRO")
    assert avro.value.message == "reading AVRO files requires the feature avro, which this lake does not have"
    assert avro.value.hint == 'set features = ["avro"] in lake.toml and open the lake again'
    with pytest.raises(OperationalError, match="reading files on S3 requires the feature s3"):
        lake.sql("COPY INTO t FROM 's3://bucket/x' USING CSV")


def test_files_on_s3(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    _run("init", str(lake))
    with (lake / "lake.toml").open("a") as settings:
        settings.write('features = ["avro", "s3"]\n')
    with running_s3() as s3:
        bucket = s3.new_bucket()
        s3.put(bucket, "in/a b.csv", b"id,name\n1,x\n2,y\n")
        s3.put(bucket, "in/sub/c.csv", b"name,id\nz,3\n")
        s3.put(bucket, "other/d.json", b'{"id": 4, "name": "w"}\n')
        s3.put(bucket, "other/ignored", b"nothing")
        script = SCRIPT.format(bucket=bucket) + _avro(tmp_path / "avro")
        lines = _run("sql", "--lake", str(lake), "--output", "json", "-e", script).splitlines()
        rows = [json.loads(line).get("rows") for line in lines]
        assert rows[1:4] == [[[2, 0, 3, 0]], [[1, 0, 1, 0]], [[0, 1, 0, 0]]]
        assert rows[4] == [[1, "x"], [2, "y"], [3, "z"], [4, "w"]]
        assert rows[-1] == [[7, None]]
        assert [key for key in s3.keys(bucket) if not key.endswith("/")] == ["other/d.json", "other/ignored"]


def _avro(directory: Path) -> str:
    return (
        f"INSERT OVERWRITE DIRECTORY '{directory}' USING avro SELECT 7 AS id;"
        f"COPY INTO t FROM '{directory}' USING AVRO; SELECT id, name FROM t WHERE id = 7"
    )


def _run(*arguments: str) -> str:
    command = [sys.executable, "-m", "headrace", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
