"""Backfills."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "backfills",
        sa.Column("id", sa.String, nullable=False),
        sa.Column("task", sa.String, nullable=False),
        sa.Column("parameter", sa.String, nullable=False),
        sa.Column("parallelism", sa.BigInteger, nullable=False),
        sa.Column("creator", sa.String, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("ended_at", MOMENT),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("items", sa.JSON, nullable=False),
        sa.Column("after", sa.JSON, nullable=False),
        sa.Column("parameters", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_backfills"),
    )
    op.create_index("ix_backfills_created_at", "backfills", ["created_at"])
