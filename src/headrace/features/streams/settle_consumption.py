"""Whether a consumption that was cut short has happened: the table that it wrote to says so."""

from __future__ import annotations

from headrace.features.streams.model import Consumption
from headrace.features.streams.store import TableStreams
from headrace.lake.table.tables import TableCatalog

CONSUMPTION_ID = "headrace.consumption-id"
"""In the summary of the commit that a consumption made."""


def settle_consumption(consumption: Consumption, catalog: TableCatalog, streams: TableStreams) -> None:
    """Its streams move if its rows were committed, and stay where they are if not."""
    target = catalog.table(consumption.target)
    if target is not None and target.is_marked(CONSUMPTION_ID, consumption.id):
        streams.finish(consumption)
    else:
        streams.abandon(consumption)
