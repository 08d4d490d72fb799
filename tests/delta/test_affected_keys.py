"""Keys are found in the changes of tables where that is enough: no aggregate is computed for them."""

from __future__ import annotations

from collections import Counter

import pytest

from headrace.algebra.build import build
from headrace.algebra.names import Names
from headrace.algebra.operators.scan import SourceVersion
from headrace.algebra.walk import scans_of
from headrace.delta.differentiate import differentiate
from headrace.model.names import TableName

T, U = (TableName("lake", "p", table) for table in ("t", "u"))
SCHEMA = {T: ("a", "b", "d"), U: ("a", "k")}


def whole_tables_read(query: str, changed: set[TableName]) -> dict[str, int]:
    names = Names()
    change = differentiate(build(query, SCHEMA, names).relation, frozenset(changed), names)
    assert change is not None
    scans = [scan for scan in scans_of(change.relation) if scan.version is not SourceVersion.CHANGE]
    return dict(Counter(scan.table.table for scan in scans))


@pytest.mark.parametrize(
    ("query", "reads"),
    [
        (
            "SELECT t.b, x.n FROM lake.p.t t "
            "LEFT JOIN (SELECT a, count(*) AS n FROM lake.p.u GROUP BY a) x ON t.a = x.a",
            {"t": 2, "u": 2},
        ),
        (
            "SELECT b FROM lake.p.t WHERE a IN (SELECT a FROM lake.p.u GROUP BY a HAVING sum(k) > 1)",
            {"t": 2, "u": 2},
        ),
        (
            "SELECT t.a, count(u.k) AS n FROM lake.p.t t LEFT JOIN lake.p.u u ON t.a = u.a GROUP BY t.a",
            {"t": 4, "u": 2},
        ),
        (
            "SELECT b, d > (SELECT avg(k) FROM lake.p.u u WHERE u.a = t.a) AS above FROM lake.p.t t",
            {"t": 2, "u": 2},
        ),
    ],
)
def test_keys_come_from_changes_of_tables(query: str, reads: dict[str, int]) -> None:
    assert whole_tables_read(query, {U}) == reads


def test_what_has_no_key_in_the_condition_is_found_by_its_change() -> None:
    query = (
        "SELECT t.b, x.n FROM lake.p.t t "
        "LEFT JOIN (SELECT a, count(*) AS n FROM lake.p.u GROUP BY a) x ON t.a < x.n"
    )
    assert whole_tables_read(query, {U}) == {"t": 2, "u": 6}
