"""First rows and changes per second of MariaDB."""

from __future__ import annotations

import argparse

from tests.ingest.source_mariadb import running_mariadb

from bench.ingest.database import synced
from bench.measures import Measure
from headrace.connection import Connection


def mysql(lake: Connection, options: argparse.Namespace) -> list[Measure]:
    with running_mariadb() as server:
        source = server.database()
        source.run(
            "CREATE TABLE orders"
            " (id bigint PRIMARY KEY, customer int, amount decimal(10,2), note varchar(100));"
            "INSERT INTO orders SELECT seq, seq % 1000, seq % 10000 / 100, concat('note ', seq)"
            f" FROM seq_1_to_{options.rows}"
        )
        connection = source.connect_lake(lake)
        first, changes = synced(lake, "mysql", connection, source.name, source.run, options)
        lake.sql("DROP SYNC s_mysql")
        source.drop()
    return [Measure(f"mysql: {options.rows:,} first rows", "s", first, None, ""), *changes]
