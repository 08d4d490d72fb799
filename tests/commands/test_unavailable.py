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
        ("create task t as select 1", "CREATE TASK", 1, 11),
        ("create or replace task t as select 1", "CREATE OR REPLACE TASK", 1, 22),
        ("alter task t deploy", "ALTER TASK", 1, 10),
        ("drop task t", "DROP TASK", 1, 9),
        ("execute task t", "EXECUTE TASK", 1, 12),
        ("describe task t", "DESC TASK", 1, 13),
        ("show tasks", "SHOW TASKS", 1, 10),
        ("show task runs", "SHOW TASK RUNS", 1, 14),
    ],
)
def test_refusal(text, feature, column, length):
    with pytest.raises(NotSupportedError) as caught:
        execute(text, None, NO_BENCH)
    assert caught.value.message == f"{feature} is not available in this version"
    assert (caught.value.place.column, caught.value.place.length) == (column, length)
    with pytest.raises(InterfaceError):
        execute(text, {"x": 1}, NO_BENCH)
