"""OPTIMIZE."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict

from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.lake.upkeep import compact
from headrace.result import LocalRows, Result
from headrace.sql.statements import Optimize
from headrace.views.arrow import to_arrow
from headrace.views.statement_results import CompactionRow


def optimize(statement: Optimize, text: str, bench: Workbench) -> Result:
    with pointing_at(text, statement.name.span):
        name = bench.resolve(statement.name)
        bench.table(name, view_is=", which has no files", hint="OPTIMIZE the tables it reads")
    with ExitStack() as stack:
        if (table := bench.lake.store.find(name)) is not None:
            stack.enter_context(bench.lake.alone_with(table))
        session = stack.enter_context(bench.lake.borrow_session())
        done = compact(name, bench.session.catalog, session)
    row = CompactionRow(str(name), **asdict(done))
    return Result(LocalRows(to_arrow(CompactionRow, [row], bench.lake.settings.zone)))
