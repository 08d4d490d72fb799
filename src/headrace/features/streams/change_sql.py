"""What a table stream shows of a table's changes, as SQL.

A row is told by its ``_row_id``. What came and went again is nothing; what went and came with other values is
an update. Where a table has no row ids, equal rows are one and the same, and there are no updates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from headrace.algebra.operators.scan import WEIGHT
from headrace.model.quoting import quote_identifier

CHANGE_TYPE, COMMIT_VERSION, COMMIT_TIMESTAMP = OWN_COLUMNS = (
    "__change_type",
    "__commit_version",
    "__commit_timestamp",
)
_ROW_ID, _CHANGED_BY = "_row_id", "_last_updated_sequence_number"


@dataclass(frozen=True)
class StreamCommit:
    version: int
    made_at: datetime
    number: int
    """Iceberg's sequence number, which rows say that they were changed by."""


@dataclass(frozen=True)
class ShownColumn:
    name: str
    compared: str
    """SQL of its value in a form that GROUP BY takes."""

    @property
    def sql(self) -> str:
        return quote_identifier(self.name)


@dataclass(frozen=True)
class ChangedRows:
    """Some changes of a table: rows with a weight, perhaps with row ids."""

    sql: str
    has_row_id: bool
    insert_only: bool
    commits: Sequence[StreamCommit]
    """Those that made the changes, oldest first."""


def net_changes(changed: ChangedRows, columns: Sequence[ShownColumn]) -> str:
    consolidated = _consolidated(changed, columns)
    if not changed.has_row_id:
        kind = "IF(__hr_net > 0, 'INSERT', 'DELETE')"
        return _shown(kind, _last_commit(changed.commits), columns, _each_time(consolidated))
    paired = (
        f"SELECT *, count(*) OVER (PARTITION BY {_ROW_ID}) > 1 AS __hr_updated, "
        f"max(IF(__hr_net > 0, {_CHANGED_BY}, NULL)) OVER (PARTITION BY {_ROW_ID}) AS __hr_commit "
        f"FROM ({consolidated})"
    )
    kind = (
        "CASE WHEN __hr_updated THEN IF(__hr_net > 0, 'UPDATE_AFTER', 'UPDATE_BEFORE') "
        "ELSE IF(__hr_net > 0, 'INSERT', 'DELETE') END"
    )
    return _shown(kind, _commit_of("__hr_commit", changed.commits), columns, f"({paired})")


def inserted_rows(changed: ChangedRows, columns: Sequence[ShownColumn]) -> str:
    if changed.has_row_id:
        rows = f"({changed.sql})"
        if not changed.insert_only:
            came = f"SELECT *, min({WEIGHT}) OVER (PARTITION BY {_ROW_ID}) > 0 AS __hr_new FROM {rows}"
            rows = f"(SELECT * FROM ({came}) WHERE __hr_new)"
        return _shown("'INSERT'", _commit_of(_CHANGED_BY, changed.commits), columns, rows)
    commit = _last_commit(changed.commits)
    if changed.insert_only:
        return _shown("'INSERT'", commit, columns, f"({changed.sql})")
    return _shown("'INSERT'", commit, columns, _each_time(_consolidated(changed, columns, "> 0")))


def all_rows(table_sql: str, commit: StreamCommit, columns: Sequence[ShownColumn]) -> str:
    return _shown("'INSERT'", _last_commit([commit]), columns, table_sql)


def no_rows(columns: Sequence[tuple[str, str]]) -> str:
    """Names and types of all columns are given."""
    nulls = ", ".join(f"CAST(NULL AS {kind}) AS {quote_identifier(name)}" for name, kind in columns)
    return f"SELECT {nulls} WHERE false"


def _consolidated(changed: ChangedRows, columns: Sequence[ShownColumn], kept: str = "<> 0") -> str:
    values = [f"any_value({column.sql}) AS {column.sql}" for column in columns]
    keys = [column.compared for column in columns]
    if changed.has_row_id:
        values += [_ROW_ID, f"max({_CHANGED_BY}) AS {_CHANGED_BY}"]
        keys = [_ROW_ID, *keys]
    return (
        f"SELECT {', '.join(values)}, sum({WEIGHT}) AS __hr_net FROM ({changed.sql}) "
        f"GROUP BY {', '.join(keys)} HAVING sum({WEIGHT}) {kept}"
    )


def _each_time(consolidated: str) -> str:
    """Equal rows, as many as there are."""
    times = "explode(array_repeat(true, CAST(abs(__hr_net) AS INT)))"
    return f"(SELECT *, {times} AS __hr_each FROM ({consolidated}))"


def _shown(kind: str, commit: str, columns: Sequence[ShownColumn], rows: str) -> str:
    listed = "".join(f", {column.sql}" for column in columns)
    return (
        f"SELECT {CHANGE_TYPE}, __hr_made.version AS {COMMIT_VERSION}, "
        f"__hr_made.made_at AS {COMMIT_TIMESTAMP}{listed} "
        f"FROM (SELECT {kind} AS {CHANGE_TYPE}, {commit} AS __hr_made{listed} FROM {rows})"
    )


def _commit_of(number: str, commits: Sequence[StreamCommit]) -> str:
    """Rows that are gone do not say by which commit; it was the last one at the latest."""
    entries = ", ".join(f"{commit.number}L, {_literal(commit)}" for commit in commits)
    return f"coalesce(try_element_at(map({entries}), {number}), {_last_commit(commits)})"


def _last_commit(commits: Sequence[StreamCommit]) -> str:
    return _literal(commits[-1])


def _literal(commit: StreamCommit) -> str:
    millis = round((commit.made_at - datetime.fromtimestamp(0, UTC)).total_seconds() * 1000)
    return f"named_struct('version', {commit.version}L, 'made_at', timestamp_millis({millis}L))"
