"""Virtual clusters, tasks and their runs, jobs, tokens and leases."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    create_vclusters()
    create_tasks()
    create_task_runs()
    create_jobs()
    create_tokens()
    create_leases()
    create_lake_places()


def create_vclusters() -> None:
    vclusters = op.create_table(
        "vclusters",
        sa.Column("id", sa.String, nullable=False),
        sa.Column("key", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("type", sa.String, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("auto_suspend_seconds", sa.BigInteger),
        sa.Column("auto_resume", sa.Boolean, nullable=False),
        sa.Column("max_concurrency", sa.BigInteger, nullable=False),
        sa.Column("comment", sa.Text),
        sa.Column("properties", sa.JSON, nullable=False),
        sa.Column("creator", sa.String, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("modified_at", MOMENT, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_vclusters"),
        sa.UniqueConstraint("key", name="uq_vclusters_key"),
    )
    now = datetime.now(UTC)
    always_there = {
        "size": 4,
        "auto_suspend_seconds": 600,
        "auto_resume": True,
        "max_concurrency": 8,
        "properties": {},
        "creator": "headrace",
        "created_at": now,
        "modified_at": now,
        "state": "SUSPENDED",
    }
    named = (("default", "GENERAL"), ("default_ap", "ANALYTICS"))
    op.bulk_insert(
        vclusters,
        [{"id": name, "key": name, "name": name, "type": kind, **always_there} for name, kind in named],
    )


def create_tasks() -> None:
    op.create_table(
        "tasks",
        sa.Column("id", sa.String, nullable=False),
        sa.Column("key", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("workspace", sa.String, nullable=False),
        sa.Column("schema", sa.String, nullable=False),
        sa.Column("cluster", sa.String, nullable=False),
        sa.Column("interval_seconds", sa.BigInteger),
        sa.Column("start_at", MOMENT),
        sa.Column("cron", sa.String),
        sa.Column("zone", sa.String),
        sa.Column("after", sa.JSON, nullable=False),
        sa.Column("retries", sa.BigInteger, nullable=False),
        sa.Column("backoff_seconds", sa.BigInteger, nullable=False),
        sa.Column("timeout_seconds", sa.BigInteger),
        sa.Column("parameters", sa.JSON, nullable=False),
        sa.Column("comment", sa.Text),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("creator", sa.String, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("modified_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tasks"),
        sa.UniqueConstraint("key", name="uq_tasks_key"),
    )


def create_task_runs() -> None:
    op.create_table(
        "task_runs",
        sa.Column("run_id", sa.String, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("task_id", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("scheduled_time", MOMENT, nullable=False),
        sa.Column("start_time", MOMENT),
        sa.Column("end_time", MOMENT),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("trigger", sa.String, nullable=False),
        sa.Column("parameters", sa.JSON, nullable=False),
        sa.Column("error_message", sa.Text),
        sa.Column("log", sa.Text, nullable=False),
        sa.Column("job_ids", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "attempt", name="pk_task_runs"),
    )
    for columns in (["scheduled_time"], ["task_id", "scheduled_time"], ["state"]):
        op.create_index(f"ix_task_runs_{'_'.join(columns)}", "task_runs", columns)


def create_jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("job_id", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("statement", sa.Text, nullable=False),
        sa.Column("cluster", sa.String, nullable=False),
        sa.Column("creator", sa.String, nullable=False),
        sa.Column("tag", sa.Text),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("submitted_at", MOMENT, nullable=False),
        sa.Column("start_time", MOMENT),
        sa.Column("end_time", MOMENT),
        sa.Column("error_message", sa.Text),
        sa.Column("rows", sa.BigInteger),
        sa.Column("cluster_seconds", sa.Double),
        sa.Column("server", sa.String),
        sa.PrimaryKeyConstraint("job_id", name="pk_jobs"),
    )
    for column in ("submitted_at", "state"):
        op.create_index(f"ix_jobs_{column}", "jobs", [column])


def create_tokens() -> None:
    op.create_table(
        "tokens",
        sa.Column("name", sa.String, nullable=False),
        sa.Column("sha256", sa.String, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("revoked_at", MOMENT),
        sa.PrimaryKeyConstraint("name", name="pk_tokens"),
    )


def create_leases() -> None:
    op.create_table(
        "leases",
        sa.Column("key", sa.String, nullable=False),
        sa.Column("holder", sa.String, nullable=False),
        sa.Column("until", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_leases"),
    )


def create_lake_places() -> None:
    op.create_table(
        "lake_places",
        sa.Column("what", sa.String, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("what", name="pk_lake_places"),
    )
