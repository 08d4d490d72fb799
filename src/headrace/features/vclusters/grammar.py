"""CREATE, ALTER, DROP, USE, DESCRIBE and SHOW of virtual clusters, next to what is called ``vcluster``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headrace.model.vcluster import SIZES, VclusterType
from headrace.sql.parsing.filters import read_plain_filters
from headrace.sql.parsing.properties import read_properties
from headrace.sql.parsing.rules import Rule
from headrace.sql.parsing.single_names import read_single_name
from headrace.sql.parsing.statements import Expression, Property, Statement, Word
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Kind

CREATE_VCLUSTER_FORM = (
    "CREATE VCLUSTER [IF NOT EXISTS] name [VCLUSTER_TYPE = t] [VCLUSTER_SIZE = s] [other options]"
)
ALTER_VCLUSTER_FORM = "ALTER VCLUSTER [IF EXISTS] name RESUME | SUSPEND [FORCE] | SET options"
DROP_VCLUSTER_FORM = "DROP VCLUSTER [IF EXISTS] name"
USE_VCLUSTER_FORM = "USE VCLUSTER name"
DESCRIBE_VCLUSTER_FORM = "DESC VCLUSTER [EXTENDED] name"
SHOW_VCLUSTERS_FORM = "SHOW VCLUSTERS [LIKE 'pattern'] [WHERE condition] [LIMIT n]"

_NAME = "the name of a cluster"
_TYPES = {kind.value: kind for kind in VclusterType} | {
    "GP": VclusterType.GENERAL,
    "AP": VclusterType.ANALYTICS,
}


@dataclass(frozen=True)
class VclusterOptions:
    """None of one: not given."""

    type: VclusterType | None = None
    size: int | None = None
    auto_suspend_seconds: int | None = None
    """-1: never."""
    auto_resume: bool | None = None
    max_concurrency: int | None = None
    comment: str | None = None
    properties: tuple[Property, ...] | None = None
    """Settings of Spark, all of them."""


@dataclass(frozen=True)
class CreateVcluster(Statement):
    name: Word
    options: VclusterOptions
    if_not_exists: bool = False


@dataclass(frozen=True)
class ResumeVcluster:
    """Its process is started."""


@dataclass(frozen=True)
class SuspendVcluster:
    force: bool = False
    """Without waiting for what is running."""


@dataclass(frozen=True)
class AlterVcluster(Statement):
    name: Word
    action: ResumeVcluster | SuspendVcluster | VclusterOptions
    if_exists: bool = False


@dataclass(frozen=True)
class DropVcluster(Statement):
    name: Word
    if_exists: bool = False


@dataclass(frozen=True)
class UseVcluster(Statement):
    name: Word


@dataclass(frozen=True)
class DescribeVcluster(Statement):
    name: Word
    extended: bool = False


@dataclass(frozen=True)
class ShowVclusters(Statement):
    like: str | None = None
    where: Expression | None = None
    limit: int | None = None


def _create(cursor: TokenReader) -> CreateVcluster:
    if_not_exists = cursor.take("IF", "NOT", "EXISTS")
    name = read_single_name(cursor, _NAME)
    return CreateVcluster(name, _read_options(cursor), if_not_exists)


def _replace(cursor: TokenReader) -> None:
    message = "a virtual cluster cannot be replaced"
    raise cursor.error(message, cursor.span_so_far)


def _alter(cursor: TokenReader) -> AlterVcluster:
    if_exists = cursor.take("IF", "EXISTS")
    name = read_single_name(cursor, _NAME)
    action = _action(cursor)
    cursor.expect_end()
    return AlterVcluster(name, action, if_exists)


def _action(cursor: TokenReader) -> ResumeVcluster | SuspendVcluster | VclusterOptions:
    if cursor.take("RESUME"):
        return ResumeVcluster()
    if cursor.take("SUSPEND"):
        return SuspendVcluster(force=cursor.take("FORCE"))
    if not cursor.take("SET"):
        raise cursor.error(f"expected RESUME, SUSPEND or SET{cursor.found()}")
    if cursor.done:
        raise cursor.error(f"expected what to set: {', '.join(_OPTIONS)}")
    return _read_options(cursor, commas=True)


def _drop(cursor: TokenReader) -> DropVcluster:
    if_exists = cursor.take("IF", "EXISTS")
    name = read_single_name(cursor, _NAME)
    cursor.expect_end()
    return DropVcluster(name, if_exists)


def _use(cursor: TokenReader) -> UseVcluster | None:
    """Without a name after it, a schema is called ``vcluster``."""
    if not cursor.names_next:
        return None
    name = read_single_name(cursor, _NAME)
    cursor.expect_end()
    return UseVcluster(name)


def _describe(cursor: TokenReader) -> DescribeVcluster | None:
    """Without a name after it, a table is called ``vcluster``."""
    if not cursor.names_next:
        return None
    extended = cursor.ahead(1) is not None and cursor.take("EXTENDED")
    name = read_single_name(cursor, _NAME)
    cursor.expect_end()
    return DescribeVcluster(name, extended)


def _show(cursor: TokenReader) -> ShowVclusters:
    return ShowVclusters(*read_plain_filters(cursor))


def _read_options(cursor: TokenReader, commas: bool = False) -> VclusterOptions:
    given: dict[str, object] = {}
    seen: set[str] = set()
    while cursor.token:
        start = cursor.span
        option = cursor.next().upper
        if option not in _OPTIONS:
            message = f"a virtual cluster has no option {start.of(cursor.text)}"
            raise cursor.error(message, start, f"options: {', '.join(_OPTIONS)}")
        if option in seen:
            raise cursor.error(f"{option} is given twice", start)
        seen.add(option)
        cursor.take("=")
        field, read = _OPTIONS[option]
        given[field] = read(cursor)
        if commas and cursor.take(",") and cursor.done:
            raise cursor.error("expected one more option after the comma")
    return VclusterOptions(**given)  # type: ignore[arg-type]


def _type(cursor: TokenReader) -> VclusterType:
    token = cursor.token
    kind = _TYPES.get(token.value.upper()) if token and token.kind in (Kind.WORD, Kind.STRING) else None
    if kind is None:
        raise cursor.error(f"VCLUSTER_TYPE must be one of {', '.join(VclusterType)}{cursor.found()}")
    cursor.next()
    return kind


def _size(cursor: TokenReader) -> int:
    token = cursor.token
    if token and token.kind is Kind.NUMBER:
        return _at_least_one(cursor, "VCLUSTER_SIZE")
    size = SIZES.get(token.value.upper()) if token and token.kind in (Kind.WORD, Kind.STRING) else None
    if size is None:
        raise cursor.error(f"VCLUSTER_SIZE must be one of {', '.join(SIZES)} or a number{cursor.found()}")
    cursor.next()
    return size


def _auto_suspend(cursor: TokenReader) -> int:
    start = cursor.span
    never = cursor.take("-")
    seconds = cursor.whole_number("a number of seconds")
    if never and seconds != 1:
        message = "AUTO_SUSPEND_IN_SECOND must be zero or more, or -1 for never"
        raise cursor.error(message, start.to(cursor.span_before))
    return -1 if never else seconds


def _auto_resume(cursor: TokenReader) -> bool:
    if not cursor.at_any("TRUE", "FALSE"):
        raise cursor.error(f"AUTO_RESUME must be TRUE or FALSE{cursor.found()}")
    return cursor.next().upper == "TRUE"


def _max_concurrency(cursor: TokenReader) -> int:
    return _at_least_one(cursor, "MAX_CONCURRENCY")


def _at_least_one(cursor: TokenReader, option: str) -> int:
    start = cursor.span
    number = cursor.whole_number("a whole number")
    if number == 0:
        raise cursor.error(f"{option} must be at least 1", start)
    return number


def _comment(cursor: TokenReader) -> str:
    return cursor.string("a comment")


def _properties(cursor: TokenReader) -> tuple[Property, ...]:
    properties = read_properties(cursor)
    for each in properties:
        if not each.name.text.startswith("spark."):
            message = (
                f"{each.name.text} is not a Spark setting: the names of Spark settings start with spark."
            )
            raise cursor.error(message, each.name.span)
    return properties


_OPTIONS: dict[str, tuple[str, Callable[[TokenReader], object]]] = {
    "VCLUSTER_TYPE": ("type", _type),
    "VCLUSTER_SIZE": ("size", _size),
    "AUTO_SUSPEND_IN_SECOND": ("auto_suspend_seconds", _auto_suspend),
    "AUTO_RESUME": ("auto_resume", _auto_resume),
    "MAX_CONCURRENCY": ("max_concurrency", _max_concurrency),
    "COMMENT": ("comment", _comment),
    "PROPERTIES": ("properties", _properties),
}
"""The field of each option, and the function that reads its value."""


RULES = (
    Rule("CREATE VCLUSTER", CREATE_VCLUSTER_FORM, _create),
    Rule("CREATE OR REPLACE VCLUSTER", "ALTER VCLUSTER name SET changes one that exists", _replace),
    Rule("ALTER VCLUSTER", ALTER_VCLUSTER_FORM, _alter),
    Rule("DROP VCLUSTER", DROP_VCLUSTER_FORM, _drop),
    Rule("USE VCLUSTER", USE_VCLUSTER_FORM, _use),
    Rule("DESC VCLUSTER", DESCRIBE_VCLUSTER_FORM, _describe),
    Rule("DESCRIBE VCLUSTER", DESCRIBE_VCLUSTER_FORM, _describe),
    Rule("SHOW VCLUSTERS", SHOW_VCLUSTERS_FORM, _show),
)
