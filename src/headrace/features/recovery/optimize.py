"""OPTIMIZE."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict

import pyarrow as pa

from headrace.commands.pointing import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.features.recovery.grammar import Optimize
from headrace.lake.upkeep import compact
from headrace.result import LocalRows, Result

_SHAPE = pa.schema(
    [
        ("name", pa.string()),
        ("files_rewritten", pa.int64()),
        ("files_written", pa.int64()),
        ("bytes_rewritten", pa.int64()),
    ]
)


def optimize(statement: Optimize, given: StatementInput, context: StatementContext) -> Result:
    with pointing_at(given.text, statement.name.span):
        name = context.resolve(statement.name)
        context.table(name, view_is=", which has no files", hint="OPTIMIZE the tables it reads")
    with ExitStack() as stack:
        if (table := context.lake.store.find(name)) is not None:
            stack.enter_context(context.lake.alone_with(table))
        session = stack.enter_context(context.lake.borrow_session())
        done = compact(name, context.session.catalog, session)
    return Result(LocalRows(pa.Table.from_pylist([{"name": str(name)} | asdict(done)], schema=_SHAPE)))
