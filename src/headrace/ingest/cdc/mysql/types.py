"""Types of MySQL and MariaDB in Spark, and how a query writes their values as text.

The log has values in binary form; ``row_image`` writes the same texts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from headrace.ingest.cdc.changes import SourceColumn
from headrace.ingest.cdc.mysql.quoting import quote_name

_MOST_DIGITS = 38
_INT = ("int", "CAST({} AS INT)")
_BIGINT = ("bigint", "CAST({} AS BIGINT)")
_TEXT = ("string", "{}")
_BINARY = ("binary", "unhex({})")
_EXACT: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int", "year"), _INT),
    "bigint": _BIGINT,
    "int unsigned": _BIGINT,
    "bigint unsigned": ("decimal(20,0)", "CAST({} AS DECIMAL(20,0))"),
    "float": ("float", "CAST({} AS FLOAT)"),
    "double": ("double", "CAST({} AS DOUBLE)"),
    "date": ("date", "CAST({} AS DATE)"),
    "datetime": ("timestamp_ntz", "CAST({} AS TIMESTAMP_NTZ)"),
    "timestamp": ("timestamp", "CAST(concat({}, 'Z') AS TIMESTAMP)"),
    **dict.fromkeys(("char", "varchar", "tinytext", "text", "mediumtext", "longtext"), _TEXT),
    **dict.fromkeys(("enum", "set", "time", "bit", "json"), _TEXT),
    **dict.fromkeys(("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"), _BINARY),
    **dict.fromkeys(
        (
            "geometry",
            "point",
            "linestring",
            "polygon",
            "multipoint",
            "multilinestring",
            "multipolygon",
            "geometrycollection",
            "geomcollection",
        ),
        _BINARY,
    ),
}
_NUMBERS = ("tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "year")
_TEXTS = ("char", "varchar")
_BYTES = ("binary", "varbinary")
_MOMENTS = {"date": "DATE", "datetime": "TIMESTAMP"}

ENCODINGS: Mapping[str, str] = {
    "utf8mb4": "utf-8",
    "utf8mb3": "utf-8",
    "utf8": "utf-8",
    "ascii": "ascii",
    "latin1": "cp1252",
    "latin2": "iso8859_2",
    "latin5": "iso8859_9",
    "latin7": "iso8859_13",
    "cp1250": "cp1250",
    "cp1251": "cp1251",
    "cp1256": "cp1256",
    "cp1257": "cp1257",
    "cp850": "cp850",
    "cp852": "cp852",
    "cp866": "cp866",
    "koi8r": "koi8_r",
    "koi8u": "koi8_u",
    "greek": "iso8859_7",
    "hebrew": "iso8859_8",
    "gbk": "gbk",
    "gb2312": "gb2312",
    "gb18030": "gb18030",
    "big5": "big5",
    "euckr": "euc_kr",
    "ujis": "euc_jp",
    "sjis": "shift_jis",
    "cp932": "cp932",
    "ucs2": "utf-16-be",
    "utf16": "utf-16-be",
    "utf16le": "utf-16-le",
    "utf32": "utf-32-be",
}
"""Of each character set that the log can be read in, Python's name."""


@dataclass(frozen=True)
class MysqlType:
    name: str
    """As information_schema has it in ``data_type``."""
    is_unsigned: bool = False
    precision: int = 0
    scale: int = 0

    @property
    def shown(self) -> str:
        return f"{self.name} unsigned" if self.is_unsigned else self.name

    def spark(self) -> tuple[str, str] | None:
        """The type in Spark, and the expression that makes a value of the text; None: it is not supported."""
        if self.name == "decimal":
            kind = f"decimal({self.precision},{self.scale})"
            return (kind, f"CAST({{}} AS {kind})") if self.precision <= _MOST_DIGITS else _TEXT
        return _EXACT.get(self.shown, _EXACT.get(self.name))


def base_type(source_type: str) -> str:
    """``int`` of ``int(11) unsigned``."""
    return source_type.partition("(")[0].partition(" ")[0]


def is_ordered(column: SourceColumn) -> bool:
    """Whether rows can be read in chunks by it: texts of the others do not compare as their values do."""
    return base_type(column.source_type) in (*_NUMBERS, *_TEXTS, *_BYTES, *_MOMENTS)


def key_literal(column: SourceColumn, text: str) -> str:
    """SQL of a value of such a column, with ``%`` as a format has it."""
    kind = base_type(column.source_type)
    if kind in _NUMBERS:
        return text
    if kind in _BYTES:
        return f"x'{text}'"
    quoted = "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
    return f"{_MOMENTS[kind]}{quoted}" if kind in _MOMENTS else quoted


def select_expression(column: SourceColumn) -> str:
    """SQL of the text of a value; a date that has no day, month or year is NULL."""
    name = quote_name(column.name)
    match base_type(column.source_type):
        case "date" | "datetime" | "timestamp":
            return f"IF(YEAR({name}) * MONTH({name}) * DAYOFMONTH({name}) = 0, NULL, {name})"
        case "float" | "double":
            return f"{name} + 0e0"
        case "bit":
            (bits,) = re.findall(r"\d+", column.source_type) or ["1"]
            return f"LPAD(BIN({name} + 0), {bits}, '0')"
    return f"HEX({name})" if column.type == "binary" else name
