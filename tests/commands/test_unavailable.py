"""Statements that are understood and that this version cannot run; no lake is needed to say so."""

from __future__ import annotations

from typing import cast

import pytest

from headrace.commands.execute import execute
from headrace.commands.workbench import Workbench
from headrace.errors import InterfaceError, NotSupportedError

NO_BENCH = cast(Workbench, None)


@pytest.mark.parametrize(
    ("text", "feature", "column", "length"),
    [
        ("undrop table stream s", "UNDROP TABLE STREAM", 1, 19),
        ("create table stream s on table t", "CREATE TABLE STREAM", 1, 19),
        ("create or replace table stream s on table t", "CREATE OR REPLACE TABLE STREAM", 1, 30),
        ("drop table stream s", "DROP TABLE STREAM", 1, 17),
        ("desc table stream s", "DESC TABLE STREAM", 1, 17),
        ("show table streams", "SHOW TABLE STREAMS", 1, 18),
        ("create vcluster v", "CREATE VCLUSTER", 1, 15),
        ("alter vcluster v resume", "ALTER VCLUSTER", 1, 14),
        ("drop vcluster v", "DROP VCLUSTER", 1, 13),
        (" use vcluster v", "USE VCLUSTER", 2, 12),
        ("desc vcluster v", "DESC VCLUSTER", 1, 13),
        ("show vclusters", "SHOW VCLUSTERS", 1, 14),
        ("show jobs", "SHOW JOBS", 1, 9),
        ("desc job 'j'", "DESC JOB", 1, 8),
        ("cancel job 'j'", "CANCEL JOB", 1, 10),
    ],
)
def test_refusal(text, feature, column, length):
    with pytest.raises(NotSupportedError) as caught:
        execute(text, None, NO_BENCH)
    assert caught.value.message == f"{feature} is not available in this version"
    assert (caught.value.place.column, caught.value.place.length) == (column, length)
    with pytest.raises(InterfaceError):
        execute(text, {"x": 1}, NO_BENCH)
