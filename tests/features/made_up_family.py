"""A statement family that the product does not have: ``ECHO 'text'``."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.features.family import Command, Family
from headrace.result import LocalRows, Result
from headrace.sql.parsing.rules import Rule
from headrace.sql.parsing.statements import Statement
from headrace.sql.parsing.token_reader import TokenReader


@dataclass(frozen=True)
class Echo(Statement):
    said: str


def _echo(cursor: TokenReader) -> Echo:
    said = cursor.string("a text")
    cursor.expect_end()
    return Echo(said)


def echo(statement: Echo, given: StatementInput, context: StatementContext) -> Result:
    return Result(LocalRows(pa.table({"said": [statement.said]})))


ECHO = Family(
    "tests.features",
    (Rule("ECHO", "ECHO 'text'", _echo),),
    {Echo: Command("made_up_family:echo")},
)
