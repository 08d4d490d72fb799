"""Rows of a binary log, against bytes that are put together here as MySQL documents them."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymysqlreplication.constants import FIELD_TYPE

from headrace.errors import DataError
from headrace.ingest.cdc.changes import Operation
from headrace.ingest.cdc.mysql.binlog_position import BinlogPosition
from headrace.ingest.cdc.mysql.row_image import read_rows, reader_of
from headrace.ingest.cdc.mysql.statements import effects


def column(kind: int, **facts: Any) -> Any:
    return SimpleNamespace(type=kind, name="c", **{"unsigned": False, "character_set_name": None} | facts)


def text_of(kind: int, value: bytes, **facts: Any) -> str | None:
    found, end = reader_of(column(kind, **facts))(b"?" + value + b"?", 1)
    assert end == 1 + len(value), "the next value begins where this one ends"
    return found


@given(st.integers(1, 65), st.integers(0, 30), st.integers(0, 10**65 - 1), st.booleans())
def test_decimals(precision: int, scale: int, digits: int, is_negative: bool) -> None:
    scale = min(scale, precision)
    text = f"{digits % 10**precision:0{precision}d}"
    whole, fraction = text[: precision - scale], text[precision - scale :]
    packed = b"".join(_packed(part) for part in [*_groups_from_end(whole), *_groups(fraction)])
    negative = is_negative and int(text) != 0
    turned = bytes(each ^ 0xFF for each in packed) if negative else packed
    stored = bytes([turned[0] ^ 0x80]) + turned[1:]
    found = text_of(FIELD_TYPE.NEWDECIMAL, stored, precision=precision, decimals=scale)
    assert found is not None
    assert found == f"{'-' if negative else ''}{whole.lstrip('0') or '0'}{f'.{fraction}' if fraction else ''}"
    assert Decimal(found).as_tuple().digits[-1] == int(text[-1])


def _groups(digits: str) -> list[str]:
    return [digits[at : at + 9] for at in range(0, len(digits), 9)]


def _groups_from_end(digits: str) -> list[str]:
    first = len(digits) % 9
    return [*([digits[:first]] if first else []), *_groups(digits[first:])]


def _packed(digits: str) -> bytes:
    return int(digits).to_bytes((0, 1, 1, 2, 2, 3, 3, 4, 4, 4)[len(digits)], "big")


@given(
    st.integers(-(838 * 3600 + 59 * 60 + 59) * 10**6, (838 * 3600 + 59 * 60 + 59) * 10**6), st.integers(0, 6)
)
def test_times(microseconds: int, fsp: int) -> None:
    step = 10 ** (6 - fsp)
    size, rounded = (fsp + 1) // 2, abs(microseconds) // step * step
    seconds, fraction = divmod(rounded, 10**6)
    hours, minutes, rest = seconds // 3600, seconds // 60 % 60, seconds % 60
    packed = (hours << 12 | minutes << 6 | rest) << (8 * size) | fraction // 10 ** (6 - 2 * size)
    is_negative = microseconds < 0 and rounded > 0
    stored = (1 << (8 * (3 + size) - 1)) + (-packed if is_negative else packed)
    wanted = f"{'-' if is_negative else ''}{hours:02}:{minutes:02}:{rest:02}"
    wanted += f".{fraction:06d}"[: fsp + 1] if fsp else ""
    assert text_of(FIELD_TYPE.TIME2, stored.to_bytes(3 + size, "big"), fsp=fsp) == wanted


@given(st.datetimes(), st.integers(0, 6))
def test_moments(moment: Any, fsp: int) -> None:
    size = (fsp + 1) // 2
    packed = (moment.year * 13 + moment.month) << 22 | moment.day << 17 | moment.hour << 12
    packed |= moment.minute << 6 | moment.second
    fraction = moment.microsecond // 10 ** (6 - fsp) * 10 ** (6 - fsp)
    stored = (packed | 1 << 39).to_bytes(5, "big") + (fraction // 10 ** (6 - 2 * size)).to_bytes(size, "big")
    wanted = moment.strftime(f"{moment.year:04}-%m-%d %H:%M:%S") + (
        f".{fraction:06d}"[: fsp + 1] if fsp else ""
    )
    assert text_of(FIELD_TYPE.DATETIME2, stored, fsp=fsp) == wanted


def test_rows_and_nulls() -> None:
    columns = [column(FIELD_TYPE.TINY) for _ in range(9)]
    for place, each in enumerate(columns):
        each.name = f"c{place}"
    readers = [reader_of(each) for each in columns]
    rows = list(read_rows(b"\xff\x01" + b"\x01\x00" + bytes(range(8)), columns, readers))
    assert [list(row.values()) for row in rows] == [[None] * 9, [None, *map(str, range(8))]]


def test_what_cannot_be_read() -> None:
    with pytest.raises(DataError, match="a type that is not supported in the log: 12"):
        reader_of(column(FIELD_TYPE.DATETIME))
    with pytest.raises(DataError, match="column c has a text that cannot be read as utf-8"):
        text_of(FIELD_TYPE.VARCHAR, b"\x01\xff", max_length=9, character_set_name="utf8")
    with pytest.raises(DataError, match="labels that the log does not have in UTF-8"):
        reader_of(column(FIELD_TYPE.ENUM, size=1, enum_values=["", "a", ""], character_set_name="cp1252"))


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("0400", "null"),
        ("0200000400", "[]"),
        ("0000000400", "{}"),
        (
            "0207002900040100040200040000050080071900071d00092100ffff000000000080ffffffff00000000",
            "[true, false, null, -32768, 65535, -2147483648, 4294967295]",
        ),
        (
            "0202001a00090a000a12000000000000000080ffffffffffffffff",
            "[-9223372036854775808, 18446744073709551615]",
        ),
        (
            "000200380012000100130002000c150000160061c3a900010022000b000100020c0062020016000b0a000c1200000000000000f83f0371220a",
            '{"a": "", "é": {"b": [1.5, "q\\"\\n"]}}',
        ),
        (
            "0208005c000b1c000b24000b2c000b34000b3c000b44000b4c000b540000003426f56b0c4340de77832112dc429b2ba1869b84063d1656e79eaf03d23c03eb2af2548b1143039300aa4bdd4dfe00000000000000800000000000005940",
            "[1e15, 123456789012345.0, 0.00000000000001, 0.000000000000001, 1234567890123456.8, -2.5e300,"
            " -0.0, 100.0]",
        ),
        (
            "02020022000f0a000f1000f60403027ecdf6101e038000000c149aa4350dfb38d2007b",
            "[-1.50, 12345678901234567890.123]",
        ),
        (
            "0203002b000f0d000f17000f21000a08000000000044b2190b08e05ef8b13cffffff0c0870580a053144b219",
            '["2024-01-02", "-12:13:14.500000", "2024-01-02 03:04:05.678000"]',
        ),
    ],
)
def test_json_documents(stored: str, text: str) -> None:
    """As MySQL 9.7 has written them to its log, and as its queries return them."""
    value = bytes.fromhex(stored)
    assert text_of(FIELD_TYPE.JSON, len(value).to_bytes(4, "little") + value, length_size=4) == text


TABLES = ("shop.orders", "shop.order_lines", "other.t`x")


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("TRUNCATE orders", ("shop.orders", Operation.TRUNCATE)),
        ("/* by me */ truncate table `shop`.`Orders`", ("shop.orders", Operation.TRUNCATE)),
        ("TRUNCATE TABLE other.`t``x`", ("other.t`x", Operation.TRUNCATE)),
        (
            "DROP TABLE IF EXISTS a, `order_lines` /* generated by server */",
            ("shop.order_lines", Operation.BREAK),
        ),
        ("CREATE OR REPLACE TABLE orders (id int)", ("shop.orders", Operation.BREAK)),
        ("RENAME TABLE orders TO orders_old", ("shop.orders", Operation.BREAK)),
        ("RENAME TABLE new TO shop.orders", ("shop.orders", Operation.BREAK)),
        ("ALTER TABLE orders RENAME TO x", ("shop.orders", Operation.BREAK)),
        ("ALTER TABLE orders DROP PARTITION p1", ("shop.orders", Operation.BREAK)),
        ("ALTER TABLE orders MODIFY e ENUM('a', 'b')", ("shop.orders", Operation.BREAK)),
        ("DROP DATABASE `other`", ("other.t`x", Operation.BREAK)),
        ("UPDATE orders SET v = 1", ("shop.orders", Operation.BREAK)),
        ("ALTER TABLE orders ADD COLUMN c int", None),
        ("ALTER TABLE orders RENAME COLUMN a TO b", ("shop.orders", Operation.BREAK)),
        ("ALTER TABLE orders CHANGE COLUMN a b int", ("shop.orders", Operation.BREAK)),
        ("ALTER TABLE orders DROP a, ADD a int", ("shop.orders", Operation.BREAK)),
        ("ALTER TABLE orders DROP COLUMN IF EXISTS `a`", ("shop.orders", Operation.BREAK)),
        ("ALTER TABLE orders CHANGE  a  a bigint COMMENT 'was: CHANGE a b'", None),
        ("ALTER TABLE orders ALTER COLUMN a DROP DEFAULT, DROP INDEX i, DROP PRIMARY KEY", None),
        ("ALTER TABLE orders ADD PARTITION (PARTITION p2 VALUES LESS THAN (9))", None),
        ("CREATE TABLE t (orders int)", None),
        ("TRUNCATE TABLE elsewhere.orders", None),
        ("INSERT INTO t VALUES (1)", None),
    ],
)
def test_statements(query: str, wanted: tuple[str, Operation] | None) -> None:
    found = [(change.table, change.operation) for change in effects(query, "shop", TABLES)]
    assert found == ([] if wanted is None else [wanted])


def test_positions() -> None:
    first, second = BinlogPosition.parse("mysql-bin.000009:99999"), BinlogPosition.of("mysql-bin.000010", 4)
    assert (str(first), str(second)) == ("mysql-bin.000009:0000099999", "mysql-bin.000010:0000000004")
    assert first < second and str(first) < str(second) and first.id < second.id
    assert BinlogPosition.parse("b.1000000:4") > BinlogPosition.parse("b.999999:5000000000")
