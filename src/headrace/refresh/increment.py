"""INCREMENTAL refresh: what the changes of the sources add to the table.

In this version rows may only be added: sources with insertions alone, and queries that turn insertions into
insertions. The rows of the delta are then appended. Everything else is recomputed, and the reason says why.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, MutableMapping
from contextlib import ExitStack
from dataclasses import dataclass

from sqlglot import exp

from headrace.algebra.build import build
from headrace.algebra.names import Names
from headrace.algebra.relation import Scan, Version
from headrace.algebra.render import render
from headrace.algebra.unsupported import NoRule
from headrace.delta.change import Change
from headrace.delta.differentiate import differentiate
from headrace.delta.monotone import obstacle
from headrace.lake.changes import Changes, NoChangeScan, find_changes
from headrace.lake.pin import Field, is_subquery, pinned
from headrace.lake.session import LakeSession
from headrace.lake.tables import Table
from headrace.model.dynamic_table import Definition, DynamicTable
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier
from headrace.model.version import TableVersion
from headrace.refresh.look import Look
from headrace.refresh.write import Way, Write
from headrace.sql.dialect import HeadraceSpark
from headrace.sql.hiding import only_columns
from headrace.sql.qualify import qualified_tree


@dataclass(frozen=True)
class NoIncrement:
    """The table must be recomputed, for the reason given."""

    reason: str


@dataclass(frozen=True)
class Increment:
    change: Change
    changes: Mapping[TableName, Changes]
    """By source that changed; to be entered before the statement is made."""

    @property
    def reason(self) -> str:
        read = [
            f"{changes.estimate.rows_added} rows inserted into {name} ({changes.estimate.bytes} bytes)"
            for name, changes in self.changes.items()
        ]
        return "; ".join(read)

    def write(self, table: DynamicTable, seen: Look, stack: ExitStack) -> Write:
        """Appends the delta; its changes stay readable until ``stack`` is closed."""
        for changes in self.changes.values():
            stack.enter_context(changes)
        sources = _Sources(self.changes, seen)
        tree = render(self.change.relation, sources.placeholder)
        shown = exp.select(*self.change.columns).from_(tree.subquery("d"))
        names = ", ".join(quote_identifier(column.name) for column in table.columns)
        query = sources.filled(shown.sql(dialect=HeadraceSpark))
        statement = (
            f"INSERT INTO {table.name.sql} ({names})\nSELECT * FROM (\n{query}\n) AS __hr_result({names})"
        )
        return Write(Way.APPEND, statement)


def find_increment(
    table: DynamicTable, seen: Look, session: LakeSession, faithful: MutableMapping[str, bool]
) -> Increment | NoIncrement:
    """Reads no data. ``faithful`` remembers which definitions are written back as they were read."""
    record = seen.record
    if record is None or seen.altered:
        return NoIncrement("the columns of a source changed")
    definition = table.definition
    if definition.uses_current_date:
        return NoIncrement("the query uses current_date")
    names = Names()
    try:
        built = build(definition.expanded, _schema(definition), names)
    except NoRule as missing:
        return NoIncrement(str(missing))
    if (operator := obstacle(built.relation)) is not None:
        return NoIncrement(f"{operator} has no incremental refresh in this version")
    found = _changes(seen, record.versions, session)
    if isinstance(found, NoIncrement):
        return found
    change = differentiate(built.relation, frozenset(found), names)
    if change is None:
        return NoIncrement("no source of the query changed")
    if definition.fingerprint not in faithful:
        faithful[definition.fingerprint] = _read_faithfully(definition, seen, session)
    if not faithful[definition.fingerprint]:
        return NoIncrement("the query is not understood just as Spark understands it")
    return Increment(change, found)


def _changes(
    seen: Look, before: Mapping[TableName, TableVersion], session: LakeSession
) -> dict[TableName, Changes] | NoIncrement:
    found = {}
    for name in (name for name, state in seen.states.items() if state.changed):
        changes = find_changes(session, seen.sources[name], before[name])
        if isinstance(changes, NoChangeScan):
            return NoIncrement(changes.reason)
        if not changes.estimate.insert_only:
            return NoIncrement(f"rows of {name} were updated or deleted")
        found[name] = changes
    return found


def _read_faithfully(definition: Definition, seen: Look, session: LakeSession) -> bool:
    """Whether Spark plans what the algebra starts from just as it plans the user's own text."""
    schema = _schema(definition)
    again = qualified_tree(definition.expanded, schema).sql(dialect=HeadraceSpark)
    grown = {name: columns for name, columns in schema.items() if seen.sources[name].columns != columns}
    narrowed = [only_columns(text, grown).text for text in (definition.expanded, again)]
    return session.same_plan(*narrowed)


def _schema(definition: Definition) -> dict[TableName, tuple[str, ...]]:
    return {source.name: source.columns for source in definition.sources}


class _Sources:
    """What stands in FROM for each scan, as text that sqlglot need not understand."""

    def __init__(self, changes: Mapping[TableName, Changes], seen: Look) -> None:
        self._changes = changes
        self._seen = seen
        self._numbers = itertools.count(1)
        self._texts: dict[str, str] = {}

    def placeholder(self, scan: Scan) -> exp.Expr:
        name = f"__hr_source_{next(self._numbers)}_"
        self._texts[name] = self._text(scan)
        return exp.to_table(name)

    def filled(self, text: str) -> str:
        for name, source in self._texts.items():
            text = text.replace(name, source)
        return text

    def _text(self, scan: Scan) -> str:
        table = self._seen.sources[scan.table]
        if scan.version is Version.CHANGE:
            return f"(\n{self._changes[scan.table].sql}\n)"
        columns = [name for _, name in scan.fields]
        if scan.version is Version.NEW or scan.table not in self._changes:
            snapshot, written = table.version.snapshot_id, table.snapshot_fields
        else:
            snapshot, written = self._old(table)
        text = pinned(table.name, snapshot, written, table.fields, columns)
        return text if is_subquery(text) else f"(SELECT * FROM {text})"

    def _old(self, table: Table) -> tuple[int | None, tuple[Field, ...]]:
        record = self._seen.record
        if record is None:
            raise ValueError("there is no old version before the first refresh")
        snapshot = record.versions[table.name].snapshot_id
        return snapshot, table.fields_at(snapshot)
