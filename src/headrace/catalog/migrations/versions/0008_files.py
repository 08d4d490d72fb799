"""Development files with their versions and drafts; which alerts a task sends."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("tasks", sa.Column("alerts", sa.JSON))
    create_files()
    create_file_versions()
    create_file_drafts()


def create_files() -> None:
    op.create_table(
        "files",
        sa.Column("id", sa.String, nullable=False),
        sa.Column("folder_id", sa.String, nullable=False),
        sa.Column("key", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("creator", sa.String, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("modified_by", sa.String, nullable=False),
        sa.Column("modified_at", MOMENT, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("task", sa.String),
        sa.Column("deployed_version", sa.BigInteger),
        sa.Column("deleted_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_files"),
        sa.UniqueConstraint("folder_id", "key", name="uq_files_folder_id_key"),
    )


def create_file_versions() -> None:
    op.create_table(
        "file_versions",
        sa.Column("file_id", sa.String, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("author", sa.String, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("file_id", "number", name="pk_file_versions"),
    )


def create_file_drafts() -> None:
    op.create_table(
        "file_drafts",
        sa.Column("file_id", sa.String, nullable=False),
        sa.Column("user", sa.String, nullable=False),
        sa.Column("based_on", sa.BigInteger, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("modified_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("file_id", "user", name="pk_file_drafts"),
    )
