"""Random ALTER TABLE statements after which every column that was known is still there, with its type.

A name may then mean another column: two are swapped, or one is renamed or dropped and added anew. Columns
that nobody reads (``x1``, ``x2``, ...) come, go, get other names, places, types and nested fields.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

NAMED_AFRESH = "is another column than at the last refresh"
WHY_FULL = (NAMED_AFRESH, "was dropped", "changed its type")
"""Reasons for which a refresh after such statements is FULL."""


@dataclass
class Evolution:
    """Of one table; ``{table}`` stands for its name in what is returned."""

    rng: Random
    columns: dict[str, str]
    """Those that stay, and their types."""
    unread: dict[str, str] = field(default_factory=dict)
    _next_number: int = 0

    def statements(self) -> list[str]:
        """None or some."""
        ways: list[Callable[[], list[str]]] = [
            *(self._swap, self._swap, self._add_anew, self._drop_and_add),
            *(self._add, self._drop, self._rename, self._widen, self._nest, self._reorder),
        ]
        return [f"ALTER TABLE {{table}} {words}" for words in self.rng.choice(ways)()]

    @property
    def present(self) -> list[str]:
        return [*self.columns, *self.unread]

    def _new_name(self) -> str:
        self._next_number += 1
        return f"x{self._next_number}"

    def _swap(self) -> list[str]:
        """Two columns of one type."""
        one = self.rng.choice(list(self.columns))
        others = [c for c, kind in self.columns.items() if c != one and kind == self.columns[one]]
        if not others:
            return self._add_anew()
        other, aside = self.rng.choice(others), self._new_name()
        return [
            f"RENAME COLUMN {one} TO {aside}",
            f"RENAME COLUMN {other} TO {one}",
            f"RENAME COLUMN {aside} TO {other}",
        ]

    def _add_anew(self) -> list[str]:
        column, kept = self.rng.choice(list(self.columns)), self._new_name()
        self.unread[kept] = self.columns[column]
        return [f"RENAME COLUMN {column} TO {kept}", f"ADD COLUMN {column} {self.columns[column]}"]

    def _drop_and_add(self) -> list[str]:
        column = self.rng.choice(list(self.columns))
        return [f"DROP COLUMN {column}", f"ADD COLUMN {column} {self.columns[column]}"]

    def _add(self) -> list[str]:
        column = self._new_name()
        self.unread[column] = self.rng.choice(("INT", "STRING", "STRUCT<a: INT>"))
        place = self.rng.choice(("", " FIRST", f" AFTER {self.rng.choice(list(self.columns))}"))
        return [f"ADD COLUMN {column} {self.unread[column]}{place}"]

    def _drop(self) -> list[str]:
        if not self.unread:
            return self._add()
        column = self.rng.choice(list(self.unread))
        del self.unread[column]
        return [f"DROP COLUMN {column}"]

    def _rename(self) -> list[str]:
        if not self.unread:
            return self._add()
        column, name = self.rng.choice(list(self.unread)), self._new_name()
        self.unread[name] = self.unread.pop(column)
        return [f"RENAME COLUMN {column} TO {name}"]

    def _widen(self) -> list[str]:
        narrow = [column for column, kind in self.unread.items() if kind == "INT"]
        if not narrow:
            return self._add()
        column = self.rng.choice(narrow)
        self.unread[column] = "BIGINT"
        return [f"ALTER COLUMN {column} TYPE BIGINT"]

    def _nest(self) -> list[str]:
        structs = [column for column, kind in self.unread.items() if kind == "STRUCT<a: INT>"]
        if not structs:
            return self._add()
        column = self.rng.choice(structs)
        self.unread[column] = "STRUCT<a: INT, b: INT>"
        return [f"ADD COLUMN {column}.b INT"]

    def _reorder(self) -> list[str]:
        column, other = self.rng.choice(list(self.columns)), self.rng.choice(self.present)
        return [f"ALTER COLUMN {column} {'FIRST' if other == column else f'AFTER {other}'}"]
