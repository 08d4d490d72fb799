"""Roles of tokens. Those that exist could do what a developer can."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("tokens", sa.Column("role", sa.String, nullable=False, server_default="developer"))
