from __future__ import annotations

import pytest

from headrace.sql.parsed import ParsedStatement
from headrace.sql.spark.breaking import breaks_in


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ALTER TABLE s.t DROP COLUMN a", ("drops", ("s", "t"), ("a",))),
        ("ALTER TABLE t DROP COLUMNS (a, `b c`)", ("drops", ("t",), ("a", "b c"))),
        ("ALTER TABLE t DROP COLUMN IF EXISTS a, b", ("drops", ("t",), ("a", "b"))),
        ("alter table t rename column a to b", ("renames", ("t",), ("a",))),
        ("ALTER TABLE t RENAME TO u", ("renames", ("t",), None)),
        ("DROP TABLE IF EXISTS t PURGE", ("drops", ("t",), None)),
        ("DROP VIEW v", ("drops", ("v",), None)),
        ("CREATE OR REPLACE VIEW v AS SELECT 1", ("changes", ("v",), None)),
        ("ALTER VIEW v AS SELECT 1", ("changes", ("v",), None)),
    ],
)
def test_what_is_taken_away(text: str, found: tuple[str, tuple[str, ...], tuple[str, ...] | None]) -> None:
    breaks = breaks_in(ParsedStatement(text).effects)
    assert [(each.verb, each.target, each.columns) for each in breaks] == [found]


@pytest.mark.parametrize(
    "text",
    ["SELECT 1", "ALTER TABLE t ADD COLUMN a INT", "CREATE VIEW v AS SELECT 1", "INSERT INTO t VALUES (1)"],
)
def test_nothing(text: str) -> None:
    assert list(breaks_in(ParsedStatement(text).effects)) == []
