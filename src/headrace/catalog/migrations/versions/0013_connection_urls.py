"""Connections through a JDBC driver, and by TLS."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("connections", sa.Column("url", sa.Text))
    op.add_column("connections", sa.Column("tls", sa.String))
    op.add_column("connections", sa.Column("tls_ca", sa.String))
