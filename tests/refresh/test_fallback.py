"""Refreshes whose incremental plan fails: the table is recomputed, and the reason says why."""

from __future__ import annotations

from typing import Any

import pytest

from headrace.connection import Connection
from headrace.errors import DataError, Error, InternalError, LakeDamaged, NotSupportedError, Refused
from headrace.lake.session import LakeSession
from headrace.model.history import RefreshMode
from headrace.refresh import run
from headrace.refresh.fallback import fallback
from headrace.refresh.layout import NoLayout
from headrace.refresh.plan import Plan
from tests.oracle import assert_exact
from tests.refresh.helpers import as_dict, refresh

pytestmark = pytest.mark.incremental

ROWS = "INSERT INTO t VALUES (1, 'a', map('k', 1)), (2, 'A', map('k', 2)), (3, 'b', NULL)"
REFUSED_BY_SPARK = "Spark refuses the plan of an incremental refresh"


@pytest.fixture
def tables(lake: Connection) -> Connection:
    lake.sql(f"CREATE TABLE t (id INT, s STRING, m MAP<STRING, INT>); {ROWS}")
    return lake


@pytest.mark.parametrize(
    ("query", "compared", "reason"),
    [
        pytest.param(
            "SELECT m, count(*) AS n FROM t GROUP BY m",
            "SELECT to_json(m), n FROM ",
            REFUSED_BY_SPARK,
            id="MAP as a key",
        ),
        pytest.param(
            "SELECT count(*) AS n FROM t GROUP BY m",
            "SELECT * FROM ",
            REFUSED_BY_SPARK,
            id="MAP as a hidden key",
        ),
        pytest.param(
            "SELECT count(*) AS n FROM t GROUP BY s COLLATE UTF8_LCASE",
            "SELECT * FROM ",
            "COLLATE: strings that are equal by a collation can be different texts",
            id="collation as a key",
        ),
        pytest.param(
            "SELECT a.id, b.id AS other FROM t a JOIN t b ON a.s COLLATE UTF8_LCASE = b.s COLLATE UTF8_LCASE",
            "SELECT * FROM ",
            "COLLATE: ",
            id="collation in a join",
        ),
        pytest.param(
            "SELECT DISTINCT lower(collate(s, 'UTF8_LCASE')) AS s FROM t",
            "SELECT CAST(s AS STRING) FROM ",
            "COLLATE: ",
            id="collation in DISTINCT",
        ),
    ],
)
def test_what_cannot_be_followed(tables: Connection, query: str, compared: str, reason: str) -> None:
    with pytest.raises(NotSupportedError, match="incremental refresh is not supported") as refused:
        tables.sql(f"CREATE DYNAMIC TABLE d REFRESH_MODE = INCREMENTAL AS {query}")
    assert reason in refused.value.message
    assert refused.value.place is not None
    tables.sql(f"CREATE DYNAMIC TABLE d AS {query}; REFRESH DYNAMIC TABLE d")
    for change in ("INSERT INTO t VALUES (4, 'B', map('k', 1))", "DELETE FROM t WHERE id = 1"):
        tables.sql(change)
        explained = dict(tables.sql("EXPLAIN REFRESH DYNAMIC TABLE d").fetchall())
        row = refresh(tables, "d")
        assert (row["refresh_mode"], explained["mode"]) == ("FULL", "FULL")
        assert reason in row["refresh_mode_reason"]
        assert reason in explained["reason"]
        assert_exact(tables, f"({compared} d)", f"{compared} ({query})")


def test_rows_with_a_map(tables: Connection) -> None:
    query = "SELECT id, m FROM t"
    with pytest.raises(NotSupportedError, match="rows with a MAP or VARIANT cannot be compared"):
        tables.sql(f"CREATE DYNAMIC TABLE d REFRESH_MODE = INCREMENTAL AS {query}")
    tables.sql(f"CREATE DYNAMIC TABLE d AS {query}; REFRESH DYNAMIC TABLE d; DELETE FROM t WHERE id = 1")
    with pytest.raises(NotSupportedError, match="rows with a MAP or VARIANT cannot be compared"):
        tables.sql("ALTER DYNAMIC TABLE d SET REFRESH_MODE = INCREMENTAL")
    row = refresh(tables, "d")
    assert (row["refresh_mode"], "MAP or VARIANT" in row["refresh_mode_reason"]) == ("FULL", True)
    assert_exact(tables, "(SELECT id, to_json(m) FROM d)", "SELECT id, to_json(m) FROM t")


