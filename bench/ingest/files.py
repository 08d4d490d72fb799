"""Many small files: a pipe, which remembers each, and one read of them all."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from bench.ingest.plain import append, expect_same, spark
from bench.measures import Measure, seconds
from headrace.connection import Connection

ROWS = 100
SCHEMA = "id BIGINT, device STRING, value DOUBLE"
_AGE_SECONDS = 600
"""Younger files may still be written."""


def small_files(lake: Connection, options: argparse.Namespace) -> list[Measure]:
    session = spark(lake)
    with tempfile.TemporaryDirectory() as directory:
        warm_up, files = Path(directory) / "warm-up", Path(directory) / "files"
        _write(warm_up, 200)
        _write(files, options.files)
        for path in (warm_up, files):
            name = path.name.replace("-", "_")
            lake.sql(f"CREATE TABLE {name} ({SCHEMA})")
            lake.sql(f"CREATE PIPE p_{name} AS COPY INTO {name} FROM '{path}' USING CSV")
            plain = seconds(partial(_read_plainly, session, path))
            ours = seconds(partial(_drain, lake, f"p_{name}"))
            total = "SELECT count(*), sum(id) FROM"
            expect_same(
                lake.sql(f"{total} {name}").fetchall(),
                list(map(tuple, session.sql(f"{total} plain").collect())),
            )
    return [Measure(f"pipe: {options.files:,} files of {ROWS} rows", "s", ours, plain, "<= 1.3", 1.3)]


def _read_plainly(session: SparkSession, path: Path) -> None:
    append(session.read.schema(SCHEMA).csv(str(path)), "plain")


def _drain(lake: Connection, pipe: str) -> None:
    while lake.sql(f"EXECUTE PIPE {pipe}").fetchall()[0][0]:
        pass


def _write(directory: Path, count: int) -> None:
    directory.mkdir()
    moment = time.time() - _AGE_SECONDS
    for number in range(count):
        first = number * ROWS
        lines = (f"{row},device-{row % 1000},{row / 7}" for row in range(first, first + ROWS))
        path = directory / f"{number:06}.csv"
        path.write_text("\n".join(lines))
        os.utime(path, (moment, moment))
