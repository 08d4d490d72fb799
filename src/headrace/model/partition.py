"""One partition of a table."""

from __future__ import annotations

import json
from dataclasses import dataclass

from headrace.model.quoting import quote_string, show_identifier


@dataclass(frozen=True)
class Partition:
    """The rows that have these values in the columns that tell partitions apart."""

    values: tuple[tuple[str, str | None], ...]
    """Column and value, as Spark writes it; in the order of the table's partitioning."""

    @property
    def key(self) -> str:
        """The same under other names of the columns."""
        return json.dumps([value for _, value in self.values], separators=(",", ":"))

    def __str__(self) -> str:
        return ", ".join(
            f"{show_identifier(column)} = {'NULL' if value is None else quote_string(value)}"
            for column, value in self.values
        )
