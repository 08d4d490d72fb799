"""Flink maintains the layers: a job that does not end reads the changes of the orders and writes to Iceberg.

The orders are a changelog of JSON files (Debezium's format), to which each round adds one, and the layers
are Iceberg tables. Flink commits to them at a checkpoint; a round takes one as soon as the job has read the
changes, in place of waiting for the next of an interval. The state is in RocksDB.
"""

from __future__ import annotations

import socket
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
from pyflink.common import Configuration
from pyflink.table import EnvironmentSettings, TableEnvironment

from bench.peers.conversation import RoundDone, RoundTask, answer, bytes_written, file_sizes
from bench.peers.layers import LAYER_COLUMNS, LAYERS, ORDER_COLUMNS
from bench.peers.programs.flink_changelog import write_changelog
from bench.peers.programs.flink_job import FlinkJob

SETTINGS = {
    "parallelism.default": "2",
    "state.backend.type": "rocksdb",
    "taskmanager.memory.managed.size": "1gb",
    "execution.checkpointing.interval": "1 d",
    "execution.checkpointing.timeout": "1 h",
    "execution.checkpointing.incremental": "true",
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "200 ms",
    "table.exec.mini-batch.size": "20000",
    "table.optimizer.reuse-optimize-block-with-digest-enabled": "true",
    "metrics.fetcher.update-interval": "50",
    "rest.bind-address": "127.0.0.1",
    "rest.address": "127.0.0.1",
}
KEYS = {"order_facts": "order_id", "category_sales": "category", "category_ranking": "category"}
STREAMING = LAYERS | {
    "category_ranking": "SELECT category, sales, place FROM (SELECT category, sales, "
    "ROW_NUMBER() OVER (ORDER BY sales DESC) AS place FROM category_sales) WHERE place <= 1000"
}
"""There is no rank() over a stream. This is Flink's form of a ranking, equal unless sales are equal."""


class Pipeline:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._changelog, self._products = directory / "orders", directory / "products"
        self._warehouse = directory / "warehouse"
        for each in (self._changelog, self._products, self._warehouse):
            each.mkdir(parents=True)
        self._port = _free_port()
        settings = SETTINGS | {
            "rest.port": str(self._port),
            "execution.checkpointing.dir": f"file://{directory / 'checkpoints'}",
        }
        self._stream = self._environment(EnvironmentSettings.new_instance().in_streaming_mode(), settings)
        self._batch = self._environment(EnvironmentSettings.new_instance().in_batch_mode(), {})
        self._job: FlinkJob | None = None
        self._rows = 0

    def update(self, task: RoundTask) -> RoundDone:
        if task.changes is None:
            rows = write_changelog(f"SELECT *, 1 AS weight FROM '{task.source('orders')}'", self._staged, 2)
            self._write_products(task.source("products"))
        else:
            rows = write_changelog(f"FROM '{task.changes}' ORDER BY weight", self._staged, 1)
        self._rows += rows
        before = file_sizes(self._directory)
        start = time.perf_counter()
        self._staged.rename(self._changelog / f"{task.number}")
        self._job = self._job or self._start_job()
        self._job.wait_for_rows(self._rows)
        self._job.checkpoint([self._warehouse / "layers" / layer for layer in LAYERS])
        seconds = time.perf_counter() - start
        done = RoundDone(seconds, rows, bytes_written(before, file_sizes(self._directory)))
        for layer in LAYERS:
            self._export(layer, task)
        return done

    @property
    def _staged(self) -> Path:
        return self._directory / "staged"

    def _environment(self, kind: Any, settings: dict[str, str]) -> TableEnvironment:
        configuration = Configuration()
        for name, value in settings.items():
            configuration.set_string(name, value)
        environment = TableEnvironment.create(kind.with_configuration(configuration).build())
        environment.execute_sql(
            "CREATE CATALOG lake WITH ('type' = 'iceberg', 'catalog-type' = 'hadoop', "
            f"'warehouse' = 'file://{self._warehouse}')"
        )
        return environment

    def _write_products(self, files: str) -> None:
        file = self._products / "rows.csv"
        with duckdb.connect() as connection:
            connection.execute(
                f"COPY (SELECT product_id, category FROM '{files}') TO '{file}' (FORMAT csv, HEADER false)"
            )

    def _start_job(self) -> FlinkJob:
        run = self._stream.execute_sql
        run(
            f"CREATE TEMPORARY TABLE orders ({_declared(ORDER_COLUMNS)}) WITH ('connector' = 'filesystem', "
            f"'path' = 'file://{self._changelog}', 'format' = 'debezium-json', "
            "'source.monitor-interval' = '20 ms')"
        )
        run(
            "CREATE TEMPORARY TABLE products (product_id BIGINT, category STRING) WITH "
            f"('connector' = 'filesystem', 'path' = 'file://{self._products}', 'format' = 'csv')"
        )
        run("CREATE DATABASE lake.layers")
        inserts = self._stream.create_statement_set()
        for layer, query in STREAMING.items():
            run(f"CREATE TEMPORARY VIEW {layer} AS {query}")
            run(
                f"CREATE TABLE lake.layers.{layer} ({_declared(LAYER_COLUMNS[layer])}, "
                f"PRIMARY KEY ({KEYS[layer]}) NOT ENFORCED) WITH "
                "('format-version' = '2', 'flink.max-continuous-empty-commits' = '1')"
            )
            inserts.add_insert_sql(f"INSERT INTO lake.layers.{layer} SELECT * FROM {layer}")
        client: Any = inserts.execute().get_job_client()
        return FlinkJob(self._port, str(client.get_job_id()), "orders")

    def _export(self, layer: str, task: RoundTask) -> None:
        """By a batch job, which merges the data files with the delete files."""
        self._batch.execute_sql(
            f"CREATE TEMPORARY TABLE exported ({_declared(LAYER_COLUMNS[layer])}) WITH "
            f"('connector' = 'filesystem', 'path' = 'file://{task.result(layer)}', 'format' = 'csv')"
        )
        self._batch.execute_sql(f"INSERT INTO exported SELECT * FROM lake.layers.{layer}").wait()
        self._batch.execute_sql("DROP TEMPORARY TABLE exported")
        _add_headers(task.result(layer), ",".join(LAYER_COLUMNS[layer]))


def _add_headers(directory: Path, header: str) -> None:
    """To the files of Flink, whose names have no extension."""
    for place, file in enumerate([each for each in directory.iterdir() if each.is_file()]):
        with file.open() as rows, (directory / f"{place}.csv").open("w") as named:
            named.write(f"{header}\n")
            named.writelines(rows)
        file.unlink()


def _declared(columns: dict[str, str]) -> str:
    return ", ".join(f"{name} {type_.replace('VARCHAR', 'STRING')}" for name, type_ in columns.items())


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


if __name__ == "__main__":
    answer(Pipeline(Path(sys.argv[1])).update)
