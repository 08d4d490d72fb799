from __future__ import annotations

import pytest

from headrace.algebra.build import build
from headrace.algebra.names import Names
from headrace.delta.monotone import obstacle
from tests.delta.duckdb_tables import SCHEMA
from tests.delta.test_rules import QUERIES

ONLY_ADDS = {
    "projection",
    "filter",
    "inner join",
    "three-way join",
    "self join",
    "non-equi join",
    "cross join",
    "union all",
    "values",
    "cte shadowing",
    "lateral rows",
    "join using",
    "union by name",
}


@pytest.mark.parametrize("name", QUERIES)
def test_inserting_rows_takes_none_away(name: str) -> None:
    found = obstacle(build(QUERIES[name], SCHEMA, Names()).relation)
    assert (found is None) == (name in ONLY_ADDS), found


def test_obstacles_are_named() -> None:
    def named(query: str) -> str | None:
        return obstacle(build(QUERIES[query], SCHEMA, Names()).relation)

    assert named("group by") == "GROUP BY"
    assert named("distinct") == "DISTINCT"
    assert named("left join") == "an outer join"
    assert named("not exists") == "NOT EXISTS or NOT IN"
    assert named("rank") == "a window function"
    assert named("except all") == "EXCEPT"
