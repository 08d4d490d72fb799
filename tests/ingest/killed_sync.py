"""Syncs under SIGKILL and writes that never stop: no row is lost, twice or out of date."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import psycopg
import pymysql

from headrace.connection import Connection
from tests.ingest import killed_child
from tests.ingest.killed_child import CHUNK, Outage
from tests.ingest.source_mariadb import MariadbSource
from tests.ingest.source_postgres import Source
from tests.internals import set_chunk_rows

KILLS = 3
LAYERS = """
CREATE DYNAMIC TABLE layer_1 AS SELECT o.id, o.k, o.v, c.name FROM orders o JOIN customers c ON o.k = c.id;
CREATE DYNAMIC TABLE layer_2 AS SELECT k, name, count(*) AS n, sum(v) AS total FROM layer_1 GROUP BY k, name;
"""
WRITES = (
    "INSERT INTO orders SELECT coalesce(max(id), 0) + 1, {k}, {v}, repeat('n', {v}) FROM orders",
    "INSERT INTO orders VALUES (-{v} - {n} * 3000, {k}, {v}, NULL)",
    "UPDATE orders SET v = {v} WHERE id % 17 = {k}",
    "UPDATE orders SET id = -2000000000 + {n} WHERE id > {v} AND id < {v} + 2",
    "DELETE FROM orders WHERE id % 97 = {v} % 97",
    "UPDATE customers SET name = 'c{v}' WHERE id = {k}",
    "BEGIN; UPDATE orders SET k = {k} WHERE id % 31 = 1; "
    "UPDATE customers SET name = concat(name, 'x') WHERE id = {k}; COMMIT",
    "BEGIN; DELETE FROM orders WHERE id % 7 = 0; ROLLBACK",
)
_LOST = (psycopg.OperationalError, psycopg.InterfaceError, pymysql.OperationalError, pymysql.InterfaceError)
"""What clients of a server that is killed get."""


class Writer(threading.Thread):
    """Changes the tables of a source until it is stopped."""

    writes = WRITES

    def __init__(self, source: Source | MariadbSource, seed: int) -> None:
        super().__init__(daemon=True)
        self.transactions = 0
        self._source = source
        self._chance = random.Random(seed)
        self._stopping = threading.Event()

    def run(self) -> None:
        """It connects again when the database was killed."""
        while not self._stopping.wait(0.1):
            with suppress(*_LOST):
                self._write()

    def _write(self) -> None:
        with self._source.connect() as connection, connection.cursor() as cursor:
            while not self._stopping.wait(0.02):
                self.transactions += 1
                write = self._chance.choice(self.writes)
                values = {
                    "k": self._chance.randrange(5),
                    "v": self._chance.randrange(3000),
                    "n": self.transactions,
                }
                cursor.execute(write.format(**values))
                while cursor.nextset():
                    pass

    def stop(self) -> None:
        self._stopping.set()
        self.join()


def run_and_kill(lake: Path, chance: random.Random, outages: Sequence[Outage]) -> None:
    """The worker or what it reads from: while tables are first read or later, or between runs."""
    outage = chance.choice((None, *outages))
    killed_child.run_and_kill(lake, "EXECUTE SYNC s", chance, chance.choice((20, 40, 90)), outage)


def make_tables(source: Source | MariadbSource, orders: int) -> None:
    source.run("CREATE TABLE customers (id int PRIMARY KEY, name text)")
    source.run("CREATE TABLE orders (id int PRIMARY KEY, k int, v int, note text)")
    if isinstance(source, Source):
        source.run("ALTER TABLE orders ALTER COLUMN note SET STORAGE EXTERNAL")
    source.run("INSERT INTO customers VALUES (0, 'c0'), (1, 'c1'), (2, 'c2'), (3, 'c3'), (4, 'c4')")
    values = ", ".join(f"({i}, {i % 5}, {i}, repeat('n', {i}))" for i in range(1, orders + 1))
    source.run(f"INSERT INTO orders VALUES {values}")


def expect_every_change_once(
    new_lake: Callable[..., Connection], source: Source | MariadbSource, seed: int, options: str = ""
) -> None:
    """``options`` are those of the sync."""
    chance = random.Random(seed)
    outages: Sequence[Outage] = ()
    if isinstance(source, Source) and "BATCH" not in options:
        outages = (source.crash, source.disconnect)
    make_tables(source, 1000)
    writer = Writer(source, seed)
    writer.start()
    with new_lake() as lake:
        connection = source.connect_lake(lake)
        lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} SCHEMA '{source.schema}' {options}; {LAYERS}")
        home = lake.lake_path
    for _ in range(KILLS):
        run_and_kill(home, chance, outages)
    set_chunk_rows(CHUNK)
    with new_lake() as lake:
        lake.sql("EXECUTE SYNC s")
        writer.stop()
        lake.sql("EXECUTE SYNC s")
        for table in ("orders", "customers"):
            wanted = sorted(source.run(f"SELECT * FROM {table}"))
            assert sorted(lake.sql(f"SELECT * FROM {table}").fetchall()) == wanted, (
                f"{writer.transactions} written"
            )
        if "BATCH" not in options:
            positions = lake.sql("DESC SYNC EXTENDED s").arrow().column("position").to_pylist()
            assert len(set(positions)) == 1, "all tables are at one position of the source"
        for layer in ("layer_1", "layer_2"):
            lake.sql(f"REFRESH DYNAMIC TABLE {layer}")
            verified = lake.sql(f"VERIFY DYNAMIC TABLE {layer}").arrow().to_pylist()[0]
            assert (verified["result"], verified["table_rows"] > 0) == ("exact", True)
        lake.sql("DROP SYNC s")
