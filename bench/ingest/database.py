"""First rows and changes of a database, as both kinds have them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from bench.ingest.plain import expect_same
from bench.measures import Measure, seconds
from headrace.connection import Connection


def synced(
    lake: Connection,
    name: str,
    connection: str,
    schema: str,
    run: Callable[[str], list[tuple[Any, ...]]],
    options: argparse.Namespace,
) -> tuple[float, list[Measure]]:
    """Seconds of the first rows of ``orders``, and changes per second."""
    lake.sql(f"CREATE SYNC s_{name} FROM CONNECTION {connection} TABLES '{schema}.orders'")
    first = seconds(lambda: lake.run(f"EXECUTE SYNC s_{name}"))
    expect_same(lake.sql("SELECT count(*) FROM orders").fetchall(), [(options.rows,)])
    last = options.rows + options.changes
    run(
        f"INSERT INTO orders SELECT id + {options.rows}, customer, amount, note FROM orders"
        f" WHERE id <= {options.changes}"
    )
    inserted = seconds(lambda: lake.run(f"EXECUTE SYNC s_{name}"))
    run(f"UPDATE orders SET amount = amount + 1 WHERE id > {last - options.changes // 2}")
    updated = seconds(lambda: lake.run(f"EXECUTE SYNC s_{name}"))
    total = "SELECT count(*), sum(amount) FROM orders"
    expect_same(lake.sql(total).fetchall(), run(total))
    return first, [
        Measure(f"{name}: {options.changes:,} inserted rows", "rows/s", options.changes / inserted, None, ""),
        Measure(
            f"{name}: {options.changes // 2:,} updated rows",
            "rows/s",
            options.changes / 2 / updated,
            None,
            "",
        ),
    ]
