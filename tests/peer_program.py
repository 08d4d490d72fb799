"""A program of a peer for the tests of the benchmark; the name of its directory says what it does.

``reference`` writes sources and results, ``equal`` the same results as CSV, ``different`` one wrong row,
``failing`` ends with an error in the second round, ``silent`` never answers; both have a child process.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import duckdb
from bench.peers.conversation import RoundDone, RoundTask, answer
from bench.peers.layers import LAYERS, SOURCES

directory = Path(sys.argv[1])
kind = directory.name
connection = duckdb.connect()


def update(task: RoundTask) -> RoundDone:
    if kind in ("failing", "silent") and task.number == 0:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        directory.with_suffix(".child").write_text(str(child.pid))
    if kind == "silent":
        time.sleep(600)
    if kind == "failing" and task.number == 1:
        raise ValueError("no more rounds")
    if kind == "reference":
        write_sources(task)
    elif (task.changes is None) != (task.number == 0):
        raise ValueError(f"changes in round {task.number}: {task.changes}")
    for table in SOURCES:
        connection.execute(f"CREATE OR REPLACE VIEW {table} AS FROM '{task.source(table)}'")
    for layer, query in LAYERS.items():
        connection.execute(f"CREATE OR REPLACE TABLE {layer} AS {query}")
        write_result(layer, task)
    return RoundDone(0.1 + task.number, None, 1000)


def write_sources(task: RoundTask) -> None:
    orders = (
        "SELECT i AS order_id, i % 7 AS product_id, 1 AS quantity, CAST(i / 4 AS DECIMAL(10,2)) AS amount, "
        f"'new' AS status FROM range({task.rows + task.number}) orders(i)"
    )
    products = "SELECT i AS product_id, 'category ' || i % 3 AS category FROM range(7) products(i)"
    for table, query in zip(SOURCES, (orders, products), strict=True):
        (Path(task.sources) / table).mkdir(parents=True)
        connection.execute(f"COPY ({query}) TO '{Path(task.sources) / table / 'rows.parquet'}'")


def write_result(layer: str, task: RoundTask) -> None:
    if kind == "different" and layer == "category_ranking" and task.number == 1:
        connection.execute(f"UPDATE {layer} SET sales = sales + 0.01 WHERE category = 'category 1'")
    task.result(layer).mkdir(parents=True)
    form = "parquet" if kind == "reference" else "csv"
    connection.execute(f"COPY {layer} TO '{task.result(layer) / f'rows.{form}'}' (FORMAT {form})")


if __name__ == "__main__":
    answer(update)
