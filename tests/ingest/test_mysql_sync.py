"""What is particular to syncs from MySQL and MariaDB; test_syncs.py has what they share with others."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from headrace.connection import Connection
from headrace.errors import Error
from tests.ingest.killed_sync import Writer, make_tables
from tests.ingest.source_mariadb import MariadbSource
from tests.ingest.test_batch_syncs import expect_same_by_batch
from tests.ingest.test_syncs import rows
from tests.internals import chunks_of, lock_tables_for_snapshots

VALUES = {
    "tinyint": ("int", "-128", -128),
    "tinyint(1)": ("int", "2", 2),
    "tinyint unsigned": ("int", "255", 255),
    "smallint unsigned": ("int", "65535", 65535),
    "mediumint": ("int", "-8388608", -8388608),
    "mediumint unsigned": ("int", "16777215", 16777215),
    "int": ("int", "-2147483648", -(2**31)),
    "int unsigned": ("bigint", "4294967295", 2**32 - 1),
    "bigint": ("bigint", "-9223372036854775808", -(2**63)),
    "bigint unsigned": ("decimal(20,0)", "18446744073709551615", Decimal(2**64 - 1)),
    "decimal(20,5)": ("decimal(20,5)", "-123456789012345.12345", Decimal("-123456789012345.12345")),
    "decimal(38,0)": ("decimal(38,0)", "9" * 38, Decimal("9" * 38)),
    "decimal(6,6)": ("decimal(6,6)", "-0.000001", Decimal("-0.000001")),
    "decimal(65,30)": ("string", f"-{'9' * 35}.{'1' * 30}", f"-{'9' * 35}.{'1' * 30}"),
    "float": ("float", "16777217", 16777216.0),
    "double": ("double", "0.1", 0.1),
    "double(20,3)": ("double", "-1e15", -1e15),
    "date": ("date", "'0001-01-01'", date(1, 1, 1)),
    "date /* zero */": ("date", "'0000-00-00'", None),
    "date /* no day */": ("date", "'2024-05-00'", None),
    "datetime": ("timestamp_ntz", "'2024-02-29 23:59:59'", datetime(2024, 2, 29, 23, 59, 59)),  # noqa: DTZ001
    "datetime(6)": (
        "timestamp_ntz",
        "'9999-12-31 23:59:59.999999'",
        datetime(9999, 12, 31, 23, 59, 59, 999999),  # noqa: DTZ001  (it has no zone)
    ),
    "datetime(3) /* zero */": ("timestamp_ntz", "'0000-00-00 00:00:00'", None),
    "timestamp(6) null": (
        "timestamp",
        "'2024-03-31 02:30:00.000001'",
        datetime(2024, 3, 31, 0, 30, 0, 1, tzinfo=UTC),
    ),
    "timestamp null": ("timestamp", "'2038-01-19 05:14:07'", datetime(2038, 1, 19, 3, 14, 7, tzinfo=UTC)),
    "timestamp null /* zero */": ("timestamp", "'0000-00-00 00:00:00'", None),
    "time": ("string", "'-838:59:59'", "-838:59:59"),
    "time(3)": ("string", "'-00:00:00.5'", "-00:00:00.500"),
    "time(6)": ("string", "'12:34:56.000001'", "12:34:56.000001"),
    "year": ("int", "2155", 2155),
    "year /* zero */": ("int", "0", 0),
    "char(4)": ("string", "'c'", "c"),
    "varchar(300)": ("string", "'quote '' \" \\\\ \n ü 😀  '", "quote ' \" \\ \n ü 😀  "),
    "varchar(9) character set latin1": ("string", "'Zoë €'", "Zoë €"),
    "varchar(9) character set utf16": ("string", "'Zoë €'", "Zoë €"),
    "text": ("string", "''", ""),
    "longtext": ("string", "repeat('é', 40000)", "é" * 40000),
    "json": ("string", '\'{"a": [1, null, "é"]}\'', '{"a": [1, null, "é"]}'),
    "enum('sad','ok','ü')": ("string", "'ü'", "ü"),
    "set('a','b','c')": ("string", "'c,a'", "a,c"),
    "set('x','y')": ("string", "''", ""),
    "bit(1)": ("string", "b'1'", "1"),
    "bit(13)": ("string", "b'101'", "0000000000101"),
    "bit(64)": ("string", "b'1'", f"{1:064b}"),
    "binary(4)": ("binary", "x'00FF'", b"\x00\xff\x00\x00"),
    "varbinary(4)": ("binary", "x'00FF00'", b"\x00\xff\x00"),
    "varbinary(300)": ("binary", "x''", b""),
    "blob": ("binary", "x'DEADBEEF'", b"\xde\xad\xbe\xef"),
}
"""Of each type: that of the table, a value, and how it arrives."""


def test_types_arrive_exactly_first_and_later(lake: Connection, mariadb: MariadbSource) -> None:
    columns = ", ".join(f"c{place} {kind}" for place, kind in enumerate(VALUES))
    computed = "twice int AS (id * 2), thrice int AS (id * 3) STORED"
    mariadb.run(f"CREATE TABLE types (id int PRIMARY KEY, {computed}, {columns})")
    given = ", ".join(text for _, text, _ in VALUES.values())
    named = ", ".join(["id", *(f"c{place}" for place in range(len(VALUES)))])
    session = "SET sql_mode = 'NO_ENGINE_SUBSTITUTION', time_zone = '+02:00'; "
    insert = f"{session}INSERT INTO types ({named}) VALUES ({{}}, {given}); INSERT INTO types (id) VALUES"
    mariadb.run(f"{insert.replace('{}', '1')} (2)")
    connection = mariadb.connect_lake(lake)
    lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} TABLES '{mariadb.name}.types'; EXECUTE SYNC s")
    mariadb.run(f"{insert.replace('{}', '3')} (4)")
    lake.sql("EXECUTE SYNC s")
    kinds = [row[1] for row in lake.sql("DESC types").fetchall()][1:]
    assert kinds == [kind for kind, _, _ in VALUES.values()]
    found = lake.sql("SELECT * FROM types ORDER BY id").arrow().to_pylist()
    wanted = {f"c{place}": value for place, (_, _, value) in enumerate(VALUES.values())}
    empty = dict.fromkeys(wanted)
    for key, row in ((1, wanted), (2, empty), (3, wanted), (4, empty)):
        for name, value in row.items():
            assert (key, name, found[key - 1][name]) == (key, name, value), list(VALUES)[int(name[1:])]
    expect_same_by_batch(lake, connection, f"{mariadb.name}.types")
    lake.sql("DROP SYNC s")


@pytest.mark.parametrize("is_locked", [False, True])
def test_keys_in_the_order_of_the_database(
    lake: Connection, mariadb: MariadbSource, monkeypatch: pytest.MonkeyPatch, is_locked: bool
) -> None:
    """Chunks of three rows, whose keys compare by a collation, with changes in all parts of the table."""
    if is_locked:
        lock_tables_for_snapshots(monkeypatch)
    mariadb.run("CREATE TABLE t (day date, name varchar(9), v int, PRIMARY KEY (day, name))")
    names = ("a", "B", "ç", "D", "é", "z''", "\\\\")
    values = ", ".join(f"('2024-01-0{1 + place % 2}', '{name}', 1)" for place, name in enumerate(names))
    mariadb.run(f"INSERT INTO t VALUES {values}")
    connection = mariadb.connect_lake(lake)
    lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} TABLES '{mariadb.name}.t'")
    mariadb.run("UPDATE t SET v = 2 WHERE name IN ('b', 'E'); UPDATE t SET name = 'zz' WHERE name = 'D'")
    with chunks_of(3):
        lake.sql("EXECUTE SYNC s")
    assert sorted(rows(lake, "SELECT * FROM t")) == sorted(mariadb.run("SELECT * FROM t"))
    mariadb.run("UPDATE t SET name = upper(name); DELETE FROM t WHERE name = 'a'")
    lake.sql("EXECUTE SYNC s")
    assert sorted(rows(lake, "SELECT * FROM t")) == sorted(mariadb.run("SELECT * FROM t"))
    lake.sql("DROP SYNC s")


@pytest.mark.parametrize("is_locked", [False, True])
def test_first_rows_under_writes_that_do_not_stop(
    lake: Connection, mariadb: MariadbSource, monkeypatch: pytest.MonkeyPatch, is_locked: bool
) -> None:
    """A mirror is equal to its source, and a log of changes leads to it, with no change missing or twice."""
    if is_locked:
        lock_tables_for_snapshots(monkeypatch)
    make_tables(mariadb, 200)
    connection = mariadb.connect_lake(lake)
    writer = Writer(mariadb, seed=1)
    writer.start()
    for name, mode in (("m", "MIRROR"), ("l", "APPEND")):
        lake.sql(
            f"CREATE SYNC {name} FROM CONNECTION {connection} TABLES '{mariadb.name}.orders'"
            f" INTO SCHEMA {lake.schema} PREFIX '{name}_' MODE = {mode}"
        )
    with chunks_of(80):
        lake.sql("EXECUTE SYNC m; EXECUTE SYNC l")
        writer.stop()
        lake.sql("EXECUTE SYNC m; EXECUTE SYNC l")
    wanted = sorted(mariadb.run("SELECT id, k, v FROM orders"))
    assert sorted(rows(lake, "SELECT id, k, v FROM m_orders")) == wanted
    state: dict[object, tuple[object, ...]] = {}
    log = "SELECT _operation, id, k, v FROM l_orders ORDER BY _position, _sequence"
    for operation, key, *values in rows(lake, log):
        assert key not in state or operation not in ("snapshot", "insert"), f"{key} is there twice"
        if operation == "delete":
            del state[key]
        else:
            state[key] = (key, *values)
    assert sorted(state.values(), key=str) == sorted(wanted, key=str)
    lake.sql("DROP SYNC m; DROP SYNC l")


def test_changes_after_a_place_of_the_log(lake: Connection, mariadb: MariadbSource) -> None:
    mariadb.run("CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1)")
    ((file, offset, *_),) = mariadb.run("SHOW MASTER STATUS")
    mariadb.run("INSERT INTO t VALUES (2, 2), (3, 3); DELETE FROM t WHERE id = 3")
    create = f"CREATE SYNC s FROM CONNECTION {mariadb.connect_lake(lake)} TABLES '{mariadb.name}.t' START ="
    for wrong, message in (
        ("'yesterday'", "'yesterday' is not a position of the log"),
        (f"'{file}:999999999'", "does not have the place"),
        ("'binlog.999999:4'", "does not have the place"),
        (f"'{file}:{offset + 1}'", "MySQL: "),
        ("NOW", "START must be SNAPSHOT, LATEST or a position in quotes, found NOW"),
    ):
        with pytest.raises(Error, match=message):
            lake.sql(f"{create} {wrong}")
    assert lake.sql("SHOW TABLES").fetchall() == []
    lake.sql(f"{create} '{file}:{offset}'; EXECUTE SYNC s")
    assert rows(lake, "SELECT * FROM t") == [(2, 2)]
    lake.sql("DROP SYNC s")
