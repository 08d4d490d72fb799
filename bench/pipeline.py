"""Three layers on many orders: a few changes against recomputing everything."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

from bench.measures import Measure, seconds
from headrace.connection import Connection

ORDERS = 10_000_000
LAYERS = {
    "dwd_orders": "SELECT o.order_id, p.category, p.name, o.quantity, o.amount "
    "FROM big_orders o JOIN big_products p ON o.product_id = p.product_id WHERE o.status = 'completed'",
    "dws_category": "SELECT category, count(*) AS orders, sum(quantity) AS quantity, sum(amount) AS gmv, "
    "avg(amount) AS avg_price FROM {dwd_orders} GROUP BY category",
    "ads_ranking": "SELECT category, gmv, rank() OVER (ORDER BY gmv DESC) AS place FROM {dws_category}",
}
_NUMBERS = itertools.count(1)


def create_layers(lake: Connection, orders: int) -> Callable[[], None]:
    """Fills the layers; what is returned changes some of the orders."""
    lake.sql("CREATE TABLE big_products (product_id BIGINT, name STRING, category STRING)")
    lake.sql(
        "INSERT INTO big_products "
        "SELECT id, concat('product ', id), concat('category ', id % 40) FROM range(1000)"
    )
    lake.sql(
        "CREATE TABLE big_orders (order_id BIGINT, product_id BIGINT, quantity INT, amount DECIMAL(10,2), "
        "status STRING)"
    )
    lake.sql(
        "INSERT INTO big_orders SELECT id, id * 7919 % 1000, CAST(id % 5 + 1 AS INT), "
        "CAST(id % 997 AS DECIMAL(10,2)), IF(id % 4 = 0, 'cancelled', 'completed') "
        f"FROM range({orders})"
    )
    own = {name: name for name in LAYERS}
    for name, query in LAYERS.items():
        lake.sql(f"CREATE DYNAMIC TABLE {name} AS {query.format(**own)}")
        lake.sql(f"REFRESH DYNAMIC TABLE {name}")
    return partial(_change, lake, orders)


def pipeline(lake: Connection, orders: int = ORDERS, goal: float = 10) -> list[Measure]:
    change = create_layers(lake, orders)
    for _ in range(3):
        change()
        refresh_layers(lake)
    ours, theirs = [], []
    for _ in range(3):
        change()
        ours.append(seconds(lambda: refresh_layers(lake)))
        theirs.append(seconds(lambda: _recompute(lake)))
    for name in LAYERS:
        ((result,),) = lake.sql(f"VERIFY DYNAMIC TABLE {name}").df()[["result"]].values.tolist()
        if result != "exact":
            raise RuntimeError(f"{name} is {result}")
    times_faster = sorted(theirs)[1] / sorted(ours)[1]
    name = f"three layers, {orders:,} orders, 1,200 changes"
    return [
        Measure(name, "s", sorted(ours)[1], sorted(theirs)[1], f"{goal:g}x faster than Spark", 1 / goal),
        Measure("  times faster", "", times_faster, None, ""),
    ]


def _change(lake: Connection, orders: int) -> None:
    number = next(_NUMBERS)
    first = orders + number * 1000
    lake.run(f"INSERT INTO big_orders SELECT {first} + id, id % 1000, 1, 10, 'completed' FROM range(1000)")
    step = orders // 100
    place = number % (step // 2)
    lake.run(f"UPDATE big_orders SET amount = amount + 1 WHERE order_id % {step} = {place}")
    lake.run(f"DELETE FROM big_orders WHERE order_id % {step} = {step // 2 + place}")


def refresh_layers(lake: Connection) -> None:
    for name in LAYERS:
        lake.run(f"REFRESH DYNAMIC TABLE {name}")


def _recompute(lake: Connection) -> None:
    """As Spark's own pipelines would: every layer written anew."""
    spark = lake.sql("SELECT 1").spark().sparkSession
    plain = {name: f"lake.public.plain_{name}" for name in LAYERS}
    for name, query in LAYERS.items():
        spark.sql(f"CREATE OR REPLACE TABLE {plain[name]} USING iceberg AS {query.format(**plain)}")
