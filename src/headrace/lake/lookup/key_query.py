"""The rows of a table whose keys a query gives, found without reading the whole table."""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from headrace.lake.lookup.key_lookup import FoundRows, IndexUse, KeyLookups, NotFoundThisWay
from headrace.lake.measure import Execution
from headrace.lake.session import LakeSession
from headrace.lake.small_result import SmallResult, small_result
from headrace.lake.spark.driver_view import driver_view
from headrace.lake.table.pin import sql_type
from headrace.lake.table.tables import Table
from headrace.model.history import TableRead

_WHOLE_NUMBER = re.compile(r"tinyint|smallint|int|bigint")
_DECIMAL = re.compile(r"decimal\(\d+,(\d+)\)")
_NOTHING_RUN = Execution((), (), (), (), 0, 0)


@dataclass(frozen=True)
class KeySearch:
    table: Table
    columns: tuple[str, ...]
    """That are needed of the rows."""
    keys: tuple[str, ...]
    old: int | None
    new: int | None
    """Snapshots; the same if only one version is searched."""
    key_limit: int
    limit: int
    """Of rows."""
    indexes: IndexUse
    or_null: bool = False
    """Whether rows with NULL are looked for, too, and cannot be found by key if one is NULL."""


@dataclass(frozen=True)
class NotFoundByKey:
    reason: str
    execution: Execution


@dataclass(frozen=True)
class RowsFoundByKey:
    execution: Execution
    _rows: FoundRows
    _session: LakeSession

    @property
    def count(self) -> int:
        return self._rows.figures.rows_found

    def internal_rows(self) -> Any:
        """Spark's own rows; they stay in the JVM."""
        return self._rows.internal_rows()

    def readable(self) -> AbstractContextManager[str]:
        """Inside, a query that reads the rows."""
        return driver_view(self._session.spark, self._rows.java_frame)


class KeyQueries:
    """Searches of one refresh, in one session."""

    def __init__(self, session: LakeSession) -> None:
        self._session = session
        self._lookups = KeyLookups(session)

    def find_by_query(
        self, search: KeySearch, key_query: str, earlier: Collection[int] = ()
    ) -> RowsFoundByKey | NotFoundByKey:
        """``key_query`` gives the values of the key columns, in order.

        ``earlier`` are Spark jobs that the same refresh has started before.
        """
        with small_result(self._session, key_query, search.key_limit, earlier, distinct=True) as keys:
            if not isinstance(keys, SmallResult):
                return NotFoundByKey(f"there are more than {search.key_limit} keys", keys)
            stored = _as_stored(key_query, keys.types, search)
            if stored is None:
                return NotFoundByKey("the keys are of other types than the columns", keys.execution)
            if stored == key_query:
                return self._found(search, keys)
        with small_result(self._session, stored, search.key_limit, earlier, distinct=True) as keys:
            if not isinstance(keys, SmallResult):
                raise ValueError("the same keys are more at the second time")
            return self._found(search, keys)

    def find_all(self, search: KeySearch) -> RowsFoundByKey | NotFoundByKey:
        """All rows; the search has no keys."""
        return self._search(search, None, _NOTHING_RUN)

    def find_by_rows(self, search: KeySearch, key_rows: Any) -> RowsFoundByKey | NotFoundByKey:
        """``key_rows`` are Spark's own rows (Java), with the values of the key columns, of their types."""
        return self._search(search, key_rows, _NOTHING_RUN)

    def _found(self, search: KeySearch, keys: SmallResult) -> RowsFoundByKey | NotFoundByKey:
        if search.or_null and keys.has_null:
            return NotFoundByKey("a key is NULL", keys.execution)
        return self._search(search, keys.internal_rows(and_null=search.or_null), keys.execution)

    def _search(
        self, search: KeySearch, key_rows: Any, execution: Execution
    ) -> RowsFoundByKey | NotFoundByKey:
        found = self._lookups.find_rows(
            search.table,
            search.columns,
            search.keys,
            key_rows,
            old=search.old,
            new=search.new,
            limit=search.limit,
            indexes=search.indexes,
        )
        if isinstance(found, NotFoundThisWay):
            return NotFoundByKey(found.reason, execution)
        return RowsFoundByKey(_with_read(execution, search, found), found, self._session)


def _with_read(execution: Execution, search: KeySearch, found: FoundRows) -> Execution:
    """Both versions are read at once, and are reported as the new one."""
    figures = found.figures
    read = TableRead(
        str(search.table.name), figures.rows_read, figures.bytes, figures.files, str(search.new or "")
    )
    return replace(execution, reads=(*execution.reads, read), bytes_read=execution.bytes_read + figures.bytes)


def _as_stored(key_query: str, given: list[str], search: KeySearch) -> str | None:
    """The query with the types of the key columns; None if values that are equal may be stored otherwise."""
    types = {field.name: sql_type(field.type) for field in search.table.fields}
    wanted = [types[key] for key in search.keys]
    if given == wanted:
        return key_query
    if not all(_equal_alike(one, other) for one, other in zip(given, wanted, strict=True)):
        return None
    names = [f"k{number}" for number in range(len(wanted))]
    cast = ", ".join(f"try_cast({name} AS {type_})" for name, type_ in zip(names, wanted, strict=True))
    return f"SELECT {cast} FROM (\n{key_query}\n) AS k({', '.join(names)})"


def _equal_alike(given: str, stored: str) -> bool:
    """Whether a value of one type, where the other has it too, is equal to just that value of the other."""
    if _WHOLE_NUMBER.fullmatch(given) and _WHOLE_NUMBER.fullmatch(stored):
        return True
    scales = [found and found[1] for found in map(_DECIMAL.fullmatch, (given, stored))]
    return given == stored or (scales[0] is not None and scales[0] == scales[1])
