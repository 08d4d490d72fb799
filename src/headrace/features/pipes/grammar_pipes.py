"""CREATE, ALTER, DROP, DESC, SHOW and EXECUTE PIPE."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from headrace.features.pipes.grammar_copy import choice, flag, read_copy
from headrace.features.pipes.model import Copy, IngestMode
from headrace.sql.parsing.filters import read_filters
from headrace.sql.parsing.statements import Listing, Name, Statement, Word
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Kind
from headrace.sql.tokens.positions import Span

CREATE_PIPE_FORM = (
    "CREATE PIPE [IF NOT EXISTS] name [VIRTUAL_CLUSTER = 'name'] [BATCH_INTERVAL_IN_SECONDS = n]"
    " [INITIAL_DELAY_IN_SECONDS = n] [INGEST_MODE = 'LIST_KEEP' | 'LIST_PURGE'] [COMMENT 'text']"
    " AS COPY INTO table FROM ..."
)
ALTER_PIPE_FORM = "ALTER PIPE name SET PIPE_EXECUTION_PAUSED = TRUE | VIRTUAL_CLUSTER = 'name' | ..."
DROP_PIPE_FORM = "DROP PIPE [IF EXISTS] name"
DESCRIBE_PIPE_FORM = "DESC PIPE [EXTENDED] name"
SHOW_PIPES_FORM = "SHOW PIPES [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]"
EXECUTE_PIPE_FORM = "EXECUTE PIPE name"


@dataclass(frozen=True)
class PipeOptions:
    """What was given; None: as it is."""

    cluster: Word | None = None
    interval_seconds: int | None = None
    batch_size_per_partition: int | None = None
    most_skipped_batches: int | None = None
    initial_delay_seconds: int | None = None
    reset_offsets: str | None = None
    ingest_mode: IngestMode | None = None
    is_paused: bool | None = None
    comment: str | None = None

    @property
    def given(self) -> Mapping[str, Any]:
        """But the cluster, whose name must be looked up."""
        values = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "cluster"}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class CreatePipe(Statement):
    name: Name
    copy: Copy
    copy_span: Span
    """Of COPY INTO and all that follows."""
    options: PipeOptions = PipeOptions()
    if_not_exists: bool = False


@dataclass(frozen=True)
class ExplainCreatePipe(Statement):
    create: CreatePipe


@dataclass(frozen=True)
class AlterPipe(Statement):
    name: Name
    options: PipeOptions
    if_exists: bool = False


@dataclass(frozen=True)
class DropPipe(Statement):
    name: Name
    if_exists: bool = False


@dataclass(frozen=True)
class DescribePipe(Statement):
    name: Name
    extended: bool = False


@dataclass(frozen=True)
class ExecutePipe(Statement):
    name: Name


@dataclass(frozen=True)
class ShowPipes(Listing):
    pass


def read_create(cursor: TokenReader) -> CreatePipe:
    if_not_exists = cursor.take("IF", "NOT", "EXISTS")
    name = cursor.name("the name of a pipe")
    options = _options(cursor, _CREATED)
    cursor.expect("AS")
    start = cursor.span
    cursor.expect("COPY", "INTO")
    copy = read_copy(cursor)
    return CreatePipe(name, copy, start.to(cursor.span_before), options, if_not_exists)


def read_explain(cursor: TokenReader) -> ExplainCreatePipe:
    return ExplainCreatePipe(read_create(cursor))


def read_alter(cursor: TokenReader) -> AlterPipe:
    if_exists = cursor.take("IF", "EXISTS")
    name = cursor.name("the name of a pipe")
    cursor.expect("SET")
    options = _options(cursor, _ALTERED)
    if options == PipeOptions():
        raise cursor.error(f"expected a property of the pipe{cursor.found()}")
    cursor.expect_end()
    return AlterPipe(name, options, if_exists)


def read_drop(cursor: TokenReader) -> DropPipe:
    if_exists = cursor.take("IF", "EXISTS")
    name = cursor.name("the name of a pipe")
    cursor.expect_end()
    return DropPipe(name, if_exists)


def read_describe(cursor: TokenReader) -> DescribePipe | None:
    """None for a table called ``pipe``."""
    if not cursor.names_next:
        return None
    extended = cursor.at("EXTENDED") and cursor.ahead(1) is not None and cursor.take("EXTENDED")
    name = cursor.name("the name of a pipe")
    cursor.expect_end()
    return DescribePipe(name, extended)


def read_execute(cursor: TokenReader) -> ExecutePipe:
    name = cursor.name("the name of a pipe")
    cursor.expect_end()
    return ExecutePipe(name)


def read_show(cursor: TokenReader) -> ShowPipes:
    return ShowPipes(*read_filters(cursor))


_Reader = Callable[[TokenReader], Any]


def _options(cursor: TokenReader, known: Mapping[str, tuple[str, _Reader]]) -> PipeOptions:
    given: dict[str, Any] = {}
    while cursor.token and not cursor.at("AS"):
        start = cursor.span
        word = cursor.token.upper
        if word == "COPY":
            raise cursor.error("expected AS before COPY INTO", start)
        if word not in known:
            raise cursor.error(
                f"a pipe has no property {cursor.token.text}", start, f"properties are {', '.join(known)}"
            )
        name, read = known[word]
        cursor.next()
        if name in given:
            raise cursor.error(f"{word} is given twice", start)
        given[name] = read(cursor)
        cursor.take(",")
    return PipeOptions(**given)


def _cluster(cursor: TokenReader) -> Word:
    cursor.expect("=")
    is_text = cursor.token is not None and cursor.token.kind is Kind.STRING
    return (
        cursor.quoted_word("the name of a virtual cluster")
        if is_text
        else cursor.word("the name of a virtual cluster")
    )


def _number(least: int, most: int) -> _Reader:
    def read(cursor: TokenReader) -> int:
        cursor.expect("=")
        start = cursor.span
        quoted = cursor.token is not None and cursor.token.kind is Kind.STRING
        text = cursor.string("a number") if quoted else str(cursor.whole_number("a whole number"))
        if not text.isdigit() or not least <= int(text) <= most:
            raise cursor.error(f"expected a whole number between {least} and {most}, found {text}", start)
        return int(text)

    return read


def _offsets(cursor: TokenReader) -> str:
    cursor.expect("=")
    start = cursor.span
    value = cursor.string("where to begin").lower()
    if value not in ("none", "valid", "earliest", "latest") and not value.isdigit():
        message = f"expected none, valid, earliest, latest or milliseconds since 1970, found {value}"
        raise cursor.error(message, start)
    return value


def _mode(cursor: TokenReader) -> IngestMode:
    cursor.expect("=")
    return choice(cursor, IngestMode, "a mode")


def _comment(cursor: TokenReader) -> str:
    cursor.take("=")
    return cursor.string("a comment")


_YEAR = 366 * 86_400
_ALTERED: dict[str, tuple[str, _Reader]] = {
    "VIRTUAL_CLUSTER": ("cluster", _cluster),
    "BATCH_INTERVAL_IN_SECONDS": ("interval_seconds", _number(1, _YEAR)),
    "BATCH_SIZE_PER_KAFKA_PARTITION": ("batch_size_per_partition", _number(1, 1_000_000_000)),
    "MAX_SKIP_BATCH_COUNT_ON_ERROR": ("most_skipped_batches", _number(0, 1_000_000)),
    "RESET_KAFKA_GROUP_OFFSETS": ("reset_offsets", _offsets),
    "PIPE_EXECUTION_PAUSED": ("is_paused", flag),
    "COMMENT": ("comment", _comment),
}
_CREATED: dict[str, tuple[str, _Reader]] = {
    **{name: found for name, found in _ALTERED.items() if name != "PIPE_EXECUTION_PAUSED"},
    "INITIAL_DELAY_IN_SECONDS": ("initial_delay_seconds", _number(0, _YEAR)),
    "INGEST_MODE": ("ingest_mode", _mode),
}
