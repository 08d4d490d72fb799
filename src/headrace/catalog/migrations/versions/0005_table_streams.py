"""Table streams, and the statements that are consuming them."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "consumptions",
        sa.Column("id", sa.String, nullable=False),
        sa.Column("workspace", sa.String, nullable=False),
        sa.Column("schema", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("begun_at", MOMENT, nullable=False),
        sa.Column("offsets", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_consumptions"),
    )
    op.create_table(
        "table_streams",
        sa.Column("id", sa.String, nullable=False),
        sa.Column("workspace", sa.String, nullable=False),
        sa.Column("schema", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("source", sa.JSON, nullable=False),
        sa.Column("offset", sa.JSON, nullable=False),
        sa.Column("mode", sa.String, nullable=False),
        sa.Column("shows_initial_rows", sa.Boolean, nullable=False),
        sa.Column("initial_rows_due", sa.Boolean, nullable=False),
        sa.Column("creator", sa.String, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("comment", sa.Text),
        sa.Column("claimed_by", sa.String),
        sa.PrimaryKeyConstraint("id", name="pk_table_streams"),
        sa.UniqueConstraint("workspace", "schema", "name", name="uq_table_streams_workspace_schema_name"),
    )
