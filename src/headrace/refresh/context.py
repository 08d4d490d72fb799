"""What a refresh works with."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date, datetime

from headrace.catalog.refresh_history import RefreshHistory
from headrace.catalog.store import MetadataStore
from headrace.lake.session import LakeSession
from headrace.lake.settings import Settings
from headrace.lake.table.tables import TableCatalog
from headrace.refresh.inner_aggregates import Nested
from headrace.refresh.plan import Layouts


@dataclass(frozen=True)
class RefreshContext:
    store: MetadataStore
    catalog: TableCatalog
    borrow_session: Callable[[], AbstractContextManager[LakeSession]]
    clock: Callable[[], datetime]
    settings: Settings
    layouts: Layouts
    nested: MutableMapping[str, Nested] = field(default_factory=dict)
    """By the id of a dynamic table: the aggregates inside its query, as they were last found."""
    compacts: bool = True
    """False on clusters that are kept free for queries."""

    @property
    def refreshes(self) -> RefreshHistory:
        return self.store.refreshes

    @property
    def full_refresh_margin(self) -> float:
        return self.settings.full_refresh_margin

    def day_of(self, moment: datetime) -> date:
        """In the lake's time zone."""
        return moment.astimezone(self.settings.zone).date()
