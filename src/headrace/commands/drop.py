"""DROP DYNAMIC TABLE and DROP TABLE."""

from __future__ import annotations

from headrace.commands.guard import run_guarded
from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.errors import NotFound, Refused
from headrace.lake.results import NOTHING, Result
from headrace.lake.session import Parameters
from headrace.model.dynamic_table import DynamicTable
from headrace.sql.statements import DropDynamicTable, DropTable


def drop_dynamic_table(statement: DropDynamicTable, text: str, bench: Workbench) -> Result:
    try:
        with pointing_at(text, statement.name.span):
            table = bench.dynamic_table(statement.name, "DROP {kind} {name}")
    except NotFound as error:
        if not statement.if_exists:
            raise
        return Result(NOTHING, (f"{error.message}, nothing was done",))
    _drop(table, bench)
    readers = bench.lake.store.readers_of(table.name)
    if not readers:
        return Result(NOTHING)
    listed = ", ".join(str(reader) for reader in readers)
    return Result(NOTHING, (f"{listed} read it: their rows stay as they are until it is created again",))


def _drop(table: DynamicTable, bench: Workbench) -> None:
    with bench.lake.alone_with(table):
        bench.lake.store.begin_drop(table.id)
        bench.session.catalog.drop_if_owned(table.name, table.id)
        bench.lake.store.finish_drop(table.id)


def drop_table(statement: DropTable, text: str, parameters: Parameters | None, bench: Workbench) -> Result:
    with pointing_at(text, statement.name.span):
        name = bench.resolve(statement.name)
        if bench.lake.store.find(name) is not None:
            raise Refused(f"{name} is a dynamic table", hint=f"DROP DYNAMIC TABLE {name} drops it")
        catalog = bench.session.catalog
        if catalog.table(name) is None and catalog.view(name) is not None:
            raise Refused(f"{name} is a view", hint=f"DROP VIEW {name} drops it")
    return run_guarded(text, parameters, bench)
