"""CREATE, DROP, DESC and SHOW of volumes."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.sql.parsing.filters import read_filters
from headrace.sql.parsing.options import Options, read_options
from headrace.sql.parsing.rules import Rule
from headrace.sql.parsing.statements import Listing, Name, Statement, Word
from headrace.sql.parsing.token_reader import TokenReader

CREATE_VOLUME_FORM = (
    "CREATE [EXTERNAL] VOLUME [IF NOT EXISTS] name LOCATION 'directory or s3:// prefix' [COMMENT 'text']"
)
DROP_VOLUME_FORM = "DROP VOLUME [IF EXISTS] name"
DESCRIBE_VOLUME_FORM = "DESC VOLUME name"
SHOW_VOLUMES_FORM = "SHOW VOLUMES [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]"
_NAME = "the name of a volume"


@dataclass(frozen=True)
class CreateVolume(Statement):
    name: Name
    location: Word
    comment: str | None = None
    if_not_exists: bool = False


@dataclass(frozen=True)
class DropVolume(Statement):
    name: Name
    if_exists: bool = False


@dataclass(frozen=True)
class DescribeVolume(Statement):
    name: Name


@dataclass(frozen=True)
class ShowVolumes(Listing):
    pass


def _create(cursor: TokenReader) -> CreateVolume:
    if_not_exists = cursor.take("IF", "NOT", "EXISTS")
    name = cursor.name(_NAME)
    given = read_options(cursor, "a volume", _OPTIONS)
    if "location" not in given:
        raise cursor.error("LOCATION is missing")
    return CreateVolume(name, if_not_exists=if_not_exists, **given)


def _location(cursor: TokenReader) -> Word:
    path = cursor.quoted_word("the path of a directory")
    if not path.text:
        raise cursor.error("the path of a directory cannot be empty", path.span)
    return path


def _comment(cursor: TokenReader) -> str:
    return cursor.string("a comment")


_OPTIONS: Options = {"LOCATION": ("location", _location), "COMMENT": ("comment", _comment)}


def _drop(cursor: TokenReader) -> DropVolume:
    if_exists = cursor.take("IF", "EXISTS")
    name = cursor.name(_NAME)
    cursor.expect_end()
    return DropVolume(name, if_exists)


def _describe(cursor: TokenReader) -> DescribeVolume | None:
    """None for a table called ``volume``."""
    if not cursor.names_next:
        return None
    name = cursor.name(_NAME)
    cursor.expect_end()
    return DescribeVolume(name)


def _show(cursor: TokenReader) -> ShowVolumes:
    return ShowVolumes(*read_filters(cursor))


RULES = (
    Rule("CREATE VOLUME", CREATE_VOLUME_FORM, _create),
    Rule("CREATE EXTERNAL VOLUME", CREATE_VOLUME_FORM, _create),
    Rule("DROP VOLUME", DROP_VOLUME_FORM, _drop),
    Rule("DESC VOLUME", DESCRIBE_VOLUME_FORM, _describe),
    Rule("DESCRIBE VOLUME", DESCRIBE_VOLUME_FORM, _describe),
    Rule("SHOW VOLUMES", SHOW_VOLUMES_FORM, _show),
)
