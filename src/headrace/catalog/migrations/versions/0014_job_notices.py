"""Notices of jobs."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("jobs", sa.Column("notices", sa.JSON))
