"""Whether a table holds what its query gives: asked of Spark and the user's own text alone.

Nothing here is shared with the incremental refresh, so that it can be judged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from headrace.catalog.partitions import PartitionRecords
from headrace.errors import Cancelled, Error, InternalError, OperationalError, Refused
from headrace.lake.session import LakeSession
from headrace.lake.table.pin import Field
from headrace.lake.table.tables import Snapshot, Table, TableCatalog
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import TableName
from headrace.model.partition import Partition
from headrace.model.quoting import quote_identifier
from headrace.model.version import TableVersion
from headrace.refresh.arguments import bound
from headrace.refresh.observe import is_reshaped, last_record, load_target
from headrace.refresh.partition import Within
from headrace.refresh.partition_records import WHOLE, Records, all_records
from headrace.refresh.pinned_query import SourceVersion, pinned_query
from headrace.refresh.record import REFRESH_ID, RefreshRecord, from_summary

EXAMPLES = 5
"""Of missing rows and of extra rows, at most so many are shown."""
_EXAMPLE_LENGTH = 300


@dataclass(frozen=True)
class DifferingRow:
    text: str
    """JSON, cut off where it is long."""
    copies: int
    """How many are missing; below zero, how many are too many."""


@dataclass(frozen=True)
class Verification:
    record: RefreshRecord
    """The last."""
    written_since: bool
    """Whether another program has written to the table since that refresh."""
    table_rows: int
    missing_rows: int
    extra_rows: int
    examples: tuple[DifferingRow, ...] = ()
    is_partial: bool = False
    """Whether rows were left out: those of partitions of which no refresh is known any more."""

    @property
    def exact(self) -> bool:
        return self.missing_rows == self.extra_rows == 0


@dataclass(frozen=True)
class Part:
    """Of what is compared: a query, and the rows of the table for which ``condition`` holds."""

    query: str
    condition: str = "true"


@dataclass(frozen=True)
class Question:
    """All that is compared, at fixed versions."""

    table: DynamicTable
    rows_at: Snapshot
    record: RefreshRecord
    written_since: bool
    parts: tuple[Part, ...]
    """The whole table; or each partition that was refreshed by itself, and the rest."""
    is_partial: bool = False


def ask(table: DynamicTable, catalog: TableCatalog, partitions: PartitionRecords) -> Question:
    """Reads no data; refuses where the answer cannot be had any more, or not yet."""
    target = load_target(table, catalog)
    recorded = target.last_marked(REFRESH_ID)
    if target.snapshot is None:
        raise Refused(
            f"{table.name} has not been refreshed yet: there is nothing to verify",
            hint=f"run REFRESH DYNAMIC TABLE {table.name} first",
        )
    if recorded is None:
        raise OperationalError(
            f"{table.name} has no refresh record: its rows were written by another program",
            hint=_recompute(table),
        )
    record = from_summary(recorded.summary)
    if record.fingerprint != table.definition.fingerprint or is_reshaped(table, target, recorded):
        raise _waiting(table)
    question = Question(table, target.snapshot, record, last_record(target) is None, ())
    if record.partition is None:
        return replace(question, parts=(Part(_recorded_query(table, record, catalog)),))
    return _in_parts(question, all_records(table.id, target, partitions, recorded.id), target, catalog)


def _in_parts(question: Question, records: Records, target: Table, catalog: TableCatalog) -> Question:
    """Each partition as its own last refresh recorded it; what is in none, as that of the whole table did."""
    table = question.table
    by = target.partition_columns
    columns = [c.name for c in table.columns if by.get(c.name) == "identity"]
    parts, inside = [], []
    for record in records.values():
        if record is not None and record.partition is not None:
            values = (value for _, value in record.partition.values)
            named = Partition(tuple(zip(columns, values, strict=True)))
            condition = f"coalesce({Within.of(named, table).sql()}, false)"
            inside.append(condition)
            parts.append(Part(_recorded_query(table, record, catalog), condition))
    if not parts:
        raise OperationalError(
            f"no refresh of a partition of {table.name} is recorded any more", hint=_recompute(table)
        )
    if WHOLE not in records:
        return replace(question, parts=tuple(parts), is_partial=True)
    outside = f"NOT ({' OR '.join(inside)})"
    whole = records[WHOLE]
    rest = f"SELECT {_names(table)} FROM {table.name.sql} WHERE false"
    if whole is not None:
        query = _recorded_query(table, whole, catalog)
        rest = f"SELECT * FROM (\n{query}\n) AS __hr_result({_names(table)}) WHERE {outside}"
    return replace(question, parts=(*parts, Part(rest, outside)))


def _recorded_query(table: DynamicTable, record: RefreshRecord, catalog: TableCatalog) -> str:
    if record.fingerprint != table.definition.fingerprint:
        raise _waiting(table)
    versions = {
        source.name: _recorded_version(table, source.name, record.versions[source.name], catalog)
        for source in table.definition.sources
    }
    definition = bound(table, record.arguments).definition
    return pinned_query(definition, versions, record.current_date)


def _waiting(table: DynamicTable) -> Refused:
    return Refused(
        f"the new definition of {table.name} has not taken effect: its rows are still those of the old one",
        hint="the next refresh after a change in its sources applies it, "
        f"and so does REFRESH DYNAMIC TABLE {table.name} FULL",
    )


def _recorded_version(
    table: DynamicTable, name: TableName, version: TableVersion, catalog: TableCatalog
) -> SourceVersion:
    source = catalog.table(name)
    if source is None:
        raise _unverifiable(
            table, f"{name} was dropped", f"create {name} again and REFRESH DYNAMIC TABLE {table.name}"
        )
    if source.version.uuid != version.uuid:
        raise _unverifiable(table, f"{name} was dropped and created again", _recompute(table))
    fields = _fields_then(source, version)
    if fields is None:
        raise _unverifiable(table, f"version {version} of {name} has expired", _recompute(table))
    return SourceVersion(version.snapshot_id, source.fields_at(version.snapshot_id), fields)


def _fields_then(source: Table, version: TableVersion) -> tuple[Field, ...] | None:
    """None if the version is no longer kept."""
    if version.snapshot_id is not None and not source.has_snapshot(version.snapshot_id):
        return None
    return source.fields_of(version.schema_id)


def answer(question: Question, session: LakeSession) -> Verification:
    try:
        return _compared_somehow(question, session)
    except Cancelled:
        raise Cancelled(f"the verification of {question.table.name} was cancelled") from None
    except Error as error:
        where = f", in its query at {error.place}" if error.place else ""
        raise OperationalError(
            f"{question.table.name} could not be verified: {error.message}{where}", hint=error.hint
        ) from error


def _compared_somehow(question: Question, session: LakeSession) -> Verification:
    """Without constraints where Spark's optimizer fails to propagate them."""
    try:
        return _compared(question, session)
    except InternalError:
        with session.without_constraint_propagation():
            return _compared(question, session)


