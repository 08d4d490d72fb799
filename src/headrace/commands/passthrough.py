"""Statements of Spark's own: run as they are, unless they would change a dynamic table behind its back."""

from __future__ import annotations

from collections.abc import Mapping

from headrace.commands.catalog_capabilities import expect_renames, expect_views
from headrace.commands.error_location import pointing_at, pointing_by_words
from headrace.commands.hidden import possible_tables, without_hidden
from headrace.commands.hidden_answers import refuse_hidden_column, visible_answer
from headrace.commands.information_schema import names_information_schema, with_information_schema
from headrace.commands.new_names import expect_possible
from headrace.commands.row_counts import row_count, write_in
from headrace.commands.source_readers import check_breaks
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.commands.table_functions import with_table_functions
from headrace.errors import AlreadyExists, Error, NotFound, NotSupportedError, Refused
from headrace.features.recovery.hidden_schemas import refuse_hidden_schemas
from headrace.features.streams.consume import with_streams
from headrace.lake.session import Parameters
from headrace.model.names import DEFAULT_WORKSPACE, TableName
from headrace.model.quoting import show_identifier
from headrace.result import Result
from headrace.sql.parsed import ParsedStatement
from headrace.sql.parsing.statements import Statement
from headrace.sql.queries.qualify_clause import without_qualify
from headrace.sql.query_parameters import bind_settings, parameters_in
from headrace.sql.spark.effects import Argument, Effect, EffectKind
from headrace.sql.tokens.dotted_name import dotted_parts
from headrace.sql.tokens.lexer import Kind, words_of
from headrace.sql.tokens.positions import place_of
from headrace.sql.tokens.targets import read_target

_ROWS = {
    EffectKind.INSERT,
    EffectKind.OVERWRITE,
    EffectKind.UPDATE,
    EffectKind.DELETE,
    EffectKind.MERGE,
    EffectKind.TRUNCATE,
    EffectKind.LOAD,
}
_OF_TABLES = {*_ROWS, EffectKind.ALTER}
_VIEWS = {EffectKind.CREATE_VIEW, EffectKind.REPLACE_VIEW}
_ANY_VIEW = {*_VIEWS, EffectKind.ALTER_VIEW, EffectKind.CREATE_TEMPORARY_VIEW}
_CREATIONS = {EffectKind.CREATE, EffectKind.REPLACE, *_VIEWS}
_HARMLESS_PROCEDURES = {
    "ancestors_of",
    "create_changelog_view",
    "compute_table_stats",
    "compute_partition_stats",
}
_DEPTH = 5


def run_guarded(statement: Statement, given: StatementInput, context: StatementContext) -> Result:
    """QUALIFY is Headrace's own, but not with parameters by position, whose order it would change."""
    parameters = given.parameters
    in_order = parameters is not None and not isinstance(parameters, Mapping)
    sent = given.parsed if in_order else without_qualify(given.parsed)
    with pointing_by_words(given.text, sent.text):
        return _run_guarded(sent, parameters, context)


def _run_guarded(
    statement: ParsedStatement, parameters: Parameters | None, context: StatementContext
) -> Result:
    refuse_hidden_schemas(statement)
    _refuse_changes(statement, context)
    statement = bind_settings(statement, context.session.setting)
    refuse_hidden_column(statement, context)
    notices = check_breaks(statement, context)
    with (
        with_table_functions(statement, context) as plain,
        with_information_schema(plain, context) as rewritten,
    ):
        sent = without_hidden(rewritten, parameters, context)
        with with_streams(statement, context) as run:
            if statement.is_explain and not parameters:
                context.session.check_explained(sent)
            write = write_in(statement, context.session)
            rows = run(sent, parameters)
            count = row_count(write, context.session)
            _let_streams_follow(statement, context)
            if statement.starts_with("USE"):
                context.session.spell_current_schema()
        answer = visible_answer(statement, rows, context)
        return Result(answer, notices + _notices(statement, context), count)


def _let_streams_follow(statement: ParsedStatement, context: StatementContext) -> None:
    """Tables that were renamed have their streams still."""
    for effect in statement.effects:
        if effect.kind is EffectKind.RENAME and effect.target and effect.renamed_to:
            before = context.session.resolve(effect.target)
            after = context.session.resolve_new(effect.renamed_to, before.workspace, before.schema)
            catalog = context.session.catalog
            if catalog.table(before) is None and catalog.table(after) is not None:
                context.lake.store.streams.follow_rename(before, after)


