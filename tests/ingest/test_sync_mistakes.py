"""What a user of connections and syncs can get wrong: one clear message each, and nothing half-done."""

from __future__ import annotations

import re

import pytest

from headrace.connection import Connection
from headrace.errors import Error
from tests.ingest.source_postgres import Source
from tests.internals import store_secret

WRONG_CONNECTIONS = (
    (
        "TYPE = MONGODB HOST = 'h' DATABASE = 'd' USER = 'u'",
        "TYPE must be one of POSTGRESQL, MYSQL, ORACLE, SQLSERVER, JDBC, found MONGODB",
    ),
    ("TYPE = MYSQL HOST = 'h' USER = 'u'", "DATABASE is missing"),
    ("HOST = 'h' DATABASE = 'd' USER = 'u'", "TYPE is missing"),
    ("TYPE = MYSQL HOST = '' DATABASE = 'd' USER = 'u'", "the name or address of a host cannot be empty"),
    (
        "TYPE = MYSQL HOST = 'h' PORT = 0 DATABASE = 'd' USER = 'u'",
        "expected a port between 1 and 65535, found 0",
    ),
    ("TYPE = MYSQL HOST = 'h' HOST = 'i'", "HOST is given twice"),
    ("TYPE = JDBC USER = 'u'", "URL is missing"),
    (
        "TYPE = MYSQL HOST = 'h' DATABASE = 'd' USER = 'u' TLS = MAYBE",
        "TLS must be one of DISABLED, REQUIRED, VERIFIED, found MAYBE",
    ),
    (
        "TYPE = MYSQL HOST = 'h' DATABASE = 'd' USER = 'u' TLS_CA = secret('ca')",
        "TLS_CA requires TLS = VERIFIED",
    ),
    (
        "TYPE = ORACLE HOST = 'h' DATABASE = 'd' USER = 'u' TLS = REQUIRED",
        "TYPE = ORACLE has no option TLS",
    ),
    ("TYPE = JDBC URL = 'jdbc:x:y' HOST = 'h' USER = 'u'", "TYPE = JDBC has no option HOST"),
    ("TYPE = MYSQL URL = 'jdbc:x:y' HOST = 'h' DATABASE = 'd' USER = 'u'", "TYPE = MYSQL has no option URL"),
    (
        "TYPE = SQLSERVER HOST = 'h' DATABASE = 'd;trustServerCertificate=true' USER = 'u'",
        "DATABASE cannot be 'd;trustServerCertificate=true'",
    ),
    ("TYPE = MYSQL HOSTS = 'h'", "a connection has no option HOSTS"),
    ("TYPE = MYSQL HOST = 'h' DATABASE = 'd' USER = 'u' PASSWORD = 'p'", "expected secret('NAME')"),
    (
        "TYPE = MYSQL HOST = 'h' DATABASE = 'd' USER = 'u' PASSWORD = secret('none')",
        "secret none does not exist",
    ),
)
WRONG_SYNCS = (
    ("s FROM CONNECTION nowhere TABLES 'public.t'", "connection nowhere does not exist"),
    ("s FROM CONNECTION {c}", "expected TABLES, found the end of the statement"),
    ("s FROM CONNECTION {c} TABLES 't'", "expected schema.table, found 't'"),
    ("s FROM CONNECTION {c} TABLES 'public.T'", "no table of the database fits public.T"),
    ("s FROM CONNECTION {c} TABLES 'public.t', 'shop.*'", "no table of the database fits shop.*"),
    (
        "s FROM CONNECTION {c} TABLES 'public.t' MODE = COPY",
        "MODE must be one of MIRROR, APPEND, SHARD_MERGE, BATCH, found COPY",
    ),
    (
        "s FROM CONNECTION {c} TABLES 'public.t' COMMIT_INTERVAL_IN_SECONDS = 0",
        "expected seconds between 1 and",
    ),
    ("s FROM CONNECTION {c} TABLES 'public.t' SPEED = 1", "a sync has no option SPEED"),
    ("s FROM CONNECTION {c} TABLES 'public.t' INTO SCHEMA nowhere", "schema lake.nowhere does not exist"),
    ("nowhere.s FROM CONNECTION {c} TABLES 'public.t'", "schema lake.nowhere does not exist"),
    (
        "s FROM CONNECTION {c} TABLES 'public.t' VIRTUAL_CLUSTER = 'none'",
        "virtual cluster none does not exist",
    ),
    (
        "s FROM CONNECTION {c} TABLES 'public.taken'",
        "already exists, so public.taken cannot be synced into it",
    ),
    ("s FROM CONNECTION {c} TABLES 'public.t', 'other.t'", "two tables would become"),
    ("s FROM CONNECTION {c} TABLES 'public.cases'", "has two columns id, which differ only in case"),
    (
        "s FROM CONNECTION {c} TABLES 'public.log' MODE = APPEND",
        "a column _operation, which MODE = APPEND adds",
    ),
    ("s FROM CONNECTION {c} TABLES 'public.nothing'", "public.nothing has no primary key"),
    ("s FROM CONNECTION {c} TABLES 'public.bare'", "public.bare has no primary key"),
    ("s FROM CONNECTION {c} TABLES 'public.t' SCHEDULE INTERVAL 1 HOUR", "SCHEDULE requires MODE = BATCH"),
    ("s FROM CONNECTION {c} TABLES 'public.t' WATERMARK = 'id'", "WATERMARK requires MODE = BATCH"),
    (
        "s FROM CONNECTION {c} TABLES 'public.t' MODE = APPEND PARTITIONS = 2",
        "PARTITIONS requires MODE = BATCH",
    ),
    (
        "s FROM CONNECTION {c} TABLES 'public.t' MODE = BATCH COMMIT_INTERVAL_IN_SECONDS = 5",
        "COMMIT_INTERVAL_IN_SECONDS is an option of syncs that read a log, not of MODE = BATCH",
    ),
    (
        "s FROM CONNECTION {c} TABLES 'public.t' MODE = BATCH START = LATEST",
        "START is an option of syncs that",
    ),
    (
        "s FROM CONNECTION {c} TABLES 'public.t' MODE = BATCH SCHEDULE HOURLY",
        "expected INTERVAL or CRON after SCHEDULE, found HOURLY",
    ),
    (
        "s FROM CONNECTION {c} TABLES 'public.t' MODE = BATCH SCHEDULE INTERVAL 1 SECOND",
        "the minimum interval is 1 minute, not 1 second",
    ),
    (
        "s FROM CONNECTION {c} TABLES 'public.t' MODE = BATCH SCHEDULE CRON 'at noon'",
        "this is not a cron expression",
    ),
    (
        "s FROM CONNECTION {c} TABLES 'public.t' MODE = BATCH PARTITIONS = 0",
        "expected between 1 and 64 partitions, found 0",
    ),
    (
        "s FROM CONNECTION {c} TABLES 'public.t' MODE = BATCH WATERMARK = 'changed'",
        "public.t has no column changed, which is the watermark of the sync",
    ),
    (
        "s FROM CONNECTION {c} TABLES 'public.bare' MODE = BATCH WATERMARK = 'id'",
        "public.bare has no primary key, which WATERMARK requires",
    ),
)


