"""What drivers want to know about the server and its SQL when they connect."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pyarrow as pa

import headrace
from headrace.server.flight.messages import FlightSql_pb2 as sql
from headrace.sql.tokens.keywords import KEYWORDS

_VALUES = (
    ("string_value", pa.string()),
    ("bool_value", pa.bool_()),
    ("bigint_value", pa.int64()),
    ("int32_bitmask", pa.int32()),
    ("string_list", pa.list_(pa.field("string_data", pa.string()))),
    ("int32_to_int32_list_map", pa.map_(pa.int32(), pa.list_(pa.int32()))),
)
_STRING, _BOOL, _BIGINT, _INT, _LIST, _MAP = range(len(_VALUES))
SQL_INFO = pa.schema(
    [
        pa.field("info_name", pa.uint32(), nullable=False),
        pa.field("value", pa.dense_union([pa.field(*each) for each in _VALUES]), nullable=False),
    ]
)


def _bits(*values: int) -> int:
    return sum(1 << value for value in values)


_STRINGS = {
    sql.FLIGHT_SQL_SERVER_NAME: "Headrace",
    sql.FLIGHT_SQL_SERVER_VERSION: headrace.__version__,
    sql.FLIGHT_SQL_SERVER_ARROW_VERSION: pa.__version__,
    sql.SQL_IDENTIFIER_QUOTE_CHAR: "`",
    sql.SQL_SEARCH_STRING_ESCAPE: "\\",
    sql.SQL_EXTRA_NAME_CHARACTERS: "",
    sql.SQL_SCHEMA_TERM: "schema",
    sql.SQL_PROCEDURE_TERM: "procedure",
    sql.SQL_CATALOG_TERM: "workspace",
}
_TRUE = (
    sql.FLIGHT_SQL_SERVER_SQL,
    sql.FLIGHT_SQL_SERVER_CANCEL,
    sql.FLIGHT_SQL_SERVER_BULK_INGESTION,
    sql.SQL_DDL_SCHEMA,
    sql.SQL_DDL_TABLE,
    sql.SQL_ALL_TABLES_ARE_SELECTABLE,
    sql.SQL_SUPPORTS_COLUMN_ALIASING,
    sql.SQL_NULL_PLUS_NULL_IS_NULL,
    sql.SQL_SUPPORTS_TABLE_CORRELATION_NAMES,
    sql.SQL_SUPPORTS_EXPRESSIONS_IN_ORDER_BY,
    sql.SQL_SUPPORTS_ORDER_BY_UNRELATED,
    sql.SQL_SUPPORTS_LIKE_ESCAPE_CLAUSE,
    sql.SQL_SUPPORTS_NON_NULLABLE_COLUMNS,
    sql.SQL_CATALOG_AT_START,
    sql.SQL_CORRELATED_SUBQUERIES_SUPPORTED,
    sql.SQL_BATCH_UPDATES_SUPPORTED,
    sql.SQL_NAMED_PARAMETERS_SUPPORTED,
)
_FALSE = (
    sql.FLIGHT_SQL_SERVER_READ_ONLY,
    sql.FLIGHT_SQL_SERVER_SUBSTRAIT,
    sql.FLIGHT_SQL_SERVER_INGEST_TRANSACTIONS_SUPPORTED,
    sql.SQL_DDL_CATALOG,
    sql.SQL_SUPPORTS_DIFFERENT_TABLE_CORRELATION_NAMES,
    sql.SQL_SUPPORTS_INTEGRITY_ENHANCEMENT_FACILITY,
    sql.SQL_SELECT_FOR_UPDATE_SUPPORTED,
    sql.SQL_STORED_PROCEDURES_SUPPORTED,
    sql.SQL_MAX_ROW_SIZE_INCLUDES_BLOBS,
    sql.SQL_TRANSACTIONS_SUPPORTED,
    sql.SQL_DATA_DEFINITION_CAUSES_TRANSACTION_COMMIT,
    sql.SQL_DATA_DEFINITIONS_IN_TRANSACTIONS_IGNORED,
    sql.SQL_SAVEPOINTS_SUPPORTED,
    sql.SQL_LOCATORS_UPDATE_COPY,
    sql.SQL_STORED_FUNCTIONS_USING_CALL_SYNTAX_SUPPORTED,
)
_UNLIMITED = (
    sql.SQL_MAX_BINARY_LITERAL_LENGTH,
    sql.SQL_MAX_CHAR_LITERAL_LENGTH,
    sql.SQL_MAX_COLUMN_NAME_LENGTH,
    sql.SQL_MAX_COLUMNS_IN_GROUP_BY,
    sql.SQL_MAX_COLUMNS_IN_INDEX,
    sql.SQL_MAX_COLUMNS_IN_ORDER_BY,
    sql.SQL_MAX_COLUMNS_IN_SELECT,
    sql.SQL_MAX_COLUMNS_IN_TABLE,
    sql.SQL_MAX_CONNECTIONS,
    sql.SQL_MAX_CURSOR_NAME_LENGTH,
    sql.SQL_MAX_INDEX_LENGTH,
    sql.SQL_DB_SCHEMA_NAME_LENGTH,
    sql.SQL_MAX_PROCEDURE_NAME_LENGTH,
    sql.SQL_MAX_CATALOG_NAME_LENGTH,
    sql.SQL_MAX_ROW_SIZE,
    sql.SQL_MAX_STATEMENT_LENGTH,
    sql.SQL_MAX_STATEMENTS,
    sql.SQL_MAX_TABLE_NAME_LENGTH,
    sql.SQL_MAX_TABLES_IN_SELECT,
    sql.SQL_MAX_USERNAME_LENGTH,
)
_NUMBERS = {
    **dict.fromkeys(_UNLIMITED, 0),
    sql.SQL_IDENTIFIER_CASE: sql.SQL_CASE_SENSITIVITY_CASE_INSENSITIVE,
    sql.SQL_QUOTED_IDENTIFIER_CASE: sql.SQL_CASE_SENSITIVITY_CASE_INSENSITIVE,
    sql.SQL_NULL_ORDERING: sql.SQL_NULLS_SORTED_LOW,
    sql.SQL_DEFAULT_TRANSACTION_ISOLATION: sql.SQL_TRANSACTION_NONE,
}
_BITMASKS = {
    sql.FLIGHT_SQL_SERVER_TRANSACTION: sql.SQL_SUPPORTED_TRANSACTION_NONE,
    sql.FLIGHT_SQL_SERVER_STATEMENT_TIMEOUT: 0,
    sql.FLIGHT_SQL_SERVER_TRANSACTION_TIMEOUT: 0,
    sql.SQL_SUPPORTED_GROUP_BY: _bits(sql.SQL_GROUP_BY_UNRELATED, sql.SQL_GROUP_BY_BEYOND_SELECT),
    sql.SQL_SUPPORTED_GRAMMAR: _bits(sql.SQL_MINIMUM_GRAMMAR, sql.SQL_CORE_GRAMMAR),
    sql.SQL_ANSI92_SUPPORTED_LEVEL: _bits(sql.ANSI92_ENTRY_SQL),
    sql.SQL_OUTER_JOINS_SUPPORT_LEVEL: _bits(sql.SQL_LIMITED_OUTER_JOINS, sql.SQL_FULL_OUTER_JOINS),
    sql.SQL_SCHEMAS_SUPPORTED_ACTIONS: 0,
    sql.SQL_CATALOGS_SUPPORTED_ACTIONS: 0,
    sql.SQL_SUPPORTED_POSITIONED_COMMANDS: 0,
    sql.SQL_SUPPORTED_SUBQUERIES: _bits(
        sql.SQL_SUBQUERIES_IN_COMPARISONS, sql.SQL_SUBQUERIES_IN_EXISTS, sql.SQL_SUBQUERIES_IN_INS
    ),
    sql.SQL_SUPPORTED_UNIONS: _bits(sql.SQL_UNION, sql.SQL_UNION_ALL),
    sql.SQL_SUPPORTED_TRANSACTIONS_ISOLATION_LEVELS: _bits(sql.SQL_TRANSACTION_NONE),
    sql.SQL_SUPPORTED_RESULT_SET_TYPES: _bits(sql.SQL_RESULT_SET_TYPE_FORWARD_ONLY),
    sql.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_FORWARD_ONLY: _bits(
        sql.SQL_RESULT_SET_CONCURRENCY_READ_ONLY
    ),
    sql.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_SCROLL_SENSITIVE: 0,
    sql.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_SCROLL_INSENSITIVE: 0,
    sql.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_UNSPECIFIED: 0,
}
_LISTS = {
    sql.SQL_KEYWORDS: list(KEYWORDS),
    sql.SQL_NUMERIC_FUNCTIONS: ["abs", "ceil", "floor", "mod", "power", "round", "sign", "sqrt"],
    sql.SQL_STRING_FUNCTIONS: ["concat", "length", "lower", "replace", "substring", "trim", "upper"],
    sql.SQL_SYSTEM_FUNCTIONS: ["coalesce", "current_user", "ifnull", "nullif"],
    sql.SQL_DATETIME_FUNCTIONS: ["current_date", "current_timestamp", "date_add", "date_trunc", "extract"],
}
_INFO: Mapping[int, tuple[int, Any]] = {
    **{name: (_STRING, value) for name, value in _STRINGS.items()},
    **dict.fromkeys(_TRUE, (_BOOL, True)),
    **dict.fromkeys(_FALSE, (_BOOL, False)),
    **{name: (_BIGINT, value) for name, value in _NUMBERS.items()},
    **{name: (_INT, value) for name, value in _BITMASKS.items()},
    **{name: (_LIST, value) for name, value in _LISTS.items()},
    sql.SQL_SUPPORTS_CONVERT: (_MAP, []),
}


def sql_info(wanted: Collection[int]) -> pa.Table:
    """The wanted ones that are known; all if none is named."""
    names = [name for name in sorted(_INFO) if not wanted or name in wanted]
    values: list[list[Any]] = [[] for _ in _VALUES]
    kinds, offsets = [], []
    for name in names:
        kind, value = _INFO[name]
        kinds.append(kind)
        offsets.append(len(values[kind]))
        values[kind].append(value)
    children = [pa.array(each, kind) for each, (_, kind) in zip(values, _VALUES, strict=True)]
    union = pa.UnionArray.from_dense(
        pa.array(kinds, pa.int8()), pa.array(offsets, pa.int32()), children, [name for name, _ in _VALUES]
    )
    return pa.Table.from_arrays([pa.array(names, pa.uint32()), union], schema=SQL_INFO)
