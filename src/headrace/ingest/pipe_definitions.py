"""CREATE, ALTER and DROP PIPE, and EXPLAIN CREATE PIPE."""

from __future__ import annotations

import uuid
from dataclasses import replace

from headrace.commands.error_location import pointing_at
from headrace.commands.new_names import new_name
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import NotFound, Refused
from headrace.features.pipes.grammar_pipes import AlterPipe, CreatePipe, DropPipe, ExplainCreatePipe
from headrace.features.pipes.model import IngestMode, KafkaSource, Pipe, PipeSettings
from headrace.features.vclusters.vcluster_changes import find_vcluster
from headrace.ingest.copy_statement import pointing_into_query, target_of
from headrace.ingest.sources import PipeSource, reader_of, source_of_pipe
from headrace.model.dynamic_table import Column
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier, show_identifier
from headrace.model.vcluster import DEFAULT_VCLUSTER, VclusterType
from headrace.result import NOTHING, LocalRows, Result
from headrace.sql.parsing.statements import Name

_NO_SERVER = (
    "no server is running for this lake, so the pipe does not run automatically; start one with"
    " `headrace serve`, or run the pipe with EXECUTE PIPE {name}"
)
_ROWS_SHOWN = 10


def create_pipe(statement: CreatePipe, given: StatementInput, context: StatementContext) -> Result:
    with pointing_at(given.text, statement.name.span):
        name = new_name(statement.name, context)
        if statement.if_not_exists and context.lake.store.pipes.find(name) is not None:
            return Result(NOTHING, (f"pipe {name} already exists, nothing was done",))
    pipe = _pipe(statement, name, given, context)
    columns = _check(pipe, statement, given, context)
    notices: tuple[str, ...] = ()
    if columns is not None:
        _create_target(pipe.target, columns, context)
        listed = ", ".join(f"{show_identifier(each.name)} {each.type}" for each in columns)
        notices = (f"created the table {pipe.target} ({listed})",)
    with pointing_at(given.text, statement.name.span):
        context.lake.store.pipes.create(pipe)
    if not context.lake.is_scheduled:
        notices += (_NO_SERVER.format(name=name),)
    return Result(NOTHING, notices)


def explain_create_pipe(
    statement: ExplainCreatePipe, given: StatementInput, context: StatementContext
) -> Result:
    """The first rows that the pipe would bring; nothing is created."""
    create = statement.create
    with pointing_at(given.text, create.name.span):
        name = new_name(create.name, context)
    pipe = _pipe(create, name, given, context)
    _check(pipe, create, given, context)
    with pointing_at(given.text, create.copy.source.span), pointing_into_query(create.copy, given.text):
        source = _source(pipe, create, context)
        with source.preview() as query:
            if query is None:
                return Result(NOTHING, ("the source has no rows",))
            rows = context.session.run(f"SELECT * FROM ({query}) LIMIT {_ROWS_SHOWN}").arrow()
        waiting = source.lag(None)
    notice = f"the source has {waiting.records} records now, {waiting.bytes} bytes; nothing was created"
    return Result(LocalRows(rows), (notice,))


def alter_pipe(statement: AlterPipe, given: StatementInput, context: StatementContext) -> Result:
    if statement.if_exists and _found(statement.name, context) is None:
        return Result(NOTHING, (f"pipe {context.resolve(statement.name)} does not exist, nothing was done",))
    pipe = find_pipe(statement.name, given, context)
    settings = replace(pipe.settings, **statement.options.given)
    if statement.options.cluster is not None:
        cluster = find_vcluster(statement.options.cluster, given.text, context.lake.store.vclusters)
        settings = replace(settings, cluster=cluster.name)
    context.lake.store.pipes.change(pipe, settings, context.now())
    return Result(NOTHING)


def drop_pipe(statement: DropPipe, given: StatementInput, context: StatementContext) -> Result:
    if statement.if_exists and _found(statement.name, context) is None:
        return Result(NOTHING, (f"pipe {context.resolve(statement.name)} does not exist, nothing was done",))
    pipe = find_pipe(statement.name, given, context)
    context.lake.store.pipes.drop(pipe)
    return Result(NOTHING)


def find_pipe(name: Name, given: StatementInput, context: StatementContext) -> Pipe:
    with pointing_at(given.text, name.span):
        found = _found(name, context)
        if found is None:
            raise NotFound(f"pipe {context.resolve(name)} does not exist", hint="SHOW PIPES lists all pipes")
        return found


def _found(name: Name, context: StatementContext) -> Pipe | None:
    return context.lake.store.pipes.find(context.resolve(name))


def _pipe(statement: CreatePipe, name: TableName, given: StatementInput, context: StatementContext) -> Pipe:
    now, session = context.now(), context.session
    settings = PipeSettings(_cluster(statement, given, context))
    settings = replace(settings, **statement.options.given)
    with pointing_at(given.text, statement.copy_span):
        _expect_repeatable(statement)
    target = context.resolve(statement.copy.target)
    text = statement.copy_span.of(given.text)
    return Pipe(
        uuid.uuid4().hex,
        name,
        target,
        text,
        session.workspace,
        session.schema,
        settings,
        context.user,
        now,
        now,
    )


def _expect_repeatable(statement: CreatePipe) -> None:
    """What only a single load can do is not for pipes."""
    if statement.copy.purge and statement.options.ingest_mode is IngestMode.LIST_KEEP:
        raise Refused("LIST_KEEP and PURGE = TRUE exclude each other", hint="remove one of them")
    if statement.copy.force:
        raise Refused("a pipe loads each file once: FORCE = TRUE is not possible", hint="remove it")


def _cluster(statement: CreatePipe, given: StatementInput, context: StatementContext) -> str:
    """As given; else one for integration, if there is one; else the default one."""
    vclusters = context.lake.store.vclusters
    if statement.options.cluster is not None:
        return find_vcluster(statement.options.cluster, given.text, vclusters).name
    suited = (each.name for each in vclusters.all() if each.type is VclusterType.INTEGRATION)
    return next(suited, DEFAULT_VCLUSTER)


def _check(
    pipe: Pipe, statement: CreatePipe, given: StatementInput, context: StatementContext
) -> list[Column] | None:
    """That the pipe can run; the columns of its table, if that does not exist yet."""
    copy = statement.copy
    is_new = context.kind_of(pipe.target) is None
    if not is_new:
        with pointing_at(given.text, copy.target.span):
            target_of(copy, context)
    with pointing_at(given.text, copy.source.span), pointing_into_query(copy, given.text):
        source = _source(pipe, statement, context)
        if is_new:
            return list(source.discover())
        if isinstance(copy.source, KafkaSource):
            source.discover()
        source.lag(None)
    return None


def _source(pipe: Pipe, statement: CreatePipe, context: StatementContext) -> PipeSource:
    return source_of_pipe(pipe, statement.copy, reader_of(context))


def _create_target(name: TableName, columns: list[Column], context: StatementContext) -> None:
    listed = ", ".join(f"{quote_identifier(each.name)} {each.type}" for each in columns)
    context.session.run(f"CREATE TABLE {name.sql} ({listed})")
