"""Statements about what runs, not about what is stored: clusters, tasks and jobs."""

from __future__ import annotations

from headrace.sql.cursor import Cursor
from headrace.sql.jobs import JobStatement, parse_job
from headrace.sql.tasks import TaskStatement, parse_task
from headrace.sql.vclusters import VclusterStatement, parse_vcluster

Operation = VclusterStatement | TaskStatement | JobStatement


def parse_operation(cursor: Cursor) -> Operation | None:
    """None where the statement is about something else; the cursor then stands where it stood."""
    return parse_vcluster(cursor) or parse_task(cursor) or parse_job(cursor)
