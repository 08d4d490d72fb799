"""What a refresh was estimated to take either way."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("refreshes", sa.Column("estimated_incremental", sa.Double))
    op.add_column("refreshes", sa.Column("estimated_full", sa.Double))
