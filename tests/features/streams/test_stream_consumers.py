"""Many who consume, and long histories: what streams tell, put together, is what happened."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

import headrace
from headrace import errors
from headrace.connection import Connection
from headrace.model.names import TableName
from tests import internals
from tests.features.streams.streaming import changes
from tests.oracle import PlainSpark
from tests.refresh.random_changes import change, creation, tables_in
from tests.refresh.schema_evolution import Evolution
from tests.sampling import fresh_seeds

CONSUMERS = 3
COMMITS = 12
COMPACT = "CALL lake.system.rewrite_data_files('{table}', options => map('rewrite-all', 'true'))"


@pytest.mark.parametrize("shared", [False, True], ids=["connections", "one connection"])
def test_no_change_is_consumed_twice(lake: Connection, shared: bool) -> None:
    """Each has a table of its own, so that no other writer stands in its way."""
    schema = lake.schema
    lake.sql("CREATE TABLE t (id INT, v STRING); CREATE TABLE STREAM s ON TABLE t")
    lake.sql("CREATE VIEW over_s AS SELECT id FROM s")
    for number in range(CONSUMERS):
        lake.sql(f"CREATE TABLE target{number} (id INT)")
    written = threading.Event()

    def write() -> None:
        with headrace.connect(lake.lake_path) as own:
            for number in range(COMMITS):
                own.sql(f"INSERT INTO {schema}.t VALUES ({2 * number}, 'a'), ({2 * number + 1}, 'b')")
        written.set()

    def consume(number: int) -> None:
        own = lake if shared else headrace.connect(lake.lake_path)
        last = False
        while not last:
            last = written.is_set()
            own.sql(f"INSERT INTO {schema}.target{number} SELECT id FROM {schema}.over_s")
        if not shared:
            own.close()

    with ThreadPoolExecutor(CONSUMERS + 1) as threads:
        for done in [threads.submit(write), *(threads.submit(consume, n) for n in range(CONSUMERS))]:
            done.result()
    every = " UNION ALL ".join(f"SELECT id FROM target{number}" for number in range(CONSUMERS))
    arrived = [row[0] for row in lake.sql(f"SELECT id FROM ({every}) ORDER BY id").fetchall()]
    assert arrived == list(range(2 * COMMITS))
    assert changes(lake, "s") == []


def test_waiting_has_an_end(lake: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.sql("CREATE TABLE t (id INT); CREATE TABLE STREAM s ON TABLE t; CREATE TABLE target (id INT)")
    context = internals.statement_context(lake)
    stream = context.lake.store.streams.find(context.session.resolve(("s",)))
    assert stream is not None
    monkeypatch.setattr(type(context.lake), "settings", FewSeconds())
    with context.lake.alone_with_streams([stream]), pytest.raises(errors.StreamBusy) as caught:
        lake.sql("INSERT INTO target SELECT id FROM s")
    assert caught.value.message.startswith("timed out after waiting 0.1 seconds: ")


class FewSeconds:
    refresh_wait_seconds = 0.1


@pytest.mark.parametrize("seed", fresh_seeds("commands/replayed streams", 30, share=0.1))
def test_replayed_changes_make_the_table(lake: Connection, seed: int) -> None:
    """Of tables of both formats, written in both ways, consumed and altered now and then.

    A value belongs to its column whatever that is called: the same ALTER of a copy leads to the same rows.
    """
    rng = Random(seed)
    tables = tables_in(rng, lake.schema)
    lake.sql(creation(rng, tables))
    evolutions = {table: Evolution(rng, columns) for table, columns in tables.items()}
    for table in tables:
        lake.sql(f"CREATE TABLE {table}_then AS SELECT * FROM {table}")
        lake.sql(f"CREATE TABLE STREAM {table}_s ON TABLE {table}")
        lake.sql(f"CREATE TABLE {table}_log AS SELECT * FROM {table}_s")
    said = []
    for _ in range(6):
        said.append(change(rng, tables))
        lake.sql(said[-1])
        for table in tables:
            if rng.random() < 0.2:
                lake.sql(COMPACT.format(table=table))
            if rng.random() < 0.5:
                lake.sql(f"INSERT INTO {table}_log BY NAME SELECT * FROM {table}_s")
            if rng.random() < 0.2:
                said += altered(lake, table, evolutions[table])
    for table in tables:
        lake.sql(f"INSERT INTO {table}_log BY NAME SELECT * FROM {table}_s")
        columns = ", ".join(evolutions[table].present)
        came = logged(str(table), columns, "INSERT", "UPDATE_AFTER")
        went = logged(str(table), columns, "DELETE", "UPDATE_BEFORE")
        now = f"SELECT {columns} FROM {table} UNION ALL {went}"
        told = f"SELECT {columns} FROM {table}_then UNION ALL {came}"
        plain = PlainSpark(lake)
        assert plain.rows(now) == plain.rows(told), ";\n".join(said)


def altered(lake: Connection, table: TableName, evolution: Evolution) -> list[str]:
    """With the table, the copy of its rows and what was consumed."""
    statements = evolution.statements()
    for statement in statements:
        for name in (f"{table}", f"{table}_then", f"{table}_log"):
            lake.sql(statement.format(table=name))
    return [statement.format(table=table) for statement in statements]


def logged(table: str, columns: str, *kinds: str) -> str:
    listed = ", ".join(f"'{kind}'" for kind in kinds)
    return f"SELECT {columns} FROM {table}_log WHERE __change_type IN ({listed})"
