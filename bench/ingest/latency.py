"""From a commit in PostgreSQL to the third of three dynamic tables, each refreshed every 10 seconds."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.ingest.source_postgres import PASSWORD, running_source
from tests.internals import store_secret
from tests.server.served import serving

import headrace
from bench.measures import Measure
from bench.stream.sample import percentile
from headrace.connection import Connection
from headrace.lake.directory import make_lake

INTERVAL = 10
_LIMIT_SECONDS = 300
_LAYERS = f"""
CREATE DYNAMIC TABLE paid REFRESH INTERVAL {INTERVAL} SECOND AS
  SELECT id, customer, amount FROM orders WHERE amount > 0;
CREATE DYNAMIC TABLE by_customer REFRESH INTERVAL {INTERVAL} SECOND AS
  SELECT customer, count(*) AS orders, sum(amount) AS amount FROM paid GROUP BY customer;
CREATE DYNAMIC TABLE total REFRESH INTERVAL {INTERVAL} SECOND AS
  SELECT sum(orders) AS orders, sum(amount) AS amount FROM by_customer
"""


def latency(lake: Path, rows: int) -> list[Measure]:
    with running_source() as server:
        source = server.database()
        make_lake(lake)
        _allow(lake / "lake.toml", f"{server.socket}:5432")
        with headrace.connect(lake) as connection:
            store_secret(connection, "pw", PASSWORD)
        source.run("CREATE TABLE orders (id bigint PRIMARY KEY, customer int, amount numeric(10,2))")
        source.run("INSERT INTO orders SELECT i, i % 1000, 1 FROM generate_series(1, 100000) i")
        with serving(lake) as served, served.connect() as client:
            client.sql(
                f"CREATE CONNECTION shop TYPE = POSTGRESQL {source.address}"
                " USER = 'reader' PASSWORD = secret('pw')"
            )
            client.sql(
                "CREATE SYNC s FROM CONNECTION shop TABLES 'public.orders'"
                f" COMMIT_INTERVAL_IN_SECONDS = {INTERVAL}"
            )
            _wait_for_table(client)
            client.sql(_LAYERS)
            _seen(client, 100_000)
            found = []
            for number in range(1, rows + 1):
                source.run(f"INSERT INTO orders VALUES ({100_000 + number}, 1, 1)")
                found.append(_seen(client, 100_000 + number))
                print(f"{found[-1]:.1f} s", file=sys.stderr, flush=True)
                time.sleep(number * 3.7 % INTERVAL)
            client.sql("DROP SYNC s")
        source.drop()
    return [
        Measure("PostgreSQL to a third layer, p50", "s", percentile(found, 50), None, ""),
        Measure("PostgreSQL to a third layer, p95", "s", percentile(found, 95), None, ""),
    ]


def _allow(settings: Path, database: str) -> None:
    """Short intervals, and syncs from the database."""
    lines = [line for line in settings.read_text().splitlines() if "minimum_interval_seconds" not in line]
    lines += [f"minimum_interval_seconds = {INTERVAL}", f'allowed_databases = ["{database}"]']
    settings.write_text("\n".join(lines) + "\n")


def _wait_for_table(client: Connection) -> None:
    until = time.monotonic() + _LIMIT_SECONDS
    while ("orders",) not in [(row[1],) for row in client.sql("SHOW TABLES").fetchall()]:
        if time.monotonic() > until:
            raise TimeoutError("the sync made no table")
        time.sleep(0.5)


def _seen(client: Connection, orders: int) -> float:
    """Seconds until the third layer has so many."""
    start = time.monotonic()
    while client.sql("SELECT orders FROM total").fetchall() != [(orders,)]:
        if time.monotonic() - start > _LIMIT_SECONDS:
            raise TimeoutError("the row was not seen")
        time.sleep(0.1)
    return time.monotonic() - start
