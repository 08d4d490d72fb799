"""PostgreSQL's log sequence numbers, snapshots, arrays and types."""

from __future__ import annotations

import json

import pytest

from headrace.errors import DataError
from headrace.ingest.cdc.postgres.lsn import Lsn, Snapshot
from headrace.ingest.cdc.postgres.types import PostgresType, Types, array_json


def test_log_sequence_numbers() -> None:
    assert str(Lsn.parse("16/B374D848")) == "16/B374D848"
    assert Lsn.parse("1/0") > Lsn.parse("0/FFFFFFFF")


def test_snapshots() -> None:
    snapshot = Snapshot.parse("10:20:12,15")
    assert str(snapshot) == "10:20:12,15"
    assert [snapshot.has(xid) for xid in (9, 10, 12, 15, 19, 20, 21)] == [
        True,
        True,
        False,
        False,
        True,
        False,
        False,
    ]
    epoch = 1 << 32
    wrapped = Snapshot.parse(f"{epoch + 5}:{epoch + 9}:{epoch + 7}")
    assert wrapped.has(2**32 - 1), "the log has the lower bits of an id from before the wraparound"
    assert [wrapped.has(xid) for xid in (6, 7, 8, 9)] == [True, False, True, False]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("{}", []),
        ("{1,NULL,3}", ["1", None, "3"]),
        ('{"a,b","c\\"d","\\\\",NULL,"NULL",""}', ["a,b", 'c"d', "\\", None, "NULL", ""]),
        ("[0:1]={7,8}", ["7", "8"]),
    ],
)
def test_arrays(text: str, values: list[str | None]) -> None:
    assert json.loads(array_json(text)) == values


def test_arrays_of_several_dimensions_are_refused() -> None:
    with pytest.raises(DataError, match="several dimensions"):
        array_json("{{1},{2}}")


def test_types_of_domains_and_precisions() -> None:
    types = Types(
        {
            1700: PostgresType(1700, "numeric", "b", "N", 0, 0, -1),
            1231: PostgresType(1231, "_numeric", "b", "A", 1700, 0, -1),
            99: PostgresType(99, "price", "d", "N", 0, 1700, (10 << 16 | 2) + 4),
        }
    )
    assert types.column("c", 1700, (38 << 16 | 10) + 4).type == "decimal(38,10)"
    assert types.column("c", 1700, (39 << 16 | 10) + 4).type == "string"
    assert types.column("c", 1700, -1).type == "string"
    assert types.column("c", 99, -1).type == "decimal(10,2)"
    assert types.column("c", 1231, (5 << 16) + 4).type == "array<decimal(5,0)>"
    assert types.column("c", 12345, -1).type == "string"
