"""One round of a sync: the next rows of tables that are first read, then the next part of the log.

All tables get the part of the log up to the same position, each in a commit of its own that has the position.
The source may forget the log once all of them have it. A round that is cut off anywhere is repeated: tables
that have the changes already are further on, and take nothing twice.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from headrace.errors import DataError, IntegrityError, NotFound, Refused
from headrace.features.syncs.model import SyncMode, SyncTable
from headrace.ingest.cdc.admission import SnapshotRestarts, admitted
from headrace.ingest.cdc.changes import Change, SourceTable, Transaction
from headrace.ingest.cdc.follow_schema import declared_columns, expect_same_values, follow_schema
from headrace.ingest.cdc.net_changes import net_changes_of
from headrace.ingest.cdc.source import ChangeSource, LogPart
from headrace.ingest.cdc.staged_rows import logged_changes, stage_log, stage_net_rows
from headrace.ingest.cdc.table_position import Phase, TablePosition
from headrace.ingest.cdc.unfitting import naming_value
from headrace.ingest.cdc.write_sql import Shard, insert_sql, logged, mirror_sql, truncate_sql
from headrace.ingest.synced_position import position_key, synced_position
from headrace.lake.commit.positioned_commit import commit_with_position
from headrace.lake.external.file_frames import file_view
from headrace.lake.session import LakeSession

CHUNK_ROWS = 500_000
_HELD_BYTES = 16 << 20
"""Of log without a change of these tables, after which the tables get the position alone."""
_STOPS = (DataError, IntegrityError, NotFound, Refused)
"""What is wrong with one table alone."""


@dataclass
class TableState:
    """A table in this run."""

    known: SyncTable
    position: TablePosition

    @property
    def is_reading(self) -> bool:
        return self.position.phase is Phase.SNAPSHOT

    @property
    def waits_for_chunk(self) -> bool:
        return self.is_reading and self.position.chunk is None and not self.position.is_complete


class Ticks:
    def __init__(
        self,
        mode: SyncMode,
        tables: Sequence[SyncTable],
        source: ChangeSource,
        session: LakeSession,
        staging: Path,
    ) -> None:
        self._mode = mode
        self._source = source
        self._session = session
        self._staging = staging
        self.tables: dict[str, TableState] = {}
        self.stopped: list[SyncTable] = [table for table in tables if table.error]
        self.commits = 0
        self.changes = 0
        for table in tables:
            if not table.error:
                self._open(table)

    def _open(self, table: SyncTable) -> None:
        """One that was dropped or replaced in the lake is stopped alone."""
        try:
            self.tables[table.source] = TableState(table, self._load(table))
        except _STOPS as error:
            self.stopped.append(replace(table, error=error.message))

    def _load(self, table: SyncTable) -> TablePosition:
        return TablePosition.from_json(synced_position(table, self._session))

    def reload(self) -> None:
        """After another program has moved a table on."""
        for state in list(self.tables.values()):
            self._stopping(state, partial(self._load_again, state))

    def _load_again(self, state: TableState) -> None:
        state.position = self._load(state.known)

    @property
    def is_idle(self) -> bool:
        """Whether no table waits for transactions of the source to end."""
        return not any(state.is_reading for state in self.tables.values())

    def run_once(self) -> None:
        self._expect_log()
        self._read_chunks()
        oldest = self.oldest()
        if oldest is not None:
            self._read_log(self._source.changes(oldest, self.tables))
        self._acknowledge()

    def _read_log(self, part: LogPart) -> None:
        for state in list(self.tables.values()):
            self._stopping(state, partial(self._expect_same_values, state, part))
        if self._is_worth_it(part):
            for state in list(self.tables.values()):
                self._stopping(state, partial(self._apply, state, part))

    def is_done(self, target: str) -> bool:
        """Whether all tables have been read, and have the log up to a position."""
        return not any(
            state.is_reading or self._source.is_before(state.position.at, target)
            for state in self.tables.values()
        )

    def _is_worth_it(self, part: LogPart) -> bool:
        if any(state.is_reading for state in self.tables.values()):
            return True
        if any(change.table in self.tables for each in part.transactions for change in each.changes):
            return True
        oldest = self.oldest()
        return oldest is not None and (self._source.lag(oldest).bytes or 0) > _HELD_BYTES

    def oldest(self) -> str | None:
        oldest: str | None = None
        for state in self.tables.values():
            if oldest is None or self._source.is_before(state.position.at, oldest):
                oldest = state.position.at
        return oldest

    def _acknowledge(self) -> None:
        """What tables that are stopped would need is forgotten, too: they are read anew."""
        oldest = self.oldest() or self._source.head()
        self._source.acknowledge(oldest)

    def _expect_log(self) -> None:
        """A table that was restored to an earlier version needs changes that are no longer kept.

        Another run may have moved a table on, and given up the log before it.
        """
        kept = self._source.oldest()
        for state in list(self.tables.values()):
            if kept is not None and self._source.is_before(state.position.at, kept):
                self._stopping(state, partial(self._expect_kept, state, kept))

    def _expect_kept(self, state: TableState, kept: str) -> None:
        state.position = self._load(state.known)
        if self._source.is_before(state.position.at, kept):
            raise DataError(
                f"{state.known.target} is at the position {state.position.at}, and the database does not keep"
                " its log from there on"
            )

    def _stopping(self, state: TableState, work: Callable[[], None]) -> None:
        try:
            work()
        except _STOPS as error:
            del self.tables[state.known.source]
            self.stopped.append(replace(state.known, error=error.message))

    def _read_chunks(self) -> None:
        for state in list(self.tables.values()):
            if state.waits_for_chunk:
                self._stopping(state, partial(self._read_chunk, state))

    def _read_chunk(self, state: TableState) -> None:
        found = self._source.discover([state.known.source])
        if not found:
            raise DataError(f"{state.known.source} does not exist any more")
        table = found[0].table
        self._expect_declared(state, table)
        self._follow(state, table)
        with self._file() as file:
            chunk = self._source.chunk(table, state.position, CHUNK_ROWS, file)
            if chunk is None:
                return
            end = state.position.with_chunk(chunk.opened, chunk.last).with_columns(declared_columns(table))
            replaces, shard = state.position.replaces, self._shard(state)
            is_log = self._mode is SyncMode.APPEND
            added = logged(["'snapshot'", f"'{chunk.opened.high}'", "0", "NULL", "NULL"]) if is_log else ()
            self._commit(
                state,
                end,
                file if chunk.rows else None,
                lambda into, view: insert_sql(into, view, table, replaces=replaces, added=added, shard=shard),
                otherwise=partial(truncate_sql, shard=shard) if replaces else None,
                rows_of=table,
            )
        self._count(state, chunk.rows)

    def _apply(self, state: TableState, part: LogPart) -> None:
        position = state.position
        settles = position.chunk is None or not self._source.is_before(part.end, position.chunk.high)
        closes_chunk = position.chunk is not None and settles
        if self._source.is_before(part.end, position.at):
            return
        if not self._source.is_before(position.at, part.end) and not closes_chunk:
            return
        end = position.moved_to(part.end, settles=settles, pending=part.unseen)
        if (described := part.described.get(state.known.source)) is not None:
            end = end.with_columns(declared_columns(described))
        table = part.tables.get(state.known.source)
        if table is None:
            self._commit(state, end)
            return
        try:
            pairs = list(admitted(table, position, part.transactions, self._source))
        except SnapshotRestarts:
            restart = TablePosition(part.end, Phase.SNAPSHOT, pending=part.unseen, replaces=True)
            self._commit(state, restart, otherwise=partial(truncate_sql, shard=self._shard(state)))
            return
        if pairs:
            self._follow(state, table)
        write = self._append if self._mode is SyncMode.APPEND else self._mirror
        write(state, table, end, pairs)
        self._count(state, len(pairs))

    def _expect_same_values(self, state: TableState, part: LogPart) -> None:
        table = part.described.get(state.known.source)
        if table is not None:
            self._expect_declared(state, table)

    def _expect_declared(self, state: TableState, table: SourceTable) -> None:
        """A log of changes has values as they were."""
        if self._mode is not SyncMode.APPEND and state.position.columns is not None:
            expect_same_values(state.position.columns, table)

    def _follow(self, state: TableState, table: SourceTable) -> None:
        target = self._session.catalog.existing_table(state.known.target)
        follow_schema(target, table, state.known.key, self._mode, self._session)

    def _shard(self, state: TableState) -> Shard | None:
        if self._mode is not SyncMode.SHARD_MERGE:
            return None
        found = self._session.analyze(f"SELECT * FROM {state.known.target.sql}")
        return Shard(state.known.source, tuple(column.name for column in found.columns))

    def _count(self, state: TableState, rows: int) -> None:
        state.known = replace(state.known, rows=state.known.rows + rows)
        self.changes += rows

    def _mirror(
        self,
        state: TableState,
        table: SourceTable,
        end: TablePosition,
        pairs: Sequence[tuple[Transaction, Change]],
    ) -> None:
        net = net_changes_of(table)
        for _, change in pairs:
            net.add(change)
        rows, shard = list(net.rows()), self._shard(state)
        if not rows:
            emptied = partial(truncate_sql, shard=shard) if net.is_truncated else None
            self._commit(state, end, otherwise=emptied)
            return
        with self._file() as file:
            stage_net_rows(rows, table, file)
            is_partial = state.position.is_partial
            self._commit(
                state,
                end,
                file,
                lambda into, view: mirror_sql(into, view, table, rows, net.is_truncated, is_partial, shard),
                rows_of=table,
            )

    def _append(
        self,
        state: TableState,
        table: SourceTable,
        end: TablePosition,
        pairs: Sequence[tuple[Transaction, Change]],
    ) -> None:
        changes = list(logged_changes(pairs))
        if not changes:
            self._commit(state, end)
            return
        with self._file() as file:
            stage_log(changes, table, file)
            self._commit(
                state,
                end,
                file,
                lambda into, view: insert_sql(into, view, table, replaces=False, added=logged()),
                rows_of=table,
            )

    def _commit(
        self,
        state: TableState,
        end: TablePosition,
        file: Path | None = None,
        statement: Callable[[str, str], str] | None = None,
        otherwise: Callable[[str], str] | None = None,
        rows_of: SourceTable | None = None,
    ) -> None:
        """The statement is given the table and the staged rows, which are of a table of the source.

        Without rows, ``otherwise`` is given the table alone.
        """
        table = self._session.catalog.existing_table(state.known.target)
        key, start = position_key(state.known.source), state.position.to_json()
        if file is None or statement is None:
            commit_with_position(table, key, start, end.to_json(), otherwise or _nothing, self._session)
        else:
            with (
                file_view([str(file)], "parquet", {}, None, self._session) as view,
                self._naming(view, rows_of),
            ):
                commit_with_position(
                    table, key, start, end.to_json(), lambda into: statement(into, view), self._session
                )
        state.position = end
        self.commits += 1

    @contextmanager
    def _naming(self, view: str, rows_of: SourceTable | None) -> Iterator[None]:
        try:
            yield
        except DataError as error:
            if rows_of is None:
                raise
            raise naming_value(error, view, rows_of, self._session) from error

    @contextmanager
    def _file(self) -> Iterator[Path]:
        file = self._staging / f"{uuid.uuid4().hex}.parquet"
        try:
            yield file
        finally:
            file.unlink(missing_ok=True)


def _nothing(into: str) -> None:
    """The position alone."""
