"""One partition of a dynamic table, as a refresh sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headrace.model.dynamic_table import DynamicTable
from headrace.model.partition import Partition
from headrace.model.quoting import quote_identifier, string_literal


@dataclass(frozen=True)
class Within:
    """The rows of a partition, as a condition."""

    partition: Partition
    types: Mapping[str, str]
    """Of the columns that tell partitions apart."""

    @classmethod
    def of(cls, partition: Partition, table: DynamicTable) -> Within:
        types = {column.name: column.type for column in table.columns}
        return cls(partition, {column: types[column] for column, _ in partition.values})

    def sql(self, alias: str | None = None) -> str:
        """Of columns of ``alias``."""
        return " AND ".join(self._same(column, value, alias) for column, value in self.partition.values)

    def _same(self, column: str, value: str | None, alias: str | None) -> str:
        name = quote_identifier(column) if alias is None else f"{alias}.{quote_identifier(column)}"
        if value is None:
            return f"{name} IS NULL"
        return f"{name} = CAST({string_literal(value)} AS {self.types[column]})"


def narrowed(condition: str, within: Within | None, alias: str) -> str:
    """``condition``, for rows of the partition alone."""
    return condition if within is None else f"{condition} AND {within.sql(alias)}"
