"""``COPY INTO t FROM ...``: by itself, and as what a pipe does."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from headrace.features.pipes.grammar_kafka import read_kafka
from headrace.features.pipes.model import (
    Copy,
    FileFormat,
    FileSource,
    KafkaSource,
    OnError,
    SchemaEvolution,
    SelectAround,
    VolumeSource,
)
from headrace.sql.parsing.properties import read_properties
from headrace.sql.parsing.statements import Statement, Word
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Kind
from headrace.sql.tokens.positions import Span

COPY_FORM = (
    "COPY INTO table [(columns)] FROM 'directory' | VOLUME name | (SELECT ... FROM 'directory' USING ...)"
    " USING CSV | JSON | PARQUET | AVRO | ORC [OPTIONS (...)] [FILES ('name', ...) | REGEXP 'pattern']"
    " [PURGE = TRUE] [FORCE = TRUE] [ON_ERROR = ABORT | CONTINUE | QUARANTINE]"
    " [SCHEMA_EVOLUTION = ERROR | IGNORE | ADD]"
)
CopySource = FileSource | VolumeSource | KafkaSource
_Choice = TypeVar("_Choice", bound=StrEnum)


@dataclass(frozen=True)
class CopyInto(Statement):
    copy: Copy


@dataclass
class _Files:
    format: FileFormat | None = None
    options: dict[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    pattern: str | None = None


@dataclass
class _Clauses:
    purge: bool = False
    force: bool = False
    on_error: OnError = OnError.ABORT
    schema_evolution: SchemaEvolution | None = None


def read_copy(cursor: TokenReader) -> Copy:
    """After COPY INTO, up to the end."""
    start = cursor.span
    target = cursor.name("the name of a table")
    columns = _columns(cursor)
    cursor.expect("FROM")
    source, query = _source(cursor)
    clauses = _Clauses()
    _read_each(cursor, _CLAUSES, clauses)
    cursor.expect_end()
    if clauses.schema_evolution is not None and query is not None:
        raise cursor.error(
            "SCHEMA_EVOLUTION is about columns of files, but the query selects the columns",
            start,
            "remove it, or load the files without a query",
        )
    if columns and query is None:
        raise cursor.error("a list of columns requires a query", columns[0].span, "use FROM (SELECT ... )")
    return Copy(
        target,
        source,
        query,
        columns,
        clauses.purge,
        clauses.force,
        clauses.on_error,
        clauses.schema_evolution,
        start.to(cursor.span_before),
    )


def _columns(cursor: TokenReader) -> tuple[Word, ...]:
    if not cursor.take("("):
        return ()
    columns = [cursor.word("the name of a column")]
    while cursor.take(","):
        columns.append(cursor.word("the name of a column"))
    cursor.expect(")")
    return tuple(columns)


def _source(cursor: TokenReader) -> tuple[CopySource, SelectAround | None]:
    if cursor.at("(", "SELECT"):
        return _source_in_query(cursor)
    return _files(cursor), None


def _source_in_query(cursor: TokenReader) -> tuple[CopySource, SelectAround]:
    opening = cursor.span
    cursor.expect("(")
    start = cursor.span
    cursor.expect("SELECT")
    cursor.expression("what is selected", "FROM")
    cursor.expect("FROM")
    at = cursor.span
    source = read_kafka(cursor, at) if cursor.take("READ_KAFKA", "(") else _files(cursor)
    place = at.to(cursor.span_before)
    if not cursor.done and not cursor.at(")"):
        cursor.expression("the rest of the query", ")")
    query = start.to(cursor.span_before)
    if not cursor.take(")"):
        raise cursor.error("this parenthesis is never closed", opening)
    within = Span(place.start - query.start, place.end - query.start)
    return source, SelectAround(query.of(cursor.text), within, query.start)


def _files(cursor: TokenReader) -> FileSource | VolumeSource:
    if cursor.take("VOLUME"):
        return VolumeSource(cursor.name("the name of a volume"), **_selection(cursor))
    if cursor.token is None or cursor.token.kind is not Kind.STRING:
        hint = (
            "write FROM (SELECT ... FROM read_kafka(...))"
            if cursor.at("READ_KAFKA")
            else "write a path in quotes, or VOLUME name; for tables of the lake, INSERT INTO ... SELECT"
        )
        raise cursor.error(f"expected the path of files in quotes{cursor.found()}", hint=hint)
    path = cursor.quoted_word("a path")
    if not path.text:
        raise cursor.error("the path of files cannot be empty", path.span)
    return FileSource(path, **_selection(cursor))


def _selection(cursor: TokenReader) -> dict[str, Any]:
    given = _Files()
    _read_each(cursor, _FILE_CLAUSES, given)
    if given.format is None:
        raise cursor.error(f"expected USING and the format of the files{cursor.found()}")
    return vars(given)


_Given = TypeVar("_Given")


def _read_each(
    cursor: TokenReader, clauses: dict[str, Callable[[TokenReader, _Given], None]], given: _Given
) -> None:
    """Clauses in any order, each once."""
    seen: set[str] = set()
    while (word := cursor.token.upper if cursor.token else "") in clauses:
        start = cursor.span
        if word in seen:
            raise cursor.error(f"{word} is given twice", start)
        seen.add(word)
        cursor.next()
        clauses[word](cursor, given)


def _format(cursor: TokenReader, given: _Files) -> None:
    given.format = choice(cursor, FileFormat, "a file format")


def _options(cursor: TokenReader, given: _Files) -> None:
    given.options = {each.name.text: each.value.text for each in read_properties(cursor)}


def _names(cursor: TokenReader, given: _Files) -> None:
    _expect_one_selection(cursor, given)
    cursor.expect("(")
    names = [cursor.string("the name of a file")]
    while cursor.take(","):
        names.append(cursor.string("the name of a file"))
    cursor.expect(")")
    given.files = tuple(names)


def _pattern(cursor: TokenReader, given: _Files) -> None:
    _expect_one_selection(cursor, given)
    start = cursor.span
    pattern = cursor.string("a regular expression")
    try:
        re.compile(pattern)
    except re.error as error:
        raise cursor.error(f"the regular expression is not valid: {error}", start) from None
    given.pattern = pattern


def _expect_one_selection(cursor: TokenReader, given: _Files) -> None:
    if given.files or given.pattern is not None:
        raise cursor.error("FILES and REGEXP cannot be used together", hint="remove one of them")


def _purge(cursor: TokenReader, given: _Clauses) -> None:
    given.purge = flag(cursor)


def _force(cursor: TokenReader, given: _Clauses) -> None:
    given.force = flag(cursor)


def _on_error(cursor: TokenReader, given: _Clauses) -> None:
    cursor.expect("=")
    given.on_error = choice(cursor, OnError, "a value")


def _schema_evolution(cursor: TokenReader, given: _Clauses) -> None:
    cursor.expect("=")
    given.schema_evolution = choice(cursor, SchemaEvolution, "a value")


def flag(cursor: TokenReader) -> bool:
    """``= TRUE`` or ``= FALSE``."""
    cursor.expect("=")
    if not cursor.at_any("TRUE", "FALSE"):
        raise cursor.error(f"expected TRUE or FALSE{cursor.found()}")
    return cursor.next().upper == "TRUE"


def choice(cursor: TokenReader, choices: type[_Choice], what: str) -> _Choice:
    """A word, in quotes or not."""
    token = cursor.token
    if token is None or not (token.is_name or token.kind is Kind.STRING):
        raise cursor.error(f"expected {what}{cursor.found()}")
    start = cursor.span
    given = cursor.next().value
    found = next((each for each in choices if each.value == given.upper()), None)
    if found is None:
        listed = ", ".join(choices)
        raise cursor.error(f"expected one of {listed}, found {given}", start)
    return found


_FILE_CLAUSES: dict[str, Callable[[TokenReader, _Files], None]] = {
    "USING": _format,
    "OPTIONS": _options,
    "FILES": _names,
    "REGEXP": _pattern,
}
_CLAUSES: dict[str, Callable[[TokenReader, _Clauses], None]] = {
    "PURGE": _purge,
    "FORCE": _force,
    "ON_ERROR": _on_error,
    "SCHEMA_EVOLUTION": _schema_evolution,
}


def read_copy_into(cursor: TokenReader) -> CopyInto:
    return CopyInto(read_copy(cursor))
