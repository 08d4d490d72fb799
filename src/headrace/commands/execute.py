"""One statement, by the command that its family names for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pkgutil import resolve_name
from typing import Any

from headrace.commands.proposals import proposing_names
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import InterfaceError
from headrace.features.families import STATEMENTS
from headrace.lake.session import Parameters
from headrace.result import Result
from headrace.sql.parsed import ParsedStatement

CommandFunction = Callable[[Any, StatementInput, StatementContext], Result]
"""The first argument is the statement that the family's table has the command for."""


def execute(parsed: ParsedStatement, parameters: Parameters | None, context: StatementContext) -> Result:
    with proposing_names(context):
        statement = parsed.node
        command = STATEMENTS.commands[type(statement)]
        if parameters and not command.accepts_parameters:
            raise InterfaceError(
                "this statement does not accept parameters", hint="write the values into the text"
            )
        return function_of(command.function)(statement, StatementInput(parsed, parameters), context)


@cache
def function_of(path: str) -> CommandFunction:
    found: CommandFunction = resolve_name(path)
    return found
