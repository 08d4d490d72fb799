"""A pinned source reads as Iceberg itself reads the table after the same alterations."""

from __future__ import annotations

import contextlib
import random

import pytest
from tests import internals
from tests.sampling import fresh_seeds

from headrace.connection import Connection
from headrace.errors import NotFound
from headrace.lake.table.pin import pinned

COLUMNS = {
    "s": "STRUCT<x: INT, y: STRING, n: STRUCT<z: FLOAT>>",
    "l": "ARRAY<STRUCT<x: INT, y: STRING>>",
    "m": "MAP<STRING, STRUCT<x: INT, y: STRING>>",
    "i": "INT",
}
ROWS = """
(named_struct('x', 1, 'y', 'a', 'n', named_struct('z', 0.1F)),
 array(named_struct('x', 1, 'y', 'b'), NULL), map('k', named_struct('x', 1, 'y', 'c'), 'none', NULL), 1),
(named_struct('x', NULL, 'y', 'a', 'n', NULL), array(), map(), 2),
(NULL, NULL, NULL, NULL)
"""


def alterations(choose: random.Random) -> list[str]:
    """Some of each kind, at every level, in any order."""
    levels = {"": "i", "s.": "s.x", "l.element.": "l.element.x", "m.value.": "m.value.x"}
    found = [f"ADD COLUMN {level}added {choose.choice(('INT', 'STRUCT<q: DATE>'))}" for level in levels]
    found += [f"ALTER COLUMN {choose.choice(list(levels.values()))} TYPE BIGINT"]
    found += [f"RENAME COLUMN {level}y TO renamed" for level in ("s.", "l.element.", "m.value.")]
    found += ["DROP COLUMN s.n.z; ALTER TABLE t ADD COLUMN s.n.z DOUBLE", "ALTER COLUMN s.n.z TYPE DOUBLE"]
    found += ["ALTER COLUMN l FIRST", "ALTER COLUMN s.y FIRST", "RENAME COLUMN i TO `odd ``name`"]
    return found


@pytest.mark.parametrize("seed", fresh_seeds("lake/pinned reads", 3))
def test_reads_as_iceberg_does(lake: Connection, seed: int) -> None:
    choose = random.Random(seed)
    described = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    lake.sql(f"CREATE TABLE t ({described}); INSERT INTO t VALUES {ROWS}")
    for alteration in choose.sample(alterations(choose), 6):
        with contextlib.suppress(NotFound):
            lake.sql(f"ALTER TABLE t {alteration}")
    session = internals.session(lake)
    table = session.catalog.existing_table(session.resolve(("t",)))
    columns = choose.sample(table.columns, len(table.columns))
    snapshot = table.version.snapshot_id
    sql = pinned(table.name, snapshot, table.snapshot_fields, table.fields, columns)
    quoted = ", ".join("`" + column.replace("`", "``") + "`" for column in columns)
    truth = lake.sql(f"SELECT {quoted} FROM t")
    read = lake.sql(f"SELECT * FROM {sql}")
    assert (read.columns, read.types) == (truth.columns, truth.types)
    assert sorted(map(str, read.fetchall())) == sorted(map(str, truth.fetchall()))
