"""The order in which the files of a run are started: one process of the run takes a file as a whole.

What a file prepares for all of its tests (a broker, a server, tables of 200,000 rows) is so made once. Long
files come first, so that no process is left with one at the end.
"""

from __future__ import annotations

import pytest

LONG_FILES = (
    "tests/refresh/test_rows_read.py",
    "tests/ingest/test_kafka_pipes.py",
    "tests/refresh/test_partition_refresh.py",
    "tests/delta/test_rules.py",
    "tests/studio/test_browser_on_spark.py",
    "tests/refresh/test_operators.py",
    "tests/soak/test_soak.py",
    "tests/refresh/test_tpch.py",
    "tests/refresh/test_explained_stages.py",
    "tests/refresh/test_crash.py",
    "tests/refresh/test_group_extremes.py",
    "tests/server/test_on_spark.py",
    "tests/refresh/test_random_queries.py",
    "dbt-headrace/tests/functional/test_dynamic_table.py",
    "tests/catalog/test_postgres.py",
    "tests/features/streams/test_streams.py",
    "tests/ingest/test_killed_mariadb_sync.py",
    "tests/refresh/test_refresh.py",
    "tests/test_wheels.py",
    "tests/refresh/test_two_refreshers.py",
    "tests/sandbox/test_attempts.py",
    "tests/refresh/test_fallback.py",
    "tests/ingest/test_killed_postgres_sync.py",
    "tests/refresh/test_arguments.py",
    "tests/cluster/test_standalone.py",
    "tests/refresh/test_renamed_columns.py",
    "tests/features/streams/test_stream_crash.py",
    "tests/refresh/test_pipeline.py",
    "tests/server/test_two_servers.py",
    "tests/seeds/test_tasks.py",
)
"""Those that take more than 20 seconds on an idle machine. Files with processes of their own, which wait for
them, lie between files that compute."""


def file_of(node: str) -> str:
    """Of the name of a test."""
    return node.split("::", 1)[0]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {file: number for number, file in enumerate(LONG_FILES)}
    items.sort(key=lambda item: place.get(file_of(item.nodeid), len(place)))
