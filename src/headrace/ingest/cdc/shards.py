"""Tables of a source that become one table: MODE = SHARD_MERGE."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.errors import Refused
from headrace.features.syncs.model import SyncTable
from headrace.ingest.cdc.changes import SourceTable
from headrace.ingest.cdc.source import Identity, pattern_fits


def merged_name(table: SourceTable, patterns: Sequence[str]) -> str:
    """Of the table that a shard becomes part of.

    It is the pattern without ``*``: ``shop.orders_*`` becomes orders, and ``shop_*.*`` a table for each name.
    """
    fits = (each for each in patterns if pattern_fits(each, table.full_name))
    name = next(fits, table.full_name).partition(".")[2]
    return name.replace("*", "").strip("_") or table.name


def expect_equal_shards(identities: Sequence[Identity], tables: Sequence[SyncTable]) -> None:
    """Those that become one table have the same columns and the same key."""
    first: dict[str, SourceTable] = {}
    for identity, known in zip(identities, tables, strict=True):
        table = identity.table
        other = first.setdefault(str(known.target), table)
        if _shape(table) != _shape(other):
            raise Refused(
                f"{other.full_name} and {table.full_name} have different columns or keys,"
                f" so they cannot both become {known.target}"
            )


def _shape(table: SourceTable) -> tuple[dict[str, str], tuple[str, ...]]:
    return {column.name: column.type for column in table.columns}, table.key
