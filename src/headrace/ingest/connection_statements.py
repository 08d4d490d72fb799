"""CREATE, DROP, DESC, SHOW and TEST CONNECTION."""

from __future__ import annotations

from headrace.commands.error_location import pointing_at
from headrace.commands.local_view import selected
from headrace.commands.show import like
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import NotFound, OperationalError, Refused
from headrace.features.connections.grammar import (
    CreateConnection,
    DescribeConnection,
    DropConnection,
    ShowConnections,
    TestConnection,
)
from headrace.features.connections.model import SourceConnection
from headrace.ingest.cdc.open_source import open_source
from headrace.ingest.open_sync import open_batch
from headrace.result import NOTHING, LocalRows, Result
from headrace.sql.parsing.statements import Word
from headrace.views.arrow import to_arrow
from headrace.views.connections import ConnectionRow, TestedConnection
from headrace.views.described import info_table

_TESTING = "test"


def create_connection(
    statement: CreateConnection, given: StatementInput, context: StatementContext
) -> Result:
    lake, name = context.lake, statement.name.text
    if statement.if_not_exists and lake.store.connections.find(name) is not None:
        return Result(NOTHING, (f"connection {name} already exists, nothing was done",))
    for secret in filter(None, (statement.secret, statement.tls_ca)):
        with pointing_at(given.text, secret.span):
            lake.secret_value(secret.text)
    connection = SourceConnection(
        name,
        statement.type,
        statement.host,
        statement.port or statement.type.default_port,
        statement.database,
        statement.user,
        None if statement.secret is None else statement.secret.text,
        statement.comment,
        context.user,
        context.now(),
        statement.url,
        statement.tls,
        None if statement.tls_ca is None else statement.tls_ca.text,
    )
    with pointing_at(given.text, statement.name.span):
        lake.store.connections.create(connection)
    return Result(NOTHING, (f"TEST CONNECTION {name} checks whether it works",))


def drop_connection(statement: DropConnection, given: StatementInput, context: StatementContext) -> Result:
    store, name = context.lake.store, statement.name.text
    if statement.if_exists and store.connections.find(name) is None:
        return Result(NOTHING, (f"connection {name} does not exist, nothing was done",))
    connection = find_connection(statement.name, given, context)
    users = [sync.name for sync in store.syncs.all() if sync.connection.lower() == connection.name.lower()]
    if users:
        raise Refused(f"connection {name} is used by the sync {users[0]}", hint=f"DROP SYNC {users[0]} first")
    store.connections.drop(connection.name)
    return Result(NOTHING)


def describe_connection(
    statement: DescribeConnection, given: StatementInput, context: StatementContext
) -> Result:
    row = ConnectionRow.of(find_connection(statement.name, given, context))
    return Result(LocalRows(info_table(row, context.lake.settings.zone)))


def show_connections(statement: ShowConnections, given: StatementInput, context: StatementContext) -> Result:
    found = [each for each in context.lake.store.connections.all() if like(each.name, statement.like)]
    table = to_arrow(ConnectionRow, map(ConnectionRow.of, found), context.lake.settings.zone)
    return selected(table, statement.where, statement.limit, given, context)


def test_connection(statement: TestConnection, given: StatementInput, context: StatementContext) -> Result:
    connection = find_connection(statement.name, given, context)
    with (
        pointing_at(given.text, statement.name.span),
        open_batch(connection, _TESTING, context) as source,
    ):
        server, tables = source.check(), len(source.discover(["*.*"]))
    row = TestedConnection(server, tables, _log_problem(connection, context))
    return Result(LocalRows(to_arrow(TestedConnection, [row], context.lake.settings.zone)))


def _log_problem(connection: SourceConnection, context: StatementContext) -> str | None:
    if not connection.type.has_readable_log:
        return f"{connection.type} is read in batches alone"
    try:
        with open_source(connection, _TESTING, context.lake.secret_value) as source:
            source.check()
    except (OperationalError, Refused) as error:
        return error.message if error.hint is None else f"{error.message}; {error.hint}"
    return None


def find_connection(name: Word, given: StatementInput, context: StatementContext) -> SourceConnection:
    found = context.lake.store.connections.find(name.text)
    with pointing_at(given.text, name.span):
        if found is None:
            raise NotFound(
                f"connection {name.text} does not exist", hint="SHOW CONNECTIONS lists all connections"
            )
    return found
