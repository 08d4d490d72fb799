from __future__ import annotations

import pytest

from dbt.adapters.headrace.dynamic_table import changes
from headrace.errors import SqlSyntaxError

EXISTING = """CREATE DYNAMIC TABLE lake.s.t
(a COMMENT 'first', b)
COMMENT 'two columns'
PROPERTIES ('x' = '1')
REFRESH INTERVAL 5 MINUTE VCLUSTER default
AS
select a, b from s.src"""


def wanted(
    refresh: str = "refresh interval '5 minutes' vcluster DEFAULT",
    query: str = "select a, b from s.src",
    more: str = "comment 'two columns' properties ('x' = '1')",
    columns: str = "(a comment 'first', b)",
) -> str:
    return f"create or replace dynamic table `lake`.`s`.`t` {columns}\n{more}\n{refresh}\nas\n\n{query}\n"


def test_the_same_in_other_words() -> None:
    assert changes(wanted(), EXISTING) == {}


@pytest.mark.parametrize(
    ("other", "found"),
    [
        (wanted(refresh="refresh interval 10 minute"), {"refresh_interval": "300 seconds -> 600 seconds"}),
        (wanted(refresh=""), {"refresh_interval": "300 seconds -> none"}),
        (wanted(refresh="refresh interval 5 minute vcluster big"), {"refresh_vc": "default -> big"}),
        (
            wanted(refresh="refresh interval 5 minute refresh_mode = full"),
            {"refresh_mode": "AUTO -> FULL"},
        ),
        (wanted(query="select a, b from s.src where a > 1"), {"query": "changed"}),
        (wanted(more="properties ('y' = '2')"), {"properties": "{'x': '1'} -> {'x': '1', 'y': '2'}"}),
        (wanted(more="comment 'columns'"), {"description": "two columns -> columns"}),
        (wanted(columns=""), {"column descriptions": "{'a': 'first'} -> none"}),
        (
            wanted(more="comment 'two columns' properties ('x' = '1') partitioned by (a)"),
            {"partition_by": "none -> a"},
        ),
    ],
)
def test_what_is_different(other: str, found: dict[str, str]) -> None:
    assert changes(other, EXISTING) == found


def test_what_a_model_does_not_name_stays() -> None:
    existing = EXISTING.replace("VCLUSTER default", "VCLUSTER big REFRESH_MODE = FULL")
    assert changes(wanted(more="", refresh="refresh interval 5 minute"), existing) == {}


def test_an_interval_that_is_none() -> None:
    with pytest.raises(SqlSyntaxError, match="interval"):
        changes(wanted(refresh="refresh interval soon"), EXISTING)
