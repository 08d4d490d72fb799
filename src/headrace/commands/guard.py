"""Statements of Spark's own: run as they are, unless they would change a dynamic table behind its back."""

from __future__ import annotations

from headrace.commands.history_view import with_history_view
from headrace.commands.workbench import Workbench
from headrace.errors import NotFound, Refused
from headrace.lake.results import Result, SparkRows
from headrace.lake.session import Parameters
from headrace.model.names import TableName
from headrace.sql.effects import Effect, EffectKind, effects_of
from headrace.sql.text import place_of

_ROWS = {
    EffectKind.INSERT,
    EffectKind.OVERWRITE,
    EffectKind.UPDATE,
    EffectKind.DELETE,
    EffectKind.MERGE,
    EffectKind.TRUNCATE,
    EffectKind.LOAD,
}
_HARMLESS_PROCEDURES = {
    "ancestors_of",
    "create_changelog_view",
    "compute_table_stats",
    "compute_partition_stats",
}
_FOREIGN_CATALOGS = {"spark_catalog", "system", "session"}
_DEPTH = 5


def run_guarded(text: str, parameters: Parameters | None, bench: Workbench) -> Result:
    _refuse_changes(text, bench)
    with with_history_view(text, bench) as rewritten:
        rows: SparkRows = bench.session.run(rewritten, parameters)
        return Result(rows)


def _refuse_changes(text: str, bench: Workbench, depth: int = 0) -> None:
    for effect in effects_of(text):
        try:
            _check(effect, bench, depth)
        except (Refused, NotFound) as error:
            raise error.at(place_of(text, effect.span)) from None


def _check(effect: Effect, bench: Workbench, depth: int) -> None:
    match effect.kind:
        case EffectKind.EXECUTE_IMMEDIATE:
            _check_dynamic(effect, bench, depth)
        case EffectKind.CALL:
            _check_procedure(effect, bench)
        case EffectKind.DROP_SCHEMA:
            _check_schema(effect, bench)
        case EffectKind.ALTER_SCHEMA | EffectKind.CREATE_TEMPORARY_VIEW:
            pass
        case _:
            _check_table(effect, bench)


def _check_table(effect: Effect, bench: Workbench) -> None:
    if effect.target is None:
        raise Refused(
            f"{effect.kind} needs the table's name as it is",
            hint="write the name, or IDENTIFIER('name') with a literal",
        )
    for name in _possible_tables(effect.target, bench):
        if bench.lake.store.find(name) is not None:
            raise _refusal(effect, name)


def _possible_tables(parts: tuple[str, ...], bench: Workbench) -> list[TableName]:
    """The table meant, and with a branch or tag behind the name, the table that has it."""
    if parts[0].lower() in _FOREIGN_CATALOGS or bench.session.is_temporary_view(parts):
        return []
    possible = []
    if parts[-1].lower().startswith(("branch_", "tag_")) and len(parts) > 1:
        possible.append(bench.session.resolve(parts[:-1]))
    if len(parts) <= 3 and not (possible and len(parts) == 3 and parts[0] not in bench.session.workspaces):
        possible.append(bench.session.resolve(parts))
    return possible


def _refusal(effect: Effect, name: TableName) -> Refused:
    if effect.kind in _ROWS:
        return Refused(
            f"{name} is a dynamic table: only a refresh changes its rows",
            hint=f"change its sources, then REFRESH DYNAMIC TABLE {name}",
        )
    if effect.kind in (EffectKind.DROP, EffectKind.DROP_VIEW):
        return Refused(f"{name} is a dynamic table", hint=f"DROP DYNAMIC TABLE {name} drops it")
    if effect.kind in (EffectKind.CREATE, EffectKind.CREATE_VIEW):
        return Refused(f"{name} already exists and is a dynamic table", hint="choose another name")
    return Refused(
        f"{effect.kind} is not allowed on the dynamic table {name}",
        hint=f"change it with CREATE OR REPLACE DYNAMIC TABLE {name}",
    )


def _check_schema(effect: Effect, bench: Workbench) -> None:
    if effect.target is None:
        raise Refused("DROP SCHEMA needs the schema's name as it is", hint="write the name")
    workspace = effect.target[0] if len(effect.target) > 1 else bench.session.workspace
    tables = bench.lake.store.in_schema(workspace, effect.target[-1])
    if tables:
        raise Refused(
            f"schema {effect.target[-1]} holds the dynamic table {tables[0].name}",
            hint=f"DROP DYNAMIC TABLE {tables[0].name} first",
        )


def _check_procedure(effect: Effect, bench: Workbench) -> None:
    """Iceberg's procedures take the table as a string; one that rewrites or rolls back is not for a DT."""
    if effect.target is not None and effect.target[-1].lower() in _HARMLESS_PROCEDURES:
        return
    for argument in effect.arguments:
        if argument.value is None:
            continue
        parts = tuple(part.strip("` ") for part in argument.value.split("."))
        if not 1 <= len(parts) <= 3 or not all(parts):
            continue
        workspace = effect.target[0] if effect.target and len(effect.target) > 2 else None
        name = TableName.resolve(parts, workspace or bench.session.workspace, bench.session.schema)
        if bench.lake.store.find(name) is not None:
            raise Refused(
                f"CALL {'.'.join(effect.target or ())} is not allowed on the dynamic table {name}",
                hint="its refreshes keep it; REFRESH DYNAMIC TABLE ... FULL recomputes it",
            )


def _check_dynamic(effect: Effect, bench: Workbench, depth: int) -> None:
    """EXECUTE IMMEDIATE of an expression: what it would run is found by evaluating the expression."""
    if depth >= _DEPTH:
        raise Refused("EXECUTE IMMEDIATE is nested too deeply")
    rows = Result(bench.session.run(f"SELECT {effect.detail}")).fetchall()
    _refuse_changes(str(rows[0][0]), bench, depth + 1)
