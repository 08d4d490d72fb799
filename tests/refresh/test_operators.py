"""Every operator follows insertions, updates and deletions of all its sources, and is exact after each."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import headrace
from headrace.connection import Connection
from headrace.model.history import StageOutcome
from tests.oracle import assert_plainly_exact
from tests.refresh.helpers import profile, refresh
from tests.refresh.thresholds import draw_thresholds
from tests.sampling import run_random

TABLES = """
CREATE TABLE o (id BIGINT, k INT, v INT, d DECIMAL(10,2), s STRING, tags ARRAY<STRING>);
CREATE TABLE p (k INT, name STRING, w INT);
"""
ROWS = """
INSERT INTO o
SELECT id, IF(id % 11 = 0, NULL, CAST(id % 6 AS INT)), IF(id % 7 = 0, NULL, CAST(id % 9 AS INT)),
  IF(id % 13 = 0, NULL, CAST(id * 1.25 AS DECIMAL(10,2))), concat('a', id % 4),
  IF(id % 5 = 0, NULL, array('x', concat('y', id % 3)))
FROM range(100);
INSERT INTO p VALUES (1, 'one', 1), (2, 'two', 2), (2, 'two', 2), (3, 'three', 3), (NULL, 'none', NULL),
  (9, 'nine', 9);
"""

CHANGES = [
    """INSERT INTO o VALUES (200, 1, 9, 3.33, 'a9', array('z', 'z')), (201, NULL, NULL, NULL, NULL, NULL),
      (202, 9, 8, 1.01, 'b', array()), (3, 3, 3, 3.75, 'a3', array('x', 'y0'));
    UPDATE o SET v = v + 1, s = 'a1' WHERE id % 10 = 3;
    DELETE FROM o WHERE id % 17 = 1;
    INSERT INTO p VALUES (4, 'four', 4), (2, 'two', 2);
    UPDATE p SET w = w + 1 WHERE k = 3;
    DELETE FROM p WHERE k = 1""",
    """DELETE FROM o WHERE k = 2;
    INSERT INTO p VALUES (1, 'uno', 5);
    UPDATE o SET k = 2 WHERE k = 4;
    INSERT INTO o VALUES (300, 5, 5, 5.55, 'a5', array('q'));
    DELETE FROM o WHERE id = 300""",
    """MERGE INTO p USING (SELECT 9 AS k) x ON p.k = x.k WHEN MATCHED THEN DELETE;
    MERGE INTO o USING (SELECT explode(array(3, 5, 400)) AS id) x ON o.id = x.id
    WHEN MATCHED AND x.id = 3 THEN DELETE WHEN MATCHED THEN UPDATE SET v = NULL, d = 0
    WHEN NOT MATCHED THEN INSERT (id, k, v, d, s) VALUES (x.id, 7, 7, 7.77, 'new')""",
]


def _queries() -> dict[str, str]:
    text = (Path(__file__).parent / "operators.sql").read_text()
    return {name: query.strip() for name, query in re.findall(r"^-- (.+)\n((?:(?!--).+\n?)+?);$", text, re.M)}


QUERIES = _queries()
BATCH = 5
"""Queries that share their tables in one test."""
PLAIN = {
    "qualify": "SELECT id, k, v FROM (SELECT id, k, v, row_number() OVER (PARTITION BY k "
    "ORDER BY v DESC, id) AS n FROM o) WHERE n <= 2",
    "qualify by an alias": "SELECT * FROM (SELECT k, s, count(*) AS n, rank() OVER (PARTITION BY k "
    "ORDER BY count(*) DESC, s) AS r FROM o GROUP BY k, s) WHERE r = 1",
}
"""The same in words of Spark's own."""
FLAT = {
    "filter",
    "project",
    "union all",
    "union all of two types",
    "union",
    "distinct",
    "counts and sums",
    "averages",
    "sums under FILTER",
    "global aggregate",
    "lateral view",
    "lateral view outer",
    "explode in the select list",
    "order by at the top",
    "common table expression not used",
}
"""They read the changes of their sources and nothing else of them."""
SETS = {"grouping sets": 3, "rollup": 3, "cube": 4}
"""Groupings that one query stands for."""


@pytest.mark.share(0.2)
@pytest.mark.parametrize("start", range(0, len(QUERIES), BATCH))
def test_each_operator_follows_all_changes(
    lake: Connection, start: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_thresholds(run_random(f"refresh/operators {start}"), monkeypatch)
    lake.sql(TABLES + ROWS)
    assert _wrong_after(lake, start, CHANGES) == []


FROM_NOTHING = [
    "INSERT INTO o VALUES (1, 1, NULL, NULL, 'a', NULL), (2, NULL, NULL, NULL, NULL, NULL);"
    "INSERT INTO p VALUES (NULL, NULL, NULL)",
    ROWS,
    "DELETE FROM o; DELETE FROM p",
    "INSERT INTO o VALUES (1, 1, 1, 1.5, 'a', array('x')); INSERT INTO p VALUES (1, 'one', 1)",
]


@pytest.mark.share(0.2)
@pytest.mark.parametrize("filled", [False, True], ids=["empty", "NULL"])
@pytest.mark.parametrize("start", range(0, len(QUERIES), BATCH))
def test_each_operator_from_nothing_and_back(
    lake: Connection, start: int, filled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_thresholds(run_random(f"refresh/operators from nothing {start} {filled}"), monkeypatch)
    lake.sql(TABLES + (FROM_NOTHING[0] if filled else ""))
    assert _wrong_after(lake, start, FROM_NOTHING[filled:]) == []


def _wrong_after(lake: Connection, start: int, changes: list[str]) -> list[tuple[str, object]]:
    tables = {f"t{number}": name for number, name in enumerate(list(QUERIES)[start : start + BATCH])}
    for table, name in tables.items():
        lake.sql(f"CREATE DYNAMIC TABLE {table} REFRESH_MODE = INCREMENTAL AS {QUERIES[name]}")
        lake.sql(f"REFRESH DYNAMIC TABLE {table}")
    wrong = []
    for change in changes:
        lake.sql(change)
        for table, name in tables.items():
            wrong += _what_is_wrong(lake, table, name)
    return wrong


_COMPUTED_AGAIN = (StageOutcome.OVER_LIMIT, StageOutcome.READ_IN_FULL)
"""What does not fit into memory is read once more, by the statement that comes in its place."""


def _what_is_wrong(lake: Connection, table: str, name: str) -> list[tuple[str, object]]:
    try:
        row = refresh(lake, table)
        assert_plainly_exact(lake, table, PLAIN.get(name, QUERIES[name]))
    except (headrace.Error, AssertionError) as error:
        return [(name, str(error))]
    if row["refresh_mode"] != "INCREMENTAL":
        return [(name, row["refresh_mode_reason"])]
    done = profile(lake, row)
    computed = 1 + sum(stage.outcome in _COMPUTED_AGAIN for stage in done.stages)
    versions = Counter(read.table.rsplit(".", 1)[-1] for read in done.reads if read.side in ("old", "new"))
    occurrences = Counter(re.findall(r"(?:FROM|JOIN|,) ([op])\b", QUERIES[name]))
    most = 4 * SETS.get(name, 1) * computed
    fills = sum(stage.detail.startswith("stored groups: fill") for stage in done.stages)
    allowed = {} if name in FLAT else {source: most * n * n + fills for source, n in occurrences.items()}
    too_many = {source: n for source, n in versions.items() if n > allowed.get(source, 0)}
    return [(name, f"whole versions read: {too_many}")] if too_many else []
