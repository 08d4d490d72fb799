"""The types that columns can have, as ODBC and JDBC describe types."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from headrace.server.flight.messages import FlightSql_pb2 as sql

TYPE_INFO = pa.schema(
    [
        pa.field("type_name", pa.string(), nullable=False),
        pa.field("data_type", pa.int32(), nullable=False),
        pa.field("column_size", pa.int32()),
        pa.field("literal_prefix", pa.string()),
        pa.field("literal_suffix", pa.string()),
        pa.field("create_params", pa.list_(pa.field("item", pa.string(), nullable=False))),
        pa.field("nullable", pa.int32(), nullable=False),
        pa.field("case_sensitive", pa.bool_(), nullable=False),
        pa.field("searchable", pa.int32(), nullable=False),
        pa.field("unsigned_attribute", pa.bool_()),
        pa.field("fixed_prec_scale", pa.bool_(), nullable=False),
        pa.field("auto_increment", pa.bool_()),
        pa.field("local_type_name", pa.string()),
        pa.field("minimum_scale", pa.int32()),
        pa.field("maximum_scale", pa.int32()),
        pa.field("sql_data_type", pa.int32(), nullable=False),
        pa.field("datetime_subcode", pa.int32()),
        pa.field("num_prec_radix", pa.int32()),
        pa.field("interval_precision", pa.int32()),
    ]
)


@dataclass(frozen=True)
class _Type:
    name: str
    number: int
    size: int | None = None
    quote: str | None = None
    """Of a literal, at its beginning; it ends with an apostrophe."""
    scales: tuple[int, int] | None = None
    radix: int | None = None
    parameters: tuple[str, ...] | None = None
    datetime: int | None = None

    def row(self) -> dict[str, object]:
        minimum, maximum = self.scales or (None, None)
        is_number = self.radix is not None
        return {
            "type_name": self.name,
            "data_type": self.number,
            "column_size": self.size,
            "literal_prefix": self.quote,
            "literal_suffix": None if self.quote is None else "'",
            "create_params": self.parameters,
            "nullable": sql.NULLABILITY_NULLABLE,
            "case_sensitive": self.number == sql.XDBC_VARCHAR,
            "searchable": sql.SEARCHABLE_FULL,
            "unsigned_attribute": False if is_number else None,
            "fixed_prec_scale": False,
            "auto_increment": False if is_number else None,
            "local_type_name": self.name,
            "minimum_scale": minimum,
            "maximum_scale": maximum,
            "sql_data_type": self.number if self.datetime is None else sql.XDBC_DATETIME,
            "datetime_subcode": self.datetime,
            "num_prec_radix": self.radix,
            "interval_precision": None,
        }


_TYPES = (
    _Type("BOOLEAN", sql.XDBC_BIT, 1),
    _Type("TINYINT", sql.XDBC_TINYINT, 3, scales=(0, 0), radix=10),
    _Type("BIGINT", sql.XDBC_BIGINT, 19, scales=(0, 0), radix=10),
    _Type("BINARY", sql.XDBC_VARBINARY, quote="X'"),
    _Type("DECIMAL", sql.XDBC_DECIMAL, 38, scales=(0, 38), radix=10, parameters=("precision", "scale")),
    _Type("INT", sql.XDBC_INTEGER, 10, scales=(0, 0), radix=10),
    _Type("SMALLINT", sql.XDBC_SMALLINT, 5, scales=(0, 0), radix=10),
    _Type("FLOAT", sql.XDBC_REAL, 24, radix=2),
    _Type("DOUBLE", sql.XDBC_DOUBLE, 53, radix=2),
    _Type("STRING", sql.XDBC_VARCHAR, 2**31 - 1, quote="'"),
    _Type("DATE", sql.XDBC_DATE, 10, quote="DATE '", datetime=sql.XDBC_SUBCODE_DATE),
    _Type("TIMESTAMP", sql.XDBC_TIMESTAMP, 26, "TIMESTAMP '", (6, 6), datetime=sql.XDBC_SUBCODE_TIMESTAMP),
    _Type(
        "TIMESTAMP_NTZ",
        sql.XDBC_TIMESTAMP,
        26,
        "TIMESTAMP_NTZ '",
        (6, 6),
        datetime=sql.XDBC_SUBCODE_TIMESTAMP,
    ),
)


def type_info(command: sql.CommandGetXdbcTypeInfo) -> pa.Table:
    """By number and name."""
    is_any = not command.HasField("data_type")
    wanted = [each for each in _TYPES if is_any or each.number == command.data_type]
    listed = sorted(wanted, key=lambda each: (each.number, each.name))
    return pa.Table.from_pylist([each.row() for each in listed], schema=TYPE_INFO)
