"""Nouns to store: plain ones for readable tests, and strategies that fill every field."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import uuid4

from hypothesis import strategies as st

from headrace.features.streams.model import StreamMode, TableStream
from headrace.model.dropped import Dropped
from headrace.model.dynamic_table import Column, Definition, DynamicTable, RequestedMode, Schedule, Source
from headrace.model.estimate import Estimate
from headrace.model.history import (
    JobProfile,
    OperatorMetric,
    Phase,
    PlanOperator,
    Refresh,
    RefreshMode,
    RefreshState,
    RefreshStats,
    RefreshTrigger,
    StageOutcome,
    StageReport,
    TableRead,
)
from headrace.model.names import DROPPED_SCHEMA, TableName
from headrace.model.object_kind import ObjectKind
from headrace.model.partition import Partition
from headrace.model.version import TableVersion

NOON = datetime(2024, 6, 1, 12, 0, 0, 123456, tzinfo=UTC)


def name(table: str, schema: str = "public") -> TableName:
    return TableName("lake", schema, table)


def table(
    table_id: str, called: TableName | None = None, reads: tuple[TableName, ...] = (), **more: Any
) -> DynamicTable:
    sources = tuple(Source(each, ("a", "b")) for each in reads)
    definition = Definition("select 1", "SELECT 1", "SELECT 1 AS `1`", sources)
    fields = {"columns": (Column("a", "INT"),), "creator": "ann", "created_at": NOON, "modified_at": NOON}
    return DynamicTable(id=table_id, name=called or name(table_id), definition=definition, **(fields | more))


def refresh(job_id: str, table_id: str = "t", minute: int = 0, **more: Any) -> Refresh:
    fields: dict[str, Any] = {
        "table": name(table_id),
        "cluster": "default",
        "start_time": NOON + timedelta(minutes=minute),
        "state": RefreshState.SUCCEED,
        "trigger": RefreshTrigger.MANUAL,
        "sources": (name("src"),),
    }
    return Refresh(job_id=job_id, table_id=table_id, **(fields | more))


def profile(job_id: str, **more: Any) -> JobProfile:
    return JobProfile(job_id=job_id, phases=(Phase("plan", 0.25),), **more)


def stream(stream_id: str, **more: Any) -> TableStream:
    fields: dict[str, Any] = {
        "name": name(stream_id),
        "source": name("src"),
        "offset": TableVersion("uuid", 1, 0),
        "mode": StreamMode.STANDARD,
        "shows_initial_rows": False,
        "initial_rows_due": False,
        "creator": "ann",
        "created_at": NOON,
    }
    return TableStream(id=stream_id, **(fields | more))


def dropped(called: str, **more: Any) -> Dropped:
    kept_as = TableName("lake", DROPPED_SCHEMA, uuid4().hex)
    fields = {
        "kind": ObjectKind.TABLE,
        "uuid": "u",
        "location": "/l",
        "dropped_at": NOON,
        "retention_days": 1,
    }
    return Dropped(name=name(called), kept_as=kept_as, **(fields | more))


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
WORDS = st.one_of(
    st.sampled_from(["it's", '"', "`a``b`", "%s", ":x", "表", "a.b", "\\", "null"]), TEXTS.filter(bool)
)
LONGS = st.integers(-(2**63), 2**63 - 1)
COUNTS = st.integers(0, 2**63 - 1)
SECONDS = st.floats(0, 1e9)
ZONES = st.sampled_from([UTC, timezone(timedelta(hours=9)), timezone(-timedelta(hours=3, minutes=30))])
MOMENTS = st.datetimes(datetime(1900, 1, 2), datetime(9998, 1, 1), timezones=ZONES)  # noqa: DTZ001
NAMES = st.builds(TableName, WORDS, WORDS, WORDS)
VERSIONS = st.builds(TableVersion, WORDS, st.none() | LONGS, st.integers(0, 2**31 - 1))


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


def tuples(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(strategy, max_size=3).map(tuple)


TABLES = st.builds(
    DynamicTable,
    id=st.uuids().map(str),
    name=NAMES,
    definition=st.builds(
        Definition, TEXTS, TEXTS, TEXTS, tuples(st.builds(Source, NAMES, tuples(WORDS))), st.booleans()
    ),
    columns=tuples(st.builds(Column, WORDS, WORDS, maybe(TEXTS))),
    creator=TEXTS,
    created_at=MOMENTS,
    modified_at=MOMENTS,
    schedule=st.builds(Schedule, maybe(COUNTS), maybe(MOMENTS)),
    cluster=WORDS,
    mode=st.sampled_from(RequestedMode),
    comment=maybe(TEXTS),
    properties=st.dictionaries(TEXTS, TEXTS, max_size=4),
    partitioned_by=tuples(WORDS),
    clustered_by=tuples(WORDS),
    suspended=st.booleans(),
)

PARTITIONS = tuples(st.tuples(WORDS, maybe(TEXTS))).map(Partition)

REFRESHES = st.builds(
    Refresh,
    job_id=st.uuids().map(str),
    table_id=WORDS,
    table=NAMES,
    cluster=WORDS,
    start_time=MOMENTS,
    state=st.sampled_from(RefreshState),
    trigger=st.sampled_from(RefreshTrigger),
    sources=tuples(NAMES),
    end_time=maybe(MOMENTS),
    suspended_reason=maybe(TEXTS),
    mode=maybe(st.sampled_from(RefreshMode)),
    mode_reason=maybe(TEXTS),
    error_message=maybe(TEXTS),
    stats=maybe(st.builds(RefreshStats, COUNTS, COUNTS)),
    source_versions=st.dictionaries(NAMES, VERSIONS, max_size=3),
    rows_read=maybe(COUNTS),
    bytes_read=maybe(COUNTS),
    cluster_seconds=maybe(SECONDS),
    estimated=maybe(st.builds(Estimate, SECONDS, SECONDS)),
    arguments=st.dictionaries(TEXTS, TEXTS, max_size=3),
    partition=maybe(PARTITIONS),
)

PROFILES = st.builds(
    JobProfile,
    job_id=st.uuids().map(str),
    phases=tuples(st.builds(Phase, TEXTS, SECONDS)),
    reads=tuples(st.builds(TableRead, TEXTS, COUNTS, st.none() | COUNTS, st.none() | COUNTS)),
    statements=tuples(TEXTS),
    plans=tuples(TEXTS),
    spark_jobs=tuples(COUNTS),
    rows_written=COUNTS,
    bytes_written=COUNTS,
    tag=maybe(TEXTS),
    arguments=st.dictionaries(TEXTS, TEXTS, max_size=3),
    partition=maybe(PARTITIONS),
    operators=tuples(
        tuples(
            st.builds(
                PlanOperator,
                COUNTS,
                st.none() | COUNTS,
                TEXTS,
                TEXTS,
                tuples(st.builds(OperatorMetric, TEXTS, TEXTS, COUNTS)),
            )
        )
    ),
    stages=tuples(
        st.builds(
            StageReport,
            TEXTS,
            TEXTS,
            SECONDS,
            rows=st.none() | COUNTS,
            outcome=st.sampled_from(StageOutcome),
            spark_jobs=tuples(COUNTS),
            statement=st.none() | COUNTS,
        )
    ),
)

DROPPED = st.builds(
    lambda kept_as, **fields: Dropped(
        kept_as=TableName(fields["name"].workspace, DROPPED_SCHEMA, kept_as), **fields
    ),
    kept_as=WORDS,
    kind=st.sampled_from(ObjectKind),
    name=NAMES,
    uuid=WORDS,
    location=TEXTS,
    dropped_at=MOMENTS,
    retention_days=st.integers(0, 90),
    created_at=maybe(MOMENTS),
    rows=COUNTS,
    bytes=COUNTS,
)
