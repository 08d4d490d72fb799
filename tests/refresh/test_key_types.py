"""Rows are found by keys of any type that Spark groups and joins by, NULL included."""

from __future__ import annotations

import pytest

import headrace
from headrace.connection import Connection
from tests.oracle import assert_exact
from tests.refresh.helpers import refresh

pytestmark = pytest.mark.incremental

VALUES: dict[str, tuple[str, ...]] = {
    "TINYINT": ("0", "-128", "127"),
    "SMALLINT": ("0", "-32768", "32767"),
    "INT": ("0", "-2147483648", "2147483647"),
    "BIGINT": ("0", "-9223372036854775808", "9223372036854775807", "2147483648"),
    "DECIMAL(9,2)": ("0", "-0.01", "1234567.89"),
    "DECIMAL(38,18)": ("0", "0.000000000000000001", "-99999999999999999999.999999999999999999"),
    "FLOAT": ("float('NaN')", "float('-0.0')", "float('0.0')", "float('-Infinity')", "float('1.1')"),
    "DOUBLE": ("double('NaN')", "double('-0.0')", "double('0.0')", "double('Infinity')", "1.1D"),
    "STRING": (
        "''",
        "' '",
        r"'it\'s \"q\" `b`'",
        r"'back\\slash \\n \\'",
        r"'\n\t\0'",
        "'ünï 漢字 🌊'",
        "'NULL'",
        "concat('$', '{spark.app.name}')",
        "'%_:y?'",
        "'-- /* c'",
    ),
    "BOOLEAN": ("true", "false"),
    "DATE": ("'1970-01-01'", "'1582-10-10'", "'0001-01-01'", "'9999-12-31'", "'+12345-06-07'"),
    "TIMESTAMP": (
        "'2024-10-27 02:30:00.000001Z'",
        "'2024-10-27 01:30:00.000001Z'",
        "'1582-10-10 12:00:00'",
        "'1883-11-18 12:00:00.999999'",
        "'0001-01-03 00:00:00'",
        "'+12345-06-07 00:00:00'",
    ),
    "TIMESTAMP_NTZ": (
        "'2024-03-31 02:30:00'",
        "'1582-10-10 12:00:00.000001'",
        "'0001-01-01 00:00:00'",
        "'+12345-06-07 00:00:00'",
    ),
    "BINARY": ("X''", "X'00'", "X'ff00'", r"X'5C27'"),
    "ARRAY<INT>": ("array()", "array(1, NULL)", "array(NULL, 1)", "array(1)"),
    "STRUCT<a: STRING, b: STRUCT<c: ARRAY<DOUBLE>, d: DATE>>": (
        "named_struct('a', NULL, 'b', NULL)",
        "named_struct('a', NULL, 'b', named_struct('c', NULL, 'd', NULL))",
        "named_struct('a', 'x', 'b', named_struct('c', array(double('NaN'), NULL), 'd', DATE '2024-01-01'))",
        "named_struct('a', 'x', 'b', named_struct('c', array(double('NaN')), 'd', NULL))",
    ),
}
COLUMNS = {f"c{number}": kind for number, kind in enumerate(VALUES)}
CREATE = f"CREATE TABLE {{}} (id INT, {', '.join(f'{column} {kind}' for column, kind in COLUMNS.items())})"
MOST = max(map(len, VALUES.values())) + 1


def rows(places: range, first_id: int) -> str:
    """Row n has the n-th value of each type, NULL after the last."""
    made = []
    for number, place in enumerate(places):
        values = [
            f"CAST({kind_values[place] if place < len(kind_values) else 'NULL'} AS {kind})"
            for kind, kind_values in VALUES.items()
        ]
        made.append(f"({first_id + number}, {', '.join(values)})")
    return ", ".join(made)


