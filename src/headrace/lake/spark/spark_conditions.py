"""Spark's error conditions in plain words: https://spark.apache.org/docs/latest/sql-error-conditions.html."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from headrace.errors import (
    AlreadyExists,
    DataError,
    Error,
    IntegrityError,
    NotFound,
    NotSupportedError,
    ProgrammingError,
    SqlSyntaxError,
)
from headrace.model.counted import counted
from headrace.model.quoting import show_identifier
from headrace.sql.tokens.dotted_name import dotted_parts

Parameters = Mapping[str, str]


@dataclass(frozen=True)
class Saying:
    """How a condition is said. Braces hold a parameter of Spark's and how to show it: see ``_Shown``."""

    kind: type[Error]
    message: str
    hint: str | Callable[[Parameters], str | None] | None = None
    culprit: str | None = None
    """Parameter that holds the SQL to blame, for conditions that Spark places at the whole statement."""


def say(condition: str, parameters: Parameters) -> tuple[Error, str | None] | None:
    """The error, and the SQL to blame if that is known; None for a condition without words of ours."""
    saying = SAYINGS.get(condition) or SAYINGS.get(condition.split(".")[0])
    if saying is None or not _has_all(saying.message, parameters):
        return None
    shown = {key: _Shown(value) for key, value in parameters.items()}
    hint = saying.hint(parameters) if callable(saying.hint) else saying.hint and saying.hint.format_map(shown)
    culprit = parameters.get(saying.culprit or "")
    error = saying.kind(saying.message.format_map(shown), hint=hint)
    if isinstance(error, NotFound) and saying.culprit == _RELATION:
        error.missing = dotted_parts(parameters[_RELATION])
    return error, culprit and as_name(_as_sql(culprit))


_RELATION = "relationName"


def _has_all(template: str, parameters: Parameters) -> bool:
    return set(re.findall(r"{(\w+)", template)) <= set(parameters)


class _Shown(str):
    """A parameter's value; what follows the colon in ``{parameter:how}`` says how to show it."""

    __slots__ = ()

    def __format__(self, how: str) -> str:
        return _WAYS[how](self)


def names_in(text: str) -> list[str]:
    """Names as a person would write them, from Spark's list: ```o`.`id`, `p`.`id```."""
    return [as_name(name) for name in re.findall(r"`(?:[^`]|``)*`(?:\.`(?:[^`]|``)*`)*", text)]


def as_name(text: str) -> str:
    """A name in Spark's backticks as a person would write it."""
    parts = dotted_parts(text)
    return text if parts is None else ".".join(map(show_identifier, parts))


def _as_type(text: str) -> str:
    return text.replace('"', "").lower()


def _as_sql(text: str) -> str:
    sql = text.strip().removeprefix('"').removesuffix('"')
    return sql[1:-1] if re.fullmatch(r"\([^()]*(\([^()]*\)[^()]*)*\)", sql) else sql


def _columns_counted(text: str) -> str:
    return counted(len(names_in(text)), "column")


def _as_owner(text: str) -> str:
    return "" if text == "``" else f" of {as_name(text)}"


_WAYS: dict[str, Callable[[str], str]] = {
    "": lambda text: text.strip(),
    "name": as_name,
    "names": lambda text: ", ".join(names_in(text)),
    "count": _columns_counted,
    "of": _as_owner,
    "type": _as_type,
    "sql": _as_sql,
    "lower": lambda text: text.strip()[:1].lower() + text.strip()[1:],
}


def _did_you_mean(parameters: Parameters) -> str | None:
    """Spark proposes whatever there is; only what is close is worth a guess."""
    wanted = names_in(parameters.get("objectName") or parameters.get("fieldName") or "")
    proposed = names_in(parameters.get("proposal", ""))
    if not wanted or not proposed:
        return None
    close = difflib.get_close_matches(wanted[0], proposed, n=2, cutoff=0.7)
    return f"did you mean {' or '.join(close)}?" if close else f"columns here include {', '.join(proposed)}"


def _arguments(parameters: Parameters) -> str | None:
    """A ``?`` is known by its offset."""
    name = parameters["name"]
    return "pass parameters [value, ...]" if name.startswith("_") else f"pass parameters {{'{name}': value}}"


