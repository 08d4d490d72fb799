"""The tables of the metadata database, as the newest revision leaves them."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
)


class Lifecycle(StrEnum):
    """Statements see tables that are active or replacing; those in -ing are work to finish after a crash."""

    CREATING = "creating"
    ACTIVE = "active"
    REPLACING = "replacing"
    DROPPING = "dropping"
    DROPPED = "dropped"
    """Kept under another name; it has a row in dropped_objects."""
    UNDROPPING = "undropping"


class DropStage(StrEnum):
    """Where an object is between its drop and its end; those in -ing are work to finish after a crash."""

    DROPPING = "dropping"
    DROPPED = "dropped"
    UNDROPPING = "undropping"
    PURGING = "purging"


class UtcTimestamp(TypeDecorator[datetime]):
    """A moment to the microsecond; goes in with any time zone, comes out in UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.utcoffset() is None:
            raise ValueError(f"a time requires a time zone: {value.isoformat()}")
        return value.astimezone(UTC)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    }
)

dynamic_tables = Table(
    "dynamic_tables",
    metadata,
    Column("id", String, primary_key=True),
    Column("workspace", String, nullable=False),
    Column("schema", String, nullable=False),
    Column("name", String, nullable=False),
    Column("lifecycle", String, nullable=False),
    Column("query", Text, nullable=False),
    Column("expanded", Text, nullable=False),
    Column("qualified", Text, nullable=False),
    Column("sources", JSON, nullable=False),
    Column("uses_current_date", Boolean, nullable=False),
    Column("columns", JSON, nullable=False),
    Column("creator", String, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("modified_at", UtcTimestamp, nullable=False),
    Column("interval_seconds", BigInteger),
    Column("start_at", UtcTimestamp),
    Column("cluster", String, nullable=False),
    Column("mode", String, nullable=False),
    Column("comment", Text),
    Column("properties", JSON, nullable=False),
    Column("partitioned_by", JSON, nullable=False),
    Column("clustered_by", JSON, nullable=False),
    Column("suspended", Boolean, nullable=False, server_default=false()),
    Column("intended", JSON(none_as_null=True)),
    UniqueConstraint("workspace", "schema", "name"),
)

refreshes = Table(
    "refreshes",
    metadata,
    Column("job_id", String, primary_key=True),
    Column("table_id", String, nullable=False),
    Column("workspace", String, nullable=False),
    Column("schema", String, nullable=False),
    Column("name", String, nullable=False),
    Column("cluster", String, nullable=False),
    Column("start_time", UtcTimestamp, nullable=False),
    Column("end_time", UtcTimestamp),
    Column("state", String, nullable=False),
    Column("trigger", String, nullable=False),
    Column("sources", JSON, nullable=False),
    Column("suspended_reason", Text),
    Column("mode", String),
    Column("mode_reason", Text),
    Column("error_message", Text),
    Column("rows_inserted", BigInteger),
    Column("rows_deleted", BigInteger),
    Column("source_versions", JSON, nullable=False),
    Column("rows_read", BigInteger),
    Column("bytes_read", BigInteger),
    Column("cluster_seconds", Double),
    Column("estimated_incremental", Double),
    Column("estimated_full", Double),
    Column("arguments", JSON(none_as_null=True)),
    Column("partition", JSON(none_as_null=True)),
    Index(None, "start_time"),
    Index(None, "table_id", "start_time"),
    Index(None, "workspace", "schema", "name", "start_time"),
    Index(None, "state"),
)
"""Rows outlive their table, so table_id is no foreign key."""

job_profiles = Table(
    "job_profiles",
    metadata,
    Column("job_id", String, ForeignKey("refreshes.job_id", ondelete="CASCADE"), primary_key=True),
    Column("payload", JSON, nullable=False),
)

partition_records = Table(
    "partition_records",
    metadata,
    Column("table_id", String, primary_key=True),
    Column("partition", Text, primary_key=True),
    Column("record", JSON, nullable=False),
)

partition_heads = Table(
    "partition_heads",
    metadata,
    Column("table_id", String, primary_key=True),
    Column("snapshot_id", BigInteger, nullable=False),
)

dropped_objects = Table(
    "dropped_objects",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("stage", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("workspace", String, nullable=False),
    Column("schema", String, nullable=False),
    Column("name", String, nullable=False),
    Column("kept_as", String, nullable=False),
    Column("uuid", String, nullable=False),
    Column("location", Text, nullable=False),
    Column("dropped_at", UtcTimestamp, nullable=False),
    Column("retention_days", BigInteger, nullable=False),
    Column("dynamic_table_id", String),
    Column("created_at", UtcTimestamp),
    Column("rows", BigInteger, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Index(None, "workspace", "schema", "name"),
)
"""A dropped dynamic table keeps its row in dynamic_tables too, under the name that it is kept as."""

vclusters = Table(
    "vclusters",
    metadata,
    Column("id", String, primary_key=True),
    Column("key", String, nullable=False),
    Column("name", String, nullable=False),
    Column("type", String, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("auto_suspend_seconds", BigInteger),
    Column("auto_resume", Boolean, nullable=False),
    Column("max_concurrency", BigInteger, nullable=False),
    Column("comment", Text),
    Column("properties", JSON, nullable=False),
    Column("creator", String, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("modified_at", UtcTimestamp, nullable=False),
    Column("state", String, nullable=False),
    UniqueConstraint("key"),
)
"""The key is the name in lower case, here and in tasks."""

tasks = Table(
    "tasks",
    metadata,
    Column("id", String, primary_key=True),
    Column("key", String, nullable=False),
    Column("name", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("body", Text, nullable=False),
    Column("workspace", String, nullable=False),
    Column("schema", String, nullable=False),
    Column("cluster", String, nullable=False),
    Column("interval_seconds", BigInteger),
    Column("start_at", UtcTimestamp),
    Column("cron", String),
    Column("zone", String),
    Column("after", JSON, nullable=False),
    Column("retries", BigInteger, nullable=False),
    Column("backoff_seconds", BigInteger, nullable=False),
    Column("timeout_seconds", BigInteger),
    Column("parameters", JSON, nullable=False),
    Column("comment", Text),
    Column("state", String, nullable=False),
    Column("creator", String, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("modified_at", UtcTimestamp, nullable=False),
    Column("alerts", JSON),
    UniqueConstraint("key"),
)
"""No alerts given: all kinds."""

files = Table(
    "files",
    metadata,
    Column("id", String, primary_key=True),
    Column("folder_id", String, nullable=False),
    Column("key", String, nullable=False),
    Column("name", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("creator", String, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("modified_by", String, nullable=False),
    Column("modified_at", UtcTimestamp, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("task", String),
    Column("deployed_version", BigInteger),
    Column("deleted_at", UtcTimestamp),
    UniqueConstraint("folder_id", "key"),
)
"""Development files and folders. The key of a deleted one is its id after a slash, which no name contains."""

file_versions = Table(
    "file_versions",
    metadata,
    Column("file_id", String, primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("content", Text, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("author", String, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
)

file_drafts = Table(
    "file_drafts",
    metadata,
    Column("file_id", String, primary_key=True),
    Column("user", String, primary_key=True),
    Column("based_on", BigInteger, nullable=False),
    Column("content", Text, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("modified_at", UtcTimestamp, nullable=False),
)

task_runs = Table(
    "task_runs",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("task_id", String, nullable=False),
    Column("name", String, nullable=False),
    Column("scheduled_time", UtcTimestamp, nullable=False),
    Column("start_time", UtcTimestamp),
    Column("end_time", UtcTimestamp),
    Column("state", String, nullable=False),
    Column("trigger", String, nullable=False),
    Column("parameters", JSON, nullable=False),
    Column("error_message", Text),
    Column("log", Text, nullable=False),
    Column("job_ids", JSON, nullable=False),
    Index(None, "scheduled_time"),
    Index(None, "task_id", "scheduled_time"),
    Index(None, "state"),
)
"""Rows outlive their task, so task_id is no foreign key."""

backfills = Table(
    "backfills",
    metadata,
    Column("id", String, primary_key=True),
    Column("task", String, nullable=False),
    Column("parameter", String, nullable=False),
    Column("parallelism", BigInteger, nullable=False),
    Column("creator", String, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("ended_at", UtcTimestamp),
    Column("state", String, nullable=False),
    Column("items", JSON, nullable=False),
    Column("after", JSON, nullable=False),
    Column("parameters", JSON, nullable=False),
    Index(None, "created_at"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("job_id", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("statement", Text, nullable=False),
    Column("cluster", String, nullable=False),
    Column("creator", String, nullable=False),
    Column("tag", Text),
    Column("state", String, nullable=False),
    Column("submitted_at", UtcTimestamp, nullable=False),
    Column("start_time", UtcTimestamp),
    Column("end_time", UtcTimestamp),
    Column("error_message", Text),
    Column("rows", BigInteger),
    Column("cluster_seconds", Double),
    Column("server", String),
    Column("notices", JSON(none_as_null=True)),
    Index(None, "submitted_at"),
    Index(None, "state"),
)

fired_alerts = Table(
    "fired_alerts",
    metadata,
    Column("kind", String, primary_key=True),
    Column("subject", String, primary_key=True),
    Column("since", UtcTimestamp, primary_key=True),
    Column("text", Text, nullable=False),
    Column("ended_at", UtcTimestamp),
    Index(None, "since"),
)

tokens = Table(
    "tokens",
    metadata,
    Column("name", String, primary_key=True),
    Column("sha256", String, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("revoked_at", UtcTimestamp),
    Column("role", String, nullable=False, server_default="developer"),
)

leases = Table(
    "leases",
    metadata,
    Column("key", String, primary_key=True),
    Column("holder", String, nullable=False),
    Column("until", UtcTimestamp, nullable=False),
)

lake_places = Table(
    "lake_places",
    metadata,
    Column("what", String, primary_key=True),
    Column("path", Text, nullable=False),
)

table_streams = Table(
    "table_streams",
    metadata,
    Column("id", String, primary_key=True),
    Column("workspace", String, nullable=False),
    Column("schema", String, nullable=False),
    Column("name", String, nullable=False),
    Column("source", JSON, nullable=False),
    Column("offset", JSON, nullable=False),
    Column("mode", String, nullable=False),
    Column("shows_initial_rows", Boolean, nullable=False),
    Column("initial_rows_due", Boolean, nullable=False),
    Column("creator", String, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("comment", Text),
    Column("claimed_by", String),
    UniqueConstraint("workspace", "schema", "name"),
)
"""A dropped one stays, in the schema of what was dropped and under its id, and is in dropped_objects too."""

pipes = Table(
    "pipes",
    metadata,
    Column("id", String, primary_key=True),
    Column("workspace", String, nullable=False),
    Column("schema", String, nullable=False),
    Column("name", String, nullable=False),
    Column("target", JSON, nullable=False),
    Column("copy", Text, nullable=False),
    Column("inside", JSON, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("creator", String, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("modified_at", UtcTimestamp, nullable=False),
    Column("progress", JSON, nullable=False),
    UniqueConstraint("workspace", "schema", "name"),
)
"""``inside`` is where the names in the text are looked up; what is loaded, the tables themselves say."""

volumes = Table(
    "volumes",
    metadata,
    Column("id", String, primary_key=True),
    Column("workspace", String, nullable=False),
    Column("schema", String, nullable=False),
    Column("name", String, nullable=False),
    Column("location", Text, nullable=False),
    Column("comment", Text),
    Column("creator", String, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    UniqueConstraint("workspace", "schema", "name"),
)

secrets = Table(
    "secrets",
    metadata,
    Column("name", String, primary_key=True),
    Column("sealed", Text, nullable=False),
    Column("changed_at", UtcTimestamp, nullable=False),
)

connections = Table(
    "connections",
    metadata,
    Column("key", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("type", String, nullable=False),
    Column("host", String, nullable=False),
    Column("port", Integer, nullable=False),
    Column("database", String, nullable=False),
    Column("user", String, nullable=False),
    Column("secret", String),
    Column("comment", Text),
    Column("creator", String, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("url", Text),
    Column("tls", String),
    Column("tls_ca", String),
)
"""``key`` is the name in lower case; ``secret`` and ``tls_ca`` are names of secrets."""

syncs = Table(
    "syncs",
    metadata,
    Column("id", String, primary_key=True),
    Column("workspace", String, nullable=False),
    Column("schema", String, nullable=False),
    Column("name", String, nullable=False),
    Column("connection", String, nullable=False),
    Column("definition", JSON, nullable=False),
    Column("tables", JSON, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("creator", String, nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("modified_at", UtcTimestamp, nullable=False),
    Column("progress", JSON, nullable=False),
    UniqueConstraint("workspace", "schema", "name"),
)
"""How far each table has come, the tables themselves say."""

consumptions = Table(
    "consumptions",
    metadata,
    Column("id", String, primary_key=True),
    Column("workspace", String, nullable=False),
    Column("schema", String, nullable=False),
    Column("name", String, nullable=False),
    Column("begun_at", UtcTimestamp, nullable=False),
    Column("offsets", JSON, nullable=False),
)
"""Of streams, begun and not ended; the name is that of the table written to."""
