"""DROP DYNAMIC TABLE and DROP TABLE."""

from __future__ import annotations

from headrace.commands.guard import run_guarded
from headrace.commands.workbench import Workbench
from headrace.errors import Refused
from headrace.lake.results import NOTHING, Result
from headrace.lake.session import Parameters
from headrace.sql.statements import DropDynamicTable, DropTable
from headrace.sql.text import place_of


def drop_dynamic_table(statement: DropDynamicTable, text: str, bench: Workbench) -> Result:
    table = bench.find_dynamic_table(statement.name)
    if table is None:
        name = bench.resolve(statement.name)
        if bench.session.catalog.table(name) is not None:
            raise Refused(
                f"{name} is a table, not a dynamic table",
                hint=f"DROP TABLE {name} drops it",
                place=place_of(text, statement.name.span),
            )
        if statement.if_exists:
            return Result(NOTHING, (f"{name} does not exist, nothing was done",))
        table = bench.dynamic_table(statement.name)
    with bench.lake.alone_with(table):
        bench.lake.store.begin_drop(table.id)
        bench.session.catalog.drop_if_owned(table.name, table.id)
        bench.lake.store.finish_drop(table.id)
    readers = bench.lake.store.readers_of(table.name)
    if not readers:
        return Result(NOTHING)
    listed = ", ".join(str(reader) for reader in readers)
    return Result(NOTHING, (f"{listed} read it: their rows stay as they are until it is created again",))


def drop_table(statement: DropTable, text: str, parameters: Parameters | None, bench: Workbench) -> Result:
    table = bench.find_dynamic_table(statement.name)
    if table is not None:
        raise Refused(
            f"{table.name} is a dynamic table",
            hint=f"DROP DYNAMIC TABLE {table.name} drops it",
            place=place_of(text, statement.name.span),
        )
    return run_guarded(text, parameters, bench)
