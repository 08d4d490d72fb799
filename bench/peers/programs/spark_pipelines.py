"""Spark Declarative Pipelines: the layers are materialized views, which each run of the pipeline recomputes.

The session stays open between runs, as that of the other peers does; ``spark-pipelines run`` would start
Spark each time.
"""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

from pyspark.pipelines.cli import load_pipeline_spec, register_definitions
from pyspark.pipelines.spark_connect_graph_element_registry import SparkConnectGraphElementRegistry
from pyspark.pipelines.spark_connect_pipeline import (
    create_dataflow_graph,
    handle_pipeline_events,
    start_run,
)
from pyspark.sql import SparkSession

from bench.peers.conversation import RoundDone, RoundTask, answer, bytes_of
from bench.peers.layers import LAYERS, SOURCES

project = Path(sys.argv[1])
warehouse = project / "warehouse"
spec_file = project / "spark-pipeline.yml"
SPEC = """
name: peers
storage: file://{project}/storage
libraries:
  - glob:
      include: layers.sql
"""
spark = (
    SparkSession.builder.remote("local[*]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.sql.warehouse.dir", str(warehouse))
    .getOrCreate()
)


def update(task: RoundTask) -> RoundDone:
    project.mkdir(parents=True, exist_ok=True)
    spec_file.write_text(SPEC.format(project=project))
    (project / "layers.sql").write_text(_definitions(task))
    start = time.perf_counter()
    _run()
    seconds = time.perf_counter() - start
    for layer in LAYERS:
        shutil.copytree(warehouse / layer, task.result(layer))
    return RoundDone(seconds, None, bytes_of(Path(task.results)))


def _definitions(task: RoundTask) -> str:
    sources = (
        f"CREATE TEMPORARY VIEW {table} AS SELECT * FROM parquet.`{Path(task.source(table)).parent}`;\n"
        for table in SOURCES
    )
    layers = (f"CREATE MATERIALIZED VIEW {layer} AS {query};\n" for layer, query in LAYERS.items())
    return "".join((*sources, *layers))


def _run() -> None:
    """As ``spark-pipelines run``, in the session that is open."""
    spec = load_pipeline_spec(spec_file)
    graph = create_dataflow_graph(spark, spec.catalog, spec.database, spec.configuration)
    registry = SparkConnectGraphElementRegistry(spark, graph)
    register_definitions(spec_file, registry, spec, spark, graph)
    events = start_run(
        spark,
        graph,
        full_refresh=[],
        full_refresh_all=False,
        refresh=[],
        dry=False,
        storage=spec.storage,
    )
    handle_pipeline_events(events)


if __name__ == "__main__":
    answer(update)
    spark.stop()
