"""Whether Spark accepts the plan of an incremental refresh, found without a change and without a table."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from headrace.delta.differentiate import differentiate
from headrace.errors import NotSupportedError, ProgrammingError
from headrace.lake.change_scan.changes import no_changes
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier
from headrace.refresh.delta_sql import DeltaSql
from headrace.refresh.layout import CANNOT_COMPARE, Layout, NoLayout
from headrace.refresh.row_positions import FILE, POSITION, ROW

_SOME_DAY = date(2000, 1, 1)
REFUSALS = (ProgrammingError, NotSupportedError)
"""How Spark says that it does not accept a plan."""


def refused_plan(message: str) -> str:
    return f"Spark refuses the plan of an incremental refresh: {message}"


def plan_obstacle(layout: Layout, sources: Mapping[TableName, Table], session: LakeSession) -> str | None:
    """Why a table in this layout cannot follow every change of its sources."""
    return refusal(layout, sources, session) if layout.follows_deletions else CANNOT_COMPARE


def accepted(
    layout: Layout | NoLayout, sources: Mapping[TableName, Table], session: LakeSession
) -> Layout | NoLayout:
    """What remains of a layout once Spark has seen its plan."""
    if isinstance(layout, NoLayout) or not layout.follows_deletions:
        return layout
    reason = refusal(layout, sources, session)
    return layout if reason is None else NoLayout(reason)


def refusal(layout: Layout, sources: Mapping[TableName, Table], session: LakeSession) -> str | None:
    """Why Spark refuses the plan of a refresh for which every source has changed."""
    change = differentiate(layout.followed, frozenset(sources), layout.names)
    if change is None:
        return None
    versions = {name: table.version for name, table in sources.items()}
    sql = DeltaSql(layout, change, sources, versions, _SOME_DAY)
    changes = {name: no_changes(table) for name, table in sources.items()}
    try:
        session.analyze(sql.with_positions(sql.to_apply(changes), _no_rows_with_positions(layout)))
    except REFUSALS as error:
        return refused_plan(error.message)
    return None


def _no_rows_with_positions(layout: Layout) -> str:
    """As ``row_positions.rows_with_positions`` gives the rows of a table."""
    columns = [(column.name, column.type) for column in layout.columns]
    places = [(FILE, "STRING"), (POSITION, "BIGINT"), (ROW, "BIGINT")]
    nulls = ", ".join(f"CAST(NULL AS {kind}) AS {quote_identifier(name)}" for name, kind in columns + places)
    return f"SELECT {nulls} WHERE false"
