"""DuckDB computes each layer from all rows and writes it as Parquet."""

from __future__ import annotations

import time
from pathlib import Path

import duckdb

from bench.peers.conversation import RoundDone, RoundTask, answer, bytes_of
from bench.peers.layers import LAYERS, SOURCES

connection = duckdb.connect()


def update(task: RoundTask) -> RoundDone:
    for table in SOURCES:
        connection.execute(
            f"CREATE OR REPLACE VIEW {table} AS SELECT * FROM read_parquet('{task.source(table)}')"
        )
    start = time.perf_counter()
    for layer, query in LAYERS.items():
        directory = task.result(layer)
        directory.mkdir(parents=True)
        connection.execute(f"COPY ({query}) TO '{directory / 'rows.parquet'}' (FORMAT parquet)")
        connection.execute(
            f"CREATE OR REPLACE VIEW {layer} AS SELECT * FROM read_parquet('{directory / 'rows.parquet'}')"
        )
    seconds = time.perf_counter() - start
    return RoundDone(seconds, None, bytes_of(Path(task.results)))


if __name__ == "__main__":
    answer(update)
