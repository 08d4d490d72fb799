"""Which table streams a statement reads, directly or through views, and what it does with them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from headrace.commands.error_location import pointing_at
from headrace.commands.hidden import possible_tables
from headrace.errors import NotFound, Refused
from headrace.features.streams.model import TableStream
from headrace.features.streams.store import TableStreams
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import View
from headrace.model.names import TableName
from headrace.sql.parsed import ParsedStatement
from headrace.sql.spark.effects import Effect, EffectKind
from headrace.sql.spark.relations import TableReading
from headrace.sql.tokens.positions import Rewritten

_WRITES = {
    EffectKind.INSERT,
    EffectKind.OVERWRITE,
    EffectKind.UPDATE,
    EffectKind.DELETE,
    EffectKind.MERGE,
    EffectKind.CREATE,
    EffectKind.REPLACE,
}


@dataclass(frozen=True)
class Consumer:
    """The table that a statement writes the rows of streams to."""

    target: TableName
    may_do_nothing: bool
    """Whether the statement can succeed and leave the table alone: CREATE TABLE IF NOT EXISTS."""


def streams_read(
    statement: ParsedStatement, streams: TableStreams, session: LakeSession
) -> list[TableStream]:
    names = streams.names()
    if not names:
        return []
    search = _Search(names, session)
    search.read(statement)
    found = (streams.find(name) for name in sorted(search.found))
    return [stream for stream in found if stream is not None]


class _Search:
    def __init__(self, streams: frozenset[TableName], session: LakeSession) -> None:
        self._streams = streams
        self._session = session
        self._seen: set[tuple[str, ...] | TableName] = set()
        self.found: set[TableName] = set()

    def read(self, statement: ParsedStatement) -> None:
        """The statement of the user."""
        for relation in statement.relations:
            with pointing_at(statement.text, relation.span):
                self._see(relation, None, None, temporary=True)
        for executed in statement.executed_strings:
            if executed.literal is not None:
                self.read(ParsedStatement(executed.literal))

    def _see(
        self, relation: TableReading, workspace: str | None, schema: str | None, *, temporary: bool
    ) -> None:
        """What is named, seen from a schema; only some texts see temporary views."""
        parts, session = relation.parts, self._session
        if parts is None:
            return
        if temporary and session.is_temporary_view(parts):
            self._see_temporary(parts)
            return
        with suppress(NotFound):
            name = session.resolve(parts, workspace, schema)
            if name in self._streams:
                _refuse_version(relation, name)
                self.found.add(name)
            elif name not in self._seen:
                self._seen.add(name)
                self._see_view(session.catalog.view(name))

    def _see_view(self, view: View | None) -> None:
        if view is not None:
            for inner in ParsedStatement(view.sql).relations:
                self._see(inner, view.workspace, view.schema, temporary=False)

    def _see_temporary(self, parts: tuple[str, ...]) -> None:
        if parts in self._seen:
            return
        self._seen.add(parts)
        view = self._session.temporary_view(parts)
        if view is not None:
            query, workspace, schema = view
            for inner in ParsedStatement(query).relations:
                self._see(inner, workspace, schema, temporary=True)


def _refuse_version(relation: TableReading, name: TableName) -> None:
    if relation.has_time_travel:
        raise Refused(
            f"{name} is a table stream, which has no versions", hint="remove VERSION AS OF or TIMESTAMP AS OF"
        )


def with_full_names(
    sent: Rewritten, statement: ParsedStatement, streams: frozenset[TableName], session: LakeSession
) -> Rewritten:
    """A temporary view names streams in full: Iceberg looks for them where the session is, then as now."""
    original = statement.with_text(sent.original)
    if all(effect.kind is not EffectKind.CREATE_TEMPORARY_VIEW for effect in original.effects):
        return sent
    edits = []
    for relation in original.relations:
        parts = relation.parts
        if parts is not None and len(parts) < 3 and not session.is_temporary_view(parts):
            name = session.resolve(parts)
            edits += [(relation.span, name.sql)] if name in streams else []
    return Rewritten(sent.original, (*sent.edits, *edits))


def consumer_in(statement: ParsedStatement, session: LakeSession) -> Consumer | None:
    """None where the statement only reads, or would: EXPLAIN."""
    if statement.is_explain:
        return None
    writes = [effect for effect in statement.effects if effect.kind in _WRITES]
    if not writes:
        return None
    with pointing_at(statement.text, writes[-1].span):
        if statement.is_block or statement.starts_with("EXECUTE"):
            raise Refused(
                "a stream cannot be consumed inside a block or EXECUTE IMMEDIATE",
                hint="run the statement that writes as a separate statement",
            )
        if len(writes) > 1:
            raise Refused(
                "a stream can be consumed into only one table at a time",
                hint="create one stream for each of the tables",
            )
        return _consumer(writes[0], session)


def _consumer(effect: Effect, session: LakeSession) -> Consumer:
    candidates = possible_tables(effect.target or (), session)
    if not candidates:
        raise Refused(
            "a stream can be consumed only into tables of a workspace", hint="write to a table of the lake"
        )
    existing = [name for name in candidates if session.catalog.table(name) is not None]
    return Consumer(existing[0] if existing else candidates[-1], effect.kind is EffectKind.CREATE)
