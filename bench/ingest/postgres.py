"""First rows of PostgreSQL against COPY TO a file that Spark reads, and its changes per second."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.ingest.source_postgres import Source, running_source

from bench.ingest.database import synced
from bench.ingest.plain import append, spark
from bench.measures import Measure, seconds
from headrace.connection import Connection

_COLUMNS = "id BIGINT, customer INT, amount DECIMAL(10,2), note STRING"


def postgres(lake: Connection, options: argparse.Namespace) -> list[Measure]:
    with running_source() as server, tempfile.TemporaryDirectory() as directory:
        source = server.database()
        source.run(
            "CREATE TABLE orders (id bigint PRIMARY KEY, customer int, amount numeric(10,2), note text)"
        )
        source.run(
            "INSERT INTO orders SELECT i, i % 1000, i % 10000 / 100.0, 'note ' || i"
            f" FROM generate_series(1, {options.rows}) i"
        )
        connection = source.connect_lake(lake)
        plain = seconds(lambda: _copy_plainly(lake, source, Path(directory) / "orders.csv"))
        first, changes = synced(lake, "postgres", connection, "public", source.run, options)
        lake.sql("DROP SYNC s_postgres")
        source.drop()
    return [Measure(f"postgres: {options.rows:,} first rows", "s", first, plain, "<= 1.5", 1.5), *changes]


def _copy_plainly(lake: Connection, source: Source, file: Path) -> None:
    copy = "COPY orders TO STDOUT (FORMAT csv)"
    with (
        source.connect() as connection,
        connection.cursor().copy(copy) as rows,
        file.open("wb") as into,
    ):
        for part in rows:
            into.write(part)
    append(spark(lake).read.schema(_COLUMNS).csv(str(file)), "plain")