_TABLES = "SHOW TABLES lists all tables; names are workspace.schema.table"
_SCHEMAS = "SHOW SCHEMAS lists all schemas"
_FUNCTIONS = "SHOW FUNCTIONS lists all functions"
_TAKEN = "choose another name, or add IF NOT EXISTS"
_CAST = "CAST one of them"

_MISSING = {
    "UNRESOLVED_COLUMN": Saying(
        NotFound, "column {objectName:name} does not exist", _did_you_mean, culprit="objectName"
    ),
    "UNRESOLVED_FIELD": Saying(
        NotFound, "field {fieldName:name} does not exist in {columnPath:name}", _did_you_mean
    ),
    "UNRESOLVED_MAP_KEY": Saying(
        NotFound, "column {objectName:name} does not exist", "enclose the key of a map in quotes: map['key']"
    ),
    "INVALID_ATTRIBUTE_NAME_SYNTAX": Saying(
        NotFound,
        "a column of the statement does not exist",
        "DESC lists the table's columns; Spark does not say which is missing, as one is called {name}",
    ),
    "UNRESOLVED_USING_COLUMN_FOR_JOIN": Saying(
        NotFound,
        "column {colName:name} does not exist on the {side} side of the join",
        "columns there: {suggestion:names}",
        culprit="colName",
    ),
    "UNRESOLVED_ROUTINE": Saying(NotFound, "function {routineName:name} does not exist", _FUNCTIONS),
    "ROUTINE_NOT_FOUND": Saying(NotFound, "function {routineName:name} does not exist", _FUNCTIONS),
    "FAILED_TO_LOAD_ROUTINE": Saying(
        NotFound, "procedure {routineName:name} does not exist", culprit="routineName"
    ),
    "TABLE_OR_VIEW_NOT_FOUND": Saying(
        NotFound, "table or view {relationName:name} does not exist", _TABLES, culprit="relationName"
    ),
    "VIEW_NOT_FOUND": Saying(
        NotFound, "view {relationName:name} does not exist", _TABLES, culprit="relationName"
    ),
    "SCHEMA_NOT_FOUND": Saying(
        NotFound, "schema {schemaName:name} does not exist", _SCHEMAS, culprit="schemaName"
    ),
    "CATALOG_NOT_FOUND": Saying(
        NotFound, "workspace {catalogName:name} does not exist", culprit="catalogName"
    ),
    "PATH_NOT_FOUND": Saying(NotFound, "path {path} does not exist"),
    "UNSUPPORTED_DATATYPE": Saying(NotFound, "type {typeName:type} does not exist"),
    "UNBOUND_SQL_PARAMETER": Saying(ProgrammingError, "a parameter has no value", _arguments),
}

_TAKEN_NAMES = {
    "TABLE_OR_VIEW_ALREADY_EXISTS": Saying(
        AlreadyExists, "{relationName:name} already exists", _TAKEN, culprit="relationName"
    ),
    "VIEW_ALREADY_EXISTS": Saying(
        AlreadyExists, "{relationName:name} already exists", _TAKEN, culprit="relationName"
    ),
    "SCHEMA_ALREADY_EXISTS": Saying(
        AlreadyExists, "schema {schemaName:name} already exists", _TAKEN, culprit="schemaName"
    ),
    "COLUMN_ALREADY_EXISTS": Saying(
        AlreadyExists, "column {columnName:name} is given twice", "give one of them another name"
    ),
    "FIELD_ALREADY_EXISTS": Saying(
        AlreadyExists, "column {fieldNames:name} already exists", culprit="fieldNames"
    ),
    "DUPLICATED_CTE_NAMES": Saying(AlreadyExists, "two CTEs have the same name: {duplicateNames:names}"),
}