def moved(table: str) -> str:
    """Each column of rows 0 to 2 takes the value that another row has."""
    assigned = ", ".join(f"t.{column} = s.{column}" for column in COLUMNS)
    return (
        f"MERGE INTO {table} t USING (SELECT * FROM {table}) s ON t.id <= 2 AND s.id = 3 - t.id "
        f"WHEN MATCHED THEN UPDATE SET {assigned}"
    )


CHANGES = [
    [f"INSERT INTO {{}} VALUES {rows(range(MOST - 4, MOST), 100)}, {rows(range(2), 200)}"],
    [moved("{}"), "DELETE FROM {} WHERE id IN (3, 4, 5, 6, 100, 101, 200)"],
]
SAME = " AND ".join(f"t.{column} <=> u.{column}" for column in COLUMNS)
LISTED = ", ".join(COLUMNS)
JOINED = " UNION ALL ".join(
    f"SELECT {place} AS c, t.id, u.id AS other FROM t JOIN u ON t.{column} = u.{column}"
    for place, column in enumerate(COLUMNS)
)
WINDOWS = " UNION ALL ".join(
    f"SELECT {place} AS c, id, count(*) OVER (PARTITION BY {column}) AS n FROM t"
    for place, column in enumerate(COLUMNS)
)
EACH = {
    f"by_{column}": f"SELECT {column}, count(*) AS n, sum(id) AS s FROM t GROUP BY {column}"
    for column in COLUMNS
}
ALL = {
    "distincts": f"SELECT DISTINCT {LISTED} FROM t",
    "largest": f"SELECT {LISTED}, max(id) AS latest FROM t GROUP BY {LISTED}",
    "null_safe": f"SELECT t.id, u.id AS other FROM t JOIN u ON {SAME}",
    "whole_rows": f"SELECT {LISTED} FROM t EXCEPT ALL SELECT {LISTED} FROM u WHERE id > 5",
    "without_ids": f"SELECT {LISTED} FROM v2",
    "windows": f"SELECT id, count(*) OVER (PARTITION BY {LISTED}) AS n FROM t",
}
ONE_BY_ONE = {"joined": JOINED, "windows": WINDOWS}


def _parts(queries: dict[str, str], size: int) -> list[dict[str, str]]:
    names = list(queries)
    return [{n: queries[n] for n in names[start : start + size]} for start in range(0, len(names), size)]


@pytest.mark.share(0.2)
@pytest.mark.parametrize(
    "queries",
    [
        *_parts(EACH, 8)[:1],
        *(
            pytest.param(part, marks=pytest.mark.share(0.2))
            for part in [*_parts(EACH, 8)[1:], ALL, ONE_BY_ONE]
        ),
    ],
    ids="-".join,
)
def test_keys_of_any_type(lake: Connection, queries: dict[str, str]) -> None:
    for table in ("t", "u", "v2"):
        lake.sql(
            CREATE.replace("{}", table) + (" TBLPROPERTIES ('format-version' = '2')" if table == "v2" else "")
        )
        lake.sql(f"INSERT INTO {table} VALUES {rows(range(MOST - 2), 0)}")
    for name, query in queries.items():
        lake.sql(f"CREATE DYNAMIC TABLE {name} AS {query}; REFRESH DYNAMIC TABLE {name}")
    wrong = []
    for number, change in enumerate(CHANGES):
        lake.sql(
            ";\n".join(statement.replace("{}", table) for table in ("t", "u", "v2") for statement in change)
        )
        wrong += [
            (name, number, reason)
            for name, query in queries.items()
            if (reason := _what_is_wrong(lake, name, query))
        ]
    assert wrong == []


def _what_is_wrong(lake: Connection, name: str, query: str) -> str | None:
    try:
        row = refresh(lake, name)
        assert_exact(lake, name, query)
    except (headrace.Error, AssertionError, TypeError, ValueError, OverflowError) as error:
        return f"{type(error).__name__}: {error}"
    return None if row["refresh_mode"] == "INCREMENTAL" else str(row["refresh_mode_reason"])
