"""What a lake says of a table."""

from __future__ import annotations

from headrace.connection import Connection
from tests import internals


def described(lake: Connection, table: str) -> dict[str, str]:
    """Columns and details, as DESC EXTENDED gives them."""
    return dict(lake.sql(f"DESC EXTENDED {table}").fetchall())


def columns_of(lake: Connection, table: str) -> list[tuple[str, str]]:
    return lake.sql(f"DESC {table}").fetchall()


def iceberg_properties(lake: Connection, table: str) -> dict[str, str]:
    """As any other engine sees them."""
    session = internals.session(lake)
    return session.catalog.existing_table(session.resolve((table,))).properties
