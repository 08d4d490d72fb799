"""The statement that loads files into a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from headrace.errors import DatabaseError, DataError, Error, OperationalError
from headrace.features.pipes.model import Copy, FileSource, OnError, SchemaEvolution
from headrace.ingest.files.ledger import FILES_KEY, LoadedFile, after_loading, read_ledger
from headrace.ingest.files.rows import REJECTED, REJECTED_FILE, FileRows, accepted, is_rejected
from headrace.ingest.protocol import WriteStatement
from headrace.ingest.quarantine import quarantine, rejected_table
from headrace.lake.commit.positioned_commit import SideFiles
from headrace.lake.external.file_frames import query_view
from headrace.lake.file_systems import FileEntry
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.dynamic_table import Column
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier, quote_string, show_identifier

_SHOWN = 200
"""Characters of a row in a message."""
_REASON = "the row does not fit the columns"


@dataclass
class FileLoad:
    """Files that come into a table in one commit."""

    copy: Copy
    source: FileSource
    target: TableName
    loaded: tuple[LoadedFile, ...]
    session: LakeSession
    default_evolution: SchemaEvolution = SchemaEvolution.ERROR
    rejected: int = field(default=0, init=False)
    """Rows that could not be read, once the statement is there."""

    @contextmanager
    def statement(self) -> Iterator[WriteStatement]:
        with self._rows(writing=True) as (view, columns):
            if view is None:
                yield lambda target: None
            else:
                yield lambda target: self._insert(target, view, columns)

    @contextmanager
    def selection(self) -> Iterator[str | None]:
        """The query of the statement; nothing is written."""
        with self._rows(writing=False) as (view, columns):
            yield None if view is None else self._select(view, columns)

    @contextmanager
    def _rows(self, *, writing: bool) -> Iterator[tuple[str | None, Sequence[Column]]]:
        """A view of the rows that can be read, and its columns."""
        rows = FileRows(self.source, self._files, self.copy.on_error, self.session)
        known = rows.columns()
        wanted = (
            rows.expect_some(known)
            if self.copy.query is not None
            else self._matching(rows, known, writing=writing)
        )
        with rows.view(wanted, known) as relation:
            if relation is None:
                yield None, wanted
                return
            if writing:
                self._reject(relation, rows, is_rejected(wanted))
            with query_view(accepted(relation, wanted, rows), self.session) as view:
                if self.copy.query is not None:
                    self.session.analyze(self.copy.query.reading(view))
                with without_place(), self._naming_row(rows, wanted, known):
                    yield view, wanted

    @contextmanager
    def _naming_row(
        self, rows: FileRows, wanted: Sequence[Column], known: Sequence[Column]
    ) -> Iterator[None]:
        """Spark's error does not say which row it is that cannot be read."""
        try:
            yield
        except DatabaseError as error:
            is_of_data = not isinstance(error, OperationalError)
            if is_of_data and rows.source.format.is_text and not rows.keeps_rejected:
                self._refuse_row(replace(rows, on_error=OnError.CONTINUE), wanted, known)
            raise

    def _refuse_row(self, rows: FileRows, wanted: Sequence[Column], known: Sequence[Column]) -> None:
        with rows.view(wanted, known) as relation:
            query = f"SELECT {REJECTED_FILE}, {REJECTED} FROM {relation} WHERE {is_rejected(wanted)} LIMIT 1"
            for row in self.session.run(query).arrow().to_pylist():
                file, text = row[REJECTED_FILE], row[REJECTED]
                raise DataError(
                    f"a row of {file} does not fit the columns: {text[:_SHOWN]}",
                    hint="ON_ERROR = CONTINUE leaves such rows out,"
                    f" ON_ERROR = QUARANTINE puts them into {rejected_table(self.target)}",
                )

    @property
    def _files(self) -> tuple[FileEntry, ...]:
        return tuple(each.file for each in self.loaded)

    def _insert(self, target: str, view: str, columns: Sequence[Column]) -> str:
        names = [each.text for each in self.copy.columns]
        if self.copy.query is None:
            names = [each.name for each in columns]
        into = f" ({_listed(names)})" if names else ""
        return f"INSERT INTO {target}{into} {self._select(view, columns)}"

    def _select(self, view: str, columns: Sequence[Column]) -> str:
        query = self.copy.query
        if query is not None:
            return query.reading(view).text
        return f"SELECT {_listed([each.name for each in columns])} FROM {view}"

    def _matching(self, rows: FileRows, known: Sequence[Column], *, writing: bool) -> list[Column]:
        """The columns of the table that the files have."""
        if self.session.catalog.table(self.target) is None:
            return rows.inferred_columns()
        columns = table_columns(self.target, self.session)
        if rows.is_by_place:
            self._expect_as_many(rows, columns)
            return columns
        if not known:
            return columns
        new = _missing(known, columns)
        if new:
            columns = self._evolve(new, columns, writing=writing)
        there = {each.name.lower() for each in known}
        matching = [each for each in columns if each.name.lower() in there]
        if not matching:
            raise DataError(
                f"no column of the files is a column of {self.target}: they have {_named(known)}",
                hint="COPY INTO table FROM (SELECT ... FROM '...') renames columns",
            )
        return matching

    def _expect_as_many(self, rows: FileRows, columns: Sequence[Column]) -> None:
        if rows.on_error is not OnError.ABORT:
            return
        for header, files in rows.by_header.items():
            if len(header) != len(columns):
                raise DataError(
                    f"{files[0].location} has {len(header)} columns, but {self.target} has {len(columns)}",
                    hint="OPTIONS ('header' = 'true') if its first line has names;"
                    " OPTIONS ('sep' = ';') if another character separates values",
                )

    def _evolve(self, new: Sequence[Column], columns: list[Column], *, writing: bool) -> list[Column]:
        match self.copy.schema_evolution or self.default_evolution:
            case SchemaEvolution.IGNORE:
                return columns
            case SchemaEvolution.ERROR:
                raise DataError(
                    f"files have columns that {self.target} does not have: {_named(new)}",
                    hint="SCHEMA_EVOLUTION = ADD adds them to the table, = IGNORE leaves them out",
                )
            case SchemaEvolution.ADD if not writing:
                return [*columns, *new]
            case SchemaEvolution.ADD:
                added = ", ".join(f"{quote_identifier(each.name)} {each.type}" for each in new)
                self.session.run(f"ALTER TABLE {self.target.sql} ADD COLUMNS ({added})")
                return table_columns(self.target, self.session)

    def _reject(self, relation: str, rows: FileRows, condition: str) -> None:
        if not rows.keeps_rejected:
            return
        counted = self.session.run(f"SELECT count(*) FROM {relation} WHERE {condition}")
        self.rejected = counted.arrow().column(0)[0].as_py()
        if self.rejected and rows.on_error is OnError.QUARANTINE:
            quarantine(
                self.target,
                FILES_KEY,
                self._after_rejected,
                lambda start: self._rejected_rows(start, relation, condition),
                self.session,
            )

    def _not_rejected_before(self, position: str | None) -> list[LoadedFile]:
        rejected = self.session.catalog.existing_table(rejected_table(self.target))
        ledger = read_ledger(position, SideFiles(rejected, self.session))
        return [each for each in self.loaded if self.copy.force or not ledger.has(each.file)]

    def _after_rejected(self, position: str | None, table: Table) -> str | None:
        store = SideFiles(table, self.session)
        files = self._not_rejected_before(position)
        return after_loading(read_ledger(position, store), files, (), "", store) if files else None

    def _rejected_rows(self, position: str | None, relation: str, condition: str) -> str:
        moment = max(each.loaded_at for each in self.loaded)
        files = [each.file.location for each in self._not_rejected_before(position)]
        is_new = (
            "true"
            if len(files) == len(self.loaded)
            else f"{REJECTED_FILE} IN ({', '.join(map(quote_string, files))})"
        )
        return (
            f"SELECT {_timestamp(moment)}, {REJECTED_FILE}, CAST(NULL AS STRING), {quote_string(_REASON)},"
            f" {REJECTED} FROM {relation} WHERE {condition} AND {is_new}"
        )


@contextmanager
def without_place() -> Iterator[None]:
    """Errors raised inside are about a text that no user wrote."""
    try:
        yield
    except Error as error:
        error.place = None
        raise


def table_columns(name: TableName, session: LakeSession) -> list[Column]:
    return list(session.analyze(f"SELECT * FROM {name.sql}").columns)


def _missing(known: Sequence[Column], columns: Sequence[Column]) -> list[Column]:
    there = {each.name.lower() for each in columns}
    return [each for each in known if each.name.lower() not in there]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(quote_identifier, names))


def _named(columns: Sequence[Column]) -> str:
    return ", ".join(show_identifier(each.name) for each in columns)


def _timestamp(moment: datetime) -> str:
    return f"timestamp_micros({int(moment.timestamp() * 1_000_000)})"
