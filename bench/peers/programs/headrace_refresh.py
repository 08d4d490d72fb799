"""Headrace refreshes each layer; its process also changes the sources and writes them for the others."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import headrace
from bench.growth.changes import KINDS, Round
from bench.growth.data import create_tables
from bench.peers.conversation import RoundDone, RoundTask, answer, bytes_written, file_sizes
from bench.peers.layers import LAYERS, SOURCES

path = Path(sys.argv[1])
lake = headrace.connect(path)


def update(task: RoundTask) -> RoundDone:
    if task.number == 0:
        create_tables(lake, task.rows)
        for layer, query in LAYERS.items():
            lake.sql(f"CREATE DYNAMIC TABLE {layer} AS {query}")
    else:
        Round(task.rows, task.number - 1, KINDS["mixed-spread"]).apply(lake)
    before = file_sizes(path)
    start = time.perf_counter()
    rows_read = sum(_refresh(layer) for layer in LAYERS)
    seconds = time.perf_counter() - start
    done = RoundDone(seconds, rows_read, bytes_written(before, file_sizes(path)))
    for table in SOURCES:
        _export(table, Path(task.sources) / table)
    for layer in LAYERS:
        _export(layer, task.result(layer))
    return done


def _refresh(layer: str) -> int:
    result = lake.run(f"REFRESH DYNAMIC TABLE {layer}")
    (row,) = result.fetchall()
    return int(dict(zip(result.columns, row, strict=True))["rows_read"] or 0)


def _export(table: str, directory: Path) -> None:
    rows: Any = lake.sql(f"SELECT * FROM {table}").spark()
    rows.write.parquet(str(directory))


if __name__ == "__main__":
    answer(update)
    lake.close()
