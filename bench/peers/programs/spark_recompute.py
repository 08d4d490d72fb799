"""Spark as it is shipped computes each layer from all rows and writes it as Parquet."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from bench.peers.conversation import RoundDone, RoundTask, answer, bytes_of
from bench.peers.layers import LAYERS, SOURCES

spark = (
    SparkSession.builder.master("local[*]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.host", "127.0.0.1")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")


def update(task: RoundTask) -> RoundDone:
    rows_before = _rows_read()
    start = time.perf_counter()
    for table in SOURCES:
        spark.read.parquet(str(Path(task.source(table)).parent)).createOrReplaceTempView(table)
    for layer, query in LAYERS.items():
        directory = str(task.result(layer))
        spark.sql(query).write.parquet(directory)
        spark.read.parquet(directory).createOrReplaceTempView(layer)
    seconds = time.perf_counter() - start
    return RoundDone(seconds, _rows_read() - rows_before, bytes_of(Path(task.results)))


def _rows_read() -> int:
    """From files, by all tasks since the start."""
    context: Any = spark.sparkContext
    context._jsc.sc().listenerBus().waitUntilEmpty()
    no_quantiles = context._gateway.new_array(context._jvm.double, 0)
    stages = context._jsc.sc().statusStore().stageList(None, False, False, no_quantiles, None)
    return sum(stages.apply(place).inputRecords() for place in range(stages.size()))


if __name__ == "__main__":
    answer(update)
    spark.stop()
