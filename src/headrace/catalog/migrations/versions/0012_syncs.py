"""Connections and syncs."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "connections",
        sa.Column("key", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("type", sa.String, nullable=False),
        sa.Column("host", sa.String, nullable=False),
        sa.Column("port", sa.Integer, nullable=False),
        sa.Column("database", sa.String, nullable=False),
        sa.Column("user", sa.String, nullable=False),
        sa.Column("secret", sa.String),
        sa.Column("comment", sa.Text),
        sa.Column("creator", sa.String, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_connections"),
    )
    op.create_table(
        "syncs",
        sa.Column("id", sa.String, nullable=False),
        sa.Column("workspace", sa.String, nullable=False),
        sa.Column("schema", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("connection", sa.String, nullable=False),
        sa.Column("definition", sa.JSON, nullable=False),
        sa.Column("tables", sa.JSON, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("creator", sa.String, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("modified_at", MOMENT, nullable=False),
        sa.Column("progress", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_syncs"),
        sa.UniqueConstraint("workspace", "schema", "name", name="uq_syncs_workspace_schema_name"),
    )
