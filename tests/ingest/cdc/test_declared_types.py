"""Which changes of a type keep the values of a column."""

from __future__ import annotations

import pytest

from headrace.ingest.cdc.declared_types import keeps_values

UTF8 = " CHARACTER SET utf8mb4"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("int(11)", "int(10)"),
        ("smallint(6)", "int(11)"),
        ("smallint", "integer"),
        ("tinyint(3) unsigned", "smallint(6)"),
        ("int(10) unsigned zerofill", "bigint(20) unsigned"),
        ("varchar(20) CHARACTER SET utf8mb3", f"varchar(20){UTF8}"),
        (f"varchar(20){UTF8}", f"text{UTF8}"),
        (f"char(20){UTF8}", f"varchar(20){UTF8}"),
        ("tinyblob", "longblob"),
        ("character varying(20)", "character varying(30)"),
        ("character varying(20)", "text"),
        ("timestamp(3) without time zone", "timestamp without time zone"),
        ("datetime", "datetime(6)"),
        ("decimal(10,2)", "decimal(12,2)"),
        ("float", "double"),
        ("USER-DEFINED", "USER-DEFINED"),
    ],
)
def test_wider(before: str, after: str) -> None:
    assert keeps_values(before, before)
    assert keeps_values(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("int(11)", "int(11) unsigned"),
        ("int(11)", "bigint(20) unsigned"),
        ("int(10) unsigned", "int(11)"),
        ("integer", "smallint"),
        (f"varchar(20){UTF8}", "varchar(20) CHARACTER SET latin1"),
        (f"varchar(20){UTF8}", f"varchar(9){UTF8}"),
        (f"varchar(200){UTF8}", f"tinytext{UTF8}"),
        (f"text{UTF8}", f"varchar(9){UTF8}"),
        ("binary(2)", "binary(3)"),
        ("character(4)", "character(5)"),
        ("json", "jsonb"),
        ("text", "uuid"),
        ("text", "character varying(9)"),
        ("timestamp without time zone", "timestamp(3) without time zone"),
        ("datetime(6)", "datetime"),
        ("decimal(10,2)", "decimal(10,1)"),
        ("enum('a','b')", "enum('a')"),
    ],
)
def test_converted(before: str, after: str) -> None:
    assert not keeps_values(before, after)
