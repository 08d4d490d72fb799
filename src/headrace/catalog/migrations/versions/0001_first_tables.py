"""The definitions, the refresh history and the job profiles."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    create_dynamic_tables()
    create_refreshes()
    create_job_profiles()


def create_dynamic_tables() -> None:
    op.create_table(
        "dynamic_tables",
        sa.Column("id", sa.String, nullable=False),
        sa.Column("workspace", sa.String, nullable=False),
        sa.Column("schema", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("lifecycle", sa.String, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("expanded", sa.Text, nullable=False),
        sa.Column("qualified", sa.Text, nullable=False),
        sa.Column("sources", sa.JSON, nullable=False),
        sa.Column("uses_current_date", sa.Boolean, nullable=False),
        sa.Column("columns", sa.JSON, nullable=False),
        sa.Column("creator", sa.String, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("modified_at", MOMENT, nullable=False),
        sa.Column("interval_seconds", sa.BigInteger),
        sa.Column("start_at", MOMENT),
        sa.Column("cluster", sa.String, nullable=False),
        sa.Column("mode", sa.String, nullable=False),
        sa.Column("comment", sa.Text),
        sa.Column("properties", sa.JSON, nullable=False),
        sa.Column("partitioned_by", sa.JSON, nullable=False),
        sa.Column("clustered_by", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_dynamic_tables"),
        sa.UniqueConstraint("workspace", "schema", "name", name="uq_dynamic_tables_workspace_schema_name"),
    )


def create_refreshes() -> None:
    op.create_table(
        "refreshes",
        sa.Column("job_id", sa.String, nullable=False),
        sa.Column("table_id", sa.String, nullable=False),
        sa.Column("workspace", sa.String, nullable=False),
        sa.Column("schema", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("cluster", sa.String, nullable=False),
        sa.Column("start_time", MOMENT, nullable=False),
        sa.Column("end_time", MOMENT),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("trigger", sa.String, nullable=False),
        sa.Column("sources", sa.JSON, nullable=False),
        sa.Column("suspended_reason", sa.Text),
        sa.Column("mode", sa.String),
        sa.Column("mode_reason", sa.Text),
        sa.Column("error_message", sa.Text),
        sa.Column("rows_inserted", sa.BigInteger),
        sa.Column("rows_deleted", sa.BigInteger),
        sa.Column("source_versions", sa.JSON, nullable=False),
        sa.Column("rows_read", sa.BigInteger),
        sa.Column("bytes_read", sa.BigInteger),
        sa.Column("cluster_seconds", sa.Double),
        sa.PrimaryKeyConstraint("job_id", name="pk_refreshes"),
    )
    by_name = ["workspace", "schema", "name", "start_time"]
    for columns in (["start_time"], ["table_id", "start_time"], by_name, ["state"]):
        op.create_index(f"ix_refreshes_{'_'.join(columns)}", "refreshes", columns)


def create_job_profiles() -> None:
    op.create_table(
        "job_profiles",
        sa.Column("job_id", sa.String, nullable=False),
        sa.Column("payload", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("job_id", name="pk_job_profiles"),
        sa.ForeignKeyConstraint(
            ["job_id"], ["refreshes.job_id"], name="fk_job_profiles_job_id", ondelete="CASCADE"
        ),
    )
