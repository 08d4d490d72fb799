"""What CREATE and ALTER DYNAMIC TABLE check alike: intervals, clusters, properties."""

from __future__ import annotations

import math

from headrace.errors import NotFound, Place, Refused
from headrace.features.dynamic_tables.grammar_clauses import show_interval
from headrace.features.vclusters.store import Vclusters
from headrace.lake.settings import LONGEST_RETENTION
from headrace.lake.table.retention import is_retention
from headrace.model.quoting import quote_string
from headrace.refresh.cost import MARGIN_PROPERTY
from headrace.refresh.increment import STATE_PROPERTY, STATES
from headrace.sql.parsing.properties import RETENTION
from headrace.sql.query_parameters import argument_key, parameter_of


def check_interval(seconds: int, least: int, place: Place | None) -> None:
    if seconds < least:
        raise Refused(
            f"the minimum refresh interval is {show_interval(least)}, not {show_interval(seconds)}",
            hint="minimum_interval_seconds in lake.toml sets the minimum",
            place=place,
        )


def check_cluster(cluster: str, vclusters: Vclusters, place: Place | None) -> str:
    """Its name as it is stored."""
    found = vclusters.find(cluster)
    if found is None:
        raise NotFound(
            f"virtual cluster {cluster} does not exist",
            hint="SHOW VCLUSTERS lists all virtual clusters",
            place=place,
        )
    return found.name


def check_property(key: str, value: str, place: Place | None) -> None:
    if key == MARGIN_PROPERTY and not _is_margin(value):
        raise Refused(
            f"{MARGIN_PROPERTY} must be a number greater than 0, not {quote_string(value)}",
            hint="it is how many times cheaper FULL must be to be chosen; the default is 1.2",
            place=place,
        )
    if key == STATE_PROPERTY and value not in STATES:
        raise Refused(
            f"{STATE_PROPERTY} must be {', '.join(STATES[:-1])} or {STATES[-1]}, not {quote_string(value)}",
            hint="it is whether indexes and groups are stored that refreshes use; the default is auto",
            place=place,
        )
    if property_key(key) == RETENTION:
        check_retention(value, place)


def check_retention(value: str, place: Place | None) -> None:
    if not is_retention(value):
        raise Refused(
            f"{RETENTION} must be a whole number from 0 to {LONGEST_RETENTION}, not {quote_string(value)}",
            hint="it is the number of days for which old versions can be restored",
            place=place,
        )


def property_key(key: str) -> str:
    """As it is stored: what Headrace looks for is always written alike."""
    parameter = parameter_of(key)
    if parameter is not None:
        return argument_key(parameter)
    return RETENTION if key.lower() == RETENTION else key


def _is_margin(text: str) -> bool:
    try:
        return 0 < float(text) < math.inf
    except ValueError:
        return False
