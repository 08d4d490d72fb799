"""One statement, whoever's it is."""

from __future__ import annotations

from typing import assert_never

from headrace.commands.create import create_dynamic_table
from headrace.commands.describe import describe, show_create_table
from headrace.commands.drop import drop_dynamic_table, drop_table
from headrace.commands.explain import explain
from headrace.commands.guard import run_guarded
from headrace.commands.refresh import refresh_dynamic_table
from headrace.commands.show import show_dynamic_tables, show_refresh_history, show_tables
from headrace.commands.verify import verify_dynamic_table
from headrace.commands.workbench import Workbench
from headrace.errors import InterfaceError, NotSupportedError
from headrace.lake.results import Result
from headrace.lake.session import Parameters
from headrace.sql.grammar import parse_statement
from headrace.sql.statements import (
    AlterDynamicTable,
    AlterTable,
    CreateDynamicTable,
    CreateMaterializedView,
    Describe,
    DropDynamicTable,
    DropTable,
    Explain,
    NotYet,
    Passthrough,
    RefreshDynamicTable,
    ShowCreateTable,
    ShowDynamicTables,
    ShowRefreshHistory,
    ShowTables,
    VerifyDynamicTable,
)
from headrace.sql.text import Span, place_of


def execute(text: str, parameters: Parameters | None, bench: Workbench) -> Result:  # noqa: C901  (one case each)
    statement = parse_statement(text)
    match statement:
        case Passthrough():
            return run_guarded(text, parameters, bench)
        case ShowTables():
            return show_tables(statement, text, parameters, bench)
        case ShowDynamicTables():
            return show_dynamic_tables(statement, text, parameters, bench)
        case ShowRefreshHistory():
            return show_refresh_history(statement, text, parameters, bench)
        case Describe():
            return describe(statement, text, parameters, bench)
        case ShowCreateTable():
            return show_create_table(statement, text, parameters, bench)
        case DropTable():
            return drop_table(statement, text, parameters, bench)
    if parameters:
        raise InterfaceError("this statement takes no parameters", hint="write the values into the text")
    match statement:
        case CreateDynamicTable():
            return create_dynamic_table(statement, text, bench)
        case RefreshDynamicTable():
            return refresh_dynamic_table(statement, text, bench)
        case Explain():
            return explain(statement, text, bench)
        case VerifyDynamicTable():
            return verify_dynamic_table(statement, text, bench)
        case DropDynamicTable():
            return drop_dynamic_table(statement, text, bench)
        case CreateMaterializedView():
            raise NotSupportedError(
                "materialized views are not supported",
                hint="CREATE DYNAMIC TABLE keeps a query's result and refreshes it",
                place=place_of(text, statement.span),
            )
        case AlterDynamicTable():
            raise _not_yet("ALTER DYNAMIC TABLE", text, statement.name.span)
        case AlterTable():
            raise _not_yet("ALTER TABLE ... PROPERTIES", text, statement.name.span)
        case NotYet():
            raise _not_yet(statement.feature, text, statement.span)
        case _:
            assert_never(statement)


def _not_yet(feature: str, text: str, span: Span) -> NotSupportedError:
    return NotSupportedError(f"{feature} is not available in this version", place=place_of(text, span))
