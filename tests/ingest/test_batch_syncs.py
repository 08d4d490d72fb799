"""Syncs in batches, from each kind of database: one suite for all of them."""

from __future__ import annotations

import threading
from collections import Counter

import pytest

import headrace
from headrace.connection import Connection
from tests.ingest.test_syncs import Database, rows
from tests.refresh.test_arguments import mode


def create(lake: Connection, database: Database, tables: str, options: str = "", name: str = "s") -> None:
    listed = ", ".join(f"'{database.schema}.{table}'" for table in tables.split())
    connection = database.connect_lake(lake)
    lake.sql(f"CREATE SYNC {name} FROM CONNECTION {connection} TABLES {listed} MODE = BATCH {options}")


def run(lake: Connection, name: str = "s") -> int:
    """How many rows came, went or changed."""
    ((rounds, _, changes, _, stopped),) = rows(lake, f"EXECUTE SYNC {name}")
    assert (rounds, stopped) == (1, 0)
    return int(str(changes))


def expect_same_by_batch(lake: Connection, connection: str, source: str) -> None:
    """A batch sync reads the same rows as the table ``types`` has, and finds them equal."""
    lake.sql(
        f"CREATE SYNC b FROM CONNECTION {connection} TABLES '{source}' INTO SCHEMA {lake.schema}"
        " PREFIX 'batch_' MODE = BATCH"
    )
    assert run(lake, "b") == 4
    one, other = "SELECT * FROM types", "SELECT * FROM batch_types"
    assert rows(lake, f"({one} EXCEPT ALL {other}) UNION ALL ({other} EXCEPT ALL {one})") == []
    assert rows(lake, "DESC batch_types") == rows(lake, "DESC types")
    assert run(lake, "b") == 0
    lake.sql("DROP SYNC b")


def bag(found: list[tuple[object, ...]]) -> Counter[tuple[object, ...]]:
    return Counter(map(tuple, found))


def test_the_difference_is_written_and_nothing_else(lake: Connection, database: Database) -> None:
    database.run("CREATE TABLE orders (id int PRIMARY KEY, v int, name varchar(20))")
    database.run("INSERT INTO orders VALUES (1, 1, 'a'), (2, 2, NULL), (3, 3, 'c'), (4, NULL, 'd')")
    create(lake, database, "orders")
    assert run(lake) == 4
    ask, ids = "SELECT * FROM orders ORDER BY id", "SELECT id, _row_id FROM orders"
    assert rows(lake, ask) == database.run(ask)
    before = dict(rows(lake, ids))
    lake.sql(
        "CREATE DYNAMIC TABLE d REFRESH_MODE = INCREMENTAL AS"
        " SELECT id % 2 AS k, sum(v) AS v FROM orders GROUP BY 1; REFRESH DYNAMIC TABLE d"
    )
    database.run("UPDATE orders SET v = 20, name = 'b' WHERE id = 2; DELETE FROM orders WHERE id = 3")
    database.run("INSERT INTO orders VALUES (5, 5, '')")
    assert run(lake) == 3
    assert rows(lake, ask) == database.run(ask)
    after = dict(rows(lake, ids))
    assert (after[1], after[4]) == (before[1], before[4])
    assert mode(lake, "d") == "INCREMENTAL"
    assert sorted(rows(lake, "SELECT * FROM d")) == [(0, 20), (1, 6)]
    assert run(lake) == 0
    assert kept_for(database) == []
    database.run("DELETE FROM orders")
    assert run(lake) == 4, "no rows are the truth, too"
    assert rows(lake, ask) == []
    assert run(lake) == 0
    lake.sql("DROP SYNC s")


def kept_for(database: Database) -> list[str]:
    """A batch sync needs nothing in the database."""
    return list(database.kept())


def test_rows_without_a_key(lake: Connection, database: Database) -> None:
    database.run("CREATE TABLE pairs (a int, b varchar(9))")
    database.run("INSERT INTO pairs VALUES (1, 'x'), (1, 'x'), (1, 'x'), (2, NULL), (2, NULL), (3, 'y')")
    create(lake, database, "pairs")
    assert run(lake) == 6
    identities = {row[1] for row in rows(lake, "SELECT a, _row_id FROM pairs WHERE a = 2")}
    database.run("DELETE FROM pairs WHERE a = 1; INSERT INTO pairs VALUES (1, 'x'), (3, 'y'), (4, NULL)")
    assert run(lake) == 2 + 1 + 1
    ask = "SELECT * FROM pairs"
    assert bag(rows(lake, ask)) == bag(database.run(ask))
    assert {row[1] for row in rows(lake, "SELECT a, _row_id FROM pairs WHERE a = 2")} == identities
    lake.sql("INSERT INTO pairs VALUES (9, 'somebody else'); DELETE FROM pairs WHERE a = 4")
    assert run(lake) == 2
    assert bag(rows(lake, ask)) == bag(database.run(ask))
    lake.sql("DROP SYNC s")


