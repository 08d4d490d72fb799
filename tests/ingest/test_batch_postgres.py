"""What is particular to batch syncs from PostgreSQL; test_batch_syncs.py has what they share with others."""

from __future__ import annotations

import pytest

from headrace.connection import Connection
from tests.ingest.killed_sync import Writer
from tests.ingest.source_postgres import Source
from tests.ingest.test_batch_syncs import bag, create, run
from tests.ingest.test_syncs import rows
from tests.internals import pages_of_a_partition


@pytest.mark.share(0.2, suite="single tests")
def test_parts_of_a_table_are_read_at_one_moment(lake: Connection, source: Source) -> None:
    """Rows move between the parts all the time, and the sum that each transaction keeps is never broken."""
    source.run("CREATE TABLE t (id int, v int) WITH (fillfactor = 50)")
    source.run("INSERT INTO t SELECT i, 100 FROM generate_series(1, 20000) i")
    create(lake, source, "t", "PARTITIONS = 4")
    writer = Moving(source, 1)
    writer.start()
    with pages_of_a_partition(4):
        for _ in range(4):
            lake.sql("EXECUTE SYNC s")
            assert rows(lake, "SELECT count(*), count(DISTINCT id), sum(v) FROM t") == [
                (20000, 20000, 2_000_000)
            ]
    writer.stop()
    assert writer.transactions > 3
    with pages_of_a_partition(4):
        run(lake)
    assert bag(rows(lake, "SELECT * FROM t")) == bag(source.run("SELECT * FROM t"))
    lake.sql("DROP SYNC s")


class Moving(Writer):
    """Each update writes rows to another page."""

    writes = (
        "UPDATE t SET v = CASE WHEN id % 2 = 0 THEN v + 1 ELSE v - 1 END"
        " WHERE id BETWEEN {v} * 6 + 2 AND {v} * 6 + 201",
    )


def test_partitioned_tables_and_roles_without_rights(lake: Connection, source: Source) -> None:
    source.run("CREATE TABLE p (id int, v int) PARTITION BY RANGE (id)")
    source.run("CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (1000)")
    source.run("CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (1000) TO (9000)")
    source.run("INSERT INTO p SELECT i, i FROM generate_series(0, 8999) i")
    source.run("GRANT SELECT ON p TO limited; CREATE TABLE secret (id int)")
    connection = source.connect_lake(lake, "limited")
    lake.sql(f"CREATE SYNC s FROM CONNECTION {connection} TABLES 'public.p' MODE = BATCH")
    with pages_of_a_partition(4):
        assert run(lake) == 9000
    assert bag(rows(lake, "SELECT * FROM p")) == bag(source.run("SELECT * FROM p"))

    lake.sql("ALTER SYNC s ADD TABLE 'public.secret'")
    source.run("INSERT INTO p VALUES (1, -1)")
    (notice,) = lake.sql("EXECUTE SYNC s").notices
    assert "permission denied for table secret; GRANT SELECT on the tables" in notice
    assert rows(lake, "SELECT count(*) FROM p") == [(9001,)]
    lake.sql("ALTER SYNC s REMOVE TABLE 'public.secret'")
    source.run("ALTER TABLE p ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON p USING (id < 5)")
    (notice,) = lake.sql("EXECUTE SYNC s").notices
    assert "row-level security" in notice
    assert rows(lake, "SELECT count(*) FROM p") == [(9001,)], "what a policy hides is not gone"
    lake.sql("DROP SYNC s")


def test_a_value_that_does_not_fit(lake: Connection, source: Source) -> None:
    source.run("CREATE TABLE t (id int PRIMARY KEY, d date); INSERT INTO t VALUES (1, '2024-01-01')")
    create(lake, source, "t")
    run(lake)
    source.run("DELETE FROM t; INSERT INTO t VALUES (2, '2024-01-02'), (3, 'infinity')")
    (notice,) = lake.sql("EXECUTE SYNC s").notices
    assert "column d of public.t has the value 'infinity', which date cannot represent" in notice
    assert rows(lake, "SELECT id FROM t") == [(1,)]
    source.run("DELETE FROM t WHERE id = 3")
    assert run(lake) == 2
    assert rows(lake, "SELECT id FROM t") == [(2,)]
    lake.sql("DROP SYNC s")
