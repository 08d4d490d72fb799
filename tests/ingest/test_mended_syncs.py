"""What interrupts a sync: one clear message each, nothing half-done, and all rows once it is mended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from psycopg import pq

from headrace.connection import Connection
from headrace.errors import Error
from tests.ingest.mistakes.databases import (
    MARIADB_OUTAGES,
    MARIADB_STOPS,
    POSTGRES_OUTAGES,
    POSTGRES_STOPS,
    Outage,
    Stop,
)
from tests.ingest.source_mariadb import MariadbSource
from tests.ingest.source_postgres import Source
from tests.ingest.test_syncs import Database, rows


def test_outages_of_postgres(lake: Connection, source: Source) -> None:
    source.run(f"CREATE TABLE t (id int PRIMARY KEY); ALTER DATABASE {source.name} OWNER TO limited")
    source.run("ALTER TABLE t OWNER TO limited; ALTER ROLE limited REPLICATION")
    try:
        _expect_mended(lake, source, POSTGRES_OUTAGES)
        _expect_slot_taken(lake, source)
    finally:
        source.run("ALTER ROLE limited NOREPLICATION")
    lake.sql("DROP SYNC s FORCE")


def test_outages_of_mariadb(lake: Connection, mariadb: MariadbSource) -> None:
    mariadb.run("CREATE TABLE t (id int PRIMARY KEY)")
    mariadb.run("GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO limited@'%'")
    try:
        _expect_mended(lake, mariadb, MARIADB_OUTAGES)
    finally:
        mariadb.run("REVOKE REPLICATION SLAVE, REPLICATION CLIENT ON *.* FROM limited@'%'")
    lake.sql("DROP SYNC s")


def _expect_mended(lake: Connection, database: Database, outages: Sequence[Outage]) -> None:
    connection = database.connect_lake(lake, "limited")
    lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} SCHEMA '{database.schema}'; EXECUTE SYNC s")
    for number, outage in enumerate(outages):
        database.run(f"INSERT INTO t VALUES ({number})")
        database.server.run(outage.broken.replace("{db}", database.name))
        try:
            with pytest.raises(Error) as failed:
                lake.sql("EXECUTE SYNC s")
        finally:
            database.server.run(outage.mended.replace("{db}", database.name))
        assert outage.message.replace("{db}", database.name) in failed.value.message, outage.what
        assert failed.value.hint, outage.what
        (shown,) = lake.sql(f"SHOW SYNCS IN {lake.schema}").arrow().to_pylist()
        assert (shown["state"], shown["last_error"]) == ("FAILING", failed.value.message)
        lake.sql("EXECUTE SYNC s")
        assert sorted(rows(lake, "SELECT id FROM t")) == [(each,) for each in range(number + 1)], outage.what


def _expect_slot_taken(lake: Connection, source: Source) -> None:
    source.run("INSERT INTO t VALUES (100)")
    with _reading_slot(source), pytest.raises(Error, match="is active for PID") as taken:
        lake.sql("EXECUTE SYNC s")
    assert taken.value.hint == "another program reads the slot; it is tried again"
    lake.sql("EXECUTE SYNC s")
    assert rows(lake, "SELECT max(id) FROM t") == [(100,)]


@contextmanager
def _reading_slot(source: Source) -> Iterator[None]:
    """As a replica does."""
    (slot,) = source.slots()
    options = f"host={source.server.socket} dbname={source.name} user=postgres replication=database"
    replica = pq.PGconn.connect(options.encode())
    try:
        publications = ",".join(name for name in source.kept() if name != slot)
        started = replica.exec_(
            f"START_REPLICATION SLOT {slot} LOGICAL 0/0"
            f" (proto_version '1', publication_names '{publications}')".encode()
        )
        assert started.status == pq.ExecStatus.COPY_BOTH, started.error_message
        yield
    finally:
        replica.finish()


@pytest.mark.parametrize(
    ("kind", "stops"),
    [("source", POSTGRES_STOPS), ("mariadb", MARIADB_STOPS)],
    ids=("postgres", "mariadb"),
)
def test_tables_that_are_stopped(
    lake: Connection, kind: str, stops: Sequence[Stop], request: pytest.FixtureRequest
) -> None:
    database: Database = request.getfixturevalue(kind)
    for stop in stops:
        database.run(
            f"CREATE TABLE {stop.table} ({stop.columns}); INSERT INTO {stop.table} VALUES {stop.first}"
        )
    database.run("CREATE TABLE well (id int PRIMARY KEY)")
    connection, schema = database.connect_lake(lake), database.schema
    lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} SCHEMA '{schema}'; EXECUTE SYNC s")
    for stop in stops:
        if stop.in_lake:
            lake.sql(stop.in_lake.replace("{t}", stop.table))
        database.run(stop.broken.replace("{t}", stop.table))
    database.run("INSERT INTO well VALUES (1)")
    notices = lake.sql("EXECUTE SYNC s").notices
    assert rows(lake, "SELECT id FROM well") == [(1,)], "the others go on"
    for stop in stops:
        told = "".join(each for each in notices if each.startswith(f"{schema}.{stop.table} is stopped"))
        assert stop.message.replace("{t}", stop.table) in told, stop.table
        assert f"RESYNC TABLE '{schema}.{stop.table}'" in told
        if stop.back_in_lake:
            lake.sql(stop.back_in_lake.replace("{t}", stop.table))
        if stop.mended:
            database.run(stop.mended.replace("{t}", stop.table))
        lake.sql(f"ALTER SYNC s RESYNC TABLE '{schema}.{stop.table}'")
    assert lake.sql("EXECUTE SYNC s").notices == ()
    for stop in stops:
        found = sorted(map(str, rows(lake, f"SELECT * FROM {stop.table}")))
        assert found == sorted(map(str, database.run(f"SELECT * FROM {stop.table}"))), stop.table
    lake.sql("DROP SYNC s")