def test_names_with_capital_letters(lake: Connection) -> None:
    lake.sql("CREATE TABLE Orders (Id INT, Customer STRING); INSERT INTO Orders VALUES (1, 'x')")
    query = "SELECT Orders.Customer, count(*) AS n FROM Orders GROUP BY Orders.Customer"
    lake.sql(
        f"CREATE DYNAMIC TABLE Totals REFRESH_MODE = INCREMENTAL AS {query}; REFRESH DYNAMIC TABLE Totals"
    )
    lake.sql("INSERT INTO Orders VALUES (2, 'x'), (3, 'y')")
    assert refresh(lake, "Totals")["refresh_mode"] == "INCREMENTAL"
    assert_exact(lake, "Totals", query)
    lake.sql(
        "ALTER TABLE Orders RENAME COLUMN Customer TO Buyer; ALTER TABLE Orders ADD COLUMN Customer STRING"
    )
    row = refresh(lake, "Totals")
    assert (row["refresh_mode"], "column Customer of" in row["refresh_mode_reason"]) == ("FULL", True)
    assert_exact(lake, "Totals", query)


def test_a_key_of_a_type_that_no_table_holds(lake: Connection) -> None:
    lake.sql("CREATE TABLE t (id INT, dt DATE); INSERT INTO t VALUES (1, DATE '2024-01-03'), (2, NULL)")
    key = "dt - DATE '2024-01-01'"
    query = f"SELECT CAST({key} AS INT) AS days, count(*) AS n FROM t GROUP BY {key}"
    lake.sql(f"CREATE DYNAMIC TABLE d REFRESH_MODE = INCREMENTAL AS {query}; REFRESH DYNAMIC TABLE d")
    lake.sql(
        "INSERT INTO t VALUES (3, DATE '2024-01-03'), (4, DATE '2024-01-05'); DELETE FROM t WHERE id = 2"
    )
    assert refresh(lake, "d")["refresh_mode"] == "INCREMENTAL"
    assert_exact(lake, "d", query)


def test_a_fault_of_the_optimizer(lake: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Spark fails for is done again without the propagation of constraints."""
    lake.sql("CREATE TABLE t (id INT); CREATE DYNAMIC TABLE d AS SELECT id FROM t; REFRESH DYNAMIC TABLE d")
    lake.sql("INSERT INTO t VALUES (1)")
    settings, compute = [], run._execution

    def fails_at_first(*given: Any) -> Any:
        (session,) = (each for each in given if isinstance(each, LakeSession))
        settings.append(session.setting("spark.sql.constraintPropagation.enabled"))
        if settings[-1] != "false":
            raise InternalError("Spark ran into a fault of its own")
        return compute(*given)

    monkeypatch.setattr(run, "_execution", fails_at_first)
    assert refresh(lake, "d")["refresh_mode"] == "INCREMENTAL"
    assert settings[1:] == ["false"]
    assert_exact(lake, "d", "SELECT id FROM t")


FAILS_TO_OPTIMIZE = """
    SELECT u.k, u.found, d.w
    FROM (
        SELECT k, EXISTS (SELECT 1 FROM b WHERE b.k = a.k) AS found FROM a
        UNION ALL SELECT k, true FROM c
    ) u
    JOIN d ON u.k = d.k
"""
"""Spark 4.1 loses the columns of the subquery when it propagates the constraints of the union."""


def test_a_query_that_spark_fails_to_optimize(lake: Connection) -> None:
    for name in "abcd":
        lake.sql(f"CREATE TABLE {name} (k INT, w INT); INSERT INTO {name} VALUES (1, 10), (2, 20), (3, 30)")
    with pytest.raises(Error, match="internal error"):
        lake.sql(FAILS_TO_OPTIMIZE).fetchall()
    lake.sql(f"CREATE DYNAMIC TABLE q AS {FAILS_TO_OPTIMIZE}; REFRESH DYNAMIC TABLE q")
    lake.sql("DELETE FROM b WHERE k = 2; INSERT INTO a VALUES (3, 40); UPDATE d SET w = 11 WHERE k = 1")
    refresh(lake, "q")
    assert lake.sql("SELECT k, found, w FROM q ORDER BY ALL").fetchall() == [
        *((1, True, 11), (1, True, 11)),
        *((2, False, 20), (2, True, 20)),
        *((3, True, 30), (3, True, 30), (3, True, 30)),
    ]
    assert as_dict(lake.sql("VERIFY DYNAMIC TABLE q"))["result"] == "exact"


FULL = Plan(RefreshMode.FULL, "first refresh", NoLayout("none"))


def test_what_has_no_fallback() -> None:
    assert fallback(FULL, DataError("division by zero"), "") is None
    assert fallback(FULL, Refused("rows outside of the partition"), "") is None
    assert fallback(FULL, LakeDamaged("headrace: a row is missing"), "") is None
    again = fallback(FULL, InternalError("a fault of Spark's"), "")
    assert again is not None
    assert fallback(again, InternalError("a fault of Spark's"), "") is None
