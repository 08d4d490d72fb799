"""ALTER TABLE ... SET | UNSET PROPERTIES, of tables and dynamic tables."""

from __future__ import annotations

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import Refused
from headrace.features.dynamic_tables.alter_statement import (
    change,
    check_present,
    with_properties,
    without_properties,
)
from headrace.features.dynamic_tables.grammar_statements import AlterTable, SetProperties, UnsetProperties
from headrace.features.dynamic_tables.options import check_retention, property_key
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.quoting import quote_string
from headrace.result import NOTHING, Result
from headrace.sql.parsing.properties import RETENTION
from headrace.sql.parsing.statements import Word
from headrace.sql.tokens.positions import place_of

_OWN = "headrace."


def alter_table(statement: AlterTable, given: StatementInput, context: StatementContext) -> Result:
    with pointing_at(given.text, statement.name.span):
        name = context.resolve(statement.name)
        if context.lake.store.definitions.find(name) is not None:
            return Result(NOTHING, _alter_dynamic_table(statement, given.text, context))
        table = context.table(name, view_is="", hint=f"use ALTER VIEW {name}")
        _alter_table(table, statement.action, given.text, context.session)
    return Result(NOTHING)


def _alter_dynamic_table(statement: AlterTable, text: str, context: StatementContext) -> tuple[str, ...]:
    with context.alone_with(statement.name) as table:
        action = statement.action
        for key in _keys(action):
            if property_key(key.text) != RETENTION:
                raise Refused(
                    f"{table.name} is a dynamic table: ALTER TABLE can change only {RETENTION}",
                    hint=f"use ALTER DYNAMIC TABLE {table.name} for other properties",
                    place=place_of(text, key.span),
                )
        if isinstance(action, SetProperties):
            return change(table, with_properties(table, action.properties, text), context)
        return change(table, without_properties(table, action, text), context)


def _alter_table(
    table: Table, action: SetProperties | UnsetProperties, text: str, session: LakeSession
) -> None:
    for key in _keys(action):
        if key.text.lower().startswith(_OWN):
            raise Refused(
                f"property {quote_string(key.text)} is reserved for Headrace",
                hint="choose a name that does not start with headrace",
                place=place_of(text, key.span),
            )
    if isinstance(action, SetProperties):
        _set(table, action, text, session)
    else:
        _unset(table, action, text, session)


def _set(table: Table, action: SetProperties, text: str, session: LakeSession) -> None:
    for each in action.properties:
        if property_key(each.name.text) == RETENTION:
            check_retention(each.value.text, place_of(text, each.value.span))
    listed = ", ".join(
        f"{quote_string(property_key(each.name.text))} = {quote_string(each.value.text)}"
        for each in action.properties
    )
    _run(f"ALTER TABLE {table.name.sql} SET TBLPROPERTIES ({listed})", session)


def _unset(table: Table, action: UnsetProperties, text: str, session: LakeSession) -> None:
    if not action.if_exists:
        check_present(action.names, table.properties, text)
    listed = ", ".join(quote_string(property_key(name.text)) for name in action.names)
    _run(f"ALTER TABLE {table.name.sql} UNSET TBLPROPERTIES IF EXISTS ({listed})", session)


def _run(sql: str, session: LakeSession) -> None:
    """By Spark, which knows what a table cannot have set; errors have no place in this text of ours."""
    session.run(sql, blame="")


def _keys(action: SetProperties | UnsetProperties) -> tuple[Word, ...]:
    if isinstance(action, SetProperties):
        return tuple(each.name for each in action.properties)
    return action.names
