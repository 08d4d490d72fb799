"""Virtual clusters; names are found in any case."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, delete, exc, insert, select, update

from headrace.catalog.row_access import Read, Write
from headrace.catalog.rows import Row
from headrace.catalog.schema import vclusters
from headrace.errors import AlreadyExists, NotFound, Refused
from headrace.model.vcluster import PERMANENT, Vcluster, VclusterState, VclusterType


class Vclusters:
    """Each method is one transaction."""

    def __init__(self, write: Write, read: Read) -> None:
        self._write = write
        self._read = read

    def create(self, vcluster: Vcluster) -> None:
        with self._write() as connection:
            try:
                connection.execute(insert(vclusters).values(vcluster_row(vcluster)))
            except exc.IntegrityError as error:
                raise AlreadyExists(f"virtual cluster {vcluster.name} already exists") from error.orig

    def find(self, name: str) -> Vcluster | None:
        return next(iter(self._where(vclusters.c.key == name.lower())), None)

    def all(self) -> list[Vcluster]:
        return self._where()

    def alter(self, vcluster: Vcluster) -> None:
        """Puts it in the place of the one with its id; whether it runs stays as it is."""
        row = vcluster_row(vcluster)
        del row["state"]
        self._change(vcluster.id, row)

    def set_state(self, vcluster_id: str, state: VclusterState) -> None:
        self._change(vcluster_id, {"state": state.value})

    def drop(self, vcluster: Vcluster) -> None:
        if vcluster.name.lower() in PERMANENT:
            raise Refused(
                f"virtual cluster {vcluster.name} always exists and cannot be dropped",
                hint=f"ALTER VCLUSTER {vcluster.name} SUSPEND stops it",
            )
        with self._write() as connection:
            gone = connection.execute(delete(vclusters).where(vclusters.c.id == vcluster.id))
            _expect_one(gone.rowcount, vcluster.id)

    def _where(self, *conditions: ColumnElement[bool]) -> list[Vcluster]:
        with self._read(vclusters, select(vclusters).where(*conditions)) as found:
            return sorted((_from_row(row) for row in found), key=lambda each: each.name.lower())

    def _change(self, vcluster_id: str, row: dict[str, Any]) -> None:
        with self._write() as connection:
            change = update(vclusters).where(vclusters.c.id == vcluster_id)
            _expect_one(connection.execute(change.values(row)).rowcount, vcluster_id)


def _expect_one(count: int, vcluster_id: str) -> None:
    if count != 1:
        raise NotFound(f"virtual cluster with id {vcluster_id} does not exist")


def vcluster_row(vcluster: Vcluster) -> dict[str, Any]:
    return {
        "id": vcluster.id,
        "key": vcluster.name.lower(),
        "name": vcluster.name,
        "type": vcluster.type.value,
        "size": vcluster.size,
        "auto_suspend_seconds": vcluster.auto_suspend_seconds,
        "auto_resume": vcluster.auto_resume,
        "max_concurrency": vcluster.max_concurrency,
        "comment": vcluster.comment,
        "properties": dict(vcluster.properties),
        "creator": vcluster.creator,
        "created_at": vcluster.created_at,
        "modified_at": vcluster.modified_at,
        "state": vcluster.state.value,
    }


def _from_row(row: Row) -> Vcluster:
    return Vcluster(
        id=row["id"],
        name=row["name"],
        creator=row["creator"],
        created_at=row["created_at"],
        modified_at=row["modified_at"],
        type=VclusterType(row["type"]),
        size=row["size"],
        auto_suspend_seconds=row["auto_suspend_seconds"],
        auto_resume=row["auto_resume"],
        max_concurrency=row["max_concurrency"],
        comment=row["comment"],
        properties=dict(row["properties"]),
        state=VclusterState(row["state"]),
    )
