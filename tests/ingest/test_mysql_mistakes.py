"""What can be wrong with a MySQL server: one clear message each, and nothing half-done."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from headrace.connection import Connection
from headrace.errors import Error, OperationalError
from headrace.ingest.cdc.mysql.server_settings import expect_settings
from tests.ingest.source_mariadb import PASSWORD, MariadbSource
from tests.ingest.test_syncs import rows
from tests.internals import store_secret
from tests.server.served import until

GOOD = {
    "log_bin": "ON",
    "binlog_format": "ROW",
    "binlog_row_image": "FULL",
    "binlog_row_metadata": "FULL",
    "log_bin_compress": "OFF",
}


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"log_bin": "OFF"}, "log_bin of the server is OFF, so the server has no log of changes"),
        ({"binlog_format": "MIXED"}, "binlog_format of the server is MIXED, so its log has statements"),
        ({"binlog_row_image": "MINIMAL"}, "does not have all columns of changed rows"),
        ({"binlog_row_metadata": "MINIMAL"}, "unsigned numbers would be read wrongly"),
        ({"log_bin_compress": "ON"}, "its log is compressed"),
        ({"binlog_transaction_compression": "ON"}, "its log is compressed"),
        ({"binlog_row_value_options": "PARTIAL_JSON"}, "its log has parts of JSON values"),
    ],
)
def test_settings(setting: dict[str, str], message: str) -> None:
    expect_settings(GOOD)
    with pytest.raises(OperationalError, match=message) as refused:
        expect_settings(GOOD | setting)
    assert refused.value.hint is not None and "in the configuration of the server" in refused.value.hint
    with pytest.raises(OperationalError, match="the server is too old"):
        expect_settings({name: value for name, value in GOOD.items() if name != "binlog_row_metadata"})


def test_servers_that_cannot_be_read(lake: Connection, mariadb: MariadbSource) -> None:
    store_secret(lake, "wrong", "guess")
    store_secret(lake, "right", PASSWORD)
    nowhere = mariadb.address.replace(f"'{mariadb.name}'", "'none'")
    for name, given, message in (
        ("a", f"{mariadb.address} USER = 'reader' PASSWORD = secret('wrong')", "Access denied for user"),
        ("b", f"{mariadb.address} USER = 'reader'", "Access denied for user"),
        ("d", f"{nowhere} USER = 'reader' PASSWORD = secret('right')", "Unknown database 'none'"),
        ("e", "HOST = '127.0.0.1' PORT = 1 DATABASE = 'd' USER = 'u'", "refused"),
        ("f", "HOST = 'host.invalid' DATABASE = 'd' USER = 'u'", "host.invalid"),
    ):
        connection = f"{mariadb.name}_{name}"
        lake.sql(f"CREATE CONNECTION {connection} TYPE = MYSQL {given}")
        with pytest.raises(Error, match=message) as refused:
            lake.sql(f"TEST CONNECTION {connection}")
        assert refused.value.hint
        assert "guess" not in str(refused.value)
        with pytest.raises(Error, match=message):
            lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} TABLES 'a.t'")
    limited = mariadb.connect_lake(lake, "limited")
    with pytest.raises(Error, match="Access denied; you need"):
        lake.sql(f"CREATE SYNC s FROM CONNECTION {limited} TABLES 'a.t'")
    tested = lake.sql(f"TEST CONNECTION {limited}").arrow().to_pylist()[0]
    assert "Access denied; you need" in tested["log_problem"], "for batches it will do"
    assert lake.sql("SHOW SYNCS IN " + lake.schema).fetchall() == []


def test_tables_that_cannot_be_synced(lake: Connection, mariadb: MariadbSource) -> None:
    mariadb.run(
        "CREATE TABLE old (id int PRIMARY KEY) ENGINE = MyISAM; CREATE TABLE ids (id uuid PRIMARY KEY)"
    )
    mariadb.run("CREATE TABLE swedish (id int PRIMARY KEY, t varchar(9) CHARACTER SET swe7)")
    mariadb.run("CREATE TABLE t (id int PRIMARY KEY)")
    connection, name = mariadb.connect_lake(lake), mariadb.name
    for table, message in (
        ("none", f"no table of the database fits {name}.none"),
        ("old", "cannot be synced: its engine MyISAM has no transactions"),
        ("ids", "column id has the type uuid, which is not supported"),
        ("swedish", "column t has the character set swe7, which is not supported"),
    ):
        with pytest.raises(Error, match=message):
            lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} TABLES '{name}.t', '{name}.{table}'")
    with (
        _global(mariadb, "binlog_row_metadata", "MINIMAL"),
        pytest.raises(Error, match="is MINIMAL, so its log"),
    ):
        lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} TABLES '{name}.t'")
    assert lake.sql("SHOW SYNCS IN " + lake.schema).fetchall() == []
    assert lake.sql("SHOW TABLES").fetchall() == []


@contextmanager
def _global(mariadb: MariadbSource, setting: str, value: str) -> Iterator[None]:
    ((before,),) = mariadb.run(f"SELECT @@GLOBAL.{setting}")
    mariadb.run(f"SET GLOBAL {setting} = '{value}'")
    try:
        yield
    finally:
        mariadb.run(f"SET GLOBAL {setting} = '{before}'")


def test_what_the_log_does_not_have_stops_a_table_alone(lake: Connection, mariadb: MariadbSource) -> None:
    breaks = {
        "dropped": ("DROP TABLE dropped", "it was dropped, renamed or replaced"),
        "moved": ("RENAME TABLE moved TO elsewhere", "it was dropped, renamed or replaced"),
        "stated": (
            "SET SESSION binlog_format = 'STATEMENT'; UPDATE stated SET v = 2",
            "binlog_format must be ROW in all sessions",
        ),
        "partly": (
            "SET SESSION binlog_row_image = 'MINIMAL'; UPDATE partly SET v = 2",
            "binlog_row_image must be FULL in all sessions",
        ),
        "twice": (
            "XA START 'x'; UPDATE twice SET v = 2; XA END 'x'; XA PREPARE 'x'; XA COMMIT 'x'",
            "XA transactions are not supported",
        ),
    }
    for table in (*breaks, "well"):
        mariadb.run(f"CREATE TABLE {table} (id int PRIMARY KEY, v int); INSERT INTO {table} VALUES (1, 1)")
    connection = mariadb.connect_lake(lake)
    lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} SCHEMA '{mariadb.name}'; EXECUTE SYNC s")
    for statement, _ in breaks.values():
        mariadb.run(statement)
    mariadb.run("UPDATE well SET v = 2")
    notices = lake.sql("EXECUTE SYNC s").notices
    for table, (_, reason) in breaks.items():
        (told,) = [each for each in notices if each.startswith(f"{mariadb.name}.{table} is stopped")]
        assert reason in told and "RESYNC" in told
    assert rows(lake, "SELECT * FROM well") == [(1, 2)]
    lake.sql(f"ALTER SYNC s RESYNC TABLE '{mariadb.name}.twice'; EXECUTE SYNC s")
    assert rows(lake, "SELECT * FROM twice") == [(1, 2)]
    lake.sql("DROP SYNC s")


def test_a_log_that_is_gone(lake: Connection, mariadb: MariadbSource) -> None:
    mariadb.run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)")
    connection = mariadb.connect_lake(lake)
    lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} TABLES '{mariadb.name}.t'; EXECUTE SYNC s")
    older = lake.sql("DESC HISTORY t").arrow().to_pylist()[0]["version"]
    mariadb.run("INSERT INTO t VALUES (2)")
    lake.sql("EXECUTE SYNC s")
    lake.sql(f"RESTORE TABLE t TO VERSION AS OF {older}")
    lake.sql("EXECUTE SYNC s")
    assert sorted(rows(lake, "SELECT * FROM t")) == [(1,), (2,)], "the log is still there"
    mariadb.run("INSERT INTO t VALUES (3); FLUSH BINARY LOGS")
    ((last, *_),) = mariadb.run("SHOW MASTER STATUS")
    until(lambda: mariadb.run(f"PURGE BINARY LOGS TO '{last}'; SHOW BINARY LOGS")[0][0] == last, 60)
    (notice,) = lake.sql("EXECUTE SYNC s").notices
    assert "the database does not keep its log from there on" in notice
    assert sorted(rows(lake, "SELECT * FROM t")) == [(1,), (2,)]
    lake.sql("ALTER SYNC s RESYNC; EXECUTE SYNC s")
    assert sorted(rows(lake, "SELECT * FROM t")) == [(1,), (2,), (3,)]
    mariadb.run("RESET MASTER")
    with pytest.raises(Error, match="MySQL: ") as lost:
        lake.sql("EXECUTE SYNC s")
    assert lost.value.hint is not None and "RESYNC" in lost.value.hint
    lake.sql("ALTER SYNC s RESYNC; EXECUTE SYNC s")
    assert sorted(rows(lake, "SELECT * FROM t")) == [(1,), (2,), (3,)]
    mariadb.run("INSERT INTO t VALUES (4)")
    lake.sql("EXECUTE SYNC s")
    created = time.time()
    until(lambda: time.time() - created > 1, 10, "another second")
    mariadb.run("RESET MASTER; INSERT INTO t VALUES (5); INSERT INTO t VALUES (6)")
    with pytest.raises(Error, match="the binary log has begun again") as lost:
        lake.sql("EXECUTE SYNC s")
    assert lost.value.hint is not None and "RESYNC" in lost.value.hint
    lake.sql("ALTER SYNC s RESYNC; EXECUTE SYNC s")
    assert len(rows(lake, "SELECT * FROM t")) == 6
    lake.sql("DROP SYNC s")
