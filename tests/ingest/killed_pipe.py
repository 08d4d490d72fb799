"""A pipe that is killed again and again while its source is written to: each record arrives once."""

from __future__ import annotations

import random
from pathlib import Path

from headrace.connection import Connection
from tests.ingest import killed_child

KILLS = 3
_FIRST_SECONDS = 120
LAYERS = """
CREATE DYNAMIC TABLE layer_1 AS SELECT id, k, v FROM t WHERE v >= 0;
CREATE DYNAMIC TABLE layer_2 AS SELECT k, count(*) AS n, sum(v) AS total FROM layer_1 GROUP BY k;
"""


def run_and_kill(lake: Path, chance: random.Random) -> None:
    """A process that runs the pipe ``p``."""
    killed_child.run_and_kill(lake, "EXECUTE PIPE p", chance, _FIRST_SECONDS, None)


def assert_complete(lake: Connection, written: dict[int, tuple[int, int]]) -> None:
    """Each record that was written is in the table once, and the layers above it are exact."""
    lake.sql("EXECUTE PIPE p")
    rows = lake.sql("SELECT id, k, v FROM t").fetchall()
    assert len(rows) == len(written)
    assert {row[0]: row[1:] for row in rows} == written
    for layer in ("layer_1", "layer_2"):
        lake.sql(f"REFRESH DYNAMIC TABLE {layer}")
        assert lake.sql(f"VERIFY DYNAMIC TABLE {layer}").arrow()["result"].to_pylist() == ["exact"]