def _notices(statement: ParsedStatement, context: StatementContext) -> tuple[str, ...]:
    if not statement.starts_with("REFRESH", "TABLE"):
        return ()
    tokens = statement.tokens
    parts, _, _ = read_target(tokens[2:], tokens[0].span)
    tables = [
        context.lake.store.definitions.find(name) for name in possible_tables(parts or (), context.session)
    ]
    return tuple(
        f"REFRESH TABLE only clears Spark's cache: REFRESH DYNAMIC TABLE {table.name} brings it up to date"
        for table in tables
        if table is not None
    )


def _refuse_changes(statement: ParsedStatement, context: StatementContext, depth: int = 0) -> None:
    for effect in statement.effects:
        with pointing_at(statement.text, effect.span):
            _check(effect, context, depth)
            if effect.kind in _VIEWS and names_information_schema(statement, context):
                raise Refused("a view cannot read information_schema", hint="select from it directly")
            if effect.kind in _ANY_VIEW:
                _refuse_parameters(statement)
            if effect.kind is EffectKind.CREATE_TEMPORARY_VIEW:
                _check_temporary_view(statement, context)


def _refuse_parameters(view: ParsedStatement) -> None:
    for _, span in parameters_in(view):
        raise Refused(
            "a view cannot have parameters: it would store their current values",
            hint="use SESSION_CONFIGS()['dt.args.name'] in the query that reads the view",
            place=place_of(view.text, span),
        )


def _check(effect: Effect, context: StatementContext, depth: int) -> None:
    match effect.kind:
        case EffectKind.EXECUTE_IMMEDIATE:
            _check_dynamic(effect, context, depth)
        case EffectKind.CALL:
            _check_procedure(effect, context)
        case EffectKind.CREATE_SCHEMA:
            _check_new_schema(effect, context)
        case EffectKind.DROP_SCHEMA:
            _check_schema(effect, context)
        case EffectKind.USE:
            raise Refused(
                "USE is not supported inside a block",
                hint="run it before the block, or write workspace.schema.table",
            )
        case EffectKind.ALTER_SCHEMA | EffectKind.CREATE_TEMPORARY_VIEW:
            pass
        case _:
            _check_table(effect, context)


def _check_table(effect: Effect, context: StatementContext) -> None:
    if effect.target is None:
        raise Refused(
            f"{effect.kind} requires the table name as a literal",
            hint="write the name, in backticks if necessary, or IDENTIFIER('name')",
        )
    if effect.kind in _CREATIONS and len(effect.target) > 2:
        _refuse_session_catalog(effect.target)
    for name in possible_tables(effect.target, context.session):
        if context.lake.store.definitions.find(name) is not None:
            raise _refusal(effect, name)
        if context.lake.store.streams.find(name) is not None:
            raise _stream_refusal(effect, name)
        if effect.kind in _CREATIONS:
            _expect_schema(name, context)
            expect_possible(name.table)
            _expect_same_kind(effect, name, context)
        if effect.kind is EffectKind.CREATE and effect.detail.upper().startswith("LIKE"):
            raise NotSupportedError(
                "CREATE TABLE ... LIKE is not supported",
                hint="use CREATE TABLE ... AS SELECT * FROM other_table WHERE false",
            )
        if effect.kind in _OF_TABLES and context.session.catalog.view(name) is not None:
            raise Refused(
                f"{name} is a view, but {effect.kind} requires a table",
                hint="change the tables that it reads, or the view with CREATE OR REPLACE VIEW",
            )
        if effect.kind is EffectKind.DROP:
            _check_drop(effect, name, context)
        if effect.kind is EffectKind.DROP_VIEW and context.session.catalog.table(name) is not None:
            raise Refused(f"{name} is a table", hint=f"use DROP TABLE {name}")
        _check_capabilities(effect, name, context)
        if effect.renamed_to is not None:
            _check_new_name(effect.renamed_to, name, context)


def _expect_same_kind(effect: Effect, name: TableName, context: StatementContext) -> None:
    """A name in another case is the name of what is there, and that may be no table, or no view."""
    kind = context.kind_of(name) if name.table != (effect.target or ("",))[-1] else None
    if kind not in (None, "view" if effect.kind in _VIEWS else "table"):
        raise AlreadyExists(f"{name} already exists and is a {kind}", hint="choose another name")


