"""CREATE, DROP, DESC, SHOW and TEST of connections."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headrace.features.connections.model import DatabaseType, TlsMode
from headrace.sql.parsing.filters import read_plain_filters
from headrace.sql.parsing.options import Options, read_options
from headrace.sql.parsing.rules import Rule
from headrace.sql.parsing.single_names import read_single_name
from headrace.sql.parsing.statements import Expression, Statement, Word
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Kind

CREATE_CONNECTION_FORM = (
    "CREATE CONNECTION [IF NOT EXISTS] name TYPE = POSTGRESQL | MYSQL | ORACLE | SQLSERVER"
    " HOST = 'host' [PORT = n] DATABASE = 'name' | TYPE = JDBC URL = 'jdbc:...'"
    " USER = 'name' [PASSWORD = secret('name')] [TLS = DISABLED | REQUIRED | VERIFIED]"
    " [TLS_CA = secret('name')] [COMMENT = 'text']"
)
DROP_CONNECTION_FORM = "DROP CONNECTION [IF EXISTS] name"
DESCRIBE_CONNECTION_FORM = "DESC CONNECTION name"
TEST_CONNECTION_FORM = "TEST CONNECTION name"
SHOW_CONNECTIONS_FORM = "SHOW CONNECTIONS [LIKE 'pattern'] [WHERE condition] [LIMIT n]"
_NAME = "the name of a connection"
_MOST_PORT = 65535
_PLAIN = re.compile(r"[\w.$#-]+")


@dataclass(frozen=True)
class CreateConnection(Statement):
    name: Word
    type: DatabaseType
    host: str
    port: int | None
    database: str
    user: str
    secret: Word | None = None
    comment: str | None = None
    url: str | None = None
    tls: TlsMode | None = None
    tls_ca: Word | None = None
    if_not_exists: bool = False


@dataclass(frozen=True)
class DropConnection(Statement):
    name: Word
    if_exists: bool = False


@dataclass(frozen=True)
class DescribeConnection(Statement):
    name: Word


@dataclass(frozen=True)
class TestConnection(Statement):
    name: Word


@dataclass(frozen=True)
class ShowConnections(Statement):
    like: str | None = None
    where: Expression | None = None
    limit: int | None = None


def _create(cursor: TokenReader) -> CreateConnection:
    if_not_exists = cursor.take("IF", "NOT", "EXISTS")
    name = read_single_name(cursor, _NAME)
    given = read_options(cursor, "a connection", _OPTIONS)
    is_jdbc = given.get("type") is DatabaseType.JDBC
    for option in ("TYPE", *(("URL",) if is_jdbc else ("HOST", "DATABASE")), "USER"):
        if _OPTIONS[option][0] not in given:
            raise cursor.error(f"{option} is missing")
    for option in ("HOST", "PORT", "DATABASE") if is_jdbc else ("URL",):
        if _OPTIONS[option][0] in given:
            raise cursor.error(f"TYPE = {given['type']} has no option {option}")
    _expect_plain(cursor, given)
    _expect_tls(cursor, given)
    given = {"port": None, "host": "", "database": ""} | given
    return CreateConnection(name, if_not_exists=if_not_exists, **given)


def _expect_plain(cursor: TokenReader, given: dict[str, Any]) -> None:
    """What becomes part of a URL cannot add properties to it."""
    if given["type"] in (DatabaseType.ORACLE, DatabaseType.SQLSERVER):
        for option in ("HOST", "DATABASE"):
            value = given[_OPTIONS[option][0]]
            if not _PLAIN.fullmatch(value):
                raise cursor.error(f"{option} cannot be {value!r}")


def _expect_tls(cursor: TokenReader, given: dict[str, Any]) -> None:
    if "tls" in given and not given["type"].has_readable_log:
        raise cursor.error(
            f"TYPE = {given['type']} has no option TLS", hint="its driver has options of its own"
        )
    if "tls_ca" in given and given.get("tls") is not TlsMode.VERIFIED:
        raise cursor.error("TLS_CA requires TLS = VERIFIED")


def _tls(cursor: TokenReader) -> TlsMode:
    if not cursor.at_any(*TlsMode):
        raise cursor.error(f"TLS must be one of {', '.join(TlsMode)}{cursor.found()}")
    return TlsMode(cursor.next().upper)


def _type(cursor: TokenReader) -> DatabaseType:
    token = cursor.token
    wanted = token.value.upper() if token and token.kind in (Kind.WORD, Kind.STRING) else ""
    wanted = {"POSTGRES": "POSTGRESQL", "MARIADB": "MYSQL"}.get(wanted, wanted)
    if wanted not in DatabaseType.__members__:
        raise cursor.error(f"TYPE must be one of {', '.join(DatabaseType)}{cursor.found()}")
    cursor.next()
    return DatabaseType(wanted)


def _port(cursor: TokenReader) -> int:
    start = cursor.span
    number = cursor.whole_number("a port")
    if not 1 <= number <= _MOST_PORT:
        raise cursor.error(f"expected a port between 1 and {_MOST_PORT}, found {number}", start)
    return number


def _secret(cursor: TokenReader) -> Word:
    if not cursor.take("SECRET", "("):
        hint = "a statement does not contain passwords: store it with `headrace secret set NAME`"
        raise cursor.error("expected secret('NAME')", hint=hint)
    name = cursor.quoted_word("the name of a secret")
    cursor.expect(")")
    return name


def _text(what: str) -> Callable[[TokenReader], str]:
    def read(cursor: TokenReader) -> str:
        start, value = cursor.span, cursor.string(what)
        if not value:
            raise cursor.error(f"{what} cannot be empty", start)
        return value

    return read


_OPTIONS: Options = {
    "TYPE": ("type", _type),
    "HOST": ("host", _text("the name or address of a host")),
    "PORT": ("port", _port),
    "URL": ("url", _text("the URL of a database")),
    "DATABASE": ("database", _text("the name of a database")),
    "USER": ("user", _text("the name of a user")),
    "PASSWORD": ("secret", _secret),
    "TLS": ("tls", _tls),
    "TLS_CA": ("tls_ca", _secret),
    "COMMENT": ("comment", _text("a comment")),
}


def _drop(cursor: TokenReader) -> DropConnection:
    if_exists = cursor.take("IF", "EXISTS")
    name = read_single_name(cursor, _NAME)
    cursor.expect_end()
    return DropConnection(name, if_exists)


def _describe(cursor: TokenReader) -> DescribeConnection | None:
    """None for a table called ``connection``."""
    if not cursor.names_next:
        return None
    name = read_single_name(cursor, _NAME)
    cursor.expect_end()
    return DescribeConnection(name)


def _test(cursor: TokenReader) -> TestConnection:
    name = read_single_name(cursor, _NAME)
    cursor.expect_end()
    return TestConnection(name)


def _show(cursor: TokenReader) -> ShowConnections:
    return ShowConnections(*read_plain_filters(cursor))


RULES = (
    Rule("CREATE CONNECTION", CREATE_CONNECTION_FORM, _create),
    Rule("DROP CONNECTION", DROP_CONNECTION_FORM, _drop),
    Rule("DESC CONNECTION", DESCRIBE_CONNECTION_FORM, _describe),
    Rule("DESCRIBE CONNECTION", DESCRIBE_CONNECTION_FORM, _describe),
    Rule("TEST CONNECTION", TEST_CONNECTION_FORM, _test),
    Rule("SHOW CONNECTIONS", SHOW_CONNECTIONS_FORM, _show),
)
