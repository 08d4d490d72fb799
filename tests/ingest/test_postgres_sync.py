"""What is particular to syncs from PostgreSQL; test_syncs.py has what they share with others."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from headrace.connection import Connection
from headrace.errors import Error
from headrace.ingest.cdc.postgres.source import PostgresSource
from headrace.ingest.cdc.table_position import Phase, TablePosition
from headrace.ingest.cdc.tick import Ticks
from tests.ingest.source_postgres import Source
from tests.ingest.test_batch_syncs import expect_same_by_batch
from tests.ingest.test_syncs import rows
from tests.internals import session, store
from tests.server.served import until


def test_values_that_an_update_did_not_touch(lake: Connection, source: Source) -> None:
    """PostgreSQL keeps large values apart, and its log has them only when they were changed."""
    source.run("CREATE TABLE t (id int PRIMARY KEY, v int, note text)")
    source.run("ALTER TABLE t ALTER COLUMN note SET STORAGE EXTERNAL")
    source.run("INSERT INTO t SELECT i, i, repeat('x', 5000) FROM generate_series(1, 4) i")
    lake.sql(f"CREATE SYNC s FROM CONNECTION {source.connect_lake(lake)} TABLES 'public.t'; EXECUTE SYNC s")
    source.run("UPDATE t SET note = repeat('y', 9000) WHERE id < 3; UPDATE t SET v = -1 WHERE id > 1")
    source.run("UPDATE t SET id = 30 WHERE id = 3")
    lake.sql("EXECUTE SYNC s")
    ask = "SELECT id, v, note FROM t ORDER BY id"
    assert rows(lake, ask) == source.run(ask)
    assert lake.sql("DESC SYNC EXTENDED s").arrow().to_pylist()[0]["held_bytes"] is not None
    lake.sql("DROP SYNC s")


VALUES = {
    "bool": ("boolean", "true", True),
    "int2": ("int", "-32768", -32768),
    "int4": ("int", "2147483647", 2**31 - 1),
    "int8": ("bigint", "-9223372036854775808", -(2**63)),
    "oid": ("bigint", "4294967295", 2**32 - 1),
    "numeric(20,5)": ("decimal(20,5)", "-123456789012345.12345", Decimal("-123456789012345.12345")),
    "numeric(38,0)": ("decimal(38,0)", "9" * 38, Decimal("9" * 38)),
    "numeric": (
        "string",
        "123456789012345678901234567890.1234567890",
        "123456789012345678901234567890.1234567890",
    ),
    "price": ("decimal(8,3)", "1.5", Decimal("1.500")),
    "float4": ("float", "'-Infinity'", -math.inf),
    "float8": ("double", "0.1", 0.1),
    "text": ("string", "'quote '' \" \\ \n ü 😀'", "quote ' \" \\ \n ü 😀"),
    "varchar(3)": ("string", "''", ""),
    "char(4)": ("string", "'c'", "c   "),
    "mood": ("string", "'ok'", "ok"),
    "uuid": ("string", "'A0000000-0000-0000-0000-000000000001'", "a0000000-0000-0000-0000-000000000001"),
    "json": ("string", "'{\"a\": 1 }'", '{"a": 1 }'),
    "jsonb": ("string", "'{\"a\":1}'", '{"a": 1}'),
    "bytea": ("binary", "'\\x00ff'", b"\x00\xff"),
    "date": ("date", "'0001-01-01'", date(1, 1, 1)),
    "timestamp": (
        "timestamp_ntz",
        "'9999-12-31 23:59:59.999999'",
        datetime(9999, 12, 31, 23, 59, 59, 999999),  # noqa: DTZ001  (it has no zone)
    ),
    "timestamptz": (
        "timestamp",
        "'2024-03-31 02:30:00.000001+02'",
        datetime(2024, 3, 31, 0, 30, 0, 1, tzinfo=UTC),
    ),
    "time": ("string", "'23:59:59.999999'", "23:59:59.999999"),
    "interval": ("string", "'1 year 2 days 03:04:05.6'", "P1Y2DT3H4M5.6S"),
    "inet": ("string", "'10.0.0.1/8'", "10.0.0.1/8"),
    "bit(3)": ("string", "'101'", "101"),
    "int4range": ("string", "'[1,5]'", "[1,6)"),
    "int4[]": ("array<int>", "'{1,NULL,3}'", [1, None, 3]),
    "text[]": ("array<string>", '\'{"a,b",NULL,"NULL",""}\'', ["a,b", None, "NULL", ""]),
    "numeric(5,1)[]": ("array<decimal(5,1)>", "'{1.5}'", [Decimal("1.5")]),
}
"""Of each type of PostgreSQL: that of the table, a value, and how it arrives."""


def test_types_arrive_exactly_first_and_later(lake: Connection, source: Source) -> None:
    source.run("CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN price AS numeric(8,3)")
    columns = ", ".join(f"c{place} {kind}" for place, kind in enumerate(VALUES))
    source.run(f"CREATE TABLE types (id int PRIMARY KEY, {columns})")
    given = ", ".join(text for _, text, _ in VALUES.values())
    source.run(f"INSERT INTO types VALUES (1, {given}); INSERT INTO types VALUES (2)")
    connection = source.connect_lake(lake)
    lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} TABLES 'public.types'; EXECUTE SYNC s")
    source.run(f"INSERT INTO types VALUES (3, {given}); INSERT INTO types VALUES (4)")
    lake.sql("EXECUTE SYNC s")
    kinds = [row[1] for row in lake.sql("DESC types").fetchall()][1:]
    assert kinds == [kind for kind, _, _ in VALUES.values()]
    found = lake.sql("SELECT * FROM types ORDER BY id").arrow().to_pylist()
    wanted = {f"c{place}": value for place, (_, _, value) in enumerate(VALUES.values())}
    empty = dict.fromkeys(wanted)
    assert found == [
        {"id": key} | values for key, values in ((1, wanted), (2, empty), (3, wanted), (4, empty))
    ]
    expect_same_by_batch(lake, connection, "public.types")
    lake.sql("DROP SYNC s")


def test_tables_whose_log_has_inserts_alone(lake: Connection, source: Source) -> None:
    source.run("CREATE TABLE bare (a int); INSERT INTO bare VALUES (1)")
    connection = source.connect_lake(lake)
    with pytest.raises(Error, match=r"public\.bare has no primary key") as refused:
        lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} SCHEMA 'public'")
    assert refused.value.hint is not None and "REPLICA IDENTITY FULL" in refused.value.hint
    assert (source.kept(), lake.sql("SHOW TABLES").fetchall()) == ([], [])
    created = lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} SCHEMA 'public' MODE = APPEND")
    assert "public.bare has no primary key: only its inserts are recorded" in created.notices
    lake.sql("EXECUTE SYNC s")
    source.run("INSERT INTO bare VALUES (2); UPDATE bare SET a = 9; TRUNCATE bare")
    lake.sql("EXECUTE SYNC s")
    log = "SELECT a, _operation FROM bare ORDER BY _position, _sequence"
    assert rows(lake, log) == [(1, "snapshot"), (2, "insert"), (None, "truncate")]
    lake.sql("DROP SYNC s")


def test_a_table_that_is_altered_while_its_rows_are_read(source: Source, tmp_path: Path) -> None:
    """In a snapshot from before, a table that is rewritten is empty."""
    source.run("CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1)")
    rows_file, start = tmp_path / "rows.parquet", TablePosition("0/0", Phase.SNAPSHOT)
    with source.connect() as own, source.connect() as other, ThreadPoolExecutor(1) as thread:
        database = PostgresSource(own, "s")
        (before,) = database.discover(["public.t"])
        other.execute("BEGIN; ALTER TABLE t ALTER COLUMN v TYPE bigint, ADD COLUMN w int; UPDATE t SET w = 2")
        reading = thread.submit(database.chunk, before.table, start, 10, rows_file)
        until(lambda: source.run("SELECT 1 FROM pg_locks WHERE NOT granted") != [], 60, "the reader waits")
        other.execute("COMMIT")
        assert reading.result() is None
        (after,) = database.discover(["public.t"])
        read = database.chunk(after.table, start, 10, rows_file)
    assert read is not None
    assert pq.read_table(rows_file).to_pylist() == [{"id": "1", "v": "1", "w": "2"}]


def test_chunks_have_the_rows_that_they_should_have(source: Source, tmp_path: Path) -> None:
    """Keys are in the order of the database, not in that of their texts."""
    source.run("CREATE TABLE t (id int, k numeric, PRIMARY KEY (id, k))")
    source.run("INSERT INTO t SELECT 7, generate_series(1, 25)")
    position, read = TablePosition("0/0", Phase.SNAPSHOT), []
    with source.connect() as own:
        database = PostgresSource(own, "s")
        (found,) = database.discover(["public.t"])
        while not position.is_complete:
            chunk = database.chunk(found.table, position, 10, tmp_path / "rows.parquet")
            assert chunk is not None
            read.append((chunk.rows, chunk.last))
            position = position.with_chunk(chunk.opened, chunk.last)
    assert read == [(10, ("7", "10")), (10, ("7", "20")), (5, None)]


def test_a_value_that_does_not_fit(lake: Connection, source: Source) -> None:
    source.run("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY, d date)")
    source.run("INSERT INTO b VALUES (1, '2024-01-01')")
    lake.sql(f"CREATE SYNC s FROM CONNECTION {source.connect_lake(lake)} SCHEMA 'public'; EXECUTE SYNC s")
    source.run("INSERT INTO b VALUES (2, 'infinity'), (3, NULL)")
    assert lake.sql("EXECUTE SYNC s").notices == (
        "public.b is stopped: column d of public.b has the value 'infinity', which date cannot represent;"
        f" when it is mended, ALTER SYNC lake.{lake.schema}.s RESYNC TABLE 'public.b'",
    )
    assert rows(lake, "SELECT id FROM b") == [(1,)], "nothing of what does not fit is half there"
    source.run("UPDATE b SET d = '2024-02-02' WHERE id = 2; INSERT INTO a VALUES (3)")
    assert rows(lake, "EXECUTE SYNC s")[0][3:] == (1, 1)
    lake.sql("ALTER SYNC s RESYNC TABLE 'public.b'; EXECUTE SYNC s")
    assert sorted(rows(lake, "SELECT * FROM b")) == sorted(source.run("SELECT * FROM b"))
    lake.sql("DROP SYNC s")


def test_a_table_that_was_restored(lake: Connection, source: Source) -> None:
    source.run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)")
    lake.sql(f"CREATE SYNC s FROM CONNECTION {source.connect_lake(lake)} TABLES 'public.t'; EXECUTE SYNC s")
    older = lake.sql("DESC HISTORY t").arrow().to_pylist()[0]["version"]
    source.run("INSERT INTO t VALUES (3)")
    lake.sql("EXECUTE SYNC s")
    lake.sql(f"RESTORE TABLE t TO VERSION AS OF {older}")
    source.run("INSERT INTO t VALUES (4)")
    (notice,) = lake.sql("EXECUTE SYNC s").notices
    assert "the database does not keep its log from there on" in notice
    assert rows(lake, "SELECT * FROM t") == [(1,)], "no row after one that is missing"
    lake.sql("ALTER SYNC s RESYNC; EXECUTE SYNC s")
    assert sorted(rows(lake, "SELECT * FROM t")) == [(1,), (3,), (4,)]
    lake.sql("DROP SYNC s")


def test_a_run_that_another_one_overtakes(lake: Connection, source: Source, tmp_path: Path) -> None:
    """The other one has acknowledged the log that the late one is to read next."""
    source.run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)")
    lake.sql(f"CREATE SYNC s FROM CONNECTION {source.connect_lake(lake)} TABLES 'public.t'; EXECUTE SYNC s")
    (sync,) = (each for each in store(lake).syncs.all() if each.name.schema == lake.schema)
    with source.connect() as own:
        late = Ticks(sync.mode, sync.tables, PostgresSource(own, sync.id), session(lake), tmp_path)
        source.run("INSERT INTO t VALUES (2)")
        lake.sql("EXECUTE SYNC s")
        source.run("INSERT INTO t VALUES (3)")
        late.run_once()
    assert late.stopped == []
    assert sorted(rows(lake, "SELECT * FROM t")) == [(1,), (2,), (3,)]
    lake.sql("DROP SYNC s")


def test_changes_after_a_place_of_the_log(lake: Connection, source: Source) -> None:
    source.run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)")
    create = f"CREATE SYNC s FROM CONNECTION {source.connect_lake(lake)} TABLES 'public.t' START ="
    for wrong, message in (
        ("'binlog.1:4'", "'binlog.1:4' is not a position of the log"),
        ("'0/1'", r"the log is kept for this sync from .* on, not from 0/1"),
    ):
        with pytest.raises(Error, match=message):
            lake.sql(f"{create} {wrong}")
    assert (source.kept(), lake.sql("SHOW TABLES").fetchall()) == ([], [])
    ((later,),) = source.run("SELECT (pg_current_wal_insert_lsn() + 1000000)::text")
    lake.sql(f"{create} '{later}'")
    source.run("INSERT INTO t VALUES (2)")
    source.run("SELECT pg_logical_emit_message(true, 'x', repeat('x', 2000000))")
    source.run("INSERT INTO t VALUES (3)")
    lake.sql("EXECUTE SYNC s")
    assert rows(lake, "SELECT * FROM t") == [(3,)]
    lake.sql("DROP SYNC s")
