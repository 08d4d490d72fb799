"""Whether two peers have the same rows, and which rows of the sources a round has changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

from bench.peers.layers import ORDER_COLUMNS


@dataclass(frozen=True)
class Fingerprint:
    """Equal for equal bags of rows, whatever their order, their files and the types of their numbers."""

    rows: int
    hash_sum: int


def fingerprint(directory: Path, columns: Mapping[str, str]) -> Fingerprint:
    """Of the rows in the Parquet or CSV files of the directory, as values of these types."""
    values = ", ".join(f"CAST({name} AS {type_})" for name, type_ in columns.items())
    query = f"SELECT count(*), coalesce(sum(hash({values})), 0) FROM {_files_of(directory, columns)}"
    with duckdb.connect() as connection:
        ((rows, hash_sum),) = connection.execute(query).fetchall()
    return Fingerprint(rows, int(hash_sum))


def write_changes(before: str, after: str, directory: Path) -> None:
    """From the rows of ``orders`` before and after, two patterns of files, to the rows that differ."""
    columns = ", ".join(ORDER_COLUMNS)
    old, new = (f"SELECT {columns} FROM read_parquet('{files}')" for files in (before, after))
    gone = f"SELECT *, -1 AS weight FROM ({old} EXCEPT {new})"
    added = f"SELECT *, 1 AS weight FROM ({new} EXCEPT {old})"
    directory.mkdir(parents=True)
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY ({gone} UNION ALL {added}) TO '{directory / 'rows.parquet'}' (FORMAT parquet)"
        )


def _files_of(directory: Path, columns: Mapping[str, str]) -> str:
    if any(directory.glob("*.csv")):
        types = ", ".join(f"'{name}': '{type_}'" for name, type_ in columns.items())
        return f"read_csv('{directory}/*.csv', header = true, columns = {{{types}}})"
    return f"read_parquet('{directory}/*.parquet')"
