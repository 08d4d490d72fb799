"""Pipes and secrets."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "pipes",
        sa.Column("id", sa.String, nullable=False),
        sa.Column("workspace", sa.String, nullable=False),
        sa.Column("schema", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("target", sa.JSON, nullable=False),
        sa.Column("copy", sa.Text, nullable=False),
        sa.Column("inside", sa.JSON, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("creator", sa.String, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("modified_at", MOMENT, nullable=False),
        sa.Column("progress", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_pipes"),
        sa.UniqueConstraint("workspace", "schema", "name", name="uq_pipes_workspace_schema_name"),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.String, nullable=False),
        sa.Column("sealed", sa.Text, nullable=False),
        sa.Column("changed_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_secrets"),
    )
