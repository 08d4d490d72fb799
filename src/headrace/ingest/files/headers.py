"""The columns of CSV files: by the first line of each file."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from headrace.errors import DataError, OperationalError
from headrace.features.pipes.model import FileSource
from headrace.ingest.files.options import is_set, value_of
from headrace.lake.file_systems import FileEntry, read_start

_FIRST_BYTES = 65536
_AT_ONCE = 16

Header = tuple[str, ...]


def by_header(files: Iterable[FileEntry], source: FileSource) -> dict[Header, list[FileEntry]]:
    """Files with the same columns together; without a header columns are ``_c0``, ``_c1`` and so on."""
    listed = list(files)
    with ThreadPoolExecutor(_AT_ONCE) as readers:
        headers = list(readers.map(lambda file: _header(file, source), listed))
    found: dict[Header, list[FileEntry]] = {}
    for header, file in zip(headers, listed, strict=True):
        found.setdefault(header, []).append(file)
    return found


def _header(file: FileEntry, source: FileSource) -> Header:
    values = _first_line(file, source)
    if not is_set(source, "header"):
        return tuple(f"_c{number}" for number in range(len(values)))
    names = tuple(value.strip() for value in values)
    for name in names:
        if not name:
            raise DataError(f"the header of {file.location} has a column without a name")
        if [each.lower() for each in names].count(name.lower()) > 1:
            raise DataError(f"the header of {file.location} has the column {name} twice")
    return names


def _first_line(file: FileEntry, source: FileSource) -> list[str]:
    encoding = value_of(source, "encoding", value_of(source, "charset", "utf-8"))
    try:
        text = codecs.getincrementaldecoder(encoding)("replace").decode(
            read_start(file.location, _FIRST_BYTES)
        )
    except OSError as error:
        raise OperationalError(f"{file.location} cannot be read: {error.strerror or error}") from None
    except LookupError:
        raise DataError(f"the encoding {encoding} does not exist") from None
    comment = value_of(source, "comment", "")
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="")
    reader = csv.reader(
        (line for line in lines if line.strip() and not (comment and line.startswith(comment))),
        delimiter=value_of(source, "sep", value_of(source, "delimiter", ","))[:1],
        quotechar=value_of(source, "quote", '"') or None,
        quoting=csv.QUOTE_MINIMAL if value_of(source, "quote", '"') else csv.QUOTE_NONE,
    )
    return next(reader, [])
