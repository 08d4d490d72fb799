"""Syncs, from each kind of database: one suite for all of them."""

from __future__ import annotations

import pytest

from headrace.connection import Connection
from headrace.errors import Error
from tests.ingest.source_mariadb import MariadbSource
from tests.ingest.source_postgres import Source

Database = Source | MariadbSource


def rows(lake: Connection, query: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in lake.sql(query).fetchall()]


def test_a_mirror_from_creation_to_drop(lake: Connection, database: Database) -> None:
    database.run(
        "CREATE TABLE orders (id int PRIMARY KEY, customer varchar(20), amount numeric(10,2), note text)"
    )
    values = ", ".join(f"({i}, 'c{i % 3}', {i} * 1.5, repeat('x', 5000))" for i in range(1, 11))
    database.run(f"INSERT INTO orders VALUES {values}")
    connection = database.connect_lake(lake)
    assert rows(lake, f"TEST CONNECTION {connection}")[0][1] == 1
    source = f"{database.schema}.orders"
    created = lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} TABLES '{source}'")
    assert created.notices[0] == f"created 1 tables: {source} -> lake.{lake.schema}.orders"
    database.run("UPDATE orders SET amount = 0 WHERE id = 1")
    lake.sql("EXECUTE SYNC s")
    ask = "SELECT id, customer, amount, note FROM orders ORDER BY id"
    assert rows(lake, ask) == database.run(ask)

    database.run("INSERT INTO orders VALUES (11, 'new', 1, NULL), (12, 'gone', 2, '')")
    database.run("UPDATE orders SET amount = -1 WHERE id = 2; UPDATE orders SET id = 30 WHERE id = 3")
    database.run("DELETE FROM orders WHERE id = 12 OR id = 4")
    lake.sql("EXECUTE SYNC s")
    database.run("UPDATE orders SET id = id + 100 WHERE id = 30; INSERT INTO orders VALUES (30, 'b', 1, 'z')")
    assert rows(lake, "EXECUTE SYNC s") == [(1, 1, 2, 1, 0)]
    assert rows(lake, ask) == database.run(ask)
    assert rows(lake, "EXECUTE SYNC s") == [(1, 0, 0, 1, 0)]

    database.run("TRUNCATE TABLE orders; INSERT INTO orders VALUES (1, 'after', 1, NULL)")
    lake.sql("EXECUTE SYNC s")
    assert rows(lake, ask) == database.run(ask)
    database.run("TRUNCATE orders")
    lake.sql("EXECUTE SYNC s")
    assert rows(lake, ask) == []
    described = lake.sql("DESC SYNC EXTENDED s").arrow().to_pylist()[0]
    assert (described["state"], described["phase"], described["key"]) == ("RUNNING", "STREAMING", ["id"])
    assert described["position"] and described["lag_bytes"] is not None
    assert lake.sql("SHOW SYNCS").arrow().to_pylist()[0]["tables"] == 1

    with pytest.raises(Error, match="is used by the sync"):
        lake.sql(f"DROP CONNECTION {connection}")
    lake.sql("DROP SYNC s")
    assert database.kept() == []
    lake.sql(f"DROP CONNECTION {connection}")


def test_rows_without_a_key_and_logs_of_changes(lake: Connection, database: Database) -> None:
    database.run("CREATE TABLE pairs (a int, b varchar(9))")
    database.identify_by_row("pairs")
    database.run("INSERT INTO pairs VALUES (1, 'x'), (1, 'x'), (2, NULL), (2, NULL), (4, 'y')")
    database.run("CREATE TABLE keyed (id int PRIMARY KEY, v varchar(9)); INSERT INTO keyed VALUES (1, 'a')")
    connection = database.connect_lake(lake)
    lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} TABLES '{database.schema}.pairs'; EXECUTE SYNC s")
    lake.sql(
        f"CREATE SYNC l FROM CONNECTION {connection} TABLES '{database.schema}.key*'"
        f" INTO SCHEMA {lake.schema} PREFIX 'log_' MODE = APPEND; EXECUTE SYNC l"
    )
    database.run("DELETE FROM pairs WHERE a = 4; UPDATE pairs SET a = 3 WHERE a = 2")
    database.run("INSERT INTO pairs VALUES (1, 'x'), (5, '')")
    database.run("UPDATE keyed SET v = 'b'; UPDATE keyed SET id = 7; DELETE FROM keyed; TRUNCATE TABLE keyed")
    lake.sql("EXECUTE SYNC s; EXECUTE SYNC l")
    assert sorted(rows(lake, "SELECT * FROM pairs"), key=str) == sorted(
        database.run("SELECT * FROM pairs"), key=str
    )
    assert rows(lake, "SELECT id, _operation FROM log_keyed ORDER BY _position, _sequence") == [
        (1, "snapshot"),
        (1, "update"),
        (1, "delete"),
        (7, "update"),
        (7, "delete"),
        (None, "truncate"),
    ]
    lake.sql("DROP SYNC s; DROP SYNC l")