_WRITES = {
    "INSERT_COLUMN_ARITY_MISMATCH": Saying(
        ProgrammingError,
        "the data has {dataColumns:count}, but {tableName:name} has {tableColumns:count}",
        "columns of the table: {tableColumns:names}",
    ),
    "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST": Saying(
        DataError,
        "column {colName:name}{tableName:of} is {targetType:type}, but the data is {srcType:type}",
        "CAST the data if this is intended",
    ),
    "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA": Saying(
        IntegrityError, "column {colName:name}{tableName:of} requires a value", "specify one"
    ),
    "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS": Saying(
        NotFound, "column {extraColumns:names}{tableName:of} does not exist"
    ),
    "INCOMPATIBLE_DATA_FOR_TABLE.NULLABLE_COLUMN": Saying(
        IntegrityError,
        "column {colName:name}{tableName:of} cannot be NULL",
        "filter with IS NOT NULL, or coalesce",
    ),
    "NOT_NULL_ASSERT_VIOLATION": Saying(
        IntegrityError, "column {walkedTypePath} cannot be NULL", "specify a value, or omit the row"
    ),
    "CAST_OVERFLOW_IN_TABLE_INSERT": Saying(
        DataError,
        "a value is out of the range of column {columnName:name}, which is {targetType:type}",
        "look for numbers that are too large, and for a division by zero",
    ),
    "MERGE_CARDINALITY_VIOLATION": Saying(
        IntegrityError,
        "several rows of the source match the same row of the table",
        "make the source unique in the columns of ON",
    ),
    "NOT_SUPPORTED_CHANGE_COLUMN": Saying(
        NotSupportedError,
        "column {originName:name} cannot be changed from {originType:type} to {newType:type}",
        "a type can only become wider: int to bigint, float to double, decimal to more digits",
    ),
    "UNSUPPORTED_FEATURE.TABLE_OPERATION": Saying(
        NotSupportedError, "tables of a lake do not support {operation}"
    ),
    "NOT_SUPPORTED_COMMAND_FOR_V2_TABLE": Saying(
        NotSupportedError, "{cmd} is not supported on the tables of a lake"
    ),
    "EXPECT_TABLE_NOT_VIEW": Saying(
        ProgrammingError, "{viewName:name} is a view, but {operation} requires a table"
    ),
    "EXPECT_VIEW_NOT_TABLE": Saying(
        ProgrammingError, "{tableName:name} is a table, but {operation} requires a view"
    ),
    "EXPECT_PERMANENT_VIEW_NOT_TEMP": Saying(
        ProgrammingError, "{viewName:name} is a temporary view, but {operation} requires a view of the lake"
    ),
}

_VALUES = {
    "CAST_INVALID_INPUT": Saying(
        DataError,
        "{expression} cannot be converted to {targetType:type}",
        "correct the value, or use try_cast, which returns NULL instead",
    ),
    "CAST_OVERFLOW": Saying(
        DataError,
        "{value} is out of the range of {targetType:type}",
        "use a wider type, or try_cast, which returns NULL instead",
    ),
    "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN": Saying(
        DataError, "{c} cannot be used in a date pattern", "use extract(WEEK FROM ...) for the week"
    ),
    "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION": Saying(
        DataError, "{pattern} is not a valid date pattern", "use a pattern such as 'yyyy-MM-dd HH:mm:ss'"
    ),
    "INCONSISTENT_BEHAVIOR_CROSS_VERSION.PARSE_DATETIME_BY_NEW_PARSER": Saying(
        DataError, "{datetime} does not match the pattern", "correct the value or the pattern"
    ),
    "DIVIDE_BY_ZERO": Saying(DataError, "division by zero", "try_divide(a, b) returns NULL instead"),
    "REMAINDER_BY_ZERO": Saying(DataError, "division by zero", "try_mod(a, b) returns NULL instead"),
    "ARITHMETIC_OVERFLOW": Saying(
        DataError,
        "{message:lower}",
        "CAST to a wider type, or use a function such as try_add, which returns NULL instead",
    ),
    "INVALID_TYPED_LITERAL": Saying(DataError, "{value} cannot be converted to {valueType:type}"),
    "INVALID_ARRAY_INDEX": Saying(
        DataError,
        "index {indexValue} is out of bounds of an array of {arraySize}",
        "get(array, index) returns NULL instead",
    ),
    "INVALID_ARRAY_INDEX_IN_ELEMENT_AT": Saying(
        DataError,
        "index {indexValue} is out of bounds of an array of {arraySize}",
        "try_element_at returns NULL instead",
    ),
    "INVALID_INDEX_OF_ZERO": Saying(DataError, "index 0 is not valid", "element_at counts from 1"),
    "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR": Saying(DataError, "{expr:sql} is not a timestamp", culprit="expr"),
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": Saying(
        DataError, "a subquery used as a value returned more than one row", "aggregate it, or add LIMIT 1"
    ),
    "USER_RAISED_EXCEPTION": Saying(DataError, "{errorMessage}"),
}

