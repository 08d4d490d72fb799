"""The rows of files, as SQL that selects them for a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property

from headrace.errors import DataError
from headrace.features.pipes.model import FileFormat, FileSource, OnError
from headrace.ingest.files.headers import Header, by_header
from headrace.ingest.files.options import is_set
from headrace.lake.external.file_frames import columns_of_files, file_view
from headrace.lake.file_systems import FileEntry
from headrace.lake.session import LakeSession
from headrace.model.dynamic_table import Column
from headrace.model.quoting import quote_identifier

REJECTED = "__hr_rejected"
"""The text of a row that cannot be read."""


REJECTED_FILE = "__hr_rejected_file"


@dataclass(frozen=True)
class FileRows:
    """Files of one format, of which some may have other columns than others."""

    source: FileSource
    files: tuple[FileEntry, ...]
    on_error: OnError
    session: LakeSession

    @property
    def keeps_rejected(self) -> bool:
        return self.source.format.is_text and self.on_error is not OnError.ABORT

    @property
    def is_by_place(self) -> bool:
        """Whether the columns have no names of their own."""
        return self.source.format is FileFormat.CSV and not is_set(self.source, "header")

    @cached_property
    def by_header(self) -> Mapping[Header, list[FileEntry]]:
        """Of CSV files that are not empty; the start of each is read once."""
        return by_header(self._filled, self.source)

    def columns(self) -> list[Column]:
        """Of all files together."""
        if not self._filled:
            return []
        if self.source.format is FileFormat.CSV:
            names = {name.lower(): name for header in self.by_header for name in header}
            return [Column(name, "string") for name in names.values()]
        options = self._options
        if self.source.format.is_text:
            options |= {"mode": "PERMISSIVE"}
        found = columns_of_files(_paths(self._filled), self._format, options, self.session)
        return [each for each in found if each.name != REJECTED]

    def inferred_columns(self) -> list[Column]:
        """With the types that values of CSV files look like; its columns are those of the first file."""
        if self.source.format is not FileFormat.CSV:
            return self.expect_some(self.columns())
        first = next(iter(self.by_header.values()), [])
        options = self._options | {"inferSchema": "true"}
        return columns_of_files(_paths(first), self._format, options, self.session) if first else []

    def expect_some(self, columns: list[Column]) -> list[Column]:
        """Of files with rows, where the columns must be known."""
        if self._filled and not columns:
            raise DataError(
                f"no row of {self._filled[0].location} is {self.source.format}",
                hint="check the format after USING",
            )
        return columns

    @contextmanager
    def view(self, wanted: Sequence[Column], known: Sequence[Column]) -> Iterator[str | None]:
        """SQL of a relation that has the columns ``wanted``, by name; None if no file has a row.

        ``known`` are the columns of all files together.
        """
        with ExitStack() as views:
            groups = [
                (views.enter_context(self._view(group, columns)), columns)
                for columns, group in self._groups(wanted, known)
            ]
            parts = [self._select(view, columns, wanted) for view, columns in groups]
            yield f"({' UNION ALL '.join(parts)})" if parts else None

    @property
    def _filled(self) -> list[FileEntry]:
        """Text files may be empty."""
        return [each for each in self.files if each.size or not self.source.format.is_text]

    @property
    def _format(self) -> str:
        return self.source.format.lower()

    @property
    def _options(self) -> dict[str, str]:
        options = dict(self.source.options)
        if self.source.format.is_text:
            options |= {"columnNameOfCorruptRecord": REJECTED, "columnPruning": "false"}
            options["mode"] = "PERMISSIVE" if self.keeps_rejected else "FAILFAST"
        if self.source.format in (FileFormat.PARQUET, FileFormat.ORC):
            options["mergeSchema"] = "true"
        return options

    def _groups(
        self, wanted: Sequence[Column], known: Sequence[Column]
    ) -> list[tuple[list[Column], list[FileEntry]]]:
        """The columns that files are read with, and the files."""
        types = {each.name.lower(): each.type for each in wanted}
        if not self._filled:
            return []
        if self.is_by_place and not _are_numbered(wanted):
            return [(list(wanted), self._filled)]
        if self.source.format is FileFormat.CSV:
            return [
                ([Column(name, types.get(name.lower(), "string")) for name in header], group)
                for header, group in self.by_header.items()
            ]
        if self.source.format is FileFormat.JSON:
            read = [
                Column(each.name, types[each.name.lower()]) for each in known if each.name.lower() in types
            ]
            return [(read or list(wanted), self._filled)]
        return [(list(known), self._filled)]

    @contextmanager
    def _view(self, files: Sequence[FileEntry], columns: Sequence[Column]) -> Iterator[str]:
        schema = [*columns, Column(REJECTED, "string")] if self.keeps_rejected else columns
        given = schema if self.source.format.is_text else None
        path_column = REJECTED_FILE if self.keeps_rejected else None
        with file_view(
            _paths(files), self._format, self._options, given, self.session, path_column=path_column
        ) as view:
            yield view

    def _select(self, view: str, columns: Sequence[Column], wanted: Sequence[Column]) -> str:
        there = {each.name.lower(): each.name for each in columns}
        selected = [
            f"{quote_identifier(there[each.name.lower()])} AS {quote_identifier(each.name)}"
            if each.name.lower() in there
            else f"CAST(NULL AS {each.type}) AS {quote_identifier(each.name)}"
            for each in wanted
        ]
        if self.keeps_rejected:
            selected += [REJECTED, REJECTED_FILE]
        return f"SELECT {', '.join(selected)} FROM {view}"


def _paths(files: Sequence[FileEntry]) -> list[str]:
    return [each.location for each in files]


def _are_numbered(columns: Sequence[Column]) -> bool:
    return all(each.name == f"_c{number}" for number, each in enumerate(columns))


def accepted(relation: str, columns: Sequence[Column], rows: FileRows) -> str:
    """The rows that could be read."""
    listed = ", ".join(quote_identifier(each.name) for each in columns)
    condition = f" WHERE {REJECTED} IS NULL" if rows.keeps_rejected else ""
    return f"SELECT {listed} FROM {relation}{condition}"


def is_rejected(columns: Sequence[Column]) -> str:
    """A condition. Spark looks only at the columns that a query uses, and so must see all of them used."""
    listed = ", ".join(quote_identifier(each.name) for each in columns)
    return f"{REJECTED} IS NOT NULL AND length(to_json(struct({listed}))) > 0"
