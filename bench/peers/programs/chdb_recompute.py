"""chDB, which is ClickHouse in a process, computes each layer from all rows and writes it as Parquet."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from chdb.session import Session

from bench.peers.conversation import RoundDone, RoundTask, answer, bytes_of
from bench.peers.layers import LAYERS, SOURCES

session = Session(sys.argv[1])


def update(task: RoundTask) -> RoundDone:
    for table in SOURCES:
        _create_view(table, task.source(table))
    start = time.perf_counter()
    for layer, query in LAYERS.items():
        directory = task.result(layer)
        directory.mkdir(parents=True)
        file = directory / "rows.parquet"
        session.query(f"INSERT INTO FUNCTION file('{file}', Parquet) {query}")
        _create_view(layer, str(file))
    seconds = time.perf_counter() - start
    return RoundDone(seconds, None, bytes_of(Path(task.results)))


def _create_view(name: str, files: str) -> None:
    session.query(f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM file('{files}', Parquet)")


if __name__ == "__main__":
    answer(update)