def test_changes_of_columns(lake: Connection, database: Database) -> None:
    schema, widen = database.schema, "ALTER COLUMN v TYPE" if database.type == "POSTGRESQL" else "MODIFY v"
    retype = "ALTER COLUMN w TYPE int USING 5" if database.type == "POSTGRESQL" else "DROP w, ADD w int"
    database.run("CREATE TABLE a (id int PRIMARY KEY, v int); INSERT INTO a VALUES (1, 1)")
    database.run("CREATE TABLE b (id int PRIMARY KEY); INSERT INTO b VALUES (1)")
    lake.sql(f"CREATE SYNC s FROM CONNECTION {database.connect_lake(lake)} SCHEMA '{schema}'; EXECUTE SYNC s")
    database.run(f"ALTER TABLE a ADD COLUMN w text; ALTER TABLE a {widen} bigint")
    database.run("INSERT INTO a VALUES (2, 2, 'w'); INSERT INTO b VALUES (2)")
    lake.sql("EXECUTE SYNC s")
    assert rows(lake, "SELECT * FROM a ORDER BY id") == [(1, 1, None), (2, 2, "w")]

    for number, (change, reason) in enumerate(
        (
            ("DROP COLUMN v", "column v was dropped or renamed"),
            ("ADD COLUMN x int DEFAULT 7", "column x was added with a default, which older rows have, too"),
            (retype, "column w was text"),
        )
    ):
        database.run(f"ALTER TABLE a {change}; INSERT INTO a (id) VALUES (10 + {number})")
        database.run(f"INSERT INTO b VALUES (10 + {number})")
        (notice,) = lake.sql("EXECUTE SYNC s").notices
        assert f"{schema}.a has changed: {reason}" in notice
        assert f"ALTER SYNC lake.{lake.schema}.s RESYNC TABLE '{schema}.a'" in notice
        assert rows(lake, "SELECT max(id) FROM b") == [(10 + number,)], "the others go on"
        lake.sql(f"ALTER SYNC s RESYNC TABLE '{schema}.a'; EXECUTE SYNC s")
        listed = lake.sql("SELECT * FROM a LIMIT 0").arrow().column_names
        assert sorted(rows(lake, "SELECT * FROM a")) == sorted(
            database.run(f"SELECT {', '.join(listed)} FROM a")
        )
    narrow = "ALTER COLUMN x TYPE" if database.type == "POSTGRESQL" else "MODIFY x"
    for change, reason in (
        ("DROP COLUMN w, ADD COLUMN w int", "column w was dropped or renamed"),
        (f"{narrow} smallint", "column x was int"),
        ("ADD COLUMN y int DEFAULT 5", "column y was added with a default, which older rows have, too"),
    ):
        database.run(f"ALTER TABLE a {change}")
        (notice,) = lake.sql("EXECUTE SYNC s").notices
        assert reason in notice, "the log has no row that says it"
        lake.sql(f"ALTER SYNC s RESYNC TABLE '{schema}.a'; EXECUTE SYNC s")
    asked = "SELECT id, w, x, y FROM a"
    assert sorted(rows(lake, asked), key=str) == sorted(database.run(asked), key=str)
    database.run("CREATE TABLE c (id int PRIMARY KEY); INSERT INTO c VALUES (1)")
    lake.sql(f"ALTER SYNC s ADD TABLE '{schema}.c'; ALTER SYNC s REMOVE TABLE '{schema}.b'; EXECUTE SYNC s")
    assert rows(lake, "SELECT * FROM c") == [(1,)]
    listed = lake.sql("DESC SYNC EXTENDED s").arrow().column("source_table").to_pylist()
    assert listed == [f"{schema}.a", f"{schema}.c"]
    lake.sql("DROP SYNC s")


