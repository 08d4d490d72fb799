"""Whether a table's schedule is suspended, and what an alteration that has begun will make of the table."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    suspended = sa.Column("suspended", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("dynamic_tables", suspended)
    op.add_column("dynamic_tables", sa.Column("intended", sa.JSON(none_as_null=True)))