def test_wrong_statements(lake: Connection, source: Source) -> None:
    for given, message in WRONG_CONNECTIONS:
        with pytest.raises(Error, match=re.escape(message)):
            lake.sql(f"CREATE CONNECTION x {given}")
    assert lake.sql("SHOW CONNECTIONS LIKE 'x'").fetchall() == []
    connection = source.connect_lake(lake)
    source.run(
        "CREATE SCHEMA other; CREATE TABLE other.t (id int PRIMARY KEY); CREATE TABLE t (id int PRIMARY KEY)"
    )
    source.run('CREATE TABLE taken (id int PRIMARY KEY); CREATE TABLE cases (id int PRIMARY KEY, "ID" int)')
    source.run("CREATE TABLE log (id int PRIMARY KEY, _operation text); CREATE TABLE bare (id int)")
    source.run("CREATE TABLE nothing (id int PRIMARY KEY); ALTER TABLE nothing REPLICA IDENTITY NOTHING")
    lake.sql("CREATE TABLE taken (id INT)")
    for given, message in WRONG_SYNCS:
        with pytest.raises(Error, match=re.escape(message)):
            lake.sql(f"CREATE SYNC {given.format(c=connection)}")
    assert lake.sql("SHOW SYNCS IN " + lake.schema).fetchall() == []
    assert [row[1] for row in lake.sql("SHOW TABLES").fetchall()] == ["taken"]
    assert (source.slots(), source.run("SELECT * FROM pg_publication")) == ([], [])
    for statement, message in (
        ("EXECUTE SYNC none", "sync lake.{}.none does not exist"),
        ("ALTER SYNC none PAUSE", "sync lake.{}.none does not exist"),
        ("ALTER SYNC none JUMP", "expected one of PAUSE, RESUME, RESYNC, ADD, REMOVE, SET, found JUMP"),
        ("DROP SYNC none", "sync lake.{}.none does not exist"),
        ("DESC SYNC EXTENDED none", "sync lake.{}.none does not exist"),
        ("TEST CONNECTION none", "connection none does not exist"),
        ("DROP CONNECTION none", "connection none does not exist"),
    ):
        with pytest.raises(Error, match=re.escape(message.format(lake.schema))):
            lake.sql(statement)


