"""An empty database gets the tables of the newest revision, without the migrations that lead there."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, insert

from headrace.catalog.schema import metadata, vclusters
from headrace.features.vclusters.store import vcluster_row
from headrace.model.vcluster import DEFAULT_ANALYTICS_VCLUSTER, DEFAULT_VCLUSTER, Vcluster, VclusterType

VERSION_TABLE = "alembic_version"
_revisions = Table(
    VERSION_TABLE,
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""As Alembic creates it."""

_TYPES = {
    DEFAULT_VCLUSTER: VclusterType.GENERAL,
    DEFAULT_ANALYTICS_VCLUSTER: VclusterType.ANALYTICS,
}
_SIZE = 4


def create_tables(connection: Connection, revision: str, now: datetime) -> None:
    """Inside the caller's transaction."""
    _revisions.create(connection, checkfirst=False)
    connection.execute(insert(_revisions).values(version_num=revision))
    metadata.create_all(connection, checkfirst=False)
    for name, kind in _TYPES.items():
        always_there = Vcluster(name, name, "headrace", now, now, kind, _SIZE)
        connection.execute(insert(vclusters).values(vcluster_row(always_there)))
