"""What a refresh tries next when its plan fails: it never fails where the query itself would succeed.

    INCREMENTAL, over stored groups     the change of the groups, by rules
    INCREMENTAL                         the change of the sources, by rules
    FULL, with hidden columns           the query, and what later refreshes need beside it
    FULL, the query as the user wrote it

Spark's optimizer fails for some plans in propagating constraints; each step is tried without that first.
A failure of the lake (disk, memory, a lost commit, a cancelled job) is not the plan's, and ends the refresh.
"""

from __future__ import annotations

from dataclasses import replace

from headrace.errors import DataError, Error, InternalError, NotSupportedError, ProgrammingError, Refused
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import RefreshMode
from headrace.refresh.analysis import REFUSALS, refused_plan
from headrace.refresh.layout import Layout, NoLayout
from headrace.refresh.observe import Observation
from headrace.refresh.plan import Experience, Plan, refuse_layout
from headrace.refresh.record_mismatch import mismatch_error

FAULTS = (DataError, InternalError, ProgrammingError, NotSupportedError)
"""What a plan can fail with."""


def fallback(plan: Plan, error: Error, decided: str) -> Plan | None:
    """None where the error is the user's to know; ``decided`` is why the table is refreshed at all."""
    if isinstance(error, Refused) or mismatch_error(error) is not None:
        return None
    if isinstance(error, InternalError) and plan.propagates_constraints:
        return replace(plan, propagates_constraints=False)
    if plan.without_groups is not None:
        return plan.without_groups
    if plan.increment is not None:
        return _recomputed(plan, error, decided)
    if isinstance(plan.layout, Layout):
        return replace(plan, layout=NoLayout(f"hidden columns cannot be computed: {error.message}"))
    return None


def _recomputed(plan: Plan, error: Error, decided: str) -> Plan:
    if isinstance(error, REFUSALS):
        reason = refused_plan(error.message)
        return replace(_full(plan, f"{reason}; {decided}"), layout=NoLayout(reason))
    return _full(plan, f"the incremental refresh failed: {error.message}; {decided}")


def _full(plan: Plan, reason: str) -> Plan:
    return replace(plan, mode=RefreshMode.FULL, reason=reason, increment=None, estimated=None)


def remember_refusal(table: DynamicTable, observed: Observation, done: Plan, experience: Experience) -> None:
    """Later refreshes need not try it: the plan is refused as long as the sources have these columns."""
    if isinstance(done.layout, NoLayout) and done.layout.reason.startswith(refused_plan("")):
        refuse_layout(table, observed.sources, done.layout, experience.layouts)