def _check_capabilities(effect: Effect, name: TableName, context: StatementContext) -> None:
    catalog = context.session.catalog
    if effect.kind in _VIEWS:
        expect_views(name, catalog.capabilities)
    if effect.renamed_to is not None and catalog.table(name) is not None:
        expect_renames(name, catalog.capabilities)


def _check_drop(effect: Effect, name: TableName, context: StatementContext) -> None:
    """One that Spark would run, so that UNDROP knew nothing of it."""
    if name.workspace != DEFAULT_WORKSPACE or effect.detail.upper().startswith("PURGE"):
        return
    if context.session.is_temporary_view(effect.target or ()) or context.session.catalog.table(name) is None:
        return
    raise Refused(
        f"DROP TABLE {name} inside a block or EXECUTE IMMEDIATE could not be undone",
        hint="run it as a separate statement, or with PURGE",
    )


def _check_new_name(parts: tuple[str, ...], renamed: TableName, context: StatementContext) -> None:
    name = context.session.resolve(parts, renamed.workspace, renamed.schema)
    if name == renamed:
        return
    _expect_schema(name, context)
    expect_possible(name.table)
    kind = context.kind_of(name)
    if kind in ("dynamic table", "table stream") or (kind is not None and name.table != parts[-1]):
        raise AlreadyExists(f"{name} already exists and is a {kind}", hint="choose another name")


def _expect_schema(name: TableName, context: StatementContext) -> None:
    """Iceberg would make the schema without being asked."""
    if not context.session.catalog.has_schema(name.workspace, name.schema):
        schema = ".".join(show_identifier(part) for part in (name.workspace, name.schema))
        raise NotFound(f"schema {schema} does not exist", hint="create it with CREATE SCHEMA")


def _refusal(effect: Effect, name: TableName) -> Error:
    if effect.kind in _ROWS:
        return Refused(
            f"{name} is a dynamic table: only a refresh can change its rows",
            hint=f"change its sources, then REFRESH DYNAMIC TABLE {name}",
        )
    if effect.kind in (EffectKind.DROP, EffectKind.DROP_VIEW):
        return Refused(f"{name} is a dynamic table", hint=f"use DROP DYNAMIC TABLE {name}")
    if effect.kind in (EffectKind.CREATE, EffectKind.CREATE_VIEW):
        return AlreadyExists(f"{name} already exists and is a dynamic table", hint="choose another name")
    return Refused(
        f"{effect.kind} is not allowed on the dynamic table {name}",
        hint=f"ALTER DYNAMIC TABLE {name} RENAME TO ... renames it"
        if effect.kind is EffectKind.RENAME
        else f"change it with CREATE OR REPLACE DYNAMIC TABLE {name}",
    )


def _stream_refusal(effect: Effect, name: TableName) -> Error:
    if effect.kind in _CREATIONS:
        return AlreadyExists(f"{name} already exists and is a table stream", hint="choose another name")
    if effect.kind in _ROWS:
        return Refused(f"{name} is a table stream, which is read-only", hint="change the rows of its table")
    return Refused(
        f"{effect.kind} is not allowed on the table stream {name}",
        hint=f"use DROP TABLE STREAM {name}, or CREATE OR REPLACE TABLE STREAM",
    )


def _refuse_session_catalog(parts: tuple[str, ...]) -> None:
    """What Spark's own catalog holds is in its memory, and no part of the lake."""
    if len(parts) > 1 and parts[0].lower() == "spark_catalog":
        raise Refused("spark_catalog is not a workspace of the lake", hint=f"use {DEFAULT_WORKSPACE}")


def _check_new_schema(effect: Effect, context: StatementContext) -> None:
    if effect.target is None:
        raise Refused(
            "CREATE SCHEMA requires the schema name as a literal",
            hint="write the name, in backticks if necessary",
        )
    _refuse_session_catalog(effect.target)
    if len(effect.target) > 2:
        raise Refused("a schema cannot contain another schema", hint="write the name as workspace.schema")
    name = context.session.resolve((*effect.target, "any"))
    if name.schema.lower() == "information_schema":
        raise Refused("the schema name information_schema is reserved", hint="choose another name")
    expect_possible(name.schema)


