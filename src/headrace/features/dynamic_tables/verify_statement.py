"""VERIFY DYNAMIC TABLE."""

from __future__ import annotations

from collections.abc import Iterator

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.features.dynamic_tables.grammar_statements import VerifyDynamicTable
from headrace.lake.lookup.verify_indexes import VerifiedIndexes, verify_indexes
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.counted import counted
from headrace.model.dynamic_table import DynamicTable
from headrace.model.quoting import show_identifier
from headrace.refresh.arguments import bound
from headrace.refresh.inner_aggregates import nested_of
from headrace.refresh.layout import Layout
from headrace.refresh.plan import layout_of
from headrace.refresh.verify import DifferingRow, Question, Verification, answer, ask
from headrace.refresh.verify_groups import VerifiedGroups, verify_groups
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
            indexes = verify_indexes(session, _versions(question, context))
            groups = _verified_groups(question, context, session)
    row = VerificationRow(
        schema_name=table.name.schema,
        name=table.name.table,
        result="exact" if found.exact else "different",
        missing_rows=found.missing_rows,
        extra_rows=found.extra_rows,
        table_rows=found.table_rows,
        source_versions=versions_json(found.record.versions),
        job_id=found.record.refresh_id,
        key_indexes=indexes.compared,
        wrong_key_indexes=len(indexes.wrong) + len(indexes.unreadable),
        stored_groups=groups.compared,
        wrong_stored_groups=len(groups.wrong),
    )
    rows = to_arrow(VerificationRow, [row], context.lake.settings.zone)
    notices = (*_notices(table, found), *_index_notices(indexes), *_groups_notices(groups))
    return Result(LocalRows(rows), notices)


def _versions(question: Question, context: StatementContext) -> Iterator[tuple[Table, int | None]]:
    """Of the sources, and of the table itself."""
    catalog = context.lake.catalog_session.catalog
    for source in question.table.definition.sources:
        version = question.record.versions[source.name]
        yield catalog.existing_table(source.name), version.snapshot_id
    yield catalog.existing_table(question.table.name), question.rows_at.id


def _verified_groups(question: Question, context: StatementContext, session: LakeSession) -> VerifiedGroups:
    record, catalog = question.record, context.lake.catalog_session.catalog
    if not record.groups:
        return VerifiedGroups(0, ())
    table = bound(question.table, record.arguments)
    sources = {source.name: catalog.existing_table(source.name) for source in table.definition.sources}
    layout = layout_of(table, sources, context.lake.layouts, session)
    if not isinstance(layout, Layout):
        return VerifiedGroups(0, ())
    nested = nested_of(question.table, layout, sources, context.lake.nested, session)
    return verify_groups(nested.groups, record, sources, catalog, session)


def _groups_notices(groups: VerifiedGroups) -> Iterator[str]:
    if groups.wrong:
        wrong = counted(len(groups.wrong), "table")
        yield f"{wrong} of stored groups had wrong rows: deleted, and stored again by the next refresh"


def _index_notices(indexes: VerifiedIndexes) -> Iterator[str]:
    for wrong in indexes.wrong:
        columns = ", ".join(map(show_identifier, wrong.columns))
        yield f"the index of {wrong.table} by {columns} was wrong for {wrong.location}: it has been deleted"
    for name in indexes.unreadable:
        yield f"the index file {name} was damaged, or of an earlier version: it has been deleted"
    if indexes.wrong or indexes.unreadable:
        yield "deleted indexes are made again when a refresh needs them"


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
