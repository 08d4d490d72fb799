"""Tables, views, dynamic tables and table streams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dbt.adapters.base.relation import BaseRelation, EventTimeFilter
from dbt.adapters.utils import classproperty
from dbt_common.dataclass_schema import StrEnum

from headrace.model.quoting import quote_identifier


class HeadraceRelationType(StrEnum):
    Table = "table"
    View = "view"
    DynamicTable = "dynamic_table"
    Stream = "stream"
    CTE = "cte"
    External = "external"
    Ephemeral = "ephemeral"
    Function = "function"


@dataclass(frozen=True, eq=False, repr=False)
class HeadraceRelation(BaseRelation):
    type: HeadraceRelationType | None = None  # type: ignore[assignment]
    quote_character: str = "`"
    require_alias: bool = False

    @property
    def is_dynamic_table(self) -> bool:
        return self.type == HeadraceRelationType.DynamicTable

    @property
    def is_stream(self) -> bool:
        return self.type == HeadraceRelationType.Stream

    @classproperty
    def DynamicTable(cls) -> str:  # noqa: N802, N805  (as dbt names its own)
        return str(HeadraceRelationType.DynamicTable)

    @classproperty
    def get_relation_type(cls) -> Any:  # noqa: N805
        return HeadraceRelationType

    @property
    def words(self) -> str:
        """What it is, as SQL calls it."""
        return {"dynamic_table": "dynamic table", "stream": "table stream"}.get(
            str(self.type), str(self.type)
        )

    def quoted(self, identifier: str) -> str:
        return quote_identifier(identifier)

    def _render_event_time_filtered(self, event_time_filter: EventTimeFilter) -> str:
        column = event_time_filter.field_name
        bounds = ((">=", event_time_filter.start), ("<", event_time_filter.end))
        return " and ".join(f"{column} {sign} timestamp '{at}'" for sign, at in bounds if at is not None)
