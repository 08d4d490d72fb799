"""OPTIMIZE."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict

import pyarrow as pa

from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.lake.upkeep import compact
from headrace.result import LocalRows, Result
from headrace.sql.statements import Optimize

_SHAPE = pa.schema(
    [
        ("name", pa.string()),
        ("files_rewritten", pa.int64()),
        ("files_written", pa.int64()),
        ("bytes_rewritten", pa.int64()),
    ]
)


def optimize(statement: Optimize, text: str, bench: Workbench) -> Result:
    with pointing_at(text, statement.name.span):
        name = bench.resolve(statement.name)
        bench.table(name, view_is=", which has no files", hint="OPTIMIZE the tables it reads")
    with ExitStack() as stack:
        if (table := bench.lake.store.definitions.find(name)) is not None:
            stack.enter_context(bench.lake.alone_with(table))
        session = stack.enter_context(bench.lake.borrow_session())
        done = compact(name, bench.session.catalog, session)
    return Result(LocalRows(pa.Table.from_pylist([{"name": str(name)} | asdict(done)], schema=_SHAPE)))
