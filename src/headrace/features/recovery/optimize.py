"""OPTIMIZE."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.features.recovery.grammar import Optimize
from headrace.lake.commit.upkeep import compact
from headrace.result import LocalRows, Result
from headrace.views.arrow import to_arrow
from headrace.views.statement_results import CompactionRow


def optimize(statement: Optimize, given: StatementInput, context: StatementContext) -> Result:
    with pointing_at(given.text, statement.name.span):
        name = context.resolve(statement.name)
        context.table(name, view_is=", which has no files", hint="OPTIMIZE the tables it reads")
    with ExitStack() as stack:
        if (table := context.lake.store.definitions.find(name)) is not None:
            stack.enter_context(context.lake.alone_with(table))
        session = stack.enter_context(context.lake.borrow_session())
        done = compact(name, context.session.catalog, session)
    row = CompactionRow(str(name), **asdict(done))
    return Result(LocalRows(to_arrow(CompactionRow, [row], context.lake.settings.zone)))
