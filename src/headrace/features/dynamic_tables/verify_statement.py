"""VERIFY DYNAMIC TABLE."""

from __future__ import annotations

from collections.abc import Iterator

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.features.dynamic_tables.grammar_statements import VerifyDynamicTable
from headrace.model.dynamic_table import DynamicTable
from headrace.refresh.verify import DifferingRow, Verification, answer, ask
from headrace.result import LocalRows, Result
from headrace.views.arrow import to_arrow
from headrace.views.refreshes import versions_json
from headrace.views.statement_results import VerificationRow


def verify_dynamic_table(
    statement: VerifyDynamicTable, given: StatementInput, context: StatementContext
) -> Result:
    with pointing_at(given.text, statement.name.span):
        table = context.dynamic_table(statement.name)
        question = ask(table, context.lake.catalog_session.catalog, context.lake.store.partitions)
        with context.lake.borrow_session() as session:
            found = answer(question, session)
    row = VerificationRow(
        schema_name=table.name.schema,
        name=table.name.table,
        result="exact" if found.exact else "different",
        missing_rows=found.missing_rows,
        extra_rows=found.extra_rows,
        table_rows=found.table_rows,
        source_versions=versions_json(found.record.versions),
        job_id=found.record.refresh_id,
    )
    rows = to_arrow(VerificationRow, [row], context.lake.settings.zone)
    return Result(LocalRows(rows), tuple(_notices(table, found)))


def _notices(table: DynamicTable, found: Verification) -> Iterator[str]:
    if found.written_since:
        yield f"another program has written to {table.name} since its last refresh"
    if found.is_partial:
        yield "rows of partitions without a known refresh were not compared"
    if found.exact:
        return
    yield from (_words(row) for row in found.examples)
    differing = found.missing_rows + found.extra_rows
    shown = sum(abs(row.copies) for row in found.examples)
    if shown < differing:
        yield f"{differing - shown} more rows differ"
    yield f"REFRESH DYNAMIC TABLE {table.name} FULL corrects its rows"


def _words(row: DifferingRow) -> str:
    kind = "missing" if row.copies > 0 else "extra"
    times = "" if abs(row.copies) == 1 else f" {abs(row.copies)} times"
    return f"{kind}{times}: {row.text}"
