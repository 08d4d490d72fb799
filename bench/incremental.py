"""Incremental refreshes against what one would write by hand, and against themselves on larger tables."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable
from typing import Any

from bench.measures import ROUNDS, ROWS, WARM_UP, Measure, alternate, jobs_so_far, seconds
from headrace.connection import Connection

GETTIME = "SELECT id, ts, date_format(ts, 'HH:mm') AS event_time FROM {table}"
TOTALS = "SELECT g, count(*) AS n, sum(amount) AS total FROM {table} GROUP BY g"
CHANGED = 100


def incremental(lake: Connection) -> list[Measure]:
    return [*projection(lake), *aggregate(lake), *growth(lake)]


def make(lake: Connection, table: str, rows: int, groups: int = 1000) -> None:
    lake.sql(f"CREATE TABLE {table} (id BIGINT, g INT, amount DECIMAL(10,2), ts TIMESTAMP)")
    lake.sql(
        f"INSERT INTO {table} SELECT id, CAST(id % {groups} AS INT), CAST(id % 977 AS DECIMAL(10,2)), "
        f"timestamp_seconds(id) FROM range({rows})"
    )


def insert(lake: Connection, table: str, rows: int) -> None:
    first = 10**9 + next(_NUMBERS) * 1000
    lake.run(
        f"INSERT INTO {table} SELECT {first} + id, CAST(id % 50 AS INT), 1, timestamp_seconds(id) "
        f"FROM range({rows})"
    )


_NUMBERS = itertools.count()


def create(lake: Connection, name: str, query: str) -> None:
    lake.sql(f"CREATE DYNAMIC TABLE {name} REFRESH_MODE = INCREMENTAL AS {query}")
    lake.sql(f"REFRESH DYNAMIC TABLE {name}")


def refreshed_after(lake: Connection, name: str, change: Callable[[], object]) -> float:
    change()
    return seconds(lambda: lake.run(f"REFRESH DYNAMIC TABLE {name}"))


def jobs_after(lake: Connection, name: str, change: Callable[[], object]) -> int:
    change()
    before = jobs_so_far(lake)
    lake.run(f"REFRESH DYNAMIC TABLE {name}")
    return jobs_so_far(lake) - before


def projection(lake: Connection) -> list[Measure]:
    make(lake, "events", ROWS)
    query = GETTIME.format(table="events")
    create(lake, "event_gettime", query)
    lake.sql(f"CREATE TABLE by_hand AS {query}")
    spark: Any = lake.sql("SELECT 1").spark().sparkSession

    def one() -> None:
        insert(lake, "events", 1)

    ours, theirs = [], []
    for _ in range(WARM_UP + ROUNDS):
        ours.append(refreshed_after(lake, "event_gettime", one))
        row = "SELECT 1L, timestamp_seconds(1), date_format(timestamp_seconds(1), 'HH:mm')"
        theirs.append(seconds(lambda row=row: spark.sql(f"INSERT INTO by_hand {row}")))
    name = f"insert-only projection, 1 row into {ROWS:,}"
    return [
        Measure(name, "s", _median(ours), _median(theirs), "<= 1.2x an append", 1.2),
        Measure("Spark jobs of it", "", jobs_after(lake, "event_gettime", one), None, "1", 1),
    ]


def aggregate(lake: Connection) -> list[Measure]:
    make(lake, "sales", ROWS)
    create(lake, "totals", TOTALS.format(table="sales"))
    lake.sql(f"CREATE TABLE totals_by_hand AS {TOTALS.format(table='sales')}")
    spark: Any = lake.sql("SELECT 1").spark().sparkSession
    ours, theirs = [], []
    for _ in range(WARM_UP + ROUNDS):
        before = _head(lake, "sales")
        ours.append(refreshed_after(lake, "totals", lambda: insert(lake, "sales", CHANGED)))
        after = _head(lake, "sales")

        def by_hand(before: int = before, after: int = after) -> None:
            reader = spark.read.format("iceberg").option("start-snapshot-id", before)
            reader.option("end-snapshot-id", after).load("lake.public.sales").createOrReplaceTempView("new")
            spark.sql(
                f"MERGE INTO totals_by_hand t USING ({TOTALS.format(table='new')}) d ON t.g = d.g "
                "WHEN MATCHED THEN UPDATE SET n = t.n + d.n, total = t.total + d.total "
                "WHEN NOT MATCHED THEN INSERT *"
            )

        theirs.append(seconds(by_hand))
    jobs = jobs_after(lake, "totals", lambda: insert(lake, "sales", CHANGED))
    name = f"aggregate, {CHANGED} rows into {ROWS:,}, 1,000 groups"
    return [
        Measure(name, "s", _median(ours), _median(theirs), "<= 0.8x MERGE by hand", 0.8),
        Measure("Spark jobs of it", "", jobs, None, "<= 3", 3),
    ]


def growth(lake: Connection) -> list[Measure]:
    """The same change: in a table of ten times the rows, with a result of ten times the groups."""
    make(lake, "sales_large", 10 * ROWS)
    create(lake, "totals_large", TOTALS.format(table="sales_large"))
    make(lake, "sales_wide", ROWS, groups=10_000)
    create(lake, "totals_wide", TOTALS.format(table="sales_wide"))
    measures = []
    for name, table in (("base", "large"), ("result", "wide")):
        larger, usual = alternate(
            lambda table=table: _timed_refresh(lake, f"sales_{table}", f"totals_{table}"),
            lambda: _timed_refresh(lake, "sales", "totals"),
        )
        measures.append(
            Measure(f"aggregate, {name} 10x larger (insert included)", "s", larger, usual, "<= 1.2x", 1.2)
        )
    return measures


def _timed_refresh(lake: Connection, source: str, table: str) -> None:
    insert(lake, source, CHANGED)
    lake.run(f"REFRESH DYNAMIC TABLE {table}")


def _head(lake: Connection, table: str) -> int:
    refs = lake.sql(f"SELECT snapshot_id FROM lake.public.{table}.refs WHERE name = 'main'")
    ((snapshot_id,),) = refs.fetchall()
    return int(snapshot_id)


def _median(times: list[float]) -> float:
    return statistics.median(times[WARM_UP:])
