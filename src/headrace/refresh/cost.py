"""What a refresh would take either way, from sizes that are known without reading data.

Seconds on a machine of two cores, warm; only their ratio decides. The figures come from measurements of one
million rows, and of TPC-H (see ``bench``).
"""

from __future__ import annotations

import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from headrace.algebra.operators.scan import Scan, SourceVersion
from headrace.model.estimate import Estimate
from headrace.model.history import Refresh, RefreshMode
from headrace.model.names import TableName

_FIXED_FULL = 0.6
_FIXED_APPEND = 0.2
_FIXED_SMALL = 0.4
_FIXED_MERGE = 0.8
_READ = 0.15e-6
"""Per row and occurrence of a table."""
_SCAN = 0.05
"""Per occurrence of a table or a change, however small: to plan it with its join, and to start its tasks."""
_WRITE = 0.6e-6
_COMPARE = 2.2e-6
"""Per row of the table, where the difference is written."""
_LOOK_UP = 0.03
"""Per occurrence of a table whose rows are found by key."""
_KEY = 7e-6
"""Per row that changes and occurrence of such a table: the keys are computed, and searched for."""
_EXAMINE = 0.02e-6
"""Per row of such a table: the keys of all are read where its files are not in the order of the keys."""
_INDEX = 0.2e-6
"""Per row of such a table that has no index yet, where one is needed: its key columns are read in full."""
_FIND = 0.3e-6
"""Per row of the table, where a merge has to look through all of it."""
_CHANGE = 4e-6
"""Per row that changes: weighed and merged."""
_ADD_UP = 0.4e-6
"""Per row that changes, where groups only add it up."""
_AT_MOST = 3.0
"""By which the past corrects an estimate: the machine may have been busy."""
_JUDGED = 3
"""Refreshes of a mode whose median tells its pace: a single one may be slow by chance."""
_HALF_FORGOTTEN = 5
"""Refreshes of the other mode after which half of a correction is left."""
REMEMBERED = 20
"""Refreshes of a table that tell how long its next one takes."""
_COLD_START = 5.0
"""Seconds that the first refresh of a process may take longer."""

MARGIN_PROPERTY = "full_refresh_margin"
"""Of a table, by PROPERTIES; the lake's setting has the same name."""


@dataclass(frozen=True)
class Sizes:
    """In rows."""

    sources: Mapping[TableName, int]
    changes: Mapping[TableName, int]
    result: int
    """The table as it is."""


@dataclass(frozen=True)
class KnownIndexes:
    """Of the keys by which rows are found."""

    sources: Collection[Scan] = ()
    """Scans whose rows are found by an index, there or to be made."""
    result: bool = False
    """Whether those of the table are."""
    rows_to_index: int = 0
    """Before rows can be found."""


NO_INDEXES = KnownIndexes()


def estimate(
    query: list[Scan],
    delta: list[Scan],
    sizes: Sizes,
    *,
    adds_only: bool,
    adds_up: bool,
    finds_by_key: bool,
    writes_difference: bool,
    looked_up: Collection[Scan] = (),
    indexes: KnownIndexes = NO_INDEXES,
) -> Estimate:
    """``query`` and ``delta`` are the scans of the query and of its change; some are looked up by key."""
    changed = sum(sizes.changes.values())
    largest = max(sizes.sources.values(), default=0)
    fan_out = max(1.0, sizes.result / largest) if largest else 1.0
    examined = [sizes.sources[scan.table] for scan in looked_up if scan not in indexes.sources]
    once = indexes.rows_to_index * _INDEX
    found = len(looked_up) * (_LOOK_UP + changed * _KEY) + sum(examined) * _EXAMINE + once
    reading = found + sum(_SCAN + _rows(scan, sizes) * _READ for scan in delta if scan not in looked_up)
    if adds_only:
        applying = _FIXED_APPEND
    elif finds_by_key:
        applying = _FIXED_SMALL + (0 if indexes.result else sizes.result * _EXAMINE)
    else:
        applying = _FIXED_MERGE + sizes.result * _FIND
    incremental = reading + changed * fan_out * (_ADD_UP if adds_up else _CHANGE) + applying
    full = _FIXED_FULL + sum(_SCAN + sizes.sources[scan.table] * _READ for scan in query)
    full += sizes.result * (_COMPARE if writes_difference else _WRITE)
    return Estimate(incremental, full, once)


def corrected(by_sizes: Estimate, past: Sequence[Refresh]) -> Estimate:
    """By how the last refreshes of each mode compare with their own estimates; ``past`` is newest first.

    A mode that was not used for some refreshes is taken to be as the estimate says, more and more: what was
    slow once, on a busy or a cold machine, is tried again.
    """
    incremental, full = (_Past(mode, past) for mode in (RefreshMode.INCREMENTAL, RefreshMode.FULL))
    pace = incremental.pace or 1.0
    if full.pace is not None:
        expected = by_sizes.full * full.pace
    elif full.seconds is None:
        expected = by_sizes.full * max(1, pace)
    else:
        expected = _after_the_first(by_sizes.full, full.seconds, pace)
    return Estimate(by_sizes.incremental * pace, expected, by_sizes.once * pace)


class _Past:
    """Of refreshes of one mode."""

    def __init__(self, mode: RefreshMode, past: Sequence[Refresh]) -> None:
        self._known = [
            (age, refresh) for age, refresh in enumerate(past) if refresh.mode is mode and refresh.duration
        ]

    @property
    def seconds(self) -> float | None:
        """Of the last one."""
        return _took(self._known[0][1]) if self._known else None

    @property
    def pace(self) -> float | None:
        """How many times as long as estimated they take; None if it is not known."""
        judged = [(age, _took(r) / _of(r.mode, r.estimated)) for age, r in self._known if r.estimated]
        if not judged:
            return None
        pace = _bounded(statistics.median(ratio for _, ratio in judged[:_JUDGED]))
        return float(pace ** (0.5 ** (judged[0][0] / _HALF_FORGOTTEN)))


def _of(mode: RefreshMode | None, estimated: Estimate) -> float:
    return estimated.full if mode is RefreshMode.FULL else estimated.incremental


def _after_the_first(estimated: float, took: float, pace: float) -> float:
    """Where only the first refresh was FULL, which had a cold start: the next ones take no longer.

    What slows the others down slows these down too; and what is slow beyond a cold start is slow.
    """
    least = estimated * _bounded((took - _COLD_START) / estimated)
    return max(least, min(estimated * max(1, pace), took))


def _took(refresh: Refresh) -> float:
    return refresh.duration.total_seconds() if refresh.duration else 0.0


def _bounded(pace: float) -> float:
    return min(max(pace, 1 / _AT_MOST), _AT_MOST)


def _rows(scan: Scan, sizes: Sizes) -> int:
    rows = sizes.changes if scan.version is SourceVersion.CHANGE else sizes.sources
    return rows[scan.table]
