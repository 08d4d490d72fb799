"""Where a table has the position of its sync, whichever way the sync reads."""

from __future__ import annotations

from headrace.errors import Refused
from headrace.features.syncs.model import SyncTable
from headrace.ingest.writer import current_position
from headrace.lake.session import LakeSession


def position_key(source: str) -> str:
    return f"headrace.sync.{source}"


def synced_position(known: SyncTable, session: LakeSession) -> str:
    found = current_position(known.target, position_key(known.source), session)
    if found is None:
        raise Refused(
            f"table {known.target} is not the one that the sync has made",
            hint="ALTER SYNC name RESYNC TABLE replaces its rows by those of the source",
        )
    return found