_TYPES = {
    "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES": Saying(
        ProgrammingError, "{left:type} and {right:type} are not compatible in {sqlExpr:sql}", _CAST
    ),
    "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE": Saying(
        ProgrammingError, "{sqlExpr:sql} requires {inputType:type}, not {actualDataType:type}"
    ),
    "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN": Saying(
        ProgrammingError, "a condition must be boolean, but {filter:sql} is {type:type}", culprit="filter"
    ),
    "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE": Saying(
        ProgrammingError,
        "the {paramIndex} argument of {sqlExpr:sql} must be {requiredType:type}, not {inputType:type}",
    ),
    **{
        f"DATATYPE_MISMATCH.CAST_{which}": Saying(
            DataError, "{srcType:type} cannot be cast to {targetType:type}"
        )
        for which in ("WITHOUT_SUGGESTION", "WITH_CONF_SUGGESTION", "WITH_FUNC_SUGGESTION")
    },
    "WRONG_NUM_ARGS": Saying(
        ProgrammingError,
        "wrong number of arguments for {functionName:name}: {actualNum} instead of {expectedNum}",
    ),
    "INCOMPATIBLE_COLUMN_TYPE": Saying(
        ProgrammingError,
        "{operator} cannot combine {dataType2:type} and {dataType1:type} in its {columnOrdinalNumber} column",
        _CAST,
    ),
    "COLUMN_ORDINAL_OUT_OF_BOUNDS": Saying(
        ProgrammingError, "a view has more columns than its query now returns", "create the view again"
    ),
    "NUM_COLUMNS_MISMATCH": Saying(
        ProgrammingError,
        "{operator} requires equal numbers of columns, not {firstNumColumns} and {invalidNumColumns}",
    ),
    "ASSIGNMENT_ARITY_MISMATCH": Saying(
        ProgrammingError, "{numTarget} names are given for {numExpr} columns", "name all of them, or none"
    ),
}

_QUERIES = {
    "AMBIGUOUS_REFERENCE": Saying(
        ProgrammingError, "column {name:name} is ambiguous", "use one of {referenceNames:names}"
    ),
    "MISSING_GROUP_BY": Saying(
        ProgrammingError,
        "columns and aggregates are mixed without GROUP BY",
        "add GROUP BY, or make the aggregate a window function with OVER",
    ),
    "MISSING_AGGREGATION": Saying(
        ProgrammingError,
        "{expression:sql} is neither grouped nor aggregated",
        "add it to GROUP BY, or use {expressionAnyValue:sql} if any of the values is acceptable",
        culprit="expression",
    ),
    "NESTED_AGGREGATE_FUNCTION": Saying(
        ProgrammingError, "aggregates cannot be nested", "compute the inner one in a subquery"
    ),
    "INVALID_WHERE_CONDITION": Saying(
        ProgrammingError,
        "WHERE cannot contain aggregates, window functions or generators",
        "use HAVING, or compute it in a subquery",
        culprit="condition",
    ),
    "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE": Saying(
        ProgrammingError, "{funcName:sql} requires OVER (...)", culprit="funcName"
    ),
    "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN": Saying(
        ProgrammingError, "a subquery used as a value must return one column, not {number}"
    ),
    "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE": Saying(ProgrammingError, "a {name} cannot be negative"),
    "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE": Saying(
        ProgrammingError, "a {name} must be a whole number, not {dataType:type}"
    ),
    "PARSE_SYNTAX_ERROR": Saying(SqlSyntaxError, "syntax error at or near {error}"),
    "PARSE_EMPTY_STATEMENT": Saying(SqlSyntaxError, "the statement is empty"),
    "SCHEMA_NOT_EMPTY": Saying(
        ProgrammingError,
        "schema {schemaName:name} is not empty",
        "drop its tables first",
        culprit="schemaName",
    ),
}

SAYINGS: dict[str, Saying] = _MISSING | _TAKEN_NAMES | _WRITES | _VALUES | _TYPES | _QUERIES
"""By condition, or by its first part for all that share it."""