def test_rows_by_a_watermark(lake: Connection, database: Database) -> None:
    database.run("CREATE TABLE t (id int PRIMARY KEY, v int, changed timestamp NULL)")
    database.run(
        "INSERT INTO t VALUES (1, 1, '2024-05-01 10:00:00'), (2, 2, '2024-05-01 10:00:00'), (3, 3, NULL)"
    )
    create(lake, database, "t", "WATERMARK = 'changed'")
    assert run(lake) == 3
    described = lake.sql("DESC SYNC EXTENDED s").arrow().to_pylist()[0]
    assert (described["phase"], described["position"]) == ("WATERMARK", "run 1, 2024-05-01 10:00:00")
    shown = lake.sql("SHOW SYNCS").arrow().to_pylist()[0]
    assert (shown["follows_deletes"], shown["commit_interval_in_seconds"]) == (False, None)

    # a tie with the last watermark, an unknown one, a late row with an older one, and a deleted row
    database.run("INSERT INTO t VALUES (4, 4, '2024-05-01 10:00:00'), (5, 5, NULL)")
    database.run("INSERT INTO t VALUES (6, 6, '2024-05-01 09:00:00'); UPDATE t SET v = 33 WHERE id = 3")
    database.run("DELETE FROM t WHERE id = 1")
    assert run(lake) == 3
    assert sorted(rows(lake, "SELECT id, v FROM t")) == [(1, 1), (2, 2), (3, 33), (4, 4), (5, 5)]
    database.run("UPDATE t SET v = 22, changed = '2024-05-02 00:00:00' WHERE id = 2")
    assert run(lake) == 1
    assert run(lake) == 0
    database.run("DELETE FROM t WHERE id = 2")
    assert run(lake) == 0
    assert lake.sql("DESC SYNC EXTENDED s").arrow().to_pylist()[0]["position"] == "run 5, 2024-05-02 00:00:00"
    lake.sql("ALTER SYNC s RESYNC")
    assert run(lake) == 1 + 1 + 1, "rows that are gone, and the late one"
    ask = "SELECT * FROM t ORDER BY id"
    assert [row[:2] for row in rows(lake, ask)] == [row[:2] for row in database.run(ask)]
    lake.sql("DROP SYNC s")


def test_columns_that_change(lake: Connection, database: Database) -> None:
    is_postgres = database.type == "POSTGRESQL"
    widen = "ALTER COLUMN v TYPE bigint" if is_postgres else "MODIFY v bigint"
    retype = "ALTER w DROP DEFAULT, ALTER w TYPE int USING 5" if is_postgres else "DROP w, ADD w int"
    database.run("CREATE TABLE a (id int PRIMARY KEY, v int); INSERT INTO a VALUES (1, 1)")
    database.run("CREATE TABLE b (id int PRIMARY KEY); INSERT INTO b VALUES (1)")
    create(lake, database, "a b")
    run(lake)
    database.run(f"ALTER TABLE a ADD COLUMN w varchar(9) DEFAULT 'old'; ALTER TABLE a {widen}")
    database.run("INSERT INTO a VALUES (2, 2, 'w')")
    assert run(lake) == 2
    assert sorted(rows(lake, "SELECT * FROM a")) == [(1, 1, "old"), (2, 2, "w")], "all rows are read"

    database.run(f"ALTER TABLE a {retype}; INSERT INTO b VALUES (2)")
    (notice,) = lake.sql("EXECUTE SYNC s").notices
    assert f"{database.schema}.a has changed: column w was string and is int" in notice
    assert f"ALTER SYNC lake.{lake.schema}.s RESYNC TABLE '{database.schema}.a'" in notice
    assert sorted(rows(lake, "SELECT * FROM b")) == [(1,), (2,)], "the others go on"
    assert sorted(rows(lake, "SELECT * FROM a")) == [(1, 1, "old"), (2, 2, "w")], "and it stays as it was"
    states = [row["state"] for row in lake.sql("DESC SYNC EXTENDED s").arrow().to_pylist()]
    assert states == ["STOPPED", "RUNNING"]
    lake.sql(f"ALTER SYNC s RESYNC TABLE '{database.schema}.a'")
    run(lake)
    assert sorted(rows(lake, "SELECT id, v, w FROM a"), key=str) == sorted(
        database.run("SELECT id, v, w FROM a"), key=str
    )
    database.run("ALTER TABLE a RENAME TO elsewhere")
    assert "does not exist in the database any more" in lake.sql("EXECUTE SYNC s").notices[0]
    database.run("ALTER TABLE elsewhere RENAME TO a; CREATE TABLE c (id int); INSERT INTO c VALUES (7)")
    assert run(lake) == 0, "it goes on by itself when it is there again"
    lake.sql(f"ALTER SYNC s ADD TABLE '{database.schema}.c'; ALTER SYNC s REMOVE TABLE '{database.schema}.b'")
    database.run("DROP TABLE b")
    run(lake)
    assert rows(lake, "SELECT * FROM c") == [(7,)]
    another = "DROP CONSTRAINT a_pkey" if is_postgres else "DROP PRIMARY KEY"
    database.run(f"ALTER TABLE a {another}; INSERT INTO a (id, v) VALUES (2, 3)")
    assert run(lake) == 1
    assert bag(rows(lake, "SELECT id, v, w FROM a")) == bag(database.run("SELECT id, v, w FROM a"))
    lake.sql("DROP SYNC s")


@pytest.mark.share(0.2, suite="single tests")
def test_two_runs_at_the_same_time(lake: Connection, database: Database) -> None:
    """As on two servers, one of which was late."""
    database.run("CREATE TABLE t (a int, v int); INSERT INTO t VALUES (1, 1), (1, 1), (2, 2)")
    create(lake, database, "t")

    def execute() -> None:
        with headrace.connect(lake.lake_path) as other:
            other.sql(f"USE {lake.schema}; EXECUTE SYNC s")

    threads = [threading.Thread(target=execute) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(rows(lake, "SELECT * FROM t")) == [(1, 1), (1, 1), (2, 2)]
    assert lake.sql("DESC SYNC EXTENDED s").arrow().to_pylist()[0]["position"] == "run 3"
    lake.sql("DROP SYNC s")
