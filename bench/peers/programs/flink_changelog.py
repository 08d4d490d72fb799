"""Rows of the orders as events in Debezium's format, which Flink reads as a changelog."""

from __future__ import annotations

from pathlib import Path

import duckdb

from bench.peers.layers import ORDER_COLUMNS


def write_changelog(query: str, directory: Path, files: int) -> int:
    """Rows with weights as JSON; the number of them. The order is preserved within one file."""
    row = ", ".join(f"'{name}': {name}" for name in ORDER_COLUMNS)
    events = (
        "SELECT if(weight > 0, 'c', 'd') AS op, "
        f'if(weight > 0, NULL, {{{row}}}) AS "before", if(weight > 0, {{{row}}}, NULL) AS "after" '
        f"FROM ({query})"
    )
    with duckdb.connect(config={"threads": files}) as connection:
        ((rows,),) = connection.execute(
            f"COPY ({events}) TO '{directory}' (FORMAT json, PER_THREAD_OUTPUT true)"
        ).fetchall()
    return int(rows)