def _check_schema(effect: Effect, context: StatementContext) -> None:
    if effect.target is None:
        raise Refused(
            "DROP SCHEMA requires the schema name as a literal",
            hint="write the name, in backticks if necessary",
        )
    workspace = effect.target[0] if len(effect.target) > 1 else context.session.workspace
    schema = context.session.schema_as_spelled(workspace, effect.target[-1])
    store = context.lake.store
    for kind, rows in (
        ("dynamic table", store.definitions),
        ("table stream", store.streams),
        ("pipe", store.pipes),
        ("sync", store.syncs),
        ("volume", store.volumes),
    ):
        for item in rows.in_schema(workspace, schema)[:1]:
            raise Refused(
                f"schema {show_identifier(schema)} contains the {kind} {item.name}",
                hint=f"DROP {kind.upper()} {item.name} first",
            )
    catalog = context.session.catalog
    if workspace in context.session.workspaces and catalog.has_schema(workspace, schema):
        held = catalog.tables(workspace, schema)
        if workspace == DEFAULT_WORKSPACE:
            held += catalog.views(workspace, schema)
        if held:
            listed = ", ".join(map(show_identifier, held))
            raise Refused(
                f"schema {show_identifier(schema)} is not empty: it contains {listed}",
                hint="drop its contents first: CASCADE is not supported",
            )


def _check_procedure(effect: Effect, context: StatementContext) -> None:
    """Iceberg's procedures take the table as a string; one that rewrites or rolls back is not for a DT."""
    procedure = ".".join(effect.target or ())
    if procedure.split(".")[-1].lower() in _HARMLESS_PROCEDURES:
        return
    for position, argument in enumerate(effect.arguments):
        if argument.value is None and _is_table_argument(argument, position):
            raise Refused(f"CALL {procedure} requires the table name as a literal", hint="write it in quotes")
        workspace = (
            effect.target[0] if effect.target and len(effect.target) > 2 else context.session.workspace
        )
        name = _table_in(argument.value, workspace, context)
        if name is not None and context.lake.store.definitions.find(name) is not None:
            raise Refused(
                f"CALL {procedure} is not allowed on the dynamic table {name}",
                hint=f"refreshes maintain it; REFRESH DYNAMIC TABLE {name} FULL recomputes it",
            )
        if name is not None and _is_table_argument(argument, position) and _deletes_unknown_files(procedure):
            parts = (name.workspace, name.schema, name.table)
            context.session.catalog.expect_own_directories(context.session.resolve(parts))


def _deletes_unknown_files(procedure: str) -> bool:
    return procedure.split(".")[-1].lower() == "remove_orphan_files"


def _is_table_argument(argument: Argument, position: int) -> bool:
    return position == 0 if argument.name is None else "table" in argument.name.lower()


def _table_in(text: str | None, workspace: str, context: StatementContext) -> TableName | None:
    """The table that a string names, if it can be a name at all."""
    parts = dotted_parts(text) if text else None
    if parts is None or len(parts) > 3 or not all(parts):
        return None
    return context.session.as_spelled(TableName.resolve(parts, workspace, context.session.schema))


def _check_temporary_view(statement: ParsedStatement, context: StatementContext) -> None:
    """``USING iceberg OPTIONS (path 'table')`` is another name of a table, and rows can be written to it."""
    tokens = statement.tokens
    strings = [token.value for token in tokens if token.kind is Kind.STRING]
    for path in strings if "USING" in words_of(tokens) else ():
        name = _table_in(path, context.session.workspace, context)
        if name is not None and context.lake.store.definitions.find(name) is not None:
            raise Refused(
                f"{name} is a dynamic table and cannot be written to under another name",
                hint=f"CREATE TEMPORARY VIEW ... AS SELECT * FROM {name}",
            )


def _check_dynamic(effect: Effect, context: StatementContext, depth: int) -> None:
    """EXECUTE IMMEDIATE of an expression: what it would run is found by evaluating the expression."""
    if depth >= _DEPTH:
        raise Refused("EXECUTE IMMEDIATE is nested too deeply")
    if not effect.detail:
        raise Refused(
            "EXECUTE IMMEDIATE inside a block requires the statement as a literal", hint="write it in quotes"
        )
    try:
        ((statement,),) = Result(context.session.run(f"SELECT {effect.detail}")).fetchall()
        if isinstance(statement, str):
            _refuse_changes(ParsedStatement(statement), context, depth + 1)
    except Error as error:
        error.place = None
        raise
