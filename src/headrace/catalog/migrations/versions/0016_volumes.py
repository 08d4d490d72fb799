"""Volumes."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "volumes",
        sa.Column("id", sa.String, nullable=False),
        sa.Column("workspace", sa.String, nullable=False),
        sa.Column("schema", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("location", sa.Text, nullable=False),
        sa.Column("comment", sa.Text),
        sa.Column("creator", sa.String, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_volumes"),
        sa.UniqueConstraint("workspace", "schema", "name", name="uq_volumes_workspace_schema_name"),
    )
