"""Layers of dynamic tables on dynamic tables: each is exact after each refresh, and follows changes alone."""

from __future__ import annotations

import pytest

from headrace.connection import Connection
from headrace.model.names import TableName
from tests.delta.random_tables import INT, TEXT
from tests.oracle import assert_plainly_exact
from tests.refresh.helpers import refresh
from tests.refresh.random_changes import change
from tests.refresh.thresholds import draw_thresholds
from tests.sampling import run_random

pytestmark = pytest.mark.incremental

LAYERS = {
    "joined": "SELECT o.id, o.k, c.region, o.v FROM orders o LEFT JOIN customers c ON o.k = c.k",
    "totals": "SELECT region, k, count(*) AS n, sum(v) AS total FROM joined GROUP BY region, k",
    "ranked": "SELECT * FROM (SELECT region, k, total, rank() OVER (PARTITION BY region ORDER BY total DESC) "
    "AS place FROM totals) WHERE place <= 2",
    "highest": "SELECT k, max(v) AS most FROM orders GROUP BY k",
    "chosen": "SELECT id, k FROM orders WHERE v > 0",
    "both": "SELECT c.id, h.k, h.most FROM chosen c FULL JOIN highest h ON c.k = h.k",
}
"""In the order of refreshes; ``both`` closes a diamond over ``orders``."""
ROWS = """
CREATE TABLE orders (id INT, k INT, v INT);
CREATE TABLE customers (k INT, region STRING);
INSERT INTO customers VALUES (0, 'x'), (1, 'y'), (1, 'x'), (2, ''), (NULL, 'y');
INSERT INTO orders
SELECT CAST(id AS INT), IF(id % 7 = 0, NULL, CAST(id % 5 AS INT)), IF(id % 6 = 0, NULL, CAST(id % 4 AS INT))
FROM range(40)
"""


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("rounds", [2, pytest.param(12, marks=pytest.mark.share(0.2, suite="single tests"))])
def test_three_layers_and_a_diamond(lake: Connection, rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = run_random(f"refresh/pipeline {rounds}")
    draw_thresholds(rng, monkeypatch)
    sources = {
        TableName("lake", lake.schema, "orders"): {"id": INT, "k": INT, "v": INT},
        TableName("lake", lake.schema, "customers"): {"k": INT, "region": TEXT},
    }
    lake.sql(ROWS)
    for name, query in LAYERS.items():
        lake.sql(f"CREATE DYNAMIC TABLE {name} AS {query}; REFRESH DYNAMIC TABLE {name}")
    for number in range(rounds):
        made = change(rng, sources)
        lake.sql(made)
        for name, query in LAYERS.items():
            row = refresh(lake, name)
            told = f"{name} in round {number}: {row['refresh_mode_reason']} after\n{made}"
            assert row["refresh_mode"] in ("INCREMENTAL", "NO_DATA"), told
            assert_plainly_exact(lake, name, query)
    assert_plainly_exact(lake, "ranked", _in_one("ranked"))
    assert_plainly_exact(lake, "both", _in_one("both"))


def _in_one(name: str) -> str:
    """The query of a layer over the tables at the bottom."""
    *below, (last, query) = list(LAYERS.items())[: list(LAYERS).index(name) + 1]
    assert last == name
    return f"WITH {', '.join(f'{each} AS ({text})' for each, text in below)} {query}"
