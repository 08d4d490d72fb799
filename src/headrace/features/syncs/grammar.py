"""CREATE, ALTER, DROP, DESC, SHOW and EXECUTE SYNC."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from headrace.features.syncs.model import ALL_ROWS, BatchReads, SyncMode, SyncStart
from headrace.features.tasks.grammar_clauses import AtCron, EveryInterval, read_schedule
from headrace.sql.parsing.filters import read_filters
from headrace.sql.parsing.options import Options, read_options
from headrace.sql.parsing.rules import Rule
from headrace.sql.parsing.single_names import read_single_name
from headrace.sql.parsing.statements import Listing, Name, Statement, Word
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Kind

CREATE_SYNC_FORM = (
    "CREATE SYNC [IF NOT EXISTS] name FROM CONNECTION name TABLES 'schema.table', ... | SCHEMA 'schema'"
    " [INTO SCHEMA schema [PREFIX 'text']] [MODE = MIRROR | APPEND | SHARD_MERGE | BATCH]"
    " [START = SNAPSHOT | LATEST | 'position'] [COMMIT_INTERVAL_IN_SECONDS = n]"
    " [SCHEDULE INTERVAL n unit | SCHEDULE CRON 'expression'] [WATERMARK = 'column'] [PARTITIONS = n]"
    " [VIRTUAL_CLUSTER = 'name'] [COMMENT = 'text']"
)
ALTER_SYNC_FORM = (
    "ALTER SYNC name PAUSE | RESUME | RESYNC [TABLE 'schema.table'] | ADD TABLE 'schema.table'"
    " | REMOVE TABLE 'schema.table' | SET COMMIT_INTERVAL_IN_SECONDS = n | SET SCHEDULE ..."
)
DROP_SYNC_FORM = "DROP SYNC [IF EXISTS] name [FORCE]"
DESCRIBE_SYNC_FORM = "DESC SYNC [EXTENDED] name"
SHOW_SYNCS_FORM = "SHOW SYNCS [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]"
EXECUTE_SYNC_FORM = "EXECUTE SYNC name"
_NAME = "the name of a sync"
_MOST_SECONDS = 86_400
_MOST_PARTITIONS = 64
_OF_BATCH = {"schedule": "SCHEDULE", "watermark": "WATERMARK", "partitions": "PARTITIONS"}
_OF_LOGS = {"start": "START", "interval_seconds": "COMMIT_INTERVAL_IN_SECONDS"}


@dataclass(frozen=True)
class CreateSync(Statement):
    name: Name
    connection: Word
    patterns: tuple[Word, ...]
    schema: Name | None = None
    prefix: str = ""
    mode: SyncMode = SyncMode.MIRROR
    start: SyncStart = SyncStart.SNAPSHOT
    position: Word | None = None
    """Of START; None: it was not one."""
    interval_seconds: int | None = None
    schedule: EveryInterval | AtCron | None = None
    reads: BatchReads = ALL_ROWS
    cluster: Word | None = None
    comment: str | None = None
    if_not_exists: bool = False


class SyncAction(StrEnum):
    PAUSE = "PAUSE"
    RESUME = "RESUME"
    RESYNC = "RESYNC"
    ADD = "ADD"
    REMOVE = "REMOVE"
    SET = "SET"


@dataclass(frozen=True)
class AlterSync(Statement):
    name: Name
    action: SyncAction
    table: Word | None = None
    interval_seconds: int | None = None
    schedule: EveryInterval | AtCron | None = None


@dataclass(frozen=True)
class DropSync(Statement):
    name: Name
    if_exists: bool = False
    force: bool = False
    """Also where the database cannot be reached."""


@dataclass(frozen=True)
class DescribeSync(Statement):
    name: Name
    extended: bool = False


@dataclass(frozen=True)
class ExecuteSync(Statement):
    name: Name


@dataclass(frozen=True)
class ShowSyncs(Listing):
    pass


def _create(cursor: TokenReader) -> CreateSync:
    if_not_exists = cursor.take("IF", "NOT", "EXISTS")
    name = cursor.name(_NAME)
    cursor.expect("FROM", "CONNECTION")
    connection = read_single_name(cursor, "the name of a connection")
    patterns = _patterns(cursor)
    given: dict[str, Any] = {}
    if cursor.take("INTO"):
        cursor.expect("SCHEMA")
        given["schema"] = cursor.name("the name of a schema", most_parts=2)
        if cursor.take("PREFIX"):
            given["prefix"] = cursor.string("a prefix")
    given |= read_options(cursor, "a sync", _OPTIONS)
    _expect_options_of_mode(cursor, given)
    reads = {name: given.pop(name) for name in ("watermark", "partitions") if name in given}
    given["reads"] = BatchReads(**reads)
    if isinstance(given.get("start"), Word):
        given |= {"start": SyncStart.POSITION, "position": given["start"]}
    return CreateSync(name, connection, patterns, if_not_exists=if_not_exists, **given)


def _expect_options_of_mode(cursor: TokenReader, given: dict[str, Any]) -> None:
    is_batch = given.get("mode") is SyncMode.BATCH
    wrong = [name for field, name in (_OF_LOGS if is_batch else _OF_BATCH).items() if field in given]
    if wrong and is_batch:
        raise cursor.error(f"{wrong[0]} is an option of syncs that read a log, not of MODE = BATCH")
    if wrong:
        raise cursor.error(f"{wrong[0]} requires MODE = BATCH")


def _patterns(cursor: TokenReader) -> tuple[Word, ...]:
    if cursor.take("SCHEMA"):
        schema = cursor.quoted_word("the name of a schema of the database")
        return (Word(f"{schema.text}.*", schema.span),)
    cursor.expect("TABLES")
    patterns = [_table(cursor)]
    while cursor.take(","):
        patterns.append(_table(cursor))
    return tuple(patterns)


def _table(cursor: TokenReader) -> Word:
    table = cursor.quoted_word("the name of a table of the database")
    if not all(table.text.partition(".")):
        raise cursor.error(f"expected schema.table, found {table.text!r}", table.span)
    return table


def _choice(choices: type[StrEnum], option: str) -> Callable[[TokenReader], StrEnum]:
    def read(cursor: TokenReader) -> StrEnum:
        token = cursor.token
        wanted = token.value.upper() if token and token.kind in (Kind.WORD, Kind.STRING) else ""
        if wanted not in choices.__members__:
            raise cursor.error(f"{option} must be one of {', '.join(choices)}{cursor.found()}")
        cursor.next()
        return choices(wanted)

    return read


def _start(cursor: TokenReader) -> SyncStart | Word:
    """A word, or the text of a position."""
    if cursor.at_any("SNAPSHOT", "LATEST"):
        return SyncStart(cursor.next().upper)
    if cursor.token is None or cursor.token.kind is not Kind.STRING:
        raise cursor.error(f"START must be SNAPSHOT, LATEST or a position in quotes{cursor.found()}")
    given = cursor.quoted_word("a position")
    return SyncStart(given.text.upper()) if given.text.upper() in ("SNAPSHOT", "LATEST") else given


def _seconds(cursor: TokenReader) -> int:
    start = cursor.span
    number = cursor.whole_number("a number of seconds")
    if not 1 <= number <= _MOST_SECONDS:
        raise cursor.error(f"expected seconds between 1 and {_MOST_SECONDS}, found {number}", start)
    return number


def _partitions(cursor: TokenReader) -> int:
    start = cursor.span
    number = cursor.whole_number("a number of partitions")
    if not 1 <= number <= _MOST_PARTITIONS:
        message = f"expected between 1 and {_MOST_PARTITIONS} partitions, found {number}"
        raise cursor.error(message, start)
    return number


def _watermark(cursor: TokenReader) -> str:
    return cursor.quoted_word("the name of a column").text


def _cluster(cursor: TokenReader) -> Word:
    is_text = cursor.token is not None and cursor.token.kind is Kind.STRING
    what = "the name of a virtual cluster"
    return cursor.quoted_word(what) if is_text else cursor.word(what)


def _comment(cursor: TokenReader) -> str:
    return cursor.string("a comment")


_OPTIONS: Options = {
    "MODE": ("mode", _choice(SyncMode, "MODE")),
    "START": ("start", _start),
    "COMMIT_INTERVAL_IN_SECONDS": ("interval_seconds", _seconds),
    "SCHEDULE": ("schedule", read_schedule),
    "WATERMARK": ("watermark", _watermark),
    "PARTITIONS": ("partitions", _partitions),
    "VIRTUAL_CLUSTER": ("cluster", _cluster),
    "COMMENT": ("comment", _comment),
}


def _alter(cursor: TokenReader) -> AlterSync:
    name = cursor.name(_NAME)
    if cursor.token is None or cursor.token.upper not in SyncAction.__members__:
        raise cursor.error(f"expected one of {', '.join(SyncAction)}{cursor.found()}")
    action = SyncAction(cursor.next().upper)
    table, seconds, schedule = None, None, None
    if action in (SyncAction.ADD, SyncAction.REMOVE) or (action is SyncAction.RESYNC and cursor.at("TABLE")):
        cursor.expect("TABLE")
        table = _table(cursor)
    if action is SyncAction.SET and cursor.take("SCHEDULE"):
        cursor.take("=")
        schedule = read_schedule(cursor)
    elif action is SyncAction.SET:
        cursor.expect("COMMIT_INTERVAL_IN_SECONDS", "=")
        seconds = _seconds(cursor)
    cursor.expect_end()
    return AlterSync(name, action, table, seconds, schedule)


def _drop(cursor: TokenReader) -> DropSync:
    if_exists = cursor.take("IF", "EXISTS")
    name = cursor.name(_NAME)
    force = cursor.take("FORCE")
    cursor.expect_end()
    return DropSync(name, if_exists, force)


def _describe(cursor: TokenReader) -> DescribeSync | None:
    """None for a table called ``sync``."""
    if not cursor.names_next:
        return None
    extended = cursor.at("EXTENDED") and cursor.ahead(1) is not None and cursor.take("EXTENDED")
    name = cursor.name(_NAME)
    cursor.expect_end()
    return DescribeSync(name, extended)


def _execute(cursor: TokenReader) -> ExecuteSync:
    name = cursor.name(_NAME)
    cursor.expect_end()
    return ExecuteSync(name)


def _show(cursor: TokenReader) -> ShowSyncs:
    return ShowSyncs(*read_filters(cursor))


RULES = (
    Rule("CREATE SYNC", CREATE_SYNC_FORM, _create),
    Rule("ALTER SYNC", ALTER_SYNC_FORM, _alter),
    Rule("DROP SYNC", DROP_SYNC_FORM, _drop),
    Rule("DESC SYNC", DESCRIBE_SYNC_FORM, _describe),
    Rule("DESCRIBE SYNC", DESCRIBE_SYNC_FORM, _describe),
    Rule("SHOW SYNCS", SHOW_SYNCS_FORM, _show),
    Rule("EXECUTE SYNC", EXECUTE_SYNC_FORM, _execute),
)