def _compared(question: Question, session: LakeSession) -> Verification:
    found = Verification(question.record, question.written_since, 0, 0, 0, (), question.is_partial)
    for part in question.parts:
        found = _added(found, part, question, session)
    return found


def _added(found: Verification, part: Part, question: Question, session: LakeSession) -> Verification:
    weighted = _weighted(part, question, session)
    blame = question.table.definition.query
    (counts,) = session.run(_counts(weighted), blame=blame).arrow().to_pylist()
    sums = {name: getattr(found, name) + count for name, count in counts.items()}
    if counts["missing_rows"] == counts["extra_rows"] == 0 or len(found.examples) >= 2 * EXAMPLES:
        return replace(found, **sums)
    shown = session.run(_examples(weighted, question.table), blame=blame).arrow().to_pylist()
    rows = tuple(DifferingRow(_cut(row["text"]), row["copies"]) for row in shown)
    return replace(found, **sums, examples=(*found.examples, *rows))


def _names(table: DynamicTable) -> str:
    return ", ".join(quote_identifier(column.name) for column in table.columns)


def _weighted(part: Part, question: Question, session: LakeSession) -> str:
    """Each distinct row once: how often the query gives it more than the table, and how often both do."""
    table = question.table
    names = _names(table)
    forms, casts = [], []
    for column in table.columns:
        name = quote_identifier(column.name)
        forms.append(f"{session.comparable(name, column.type)} AS {name}")
        casts.append(f"CAST({name} AS {column.type}) AS {name}")
    return f"""SELECT {names}, sum(__hr_weight) AS __hr_weight, count(*) AS __hr_rows FROM (
  SELECT {", ".join(forms)}, __hr_weight FROM (
    SELECT {", ".join(casts)}, 1L AS __hr_weight FROM (
{part.query}
) AS __hr_result({names})
    UNION ALL
    SELECT {names}, -1L FROM {table.name.sql} VERSION AS OF {question.rows_at.id} WHERE {part.condition}
  )
) GROUP BY {names}"""


def _counts(weighted: str) -> str:
    return f"""SELECT
  coalesce(sum((__hr_rows - __hr_weight) div 2), 0L) AS table_rows,
  coalesce(sum(greatest(__hr_weight, 0L)), 0L) AS missing_rows,
  coalesce(sum(greatest(-__hr_weight, 0L)), 0L) AS extra_rows
FROM (
{weighted}
)"""


def _examples(weighted: str, table: DynamicTable) -> str:
    names = _names(table)
    return f"""WITH __hr_differing AS (
SELECT to_json(struct({names}), map('ignoreNullFields', 'false')) AS text, __hr_weight AS copies FROM (
{weighted} HAVING sum(__hr_weight) <> 0
))
(SELECT * FROM __hr_differing WHERE copies > 0 ORDER BY text LIMIT {EXAMPLES})
UNION ALL
(SELECT * FROM __hr_differing WHERE copies < 0 ORDER BY text LIMIT {EXAMPLES})"""


def _cut(text: str) -> str:
    return text if len(text) <= _EXAMPLE_LENGTH else f"{text[:_EXAMPLE_LENGTH]}..."


def _unverifiable(table: DynamicTable, reason: str, hint: str) -> OperationalError:
    return OperationalError(f"{table.name} cannot be verified: {reason} since its last refresh", hint=hint)


def _recompute(table: DynamicTable) -> str:
    return f"REFRESH DYNAMIC TABLE {table.name} FULL recomputes it"
