"""What was dropped and can be undropped."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "dropped_objects",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("stage", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("workspace", sa.String, nullable=False),
        sa.Column("schema", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("kept_as", sa.String, nullable=False),
        sa.Column("uuid", sa.String, nullable=False),
        sa.Column("location", sa.Text, nullable=False),
        sa.Column("dropped_at", MOMENT, nullable=False),
        sa.Column("retention_days", sa.BigInteger, nullable=False),
        sa.Column("dynamic_table_id", sa.String),
        sa.Column("created_at", MOMENT),
        sa.Column("rows", sa.BigInteger, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_dropped_objects"),
    )
    columns = ["workspace", "schema", "name"]
    op.create_index(f"ix_dropped_objects_{'_'.join(columns)}", "dropped_objects", columns)
