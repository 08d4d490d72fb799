"""ALTER TABLE ... SET | UNSET PROPERTIES, of tables and dynamic tables."""

from __future__ import annotations

from headrace.commands.alter import change, check_present, with_properties, without_properties
from headrace.commands.options import check_retention, property_key
from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.errors import Refused
from headrace.lake.tables import Table
from headrace.model.quoting import quote_string
from headrace.result import NOTHING, Result
from headrace.sql.alterations import RETENTION
from headrace.sql.statements import AlterTable, SetProperties, UnsetProperties, Word
from headrace.sql.text import place_of

_OWN = "headrace."


def alter_table(statement: AlterTable, text: str, bench: Workbench) -> Result:
    with pointing_at(text, statement.name.span):
        name = bench.resolve(statement.name)
        if bench.lake.store.definitions.find(name) is not None:
            return Result(NOTHING, _alter_dynamic_table(statement, text, bench))
        table = bench.table(name, view_is="", hint=f"use ALTER VIEW {name}")
        _alter_table(table, statement.action, text, bench)
    return Result(NOTHING)


def _alter_dynamic_table(statement: AlterTable, text: str, bench: Workbench) -> tuple[str, ...]:
    with bench.alone_with(statement.name) as table:
        action = statement.action
        for key in _keys(action):
            if property_key(key.text) != RETENTION:
                raise Refused(
                    f"{table.name} is a dynamic table: ALTER TABLE can change only {RETENTION}",
                    hint=f"use ALTER DYNAMIC TABLE {table.name} for other properties",
                    place=place_of(text, key.span),
                )
        if isinstance(action, SetProperties):
            return change(table, with_properties(table, action.properties, text), bench)
        return change(table, without_properties(table, action, text), bench)


def _alter_table(table: Table, action: SetProperties | UnsetProperties, text: str, bench: Workbench) -> None:
    for key in _keys(action):
        if key.text.lower().startswith(_OWN):
            raise Refused(
                f"property {quote_string(key.text)} is reserved for Headrace",
                hint="choose a name that does not start with headrace",
                place=place_of(text, key.span),
            )
    if isinstance(action, SetProperties):
        _set(table, action, text, bench)
    else:
        _unset(table, action, text, bench)


def _set(table: Table, action: SetProperties, text: str, bench: Workbench) -> None:
    for each in action.properties:
        if property_key(each.name.text) == RETENTION:
            check_retention(each.value.text, place_of(text, each.value.span))
    listed = ", ".join(
        f"{quote_string(property_key(each.name.text))} = {quote_string(each.value.text)}"
        for each in action.properties
    )
    _run(f"ALTER TABLE {table.name.sql} SET TBLPROPERTIES ({listed})", bench)


def _unset(table: Table, action: UnsetProperties, text: str, bench: Workbench) -> None:
    if not action.if_exists:
        check_present(action.names, table.properties, text)
    listed = ", ".join(quote_string(property_key(name.text)) for name in action.names)
    _run(f"ALTER TABLE {table.name.sql} UNSET TBLPROPERTIES IF EXISTS ({listed})", bench)


def _run(sql: str, bench: Workbench) -> None:
    """By Spark, which knows what a table cannot have set; errors have no place in this text of ours."""
    bench.session.run(sql, blame="")


def _keys(action: SetProperties | UnsetProperties) -> tuple[Word, ...]:
    if isinstance(action, SetProperties):
        return tuple(each.name for each in action.properties)
    return action.names
