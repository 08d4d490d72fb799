"""Rows of random queries keep their identity: it is unique at each version, and changes are found by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import duckdb
import pytest

from headrace.algebra.build import build
from headrace.algebra.expressions import column_of
from headrace.algebra.names import Names
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.scan import SourceVersion
from headrace.algebra.relation import Relation
from headrace.algebra.render import render
from headrace.algebra.walk import at
from headrace.delta.differentiate import differentiate
from headrace.delta.identify import identify
from headrace.delta.identity import ROW_ID
from headrace.model.names import TableName
from tests.delta.duckdb_tables import DuckDbTables, scan_source
from tests.delta.random_queries import random_query
from tests.delta.random_tables import random_versions
from tests.sampling import fresh_batches

Row = tuple[Any, ...]
BATCH = 40


@pytest.fixture(scope="module")
def duck() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


@pytest.mark.parametrize("seeds", fresh_batches("delta/identity", 3, BATCH))
def test_changes_are_found_by_identity(seeds: range, duck: duckdb.DuckDBPyConnection) -> None:
    checked = sum(_check(seed, duck) for seed in seeds)
    assert checked > len(seeds) / 2 or len(seeds) == 1


def _check(seed: int, duck: duckdb.DuckDBPyConnection) -> bool:
    """False where the rows of the query have no identity."""
    query = random_query(seed)
    names = Names()
    schema = {name: tuple(columns) for name, columns in query.tables.items()}
    visible = build(query.sql, schema, names).relation
    found = identify(visible, names, lambda _: True)
    if found is None:
        return False
    ids = tuple(i.column for i in found.ids)
    stored = Project(
        found.relation, tuple((c, column_of(c)) for c in dict.fromkeys((*visible.columns, *ids)))
    )
    keys = [stored.columns.index(i) for i in ids]
    database = DuckDbTables(
        {name: {**columns, ROW_ID: "BIGINT"} for name, columns in query.tables.items()}, duck
    )
    for both in random_versions(query.tables, seed, 2):
        old, new = _with_ids(Random(seed), *both)
        changed = database._fill(old, new, query.sql)
        context = f"seed {seed}: {query.sql}\nold {old}\nnew {new}"
        before, after = (
            _by_key(_rows(database, at(stored, v)), keys, context)
            for v in (SourceVersion.OLD, SourceVersion.NEW)
        )
        shown = Counter(row[: len(visible.columns)] for row in after.values())
        assert shown == Counter(_rows(database, at(visible, SourceVersion.NEW))), context
        assert _applied(before, _delta(database, stored, changed, names), keys, context) == after, context
    return True


def _with_ids(rng: Random, old: dict[str, list[Row]], new: dict[str, list[Row]]) -> tuple[Any, Any]:
    """Equal rows are the same row; some of the others are updates of rows that went."""
    before: dict[str, list[Row]] = {}
    after: dict[str, list[Row]] = {}
    for table, rows in old.items():
        before[table] = [(*row, number) for number, row in enumerate(rows)]
        free = list(before[table])
        kept, others = [], []
        for row in new[table]:
            same = next((known for known in free if known[:-1] == row), None)
            if same is None:
                others.append(row)
            else:
                free.remove(same)
                kept.append(same)
        fresh = iter(range(100, 200))
        kept += [(*row, free.pop()[-1] if free and rng.random() < 0.6 else next(fresh)) for row in others]
        after[table] = kept
    return before, after


def _rows(database: DuckDbTables, relation: Relation) -> list[Row]:
    return database._rows(render(relation, scan_source).sql(dialect="duckdb"))


def _by_key(rows: Sequence[Row], keys: list[int], context: str) -> dict[Row, Row]:
    found = {tuple(row[k] for k in keys): row for row in rows}
    assert len(found) == len(rows), f"an identity is not unique\n{context}"
    return found


def _delta(
    database: DuckDbTables, stored: Relation, changed: frozenset[TableName], names: Names
) -> Counter[Row]:
    change = differentiate(stored, changed, names)
    summed: Counter[Row] = Counter()
    if change is not None:
        items = tuple((c, column_of(c)) for c in (*change.columns, change.weight))
        for *row, weight in _rows(database, Project(change.relation, items)):
            summed[tuple(row)] += weight
    return summed


def _applied(before: dict[Row, Row], delta: Counter[Row], keys: list[int], context: str) -> dict[Row, Row]:
    after = dict(before)
    for row, weight in sorted(delta.items(), key=lambda item: item[1]):
        key = tuple(row[k] for k in keys)
        if weight < 0:
            assert weight == -1 and after.pop(key, None) == row, f"a row that is not there goes\n{context}"
        elif weight > 0:
            assert weight == 1 and key not in after, f"a row comes twice\n{context}"
            after[key] = row
    return after
