"""``TIMESTAMP AS OF``: the version of a table at a moment."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from headrace.commands.error_location import pointing_at, pointing_into
from headrace.errors import DataError, NotFound
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.text_table import show_value
from headrace.result import Result
from headrace.sql.parsing.statements import Expression
from headrace.sql.tokens.positions import place_of

_TIMESTAMP_FORM = "write it as '2024-06-01 08:00:00'"


def version_at(timestamp: Expression, table: Table, text: str, session: LakeSession, zone: ZoneInfo) -> int:
    """Which version of a table was current at a moment; errors point into ``text``, where that stands."""
    moment = _moment(timestamp, text, session)
    with pointing_at(text, timestamp.span):
        versions = table.versions()
        found = versions.current_at(moment)
        if found is not None and table.has_snapshot(found):
            return found
        shown = show_value(moment.astimezone(zone))
        oldest = show_value(versions.times[0][0].astimezone(zone)) if versions.times else None
        raise NotFound(
            f"{table.name} has no version as of {shown}, or it has expired",
            hint=f"its oldest version is from {oldest}" if oldest else "nothing was ever written to it",
        )


def _moment(timestamp: Expression, text: str, session: LakeSession) -> datetime:
    select = "SELECT CAST("
    query = f"{select}{timestamp.text} AS TIMESTAMP)"
    place = place_of(text, timestamp.span)
    try:
        with pointing_into(text, query, timestamp.span.start - len(select)):
            ((moment,),) = Result(session.run(query)).fetchall()
    except DataError as error:
        raise DataError(error.message, hint=_TIMESTAMP_FORM, place=place) from error
    if not isinstance(moment, datetime):
        raise DataError("the timestamp is NULL", hint=_TIMESTAMP_FORM, place=place)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
