"""Arguments and partitions of refreshes."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("refreshes", sa.Column("arguments", sa.JSON))
    op.add_column("refreshes", sa.Column("partition", sa.JSON))
    op.create_table(
        "partition_records",
        sa.Column("table_id", sa.String, nullable=False),
        sa.Column("partition", sa.Text, nullable=False),
        sa.Column("record", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("table_id", "partition", name="pk_partition_records"),
    )
    op.create_table(
        "partition_heads",
        sa.Column("table_id", sa.String, nullable=False),
        sa.Column("snapshot_id", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("table_id", name="pk_partition_heads"),
    )
