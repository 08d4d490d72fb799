"""Orders as rows of a table of PostgreSQL, which a sync follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any

import psycopg

import headrace
from headrace.cli.live.orders import Order, Write
from headrace.cli.secret import open_secrets
from headrace.errors import OperationalError
from headrace.model.clock import system_clock
from headrace.model.quoting import quote_string

DEFAULT_URL = "postgresql://postgres@localhost:5432/postgres"
SCHEMA = "headrace_demo"
TABLE = f"{SCHEMA}.ods_orders"
_SECRET = "headrace_demo"  # noqa: S105  (its name)
_CONNECT_SECONDS = 10
_CREATE = f"""CREATE TABLE {TABLE} (
  order_id BIGINT PRIMARY KEY, product_id INT, quantity INT, price NUMERIC(10, 2), status TEXT,
  order_time TIMESTAMPTZ)"""
_INSERT = f"INSERT INTO {TABLE} VALUES (%s, %s, %s, %s, %s, %s)"
_COMPLETE = f"UPDATE {TABLE} SET status = 'completed' WHERE status = 'pending' AND order_id < %s - 20"
_FIRST_ORDERS = "SELECT order_id, product_id, quantity, price, status, order_time FROM ods_orders"


class PostgresOrders:
    """The table is the demo's own, in a schema of its own, which goes when the demo ends."""

    def __init__(self, url: str, lake: Path) -> None:
        self._url = url
        self._lake = lake

    def check(self) -> None:
        with self._connection() as database:
            ((level,),) = database.execute("SHOW wal_level").fetchall()
        if level != "logical":
            raise OperationalError(
                f"PostgreSQL runs with wal_level = {level}, so its changes cannot be followed",
                hint="ALTER SYSTEM SET wal_level = logical, and start PostgreSQL again",
            )

    def settings(self) -> dict[str, str | list[str]]:
        with self._connection() as database:
            return {"allowed_databases": [f"{database.info.host}:{database.info.port}"]}

    def connect(self, lake: headrace.Connection) -> None:
        with self._connection() as database:
            database.execute(f"CREATE SCHEMA {SCHEMA}")
            database.execute(_CREATE)
            database.cursor().executemany(_INSERT, lake.run(_FIRST_ORDERS).fetchall())
            address = self._address(database.info)
        lake.run("DROP TABLE ods_orders")
        lake.run(f"CREATE CONNECTION demo_shop TYPE = POSTGRESQL {address}")
        tables = f"TABLES {quote_string(TABLE)} COMMIT_INTERVAL_IN_SECONDS = 1"
        lake.run(f"CREATE SYNC orders_sync FROM CONNECTION demo_shop {tables}")
        lake.run("EXECUTE SYNC orders_sync")

    def disconnect(self, lake: headrace.Connection) -> None:
        lake.run("DROP SYNC IF EXISTS orders_sync FORCE")
        lake.run("DROP CONNECTION IF EXISTS demo_shop")
        with self._connection() as database:
            database.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")

    @contextmanager
    def writer(self, url: str) -> Iterator[Write]:
        with self._connection() as database:

            def write(orders: Sequence[Order]) -> None:
                with database.transaction():
                    database.cursor().executemany(_INSERT, [astuple(order) for order in orders])
                    database.execute(_COMPLETE, (orders[0].order_id,))

            yield write

    def _connection(self) -> psycopg.Connection[Any]:
        try:
            return psycopg.connect(self._url, autocommit=True, connect_timeout=_CONNECT_SECONDS)
        except psycopg.Error as error:
            raise OperationalError(
                f"PostgreSQL cannot be reached: {str(error).strip()}",
                hint="headrace demo --live --from postgres --address postgresql://user@host:5432/database, "
                "with the password in the environment variable PGPASSWORD",
            ) from error

    def _address(self, info: psycopg.ConnectionInfo) -> str:
        """As CREATE CONNECTION has it; the password becomes a secret of the lake."""
        address = (
            f"HOST = {quote_string(info.host)} PORT = {info.port} DATABASE = {quote_string(info.dbname)} "
            f"USER = {quote_string(info.user)}"
        )
        if not info.password:
            return address
        with open_secrets(self._lake) as (secrets, box):
            secrets.put(_SECRET, box.seal(info.password), system_clock())
        return f"{address} PASSWORD = secret({quote_string(_SECRET)})"
