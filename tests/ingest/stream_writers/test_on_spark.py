"""Stream writers into real tables."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

from headrace.connection import Connection
from headrace.errors import DataError, InterfaceError, Refused
from headrace.lake.commit.streamed_rows import StreamedRows
from headrace.lake.write_ahead.segment import Record


def test_rows_are_seen_at_once_and_kept_once(lake: Connection) -> None:
    lake.sql("CREATE TABLE events (id BIGINT NOT NULL, name STRING, amount DECIMAL(10,2), at TIMESTAMP)")
    moment = datetime(2026, 1, 31, 12, tzinfo=UTC)
    with lake.stream("events") as writer:
        writer.write({"id": 1, "name": "one", "amount": Decimal("1.20"), "at": moment})
        assert lake.sql("SELECT id, amount, unix_micros(at) FROM events").fetchall() == [
            (1, Decimal("1.20"), 1769860800000000)
        ]
        writer.write([{"id": 2}, {"id": 3, "name": "three"}])
        writer.write(pa.table({"id": [4], "name": ["four"]}))
        writer.write(pd.DataFrame({"id": [5], "name": ["five"], "at": [pd.Timestamp(moment)]}))
        writer.flush()
        assert writer.sequence == 4
    rows = lake.sql("SELECT id, name FROM events ORDER BY id").fetchall()
    assert rows == [(1, "one"), (2, None), (3, "three"), (4, "four"), (5, "five")]
    (shown,) = lake.sql("SHOW STREAM WRITERS LIKE 'events'").arrow().to_pylist()
    assert (shown["last_sequence"], shown["pending_rows"], shown["last_error"]) == (4, 0, None)


def test_nested_values_and_partitions(lake: Connection) -> None:
    lake.sql(
        "CREATE TABLE n (id INT, day DATE, tags ARRAY<STRING>, counts MAP<STRING, BIGINT>,"
        " place STRUCT<x: DOUBLE, y: INT>, raw BINARY, local TIMESTAMP_NTZ, small FLOAT, yes BOOLEAN)"
        " PARTITIONED BY (day, bucket(2, id))"
    )
    rows = [
        {
            "id": number,
            "day": date(2026, 1, 1 + number % 3),
            "tags": ["a", None],
            "counts": {"a": 1, "b": None},
            "place": {"x": 0.5, "y": None},
            "raw": b"\x00\x01",
            "local": datetime(2026, 1, 1, 1, 2, 3, 4),  # noqa: DTZ001  (TIMESTAMP_NTZ)
            "small": 0.5,
            "yes": True,
        }
        for number in range(10)
    ]
    with lake.stream("n", client="loader") as writer:
        writer.write([*rows, {"id": None}])
    found = lake.sql("SELECT * FROM n WHERE id IS NOT NULL ORDER BY id").arrow().to_pylist()
    assert [{**row, "counts": dict(row["counts"])} for row in found] == rows
    assert lake.sql("SELECT count(*) FROM n WHERE id IS NULL AND place IS NULL").fetchall() == [(1,)]
    assert lake.stream("n", client="loader").sequence == 1


def test_the_last_row_of_a_key_wins(lake: Connection) -> None:
    lake.sql("CREATE TABLE u (id BIGINT, part STRING, v INT); INSERT INTO u VALUES (1, 'a', 0), (2, 'a', 0)")
    with lake.stream("u", mode="upsert", key=["id", "part"]) as writer:
        writer.write([{"id": 1, "part": "a", "v": 1}, {"id": 3, "part": "b", "v": 1}])
        writer.write([{"id": 1, "part": "a", "v": 2}, {"id": 1, "part": "b", "v": 9}])
        writer.write([{"id": 3, "part": "b", "v": 5}, {"id": 3, "part": "b", "v": 6}])
    rows = lake.sql("SELECT id, part, v FROM u ORDER BY id, part").fetchall()
    assert rows == [(1, "a", 2), (1, "b", 9), (2, "a", 0), (3, "b", 6)]


def test_requests_that_another_server_commits_meanwhile(
    lake: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.sql("CREATE TABLE w (id BIGINT, v INT)")
    new_records = StreamedRows._new_records

    def meanwhile(rows: StreamedRows, last: dict[str, int]) -> Iterator[Record]:
        monkeypatch.setattr(StreamedRows, "_new_records", new_records)
        StreamedRows(rows._name, rows._uuid, rows._files, rows._session, rows._staging).commit((), 0)
        yield from rows._new_records(last)

    monkeypatch.setattr(StreamedRows, "_new_records", meanwhile)
    with lake.stream("w", client="c") as writer:
        writer.write({"id": 1, "v": 1})
        writer.flush()
    assert lake.sql("SELECT id, v FROM w").fetchall() == [(1, 1)]


def test_modes_of_one_client_follow_each_other(lake: Connection) -> None:
    lake.sql("CREATE TABLE m (id BIGINT, v INT)")
    with lake.stream("m", client="c") as writer:
        writer.write({"id": 1, "v": 1})
    with lake.stream("m", mode="upsert", key=["id"], client="c") as writer:
        writer.write({"id": 1, "v": 2})
    with lake.stream("m", client="c") as writer:
        writer.write({"id": 1, "v": 3})
        assert writer.sequence == 3
    assert lake.sql("SELECT v FROM m ORDER BY v").fetchall() == [(2,), (3,)]


def test_identifier_fields_are_the_key(lake: Connection) -> None:
    lake.sql("CREATE TABLE k (id BIGINT NOT NULL, v INT)")
    with pytest.raises(InterfaceError, match="mode upsert requires key columns"):
        lake.stream("k", mode="upsert").write({"id": 1})
    lake.sql("ALTER TABLE k SET IDENTIFIER FIELDS id")
    with lake.stream("k", mode="upsert") as writer:
        writer.write([{"id": 1, "v": 1}, {"id": 1, "v": 2}])
    assert lake.sql("SELECT id, v FROM k").fetchall() == [(1, 2)]


def test_a_table_that_is_altered_meanwhile(lake: Connection) -> None:
    lake.sql("CREATE TABLE a (id INT, old STRING, gone INT)")
    with lake.stream("a") as writer:
        writer.write({"id": 1, "old": "x", "gone": 1})
        lake.sql("ALTER TABLE a RENAME COLUMN old TO renamed; ALTER TABLE a DROP COLUMN gone")
        lake.sql("ALTER TABLE a ADD COLUMN added INT; ALTER TABLE a ALTER COLUMN id TYPE BIGINT")
        writer.write({"id": 2**40, "renamed": "y", "added": 2})
        with pytest.raises(DataError, match="row 1: the table has no column 'old'"):
            writer.write({"id": 3, "old": "z"})
    rows = lake.sql("SELECT id, renamed, added FROM a ORDER BY id").fetchall()
    assert rows == [(1, "x", None), (2**40, "y", 2)]


def test_what_is_restored_and_replaced(lake: Connection) -> None:
    lake.sql("CREATE TABLE r (id INT)")
    with lake.stream("r", client="c") as writer:
        for number in (1, 2, 3):
            writer.write({"id": number})
            writer.flush()
        versions = lake.sql("DESC HISTORY r").arrow().to_pylist()
        oldest = next(each for each in reversed(versions) if each["total_rows"])
        lake.sql(f"RESTORE TABLE r TO VERSION AS OF {oldest['version']}")
        writer.write({"id": 4})
        writer.flush()
        assert lake.sql("SELECT id FROM r ORDER BY id").fetchall() == [(1,), (4,)]
    assert lake.stream("r", client="c").sequence == 4


def test_what_cannot_be_streamed(lake: Connection) -> None:
    lake.sql("CREATE TABLE s (id INT); CREATE DYNAMIC TABLE d REFRESH INTERVAL 1 HOUR AS SELECT id FROM s")
    with pytest.raises(Refused, match="is a dynamic table"):
        lake.stream("d")
    with pytest.raises(InterfaceError, match="is not a mode"):
        lake.stream("s", mode="merge")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="row 2: column id is INT, and the value is a string"):
        lake.stream("s").write([{"id": 1}, {"id": "2"}])
    assert lake.sql("SELECT count(*) FROM s").fetchall() == [(0,)]


def test_a_dynamic_table_over_streamed_rows(lake: Connection) -> None:
    lake.sql(
        "CREATE TABLE f (k INT, v INT);"
        "CREATE DYNAMIC TABLE g REFRESH INTERVAL 1 HOUR AS SELECT k, sum(v) AS v FROM f GROUP BY k;"
        "CREATE DYNAMIC TABLE h REFRESH INTERVAL 1 HOUR AS SELECT count(*) AS n, sum(v) AS v FROM g"
    )
    with lake.stream("f") as writer:
        for number in range(3):
            writer.write([{"k": each % 2, "v": number} for each in range(10)])
            lake.sql("REFRESH DYNAMIC TABLE g; REFRESH DYNAMIC TABLE h")
            for table in ("g", "h"):
                found = lake.sql(f"VERIFY DYNAMIC TABLE {table}").arrow().to_pylist()
                assert [row["result"] for row in found] == ["exact"]
    assert lake.sql("SELECT n, v FROM h").fetchall() == [(2, 30)]
