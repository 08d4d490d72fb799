"""Refreshes of tiny tables, and of three layers of any size, against a bare append of one row."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bench.measures import Measure, seconds
from bench.pipeline import LAYERS, create_layers, refresh_layers
from headrace.connection import Connection

ROUNDS = 15
WARM_UP = 10
ROWS = 40
SIZES = (20_000, 1_000_000)
_NUMBERS = itertools.count(1000)
QUERIES = {
    "copy": "SELECT id, g, amount * 2 AS doubled FROM tiny",
    "sums": "SELECT g, count(*) AS n, sum(amount) AS total FROM tiny GROUP BY g",
    "extremes": "SELECT g, min(amount) AS least, max(amount) AS most FROM tiny GROUP BY g",
    "join": "SELECT t.id, t.amount, g.name FROM tiny t JOIN tiny_groups g ON t.g = g.g",
    "latest": "SELECT id, g FROM (SELECT *, row_number() OVER (PARTITION BY g ORDER BY id DESC) AS place "
    "FROM tiny) WHERE place = 1",
}


@dataclass(frozen=True)
class Append:
    """A row that plain Spark writes to a table of its own; takes turns with what it is compared with."""

    lake: Connection

    def create(self) -> None:
        self.lake.run("CREATE TABLE bare (id BIGINT, g INT, amount DECIMAL(10,2))")
        self.lake.run("INSERT INTO bare VALUES (0, 0, 0)")

    def __call__(self) -> None:
        spark: Any = self.lake.sql("SELECT 1").spark().sparkSession
        spark.sql("INSERT INTO lake.public.bare SELECT 1L, 1, CAST(1 AS DECIMAL(10,2))")


def fixed_cost(lake: Connection) -> list[Measure]:
    append = Append(lake)
    append.create()
    return [*_tiny(lake, append), *_layers(lake, append)]


def _tiny(lake: Connection, append: Append) -> list[Measure]:
    lake.run("CREATE TABLE tiny (id BIGINT, g INT, amount DECIMAL(10,2))")
    lake.run("CREATE TABLE tiny_groups (g INT, name STRING)")
    lake.run(f"INSERT INTO tiny SELECT id, CAST(id % 5 AS INT), id FROM range({ROWS})")
    lake.run("INSERT INTO tiny_groups SELECT id, concat('group ', id) FROM range(5)")
    for name, query in QUERIES.items():
        lake.sql(f"CREATE DYNAMIC TABLE tiny_{name} REFRESH_MODE = INCREMENTAL AS {query}")
        lake.run(f"REFRESH DYNAMIC TABLE tiny_{name}")
    measures = []
    for change in (_insert, _update):
        taken: dict[str, list[float]] = {name: [] for name in (*QUERIES, "append")}
        for _ in range(WARM_UP + ROUNDS):
            change(lake)
            for name in QUERIES:
                taken[name].append(seconds(lambda name=name: lake.run(f"REFRESH DYNAMIC TABLE tiny_{name}")))
            taken["append"].append(seconds(append))
        kind = change.__name__.strip("_")
        measures += [
            Measure(
                f"{ROWS}-row tables, {name}, {kind}",
                "ms",
                _milliseconds(taken[name]),
                _milliseconds(taken["append"]),
                "<= 2x a bare append",
                2,
            )
            for name in QUERIES
        ]
    return measures


def _insert(lake: Connection) -> None:
    number = next(_NUMBERS)
    lake.run(f"INSERT INTO tiny VALUES ({number}, {number % 5}, {number % 97})")


def _update(lake: Connection) -> None:
    lake.run(f"UPDATE tiny SET amount = amount + 1 WHERE id = {next(_NUMBERS) % ROWS}")


def _layers(lake: Connection, append: Append) -> list[Measure]:
    measures = []
    for orders in SIZES:
        change = create_layers(lake, orders)
        ours, theirs = _in_turns(change, lambda: refresh_layers(lake), append)
        name = f"three layers, mixed change, {orders:,} orders"
        measures.append(Measure(name, "ms", ours, theirs, "<= 5x a bare append", 5))
        for layer in reversed(LAYERS):
            lake.run(f"DROP DYNAMIC TABLE {layer}")
        lake.sql("DROP TABLE big_orders; DROP TABLE big_products")
    return measures


def _in_turns(
    change: Callable[[], None], one: Callable[[], None], other: Callable[[], None]
) -> tuple[float, float]:
    pairs = []
    for _ in range(WARM_UP + ROUNDS):
        change()
        pairs.append((seconds(one), seconds(other)))
    return _milliseconds([a for a, _ in pairs]), _milliseconds([b for _, b in pairs])


def _milliseconds(times: list[float]) -> float:
    return 1000 * statistics.median(times[WARM_UP:])
