"""The last refresh of each partition, as of one version of its table."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, and_, delete, exists, insert, select, update

from headrace.catalog.row_access import Read, Write
from headrace.catalog.schema import dynamic_tables, partition_heads, partition_records

Record = Mapping[str, str]
"""As in the summary of the version that the refresh made."""


class PartitionRecords:
    """Each method is one transaction."""

    def __init__(self, write: Write, read: Read) -> None:
        self._write = write
        self._read = read

    def head(self, table_id: str) -> int | None:
        """The version that the records are as of; None before the first."""
        query = select(partition_heads).where(partition_heads.c.table_id == table_id)
        with self._read(partition_heads, query) as found:
            return next((int(row["snapshot_id"]) for row in found), None)

    def find(self, table_id: str, partition: str) -> Record | None:
        columns = partition_records.c
        query = select(partition_records).where(
            and_(columns.table_id == table_id, columns.partition == partition)
        )
        with self._read(partition_records, query) as found:
            return next((dict(row["record"]) for row in found), None)

    def all(self, table_id: str) -> dict[str, Record]:
        """By partition."""
        query = select(partition_records).where(partition_records.c.table_id == table_id)
        with self._read(partition_records, query) as found:
            return {str(row["partition"]): dict(row["record"]) for row in found}

    def advance(
        self, table_id: str, before: int | None, head: int, records: Mapping[str, Record], *, keep: bool
    ) -> bool:
        """From one head to the next, and False if another one came first; ``keep`` the other records."""
        heads, columns = partition_heads.c, partition_records.c
        with self._write() as connection:
            current = select(heads.snapshot_id).where(heads.table_id == table_id).with_for_update()
            at = connection.execute(current).scalar()
            if at != before:
                return False
            _put_head(connection, table_id, head, is_new=at is None)
            of_table = columns.table_id == table_id
            replaced = and_(of_table, columns.partition.in_(list(records))) if keep else of_table
            connection.execute(delete(partition_records).where(replaced))
            rows = [
                {"table_id": table_id, "partition": partition, "record": dict(record)}
                for partition, record in records.items()
            ]
            if rows:
                connection.execute(insert(partition_records), rows)
        return True

    def start_anew(self, table_id: str, head: int) -> None:
        """No partition counts as refreshed."""
        with self._write() as connection:
            connection.execute(delete(partition_records).where(partition_records.c.table_id == table_id))
            connection.execute(delete(partition_heads).where(partition_heads.c.table_id == table_id))
            _put_head(connection, table_id, head, is_new=True)

    def forget_lost(self) -> None:
        """Those of tables that are gone for good."""
        with self._write() as connection:
            for kept in (partition_records, partition_heads):
                is_there = exists().where(dynamic_tables.c.id == kept.c.table_id)
                connection.execute(delete(kept).where(~is_there))


def _put_head(connection: Connection, table_id: str, head: int, *, is_new: bool) -> None:
    if is_new:
        connection.execute(insert(partition_heads).values(table_id=table_id, snapshot_id=head))
    else:
        of_table = partition_heads.c.table_id == table_id
        connection.execute(update(partition_heads).where(of_table).values(snapshot_id=head))