def test_rows_that_somebody_else_has_changed(lake: Connection, database: Database) -> None:
    database.run("CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1), (2, 2)")
    connection = database.connect_lake(lake)
    lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} TABLES '{database.schema}.t'; EXECUTE SYNC s")
    lake.sql("DELETE FROM t WHERE id = 1")
    database.run("UPDATE t SET v = 9")
    (notice,) = lake.sql("EXECUTE SYNC s").notices
    assert "does not have the rows that its source had" in notice
    lake.sql("ALTER SYNC s RESYNC; EXECUTE SYNC s")
    assert sorted(rows(lake, "SELECT * FROM t")) == [(1, 9), (2, 9)]
    lake.sql("DROP SYNC s")


def test_a_mirror_of_what_is_changed_from_now_on(lake: Connection, database: Database) -> None:
    database.run("CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
    connection = database.connect_lake(lake)
    lake.sql(
        f"CREATE SYNC s FROM CONNECTION {connection} TABLES '{database.schema}.t' START = LATEST;"
        "EXECUTE SYNC s"
    )
    database.run("UPDATE t SET v = 9 WHERE id = 1; DELETE FROM t WHERE id = 2; INSERT INTO t VALUES (4, 4)")
    lake.sql("EXECUTE SYNC s")
    database.run("UPDATE t SET v = 10 WHERE id = 1; DELETE FROM t WHERE id = 4")
    lake.sql("EXECUTE SYNC s")
    assert rows(lake, "SELECT * FROM t") == [(1, 10)]
    lake.sql("DROP SYNC s")


def test_shards_become_one_table(lake: Connection, database: Database) -> None:
    schema = database.schema
    for shard in (1, 2, 3):
        database.run(f"CREATE TABLE orders_{shard} (id int PRIMARY KEY, v varchar(9))")
        database.run(f"INSERT INTO orders_{shard} VALUES (1, 'a{shard}'), (2, 'b{shard}')")
    database.run("CREATE TABLE bare_1 (id int); CREATE TABLE bare_2 (id int)")
    database.run("CREATE TABLE odd_1 (id int PRIMARY KEY); CREATE TABLE odd_2 (id int PRIMARY KEY, v int)")
    connection = database.connect_lake(lake)
    create = f"CREATE SYNC s FROM CONNECTION {connection} TABLES '{schema}.{{}}_*' MODE = SHARD_MERGE"
    with pytest.raises(Error, match="has no primary key"):
        lake.sql(create.format("bare"))
    with pytest.raises(Error, match=r"odd_1 and .*odd_2 have different columns or keys"):
        lake.sql(create.format("odd"))
    lake.sql(f"{create.format('orders')}; ALTER SYNC s REMOVE TABLE '{schema}.orders_3'; EXECUTE SYNC s")

    def expect(*shards: int) -> None:
        columns = lake.sql("SELECT * FROM orders LIMIT 0").arrow().column_names
        own = ", ".join(column for column in columns if column != "_shard")
        wanted = [
            (*row, f"{schema}.orders_{shard}")
            for shard in shards
            for row in database.run(f"SELECT {own} FROM orders_{shard}")
        ]
        assert sorted(rows(lake, f"SELECT {own}, _shard FROM orders"), key=str) == sorted(wanted, key=str)

    expect(1, 2)
    database.run("UPDATE orders_1 SET v = 'x' WHERE id = 1; DELETE FROM orders_2 WHERE id = 1")
    database.run("UPDATE orders_2 SET id = 9; INSERT INTO orders_1 VALUES (9, 'n')")
    lake.sql(f"EXECUTE SYNC s; ALTER SYNC s ADD TABLE '{schema}.orders_3'; EXECUTE SYNC s")
    expect(1, 2, 3)
    database.run("TRUNCATE TABLE orders_1; INSERT INTO orders_1 VALUES (5, 'after'); TRUNCATE TABLE orders_2")
    database.run("ALTER TABLE orders_3 ADD COLUMN w int; UPDATE orders_3 SET w = 7")
    lake.sql("EXECUTE SYNC s")
    assert rows(lake, "SELECT id, v, w FROM orders ORDER BY w, id") == [
        (5, "after", None),
        (1, "a3", 7),
        (2, "b3", 7),
    ]
    lake.sql(
        f"DELETE FROM orders WHERE id < 5; ALTER SYNC s RESYNC TABLE '{schema}.orders_3'; EXECUTE SYNC s"
    )
    for shard in (1, 2):
        database.run(f"ALTER TABLE orders_{shard} ADD COLUMN w int")
    expect(1, 2, 3)
    positions = lake.sql("DESC SYNC EXTENDED s").arrow().column("position").to_pylist()
    assert len(set(positions)) == 1
    lake.sql("DROP SYNC s")
