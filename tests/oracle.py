"""The law, as SQL: after a refresh the table is exactly its query's result."""

from __future__ import annotations

from headrace.connection import Connection


def assert_exact(lake: Connection, table: str, query: str) -> None:
    """Two-way EXCEPT ALL between the table and its query, run by Spark on the sources as they are now."""
    missing = lake.sql(f"SELECT * FROM ({query}) EXCEPT ALL SELECT * FROM {table}").fetchall()
    extra = lake.sql(f"SELECT * FROM {table} EXCEPT ALL SELECT * FROM ({query})").fetchall()
    assert (missing, extra) == ([], [])


def last_refresh(lake: Connection, table: str) -> dict[str, object]:
    result = lake.sql(f"SHOW DYNAMIC TABLE REFRESH HISTORY FOR {table} LIMIT 1")
    (row,) = result.fetchall()
    return dict(zip(result.columns, row, strict=True))