def test_databases_that_cannot_be_read(lake: Connection, source: Source) -> None:
    store_secret(lake, "wrong", "guess")
    store_secret(lake, "right", "Tr0ub4dor&3")
    address = f"HOST = '{source.server.socket}' DATABASE = '{source.name}'"
    for name, given, message in (
        ("a", f"{address} USER = 'reader' PASSWORD = secret('wrong')", "password authentication failed"),
        ("b", f"{address} USER = 'reader'", "no password supplied"),
        (
            "d",
            f"HOST = '{source.server.socket}' DATABASE = 'none' USER = 'postgres'",
            '"none" does not exist',
        ),
        ("e", "HOST = '127.0.0.1' PORT = 1 DATABASE = 'd' USER = 'u'", "refused"),
        ("f", "HOST = 'host.invalid' DATABASE = 'd' USER = 'u'", "host.invalid"),
    ):
        lake.sql(f"CREATE CONNECTION {source.name}_{name} TYPE = POSTGRESQL {given}")
        with pytest.raises(Error, match=message) as refused:
            lake.sql(f"TEST CONNECTION {source.name}_{name}")
        assert refused.value.hint
        assert "guess" not in str(refused.value)
        with pytest.raises(Error, match=message):
            lake.sql(f"CREATE SYNC s FROM CONNECTION {source.name}_{name} TABLES 'public.t'")
    lake.sql(
        f"CREATE CONNECTION {source.name}_c TYPE = POSTGRESQL {address} USER = 'limited'"
        " PASSWORD = secret('right')"
    )
    with pytest.raises(Error, match="role limited must not replicate"):
        lake.sql(f"CREATE SYNC s FROM CONNECTION {source.name}_c TABLES 'public.t'")
    tested = lake.sql(f"TEST CONNECTION {source.name}_c").arrow().to_pylist()[0]
    assert tested["log_problem"].startswith("role limited must not replicate; ALTER ROLE"), (
        "for batches it will do"
    )
    assert "secret('wrong')" in str(lake.sql(f"DESC CONNECTION {source.name}_a").fetchall())
    assert lake.sql("SHOW SYNCS IN " + lake.schema).fetchall() == []


def test_what_is_lost_is_told_and_mended(lake: Connection, source: Source) -> None:
    source.run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)")
    connection = source.connect_lake(lake)
    lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} TABLES 'public.t'; EXECUTE SYNC s")
    (slot,) = source.slots()
    source.run(f"SELECT pg_drop_replication_slot('{slot}'); INSERT INTO t VALUES (2)")
    with pytest.raises(Error, match=f"the replication slot {slot} does not exist any more"):
        lake.sql("EXECUTE SYNC s")
    shown = lake.sql(f"SHOW SYNCS IN {lake.schema} WHERE state = 'FAILING'").arrow().to_pylist()
    assert [(row["failures"], slot in row["last_error"]) for row in shown] == [(1, True)]
    lake.sql("ALTER SYNC s RESYNC; EXECUTE SYNC s")
    assert sorted(lake.sql("SELECT * FROM t").fetchall()) == [(1,), (2,)]
    source.run("DROP TABLE t; CREATE TABLE u (id int)")
    lake.sql("EXECUTE SYNC s")
    with pytest.raises(Error, match=r"public.t does not exist in the database"):
        lake.sql("ALTER SYNC s RESYNC TABLE 'public.t'")
    with pytest.raises(Error, match=r"public.u is not a table of sync"):
        lake.sql("ALTER SYNC s REMOVE TABLE 'public.u'")
    with pytest.raises(Error, match="is the only table of sync"):
        lake.sql("ALTER SYNC s REMOVE TABLE 'public.t'")
    lake.sql("DROP SYNC s; DROP SYNC IF EXISTS s")
    assert source.slots() == []
