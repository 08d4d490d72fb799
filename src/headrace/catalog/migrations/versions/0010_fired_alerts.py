"""Alerts that were fired."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "fired_alerts",
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("subject", sa.String, nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("ended_at", MOMENT),
        sa.PrimaryKeyConstraint("kind", "subject", "since", name="pk_fired_alerts"),
    )
    op.create_index("ix_fired_alerts_since", "fired_alerts", ["since"])
